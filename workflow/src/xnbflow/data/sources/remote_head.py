"""The beginning of a remote file, and the names in a remote folder, read without the rest."""

import io
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from xnbflow.data.errors import InputError
from xnbflow.data.sources.files import open_raw
from xnbflow.data.sources.location import local_path

__all__ = ["listed_names", "opened_head"]

_CHUNK = 1 << 15
_HREF = re.compile(r"""href=["']?([^"'\s>/]+)["'\s>]""", re.IGNORECASE)


class _Inflated(io.RawIOBase):
    """A response's bytes, decompressed while they arrive; what is not read is not fetched."""

    def __init__(self, chunks: Iterator[bytes], url: str) -> None:
        self._chunks, self._url = chunks, url
        self._inflate: zlib._Decompress | None = None
        self._ready, self._started = b"", False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            chunk = next(self._chunks, b"")
            if not chunk:
                return 0
            if not self._started:
                self._started = True
                if chunk.startswith(b"\x1f\x8b"):
                    self._inflate = zlib.decompressobj(wbits=31)
            try:
                self._ready = self._inflate.decompress(chunk) if self._inflate else chunk
            except zlib.error as error:
                msg = f"{self._url} is broken gzip ({error}); try again later"
                raise InputError(msg) from error
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size


@contextmanager
def opened_head(
    bases: Sequence[str], path: str, timeout: float
) -> Iterator[tuple[str, "io.BufferedReader[Any]"]]:
    """Open a file at the first place that has it; what has not been read when it closes, never is.

    Parameters
    ----------
    bases : sequence of str
        Base URLs or folders, as in `xnbflow.data.sources.download.Downloads`.
    path : str
        Below them.
    timeout : float
        Seconds without an answer after which a place counts as failed.

    Yields
    ------
    where : str
        The URL or path.
    stream : binary file
        Decompressed.

    Raises
    ------
    InputError
        If no place has the file; it names each place and why.
    """
    failures: list[str] = []
    for base in bases:
        folder = local_path(base)
        if folder is not None:
            names = (folder / path, folder / path.rpartition("/")[2])
            local = next((name for name in names if name.is_file()), None)
            if local is not None:
                with open_raw(local) as stream:
                    yield str(local), stream
                return
            failures.append(f"{names[0]}: no such file")
            continue
        url = f"{base.rstrip('/')}/{path}"
        response = _answer(url, timeout, failures)
        if response is None:
            continue
        try:
            raw = _Inflated(response.iter_content(_CHUNK), url)
            with io.BufferedReader(raw, _CHUNK) as stream:
                yield url, stream
        finally:
            response.close()
        return
    msg = f"cannot get {path.rpartition('/')[2]}:\n  " + "\n  ".join(failures)
    msg += "\nCheck the network, or name another place, or the file by its path"
    raise InputError(msg)


def listed_names(bases: Sequence[str], folder: str, timeout: float) -> list[str]:
    """Return the names of files in a folder; none where no place tells."""
    for base in bases:
        local = local_path(base)
        if local is not None:
            names = [p.name for f in (local / folder, local) if f.is_dir() for p in f.iterdir()]
            if names:
                return names
            continue
        response = _answer(f"{base.rstrip('/')}/{folder}", timeout, [])
        if response is not None:
            with response:
                return _HREF.findall(response.text)
    return []


def _answer(url: str, timeout: float, failures: list[str]) -> Any:
    import requests  # noqa: PLC0415 - slow to import, and needs the extra "workflow"

    try:
        response = requests.get(
            url, stream=True, timeout=timeout, headers={"Accept-Encoding": "identity"}
        )
    except requests.RequestException as error:
        failures.append(f"{url}: {error}")
        return None
    if response.ok:
        return response
    failures.append(f"{url}: {response.status_code} {response.reason}")
    response.close()
    return None
