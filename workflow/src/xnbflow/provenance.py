"""What a result depends on: the digest of the library sources behind a stage.

Snakemake reruns a job when its parameters change, not when a library does. Each rule therefore
carries the digest of the modules that its script reaches, so that editing one of them reruns the
stages that use it and no other.
"""

import ast
import hashlib
from functools import cache
from pathlib import Path

__all__ = ["kernel_digest", "source_digest"]

_PACKAGE = Path(__file__).parent


def source_digest(*modules: str) -> str:
    """Return a digest of the named modules and of everything of this package that they import.

    The ``templates`` beside a module count as part of it.

    Parameters
    ----------
    *modules : str
        Full names, say ``"xnbflow.evaluation.training"``.

    Examples
    --------
    >>> len(source_digest("xnbflow.series"))
    12
    """
    digest = hashlib.sha256()
    for path in sorted(_reachable(modules)):
        digest.update(str(path.relative_to(_PACKAGE)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def kernel_digest() -> str:
    """Return a digest of every module with compiled kernels.

    It names the folder of compiled code, see `xnbflow.jit`.
    """
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        text = path.read_bytes()
        if b"njit" in text:
            digest.update(text)
    return digest.hexdigest()[:12]


def _reachable(modules: tuple[str, ...]) -> set[Path]:
    found: set[Path] = set()
    waiting = [path for module in modules for path in _files(module)]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            found.update((path.parent / "templates").glob("*"))
            waiting += [file for name in _imports(path) for file in _files(name)]
    return found


@cache
def _imports(path: Path) -> tuple[str, ...]:
    names = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(name for name in names if name.partition(".")[0] == _PACKAGE.name)


def _files(module: str) -> list[Path]:
    """Return the file of a module, or a package's ``__init__``; none for a plain attribute."""
    place = _PACKAGE.joinpath(*module.split(".")[1:])
    candidates = [place.with_suffix(".py"), place / "__init__.py"]
    return [path for path in candidates if path.is_file() and place != _PACKAGE]
