"""The versions of the software that results come from."""

import platform
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from xnbflow import __version__

#: Packages whose versions results and models name.
_PACKAGES = ("numpy", "scipy", "numba", "pandas", "pyarrow", "scikit-learn", "snakemake")


@cache
def software() -> dict[str, str]:
    """Return the versions of this library, of Python and of the numerical packages."""
    versions = {"xnbflow": __version__, "Python": platform.python_version()}
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions
