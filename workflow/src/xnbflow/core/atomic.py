"""Atomic writing: a file is written beside its path and then moved, so it is complete or absent."""

import errno
import glob
import os
import platform
import re
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from xnbflow.core.errors import InputError

#: Errors of a full disk, an exhausted quota and a limit of a file's size.
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
#: Errors of missing permissions and read-only file systems.
_NO_RIGHT = {errno.EACCES, errno.EPERM, errno.EROFS}

#: Seconds without a write after which another host's temporary file is considered abandoned.
_ABANDONED = 86_400.0


@contextmanager
def atomic(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path for writing, and move the file to ``path`` when the block ends.

    The temporary file is hidden, in the same folder, and has a name that no other process uses. If
    the block raises, the temporary file is removed and ``path`` is unchanged. Missing folders are
    created.

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
    writer = f"{platform.node()}.{os.getpid()}.{uuid.uuid4().hex}"
    # Writers choose the format by the suffix of the name, so the name ends as that of the file.
    temporary = path.with_name(f".{writer}.part.{path.name}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_old_parts(path)
        yield temporary
        temporary.replace(path)
    except OSError as error:
        if lacks_space(error):
            raise no_space(path) from error
        place = Path(error.filename or temporary)
        if error.errno in _NO_RIGHT and place in (temporary, *temporary.parents):
            msg = (
                f"{path} cannot be written ({error.strerror}); obtain the right to write there, or "
                "work in another folder"
            )
            raise InputError(msg, file=str(path)) from error
        raise
    finally:
        with suppress(OSError):  # it has been moved, or its folder could not be created
            temporary.unlink()


def write_atomically(path: str | Path, write: Callable[[Path], object]) -> None:
    """Call ``write`` with a temporary path, then move that file to ``path``; see `atomic`."""
    with atomic(path) as temporary:
        write(temporary)


def lacks_space(error: BaseException | None) -> bool:
    """Return whether an error means that the disk is full."""
    return isinstance(error, OSError) and error.errno in _NO_ROOM


def no_space(path: str | Path) -> InputError:
    """Return the error for a file that does not fit on the disk.

    Examples
    --------
    >>> print(no_space("a.parquet"))
    a.parquet cannot be written: no space is left there; make room and run it again
    """
    return InputError(
        f"{path} cannot be written: no space is left there; make room and run it again"
    )


def _remove_old_parts(path: Path) -> None:
    """Remove abandoned temporary files of a path.

    A file of this host is abandoned if its process has ended. Whether a process of another host
    has ended is not visible here: its file is abandoned a day after the last write.
    """
    part_of_host = re.compile(rf"\.{re.escape(platform.node())}\.(\d{{1,9}})\.[0-9a-f]+\.part\.")
    for temporary in path.parent.glob(f".*.part.{glob.escape(path.name)}"):
        match = part_of_host.match(temporary.name)
        with suppress(FileNotFoundError):  # another process may remove it at the same time
            age = time.time() - temporary.stat().st_mtime
            if (match and _has_ended(int(match[1]))) or age > _ABANDONED:
                temporary.unlink()


def _has_ended(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except OSError:  # the process runs, but belongs to another user
        return False
    return False
