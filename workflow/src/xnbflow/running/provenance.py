"""Digests of the code behind a file, on which its content depends.

Snakemake repeats a job when its parameters change, but not when a library changes; so each rule has
a digest of the code as a parameter. The library has three digests: `reading_code` of the modules
that read data sets, `computing_code` of all modules that compute results, and `page_code` of those
that write a page. `method_code` and `section_code` return the digests of the methods and sections
that a configuration names: of papers, plugins, modules of the user and other packages.

A job compares the digests of the plan with the sources that it imports itself.
"""

import hashlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from xnbflow.core.errors import InputError
from xnbflow.core.plugins import plugin_modules

_LIBRARY = Path(__file__).parents[1]
#: Parts of the library whose code changes no result: those of the page and of the start of jobs;
#: and the papers, each of which counts where a study names it.
_WITHOUT_RESULTS = ("report", "jobs/report.py", "jobs/draw.py", "running", "papers")
#: Files of a paper that only its page uses, by the beginning of their names.
_PAGE_FILES = ("section", "drawings", "curves", "coverage")
#: First words of the three digests of the library, which Snakemake prints as reason of a rerun.
_READING = "reading code"
_COMPUTING = "computing code"
_PAGE = "page code"
#: The parts that *acquire* needs, so that an edit of a classifier reads no data set again.
_READERS = ("core", "data", "sources", "tables", "jobs/acquire.py", "jobs/seek.py")
#: The parts that only *report* needs.
_PAGES = ("report", "jobs/report.py", "jobs/draw.py")


@cache
def reading_code() -> str:
    """Return the digest of the library's code that reads data sets."""
    return f"{_READING} {_digest(_files_of(_READERS), _LIBRARY)}"


@cache
def computing_code() -> str:
    """Return the digest of the library's code that computes results.

    Examples
    --------
    >>> computing_code().startswith("computing code ")
    True
    """
    without_results = {*_files_of(_WITHOUT_RESULTS)}
    files = [path for path in source_files(_LIBRARY) if path not in without_results]
    return f"{_COMPUTING} {_digest(files, _LIBRARY)}"


@cache
def page_code() -> str:
    """Return the digest of the library's code that writes pages: `xnbflow.report` and its job.

    Those of sections of papers and plugins are `section_code`.
    """
    return f"{_PAGE} {_digest(_files_of(_PAGES), _LIBRARY)}"


def forget_digests() -> None:
    """Forget the digests of the library, so that the next ones are those of its files then."""
    for digest in (reading_code, computing_code, page_code):
        digest.cache_clear()


def method_code(modules: Iterable[str]) -> dict[str, str]:
    """Return the digests of the code of methods by their package: a job runs again if one changes.

    ``modules`` are full names of modules, classes or functions. The core of xnbflow is left out,
    see `computing_code`. An installed package that is not a plugin has its version instead of a
    digest. The files of a paper that only its page uses do not count.

    Examples
    --------
    >>> import sklearn
    >>> methods = ["xnbflow.naive_bayes.XNB", "sklearn.svm.LinearSVC"]
    >>> method_code(methods) == {"sklearn": f"version {sklearn.__version__}"}
    True
    """
    return _package_code(modules, page=False)


def section_code(modules: Iterable[str]) -> dict[str, str]:
    """Return the digests of the code of sections by their package: a page is written again.

    They are as those of `method_code`, with the files of a paper that only its page uses.
    """
    return _package_code(modules, page=True)


def _package_code(modules: Iterable[str], *, page: bool) -> dict[str, str]:
    """Return the digests of packages, or their versions, see `method_code` and `section_code`."""
    plugins = {module.partition(".")[0] for module in plugin_modules()}
    kind = _PAGE if page else "code"
    digests = {}
    for package in sorted(_counted_packages(modules)):
        number = "" if package in plugins else _version(package)
        if number:
            digests[package] = f"version {number}"
        else:
            digests[package] = f"{kind} {_package_digest(package, page=page)}"
    return digests


