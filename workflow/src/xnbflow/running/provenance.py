"""Digests of the packages that a script imports, on which its results depend.

Snakemake repeats a job when its parameters change, but not when a library changes; so each rule has
the digests as a parameter. An edit of a package repeats every job that imports it, more than
necessary. A job compares the digests with the sources that it imports itself.
"""

import hashlib
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from xnbflow.core.errors import InputError
from xnbflow.core.plugins import plugin_modules
from xnbflow.running.project import ROOT

#: The package of the papers; each paper has its own digest.
_PAPERS = "papers"
#: Packages that count where a script itself imports them, not with another package: an analysis
#: has a section of the page beside what computes it.
_PAGE = {"report", "running"}
#: Modules that start jobs do not change results.
_START = "running"
_IMPORT = re.compile(r"^ *(?:from|import) xnbflow\.([\w.]+)(?: import (\w+))?", re.MULTILINE)
_ROOT = Path(__file__).parents[1]


@cache
def source_digests(script: str, *modules: str) -> dict[str, str]:
    """Return digests of the sources behind a script, by script and package.

    ``modules`` are full names of modules or of something in them that the configuration names. Of
    those, an installed package that is no plugin has its version.

    Examples
    --------
    >>> sorted(source_digests("diagnose.py", "sklearn.svm.LinearSVC"))[:3]
    ['diagnose.py', 'sklearn', 'xnbflow.core']
    """
    others = {module.partition(".")[0] for module in modules} - {"xnbflow"}
    plugins = {module.partition(".")[0] for module in plugin_modules()}
    own = packages_of(script, *modules)
    for package in (*own, *plugins & others):
        _remove_old_bytecode(package)
    return {name: _digest(name) for name in (*own, script)} | {
        name: (_version(name) if name not in plugins else "") or _digest(name)
        for name in sorted(others)
    }


def packages_of(script: str, *modules: str) -> list[str]:
    """Return the packages of xnbflow that a script imports, and those that these import.

    Examples
    --------
    >>> packages_of("acquire.py")
    ['xnbflow.core', 'xnbflow.data', 'xnbflow.sources', 'xnbflow.tables']
    """
    waiting = _imports(script) | {_package(name) for name in modules if name[:8] == "xnbflow."}
    found: set[str] = set()
    while waiting := waiting - found - {"", _START}:
        found |= waiting
        waiting = frozenset().union(*(_imports(f"xnbflow.{each}") - _PAGE for each in waiting))
    return sorted(f"xnbflow.{name}" for name in found)


@cache
def _imports(package: str) -> frozenset[str]:
    """Return the packages of xnbflow that the sources of a package, or a script, import."""
    files = source_files(package).values()
    texts = [path.read_text(encoding="utf-8") for path in files if path.suffix == ".py"]
    found = [match for text in texts for match in _IMPORT.findall(text)]
    return frozenset(_package(f"xnbflow.{module}.{name}") for module, name in found)


def _package(module: str) -> str:
    """Return the package of a module of xnbflow, without ``xnbflow``; empty for a module of it."""
    _, first, second, *_ = f"{module}..".split(".")
    if first == _PAPERS and (_ROOT / first / second).is_dir():
        return f"{first}.{second}"
    return first if (_ROOT / first).is_dir() else ""


def refuse_other_sources(planned: Mapping[str, str]) -> None:
    """Raise an `InputError` if sources are not those of the plan, see `source_digests`.

    Versions are not compared: the environment of a job may be another one than that of the plan.
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


@cache
def _remove_old_bytecode(package: str) -> None:
    """Remove compiled files of Python and numba that are older than their modules.

    Both compare the size of a module and its time of modification, which an edit or a copy may not
    change. The system's time of the last change of a file cannot be set.
    """
    for source in source_files(package).values():
        changed = source.stat().st_ctime_ns
        for compiled in source.parent.glob(f"__pycache__/{source.stem}.*"):
            with suppress(OSError):  # another process was faster, or may write here
                if compiled.stat().st_mtime_ns <= changed:
                    compiled.unlink()


def source_files(package: str) -> dict[str, Path]:
    """Return the files of a package, or a script, by their names in it, templates among them.

    Examples
    --------
    >>> "errors.py" in source_files("xnbflow.core"), "geo.py" in source_files("xnbflow.core")
    (True, False)
    """
    top, _, inner = package.partition(".")
    if inner == "py":
        return {package: ROOT / "workflow/scripts" / package}
    if top == "xnbflow":
        folder = _ROOT.joinpath(*inner.split("."))
    else:
        spec = find_spec(top)
        origin = Path(spec.origin) if spec and spec.origin else None
        if origin is None or origin.name != "__init__.py":
            return {origin.name: origin} if origin else {}
        folder = origin.parent
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    names = {path.relative_to(folder): path for path in found}
    return {
        name.as_posix(): path
        for name, path in names.items()
        if "__pycache__" not in name.parts and (inner != _PAPERS or len(name.parts) == 1)
    }


def _version(package: str) -> str:
    try:
        return version({"sklearn": "scikit-learn"}.get(package, package))
    except PackageNotFoundError:
        return ""
