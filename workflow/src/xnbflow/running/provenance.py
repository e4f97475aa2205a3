"""Digests of the code on which the content of files depends.

Snakemake repeats a job when its parameters change, but not when a library changes; so each rule has
a digest of the code of its stage as a parameter. There are four stages, and `STAGES` has the parts
of the library that each one uses: *reading* data sets, *computing* results, *judging* them in the
tables of a study, and writing its *page*. A part that several stages use counts for each of them.

`own_code` has digests of what is not in the library: modules of the user and plugins. `provenance`
is the record of a run for its page.
"""

import hashlib
import os
import platform
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, distributions, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from xnbflow.core.plugins import plugin_modules
from xnbflow.running.project import ROOT

_LIBRARY = Path(__file__).parents[1]
_SCRIPTS = ROOT / "workflow/scripts"
#: What every stage but *reading* uses.
_COMMON = (
    "core",
    "data",
    "density",
    "diagnostics",
    "evaluation",
    "inference",
    "naive_bayes",
    "preprocessing",
    "sources",
    "studies",
    "tables",
)
#: The parts of the library that each stage uses: packages, and single modules.
STAGES = {
    "reading": (
        "core",
        "data",
        "sources",
        "tables",
        "jobs/__init__.py",
        "jobs/acquire.py",
    ),
    "computing": (*_COMMON, "jobs", "models", "papers"),
    "judging": _COMMON,
    "page": (
        *_COMMON,
        "models",
        "papers",
        "report",
    ),
}
#: Parts of `_COMMON` that *computing* does not use: what makes the tables of a
#: study and its page from files of data sets and classifiers.
NOT_COMPUTING = (
    "inference/class_pairs.py",
    "inference/equal_priors.py",
    "inference/verdicts.py",
    "studies/comparison.py",
    "studies/fold_scores.py",
    "studies/probability_tables.py",
    "studies/recognition.py",
    "studies/sample_errors.py",
    "studies/selected_features.py",
    "studies/study_overview.py",
    "studies/study_tables.py",
)
#: Files of a paper that only its page uses, by the beginning of their names.
_PAGE_FILES = ("section", "drawings", "curves", "coverage")


#: The stage of rules that do not compute.
_STAGE_OF_RULE = {"acquire": "reading", "compare": "judging", "report": "page", "draw": "page"}


@cache
def stage_code(stage: str) -> str:
    """Return the digest of the code of a stage, with the name of the stage.

    Examples
    --------
    >>> stage_code("judging").startswith("judging ")
    True
    """
    digest = hashlib.sha256(_digest(_stage_files(stage), _LIBRARY).encode())
    for script in source_files(_SCRIPTS):
        if _STAGE_OF_RULE.get(script.stem, "computing") == stage:
            digest.update(script.read_bytes())
    return f"{stage} {digest.hexdigest()[:8]}"


def code_of_stages() -> dict[str, str]:
    """Return the digest of the code of each stage."""
    return {stage: stage_code(stage).rpartition(" ")[2] for stage in STAGES}


def _stage_files(stage: str) -> list[Path]:
    """Return the files of the library that a stage uses."""
    files: dict[Path, None] = {}
    for part in STAGES[stage]:
        path = _LIBRARY / part
        files |= dict.fromkeys([path] if path.is_file() else source_files(path))
    if stage == "computing":
        left_out = {_LIBRARY / part for part in NOT_COMPUTING}
        files = {path: None for path in files if not (path in left_out or _is_of_page(path))}
    return list(files)


def _is_of_page(path: Path) -> bool:
    """Return whether only the page uses a file of a paper."""
    is_of_paper = path.relative_to(_LIBRARY).parts[0] == "papers"
    return is_of_paper and path.name.startswith(_PAGE_FILES)


def file_code(path: Path) -> str:
    """Return the digest of the content of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:8]


def own_code(modules: Iterable[str]) -> dict[str, str]:
    """Return the digests of packages that are not of xnbflow, by their names.

    ``modules`` are full names of modules, classes or functions, of which those of xnbflow are left
    out. An installed package that is not a plugin has its version instead of a digest.

    Examples
    --------
    >>> import sklearn
    >>> methods = ["xnbflow.naive_bayes.XNB", "sklearn.svm.LinearSVC"]
    >>> own_code(methods) == {"sklearn": f"version {sklearn.__version__}"}
    True
    """
    plugins = {module.partition(".")[0] for module in plugin_modules()}
    packages = {module.partition(".")[0] for module in modules} - {"xnbflow"}
    digests = {}
    for package in sorted(packages):
        number = "" if package in plugins else _version(package)
        digests[package] = f"version {number}" if number else f"code {_package_digest(package)}"
    return digests


def _package_digest(package: str) -> str:
    """Return the digest of the files of a package, or of a module; "none" if it is not found."""
    spec = find_spec(package)
    origin = Path(spec.origin) if spec and spec.origin else None
    if origin is None:
        return "none"
    files = source_files(origin.parent) if origin.name == "__init__.py" else [origin]
    return _digest(files, origin.parent)


def source_files(folder: Path) -> list[Path]:
    """Return the files of a folder and its subfolders in a fixed order, without compiled ones.

    Examples
    --------
    >>> any(path.name == "errors.py" for path in source_files(_LIBRARY / "core"))
    True
    """
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return [path for path in paths if "__pycache__" not in path.parts]


def _digest(files: Iterable[Path], root: Path) -> str:
    """Return eight hexadecimal digits for the names and contents of files."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.relative_to(root).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


@cache
def _version(package: str) -> str:
    """Return the version of an installed package; empty for a module of the user."""
    try:
        return version({"sklearn": "scikit-learn"}.get(package, package))
    except PackageNotFoundError:
        return ""


def provenance() -> dict[str, Any]:
    """Return where, when and by which software the page of a study is written.

    Returns
    -------
    dict
        ``date`` is in UTC; ``commit`` is that of a clone, with "edited" if its files were changed,
        and empty elsewhere; ``code`` has the digest of each stage; ``packages`` are the versions of
        all packages of this environment by name.
    """
    packages = {
        distribution.metadata["Name"]: distribution.version for distribution in distributions()
    }
    return {
        "date": datetime.now(tz=UTC).isoformat(timespec="seconds"),
        "host": platform.node(),
        "system": f"{platform.system()} {platform.release()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "commit": _commit(),
        "code": code_of_stages(),
        "packages": dict(sorted(packages.items())),
    }


def _commit() -> str:
    """Return the commit of the clone that has the library; empty outside a clone."""
    if not (ROOT / ".git").exists():
        return ""
    commit = _git("rev-parse", "HEAD")
    edited = _git("status", "--porcelain", "--untracked-files=no")
    return f"{commit}, edited" if commit and edited else commit


def _git(*arguments: str) -> str:
    """Return what a command of git prints about the project; empty if it fails."""
    command = ["git", "-C", str(ROOT), *arguments]
    try:
        process = subprocess.run(  # noqa: S603  fixed commands
            command, capture_output=True, text=True, check=False
        )
    except OSError:  # git is not installed
        return ""
    return process.stdout.strip() if process.returncode == 0 else ""
