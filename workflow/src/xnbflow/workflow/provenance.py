"""What a result depends on: the digest of the sources behind a stage.

Snakemake reruns a job when its parameters change, not when a library does. Each rule therefore
carries the digest of all that its script imports, so that editing a module reruns the stages that
use it and no other. Nothing is imported for that: imports are read from the sources.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from xnbflow.workflow.static import module_file

__all__ = ["source_digest", "source_files"]

#: Packages of which the version counts, not the sources; by what they are called when installed.
_BY_VERSION = {"sklearn": "scikit-learn"}

#: What a lazy package assigns to this, and to ``__all__``, counts by the names taken from it.
_HOMES = "_HOME"


@cache
def source_digest(*roots: str | Path) -> str:
    """Return a digest of what scripts and modules import of this package and of plugins.

    Parameters
    ----------
    *roots : str or Path
        Scripts, and full names of modules or of something in them, say ``"xnbflow.data.dataset"`` or
        ``"sklearn.svm.LinearSVC"``.

    Examples
    --------
    >>> len(source_digest("xnbflow.data.dataset"))
    12
    """
    digest = hashlib.sha256()
    for name, path in sorted(source_files(*roots).items()):
        digest.update(name.encode())
        digest.update(_content(path))
    packages = {root.partition(".")[0] for root in roots if isinstance(root, str)}
    for package in sorted(packages - {"xnbflow"}):
        digest.update(_version(package).encode())
    return digest.hexdigest()[:12]


def source_files(*roots: str | Path) -> dict[str, Path]:
    """Return the modules behind a digest, and the ``templates`` beside them, with their files.

    A script itself is none of them: Snakemake sees it change. A package is followed into if it is
    this one or a root is in it; it counts with everything on the way, ``__init__`` by ``__init__``.

    Parameters
    ----------
    *roots : str or Path
        As for `source_digest`.

    Examples
    --------
    >>> sorted(source_files("xnbflow.data.errors"))
    ['xnbflow', 'xnbflow.data.errors']
    """
    names = [root for root in roots if isinstance(root, str)]
    followed = {"xnbflow", *(name.partition(".")[0] for name in names)} - _BY_VERSION.keys()
    for root in roots:
        if isinstance(root, Path):
            names += _imports(root, "", "")
    found: dict[str, Path] = {}
    seen: set[str] = set()
    while names:
        name = names.pop()
        if name in seen or name.partition(".")[0] not in followed:
            continue
        seen.add(name)
        for module, path in _modules(name):
            if module not in found:
                found[module] = path
                names += _imports(path, module, path.stem)
        names += _hidden_homes(name)
    for module, path in list(found.items()):
        found |= {f"{module}/{each.name}": each for each in (path.parent / "templates").glob("*")}
    return found


def _modules(name: str) -> Iterator[tuple[str, Path]]:
    """Yield the modules on the way to a name, the packages around them included."""
    parts = name.split(".")
    for length in range(1, len(parts) + 1):
        module = ".".join(parts[:length])
        path = module_file(module)
        if path is None:
            return
        yield module, path


def _hidden_homes(name: str) -> list[str]:
    """Return where what is taken from a lazy package is defined; of the package itself, all."""
    package, _, attribute = name.rpartition(".")
    if homes := _homes(name):
        return [f"{name}.{home}" for home in homes.values()]
    homes = _homes(package) if package else {}
    return [f"{package}.{homes[attribute]}"] if attribute in homes else []


def _homes(package: str) -> dict[str, str]:
    path = module_file(package)
    if path is None or path.name != "__init__.py":
        return {}
    for node in _tree(path).body:
        if isinstance(node, ast.Assign) and _assigned(node) == _HOMES:
            return ast.literal_eval(node.value)
    return {}


@cache
def _imports(path: Path, module: str, stem: str) -> tuple[str, ...]:
    """Return the full names that a file imports, wherever in it."""
    package = module if stem == "__init__" else module.rpartition(".")[0]
    names: list[str] = []
    for node in _statements(_tree(path).body):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += _from(node, package)
    return tuple(names)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield every statement, however deep; unlike `ast.walk` without their expressions."""
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(node, part, [])


def _from(node: ast.ImportFrom, package: str) -> Iterable[str]:
    """Return what ``from home import names`` takes; the home itself is on the way to it."""
    for _ in range(node.level - 1):
        package = package.rpartition(".")[0]
    home = ".".join(filter(None, [package if node.level else "", node.module]))
    return [f"{home}.{alias.name}" for alias in node.names]


@cache
def _tree(path: Path) -> ast.Module:
    return _parsed(path.read_bytes())


@cache
def _parsed(source: bytes) -> ast.Module:
    return ast.parse(source)


@cache
def _content(path: Path) -> bytes:
    """Return what counts of a file: all, but of a lazy package's its lists of names."""
    text = path.read_bytes()
    if path.name != "__init__.py" or _HOMES.encode() not in text:
        return text
    lines = text.splitlines(keepends=True)
    for node in _tree(path).body:
        if isinstance(node, ast.Assign) and _assigned(node) in {_HOMES, "__all__"}:
            for line in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[line] = b""
    return b"".join(lines)


def _assigned(node: ast.Assign) -> str:
    return getattr(node.targets[0], "id", "")


def _version(package: str) -> str:
    try:
        return f"{package} {version(_BY_VERSION.get(package, package))}"
    except PackageNotFoundError:
        return package