def refuse_other_code(planned: Iterable[str], packages: Mapping[str, str]) -> None:
    """Raise an `InputError` if the code is not that of the plan.

    Parameters
    ----------
    planned : iterable of str
        Digests of the library in the plan, as ``computing code 4f2a9c01``.
    packages : mapping of str to str
        The results of `method_code` and `section_code` in the plan. Versions are not compared: a
        job may run in another environment than the plan.
    """
    present = {_READING: reading_code, _COMPUTING: computing_code, _PAGE: page_code}
    for digest in planned:
        kind = digest.rpartition(" ")[0]
        if present[kind]() != digest:
            msg = (
                f"the {kind} of xnbflow was edited after this run was planned. Run the workflow "
                "again"
            )
            raise InputError(msg)
    for package, digest in packages.items():
        kind, _, digits = digest.rpartition(" ")
        if kind != "version" and digits != _package_digest(package, page=kind == _PAGE):
            msg = (
                f"the sources of {package} were edited after this run was planned. Run the "
                "workflow again"
            )
            raise InputError(msg)


def remove_stale_bytecode(modules: Iterable[str] = ()) -> None:
    """Remove compiled files of Python and numba that are older than their modules.

    Python and numba compare the size of a module and its time of modification, and an edit or a
    copy may change neither. The time of the last change of a file, which the system sets, always
    changes. The function looks at the library and at the packages of ``modules``, as in
    `method_code`.
    """
    files = source_files(_LIBRARY)
    for package in _counted_packages(modules):
        if not _version(package):  # installed packages are not edited
            files += _package_files(package, page=True)
    sources = [path for path in files if path.suffix == ".py"]
    compiled: dict[Path, list[Path]] = {}
    for folder in {path.parent for path in sources}:
        for path in (folder / "__pycache__").glob("*"):
            module = folder / path.name.partition(".")[0]
            compiled.setdefault(module, []).append(path)
    for source in sources:
        changed = source.stat().st_ctime_ns
        for path in compiled.get(source.with_suffix(""), ()):
            with suppress(OSError):  # another process has removed it, or the folder is read-only
                if path.stat().st_mtime_ns <= changed:
                    path.unlink()


def _files_of(parts: Iterable[str]) -> list[Path]:
    """Return the files of parts of the library: packages, and single modules."""
    files: list[Path] = []
    for part in parts:
        path = _LIBRARY / part
        files += [path] if path.is_file() else source_files(path)
    return files


def source_files(folder: Path) -> list[Path]:
    """Return the files of a folder and its subfolders in a fixed order, without compiled ones.

    Examples
    --------
    >>> any(path.name == "errors.py" for path in source_files(_LIBRARY / "core"))
    True
    """
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return [path for path in paths if "__pycache__" not in path.parts]


def _counted_package(module: str) -> str:
    """Return the package with which a module counts; empty for one of the core.

    Examples
    --------
    >>> _counted_package("xnbflow.papers.cica.compute")
    'xnbflow.papers.cica'
    >>> _counted_package("xnbflow.naive_bayes.XNB")
    ''
    >>> _counted_package("sklearn.svm.LinearSVC")
    'sklearn'
    """
    parts = module.split(".")
    if parts[0] != "xnbflow":
        return parts[0]
    return ".".join(parts[:3]) if parts[1:2] == ["papers"] else ""


def _counted_packages(modules: Iterable[str]) -> set[str]:
    """Return the packages with which modules count, see `_counted_package`."""
    packages = {_counted_package(module) for module in modules}
    return packages - {""}


def _package_digest(package: str, *, page: bool) -> str:
    """Return the digest of the files of a package; "none" if they are not found."""
    files = _package_files(package, page=page)
    return _digest(files, files[0].parent) if files else "none"


def _package_files(package: str, *, page: bool) -> list[Path]:
    """Return the files of a package, or the file of a single module.

    A paper has the files that compute, and with ``page`` all its files; the package
    `xnbflow.papers.common` belongs to every paper.
    """
    if package.startswith("xnbflow.papers."):
        folders = {package.rpartition(".")[2], "common"}
        files: list[Path] = []
        for name in sorted(folders):
            files += source_files(_LIBRARY / "papers" / name)
        if page:
            return files
        return [path for path in files if not path.name.startswith(_PAGE_FILES)]
    spec = find_spec(package)
    origin = Path(spec.origin) if spec and spec.origin else None
    if origin is None:
        return []
    return source_files(origin.parent) if origin.name == "__init__.py" else [origin]


def _digest(files: Iterable[Path], root: Path) -> str:
    """Return eight hexadecimal digits for the names and contents of files."""
    digest = hashlib.sha256()
    for path in files:
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
        digest.update(f"{name}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


def _version(package: str) -> str:
    """Return the version of an installed package; empty for a module of the user."""
    try:
        return version({"sklearn": "scikit-learn"}.get(package, package))
    except PackageNotFoundError:
        return ""
