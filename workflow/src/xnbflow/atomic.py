"""The one way to write a file: beside it, then moved to its place; whole or not at all."""

import glob
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["atomic", "write_atomically"]

#: Seconds without a write after which a temporary file is what a killed process left behind.
_OLD = 86_400.0


@contextmanager
def atomic(path: str | Path) -> Iterator[Path]:
    """Give a temporary path to write to, and move it to ``path`` when the block ends.

    Parameters
    ----------
    path : path
        Where the file shall appear. Missing folders are made.

    Yields
    ------
    Path
        In the same folder, hidden, with a name that no other process has. If the block raises,
        nothing is left of it and ``path`` is as it was.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic(Path(folder, "a.txt")) as part:
    ...         _ = part.write_text("all of it")
    ...     [file.name for file in Path(folder).iterdir()]
    ['a.txt']
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_old_parts(path)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_atomically(path: str | Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` make a file under a temporary name, then move it to ``path``; see `atomic`.

    Parameters
    ----------
    path : path
        Where the file shall appear. Missing folders are made.
    write : callable
        Called with the temporary path. If it raises, nothing is left behind.
    """
    with atomic(path) as part:
        write(part)


def _remove_old_parts(path: Path) -> None:
    """Remove what killed processes left of a file, and what none is at work on."""
    for part in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        with suppress(FileNotFoundError):
            if time.time() - part.stat().st_mtime > _OLD:
                part.unlink()
