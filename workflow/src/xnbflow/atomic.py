"""The one way to write a file: beside it, then moved to its place; whole or not at all."""

import glob
import os
import platform
import re
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["atomic", "write_atomically"]

#: Seconds without a write after which another host's temporary file is what a killed process left.
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
    own = f"{platform.node()}.{os.getpid()}.{uuid.uuid4().hex}"
    part = path.with_name(f".{own}.part.{path.name}")  # what it is called tells what it holds
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
    for part in path.parent.glob(f".*.part.{glob.escape(path.name)}"):
        with suppress(FileNotFoundError):
            if _is_dead(part) or time.time() - part.stat().st_mtime > _OLD:
                part.unlink()


def _is_dead(part: Path) -> bool:
    """Whether a part is of a process of this host that has ended."""
    found = re.match(rf"\.{re.escape(platform.node())}\.(\d{{1,9}})\.[0-9a-f]+\.part\.", part.name)
    if not found:
        return False
    try:
        os.kill(int(found[1]), 0)
    except ProcessLookupError:
        return True
    except OSError:  # it is somebody else's
        return False
    return False
