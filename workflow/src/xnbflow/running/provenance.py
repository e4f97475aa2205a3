"""Digests of the code behind a file, on which its content depends.

Snakemake repeats a job when its parameters change, but not when a library changes; so each rule has
a digest of the code as a parameter. There are three of them: `reading_code`, of what reads data
sets, `computing_code`, of everything that computes results, and `page_code`, of what writes a page.
`method_code` is that of the methods which the configuration names: papers, plugins, a user's own
modules and other packages.

A job compares the digests of the plan with the sources that it imports itself.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from xnbflow.core.errors import InputError
from xnbflow.core.plugins import plugin_modules

_LIBRARY = Path(__file__).parents[1]
#: Packages of the library whose code changes no result: those of the page and of the start of
#: jobs; and the papers, each of which counts where a study names it.
_WITHOUT_RESULTS = frozenset({"report", "running", "papers"})
#: Files of a paper that only its page uses, by the beginning of their names.
_PAGE_FILES = ("section", "drawings", "curves", "coverage")
#: First words of the digests, so that the reason of a rerun is understood.
_READING, _COMPUTING, _PAGE = "reading code", "computing code", "page code"
#: The packages that *acquire* needs, so that an edit of a classifier reads no data set again.
_READERS = ("core", "data", "sources", "tables")


@cache
def reading_code() -> str:
    """Return the digest of the library's code that reads data sets."""
    files = [path for package in _READERS for path in source_files(_LIBRARY / package)]
    return f"{_READING} {_digest(files, _LIBRARY)}"


@cache
def computing_code() -> str:
    """Return the digest of the library's code that computes results.

    Examples
    --------
    >>> computing_code().startswith("computing code ")
    True
    """
    files = [
        path
        for path in source_files(_LIBRARY)
        if path.relative_to(_LIBRARY).parts[0] not in _WITHOUT_RESULTS
    ]
    return f"{_COMPUTING} {_digest(files, _LIBRARY)}"


@cache
def page_code() -> str:
    """Return the digest of the library's code that writes pages, the package `xnbflow.report`.

    The sections of papers and plugins are those of `method_code` with ``page``.
    """
    return f"{_PAGE} {_digest(source_files(_LIBRARY / 'report'), _LIBRARY)}"


def method_code(modules: Iterable[str], *, page: bool = False) -> dict[str, str]:
    """Return the digests of methods by their package.

    ``modules`` are full names of modules, or of something in them. The core of xnbflow is left out,
    see `computing_code`. Of an installed package that is no plugin the version counts. Of a paper
    the files that only its ``page`` uses count on request.

    Examples
    --------
    >>> import sklearn
    >>> methods = ["xnbflow.naive_bayes.XNB", "sklearn.svm.LinearSVC"]
    >>> method_code(methods) == {"sklearn": f"version {sklearn.__version__}"}
    True
    """
    plugins = {module.partition(".")[0] for module in plugin_modules()}
    packages = sorted(set(filter(None, map(_counted_package, modules))))
    digests = {}
    for package in packages:
        number = "" if package in plugins else _version(package)
        kind = "page code" if page else "code"
        digest = f"{kind} {_package_digest(package, page=page)}"
        digests[package] = f"version {number}" if number else digest
    return digests


def refuse_other_code(planned: Iterable[str], methods: Mapping[str, str]) -> None:
    """Raise an `InputError` if the code is not that of the plan.

    ``planned`` are results of the functions above, ``methods`` is that of
    `method_code`. Versions are not compared: the environment of a job may be another one than that
    of the plan.
    """
    edited = ""
    present = {_READING: reading_code, _COMPUTING: computing_code, _PAGE: page_code}
    for digest in planned:
        words = " ".join(digest.split()[:2])
        if present[words]() != digest:
            edited = f"the {words} of xnbflow was"
    for package, digest in methods.items():
        kind, _, planned_digest = digest.rpartition(" ")
        page = kind == "page code"
        if kind != "version" and planned_digest != _package_digest(package, page=page):
            edited = f"the sources of {package} were"
    if edited:
        msg = f"{edited} edited after this run was planned. Run the workflow again"
        raise InputError(msg)


def remove_stale_bytecode(modules: Iterable[str] = ()) -> None:
    """Remove compiled files of Python and numba that are older than their modules.

    Both compare the size of a module and its time of modification, which an edit or a copy may not
    change. The system's time of the last change of a file cannot be set. It concerns the library
    and the packages of ``modules``, as in `method_code`.
    """
    packages = set(filter(None, map(_counted_package, modules)))
    local = [package for package in packages if not _version(package)]
    files = [
        *source_files(_LIBRARY),
        *(path for name in local for path in _package_files(name, page=True)),
    ]
    for folder in {path.parent for path in files}:
        compiled: dict[str, list[Path]] = {}
        for path in (folder / "__pycache__").glob("*"):
            compiled.setdefault(path.name.partition(".")[0], []).append(path)
        for source in (path for path in files if path.parent == folder and path.suffix == ".py"):
            changed = source.stat().st_ctime_ns
            for path in compiled.get(source.stem, ()):
                with suppress(OSError):  # another process was faster, or may write here
                    if path.stat().st_mtime_ns <= changed:
                        path.unlink()


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


def _package_digest(package: str, *, page: bool) -> str:
    files = _package_files(package, page=page)
    return _digest(files, files[0].parent) if files else "none"


def _package_files(package: str, *, page: bool) -> list[Path]:
    """Return the files of a package, or the file of a single module.

    Of a paper these are the files that compute, with ``page`` all; papers share the package
    `xnbflow.papers.common`.
    """
    if package.startswith("xnbflow.papers."):
        papers = _LIBRARY / "papers"
        folders = {package.rpartition(".")[2], "common"}
        return [
            path
            for name in sorted(folders)
            for path in source_files(papers / name)
            if page or not path.name.startswith(_PAGE_FILES)
        ]
    spec = find_spec(package)
    origin = Path(spec.origin) if spec and spec.origin else None
    if origin is None:
        return []
    return source_files(origin.parent) if origin.name == "__init__.py" else [origin]


def _digest(files: Iterable[Path], root: Path) -> str:
    """Return eight hexadecimal digits for the names and contents of files."""
    digest = hashlib.sha256()
    for name, path in _named(files, root):
        digest.update(f"{name}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


def _named(files: Iterable[Path], root: Path) -> Iterator[tuple[str, Path]]:
    for path in files:
        inside = path.is_relative_to(root)
        yield (path.relative_to(root).as_posix() if inside else path.name), path


def _version(package: str) -> str:
    try:
        return version({"sklearn": "scikit-learn"}.get(package, package))
    except PackageNotFoundError:
        return ""
