"""What a result depends on: digests of the packages behind a stage.

Snakemake runs a job again when its parameters change, not when a library does. Each rule therefore
has digests of the packages that its script uses as a parameter. An edit of a package runs all of
its stages again: too much rather than too little. A job compares the digests with the sources that
it imports itself, so that an edit during a run leaves no result under the digest of other sources.
"""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from xnbflow.data.errors import InputError
from xnbflow.data.plugins import plugin_modules

__all__ = ["STAGES", "refuse_other_sources", "source_digests", "source_files"]

_DATA = ("data",)
_TRAINING = (*_DATA, "data.sources", "density", "preprocessing", "naive_bayes", "evaluation")

#: The packages of xnbflow that the script of a stage uses.
STAGES = {
    "acquire": (*_DATA, "data.sources", "data.cells"),
    "diagnose": (*_DATA, "density", "diagnostics"),
    "train": _TRAINING,
    "classify": (*_TRAINING, "models"),
    "compare": (*_TRAINING, "diagnostics"),
    "analyse": (*_TRAINING, "data.cells", "diagnostics", "models", "studies"),
    "report": (*_DATA, "data.sources", "evaluation", "models", "studies", "report"),
}
#: Packages that do not count with the one that they are in: an edit of a reader trains nothing.
_APART = {"data": ("sources", "cells")}
_ROOT = Path(__file__).parents[1]


@cache
def source_digests(stage: str, *modules: str) -> dict[str, str]:
    """Return digests of the sources behind a stage.

    Parameters
    ----------
    stage : str
        A key of `STAGES`.
    *modules : str
        Full names of modules, or of something in them, that the configuration names, say
        ``"sklearn.svm.LinearSVC"``.

    Returns
    -------
    dict of str to str
        A digest by package. An installed package that is no plugin has its version instead.

    Examples
    --------
    >>> sorted(source_digests("diagnose", "sklearn.svm.LinearSVC"))
    ['sklearn', 'xnbflow.data', 'xnbflow.density', 'xnbflow.diagnostics']
    """
    others = {module.partition(".")[0] for module in modules} - {"xnbflow"}
    plugins = {module.partition(".")[0] for module in plugin_modules()}
    return {f"xnbflow.{package}": _digest(f"xnbflow.{package}") for package in STAGES[stage]} | {
        name: (_version(name) if name not in plugins else "") or _digest(name)
        for name in sorted(others)
    }


def refuse_other_sources(planned: Mapping[str, str]) -> None:
    """Raise an `InputError` if sources are not those of the plan.

    Parameters
    ----------
    planned : mapping of str to str
        What `source_digests` returned when the run was planned. Versions are not compared: the
        environment of a job may be another one than that of the plan.
    """
    for package, digest in planned.items():
        if digest.startswith(_SIGN) and _digest(package) != digest:
            msg = (
                f"the sources of {package} were edited after this run was planned. "
                "Run the workflow again"
            )
            raise InputError(msg)


#: Begins a digest, not a version.
_SIGN = "sha256:"


def _digest(package: str) -> str:
    digest = hashlib.sha256()
    for name, path in source_files(package).items():
        digest.update(f"{name}\n".encode())
        digest.update(path.read_bytes())
    return _SIGN + digest.hexdigest()[:12]


def source_files(package: str) -> dict[str, Path]:
    """Return the files of a package by their names in it, templates among them.

    Examples
    --------
    >>> "errors.py" in source_files("xnbflow.data"), "geo.py" in source_files("xnbflow.data")
    (True, False)
    """
    top, _, inner = package.partition(".")
    if top == "xnbflow":
        folder = _ROOT.joinpath(*inner.split("."))
    else:
        spec = find_spec(top)
        origin = Path(spec.origin) if spec and spec.origin else None
        if origin is None or origin.name != "__init__.py":
            return {origin.name: origin} if origin else {}
        folder = origin.parent
    apart = {"__pycache__", *_APART.get(inner, ())}
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    names = {path.relative_to(folder): path for path in found}
    return {
        name.as_posix(): path
        for name, path in names.items()
        if name.parts[0] not in apart and "__pycache__" not in name.parts
    }


def _version(package: str) -> str:
    try:
        return version({"sklearn": "scikit-learn"}.get(package, package))
    except PackageNotFoundError:
        return ""
