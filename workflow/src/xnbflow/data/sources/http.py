"""One URL: downloaded to a file, with retries, or opened to read its beginning; by requests."""

import io
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import RemoteDisconnected
from pathlib import Path
from typing import Any

import requests
from isal import igzip
from tqdm import tqdm
from urllib3.exceptions import HTTPError

from xnbflow.data.errors import quoted
from xnbflow.data.sources.downloads import RetryPolicy

__all__ = ["DownloadFailedError", "NotThereError", "download", "open_url"]

_CHUNK = 1 << 18
_SECONDS_BEFORE_PROGRESS = 3.0
#: Client errors that may pass by themselves.
_TEMPORARY = frozenset({408, 425, 429})
#: Without compression in transit Content-Length is the file's, and a shorter answer an error.
_HEADERS = {"Accept-Encoding": "identity"}


class DownloadFailedError(Exception):
    """A URL could not be downloaded; the message says why, without the URL."""


class NotThereError(DownloadFailedError):
    """The server answered, but does not give such a file: 404 and the like."""


class _TemporaryError(DownloadFailedError):
    """A failure that may pass when the URL is tried again."""

    retry_after: float | None = None


def download(url: str, path: Path, retry: RetryPolicy, *, checked: bool) -> None:
    """Download a URL; progress is shown on the standard error stream when it takes long.

    Parameters
    ----------
    url : str
        What to download.
    path : Path
        Where to write it. Each attempt has a file of its own beside it.
    retry : RetryPolicy
        How long to wait, and how often to try.
    checked : bool
        Whether the checksum of the file is known. Without, an answer that somebody on the way
        could change or cut unseen is refused: a redirection from https to http, and a body of
        unknown length.

    Raises
    ------
    DownloadFailedError
        If all attempts failed.
    """
    end = time.monotonic() + retry.deadline
    for attempt in range(retry.retries + 1):
        part = path.with_name(f"{path.name}.{attempt}")
        try:
            _attempt(url, part, retry, end, checked=checked)
            part.replace(path)
            return
        except _TemporaryError as error:
            wait = retry.backoff * 2**attempt if error.retry_after is None else error.retry_after
            if attempt == retry.retries:
                msg = f"{error}, {attempt + 1} times" if attempt else str(error)
                raise DownloadFailedError(msg) from error
            if time.monotonic() + wait >= end:
                msg = f"{error}, and the next attempt would be after {retry.deadline:g} s"
                raise DownloadFailedError(msg) from error
        finally:
            part.unlink(missing_ok=True)
        time.sleep(wait)


class _Transfer(threading.Thread):
    """One attempt; a thread, because no setting ends a server that sends byte by byte."""

    def __init__(self, url: str, part: Path, timeout: float, *, checked: bool) -> None:
        super().__init__(daemon=True)
        self._url, self._part, self._timeout, self._checked = url, part, timeout, checked
        self.abandoned = False
        self.received = 0
        self.length: int | None = None
        self.error: Exception | None = None

    def run(self) -> None:
        """Write the answer's body to the file."""
        try:
            with (
                self._part.open("wb") as file,
                requests.get(
                    self._url, headers=_HEADERS, timeout=self._timeout, stream=True
                ) as answer,
            ):
                answer.raise_for_status()
                announced = answer.headers.get("Content-Length", "")
                self.length = int(announced) if announced.isdecimal() else None
                if not self._checked:
                    _refuse_unsafe(answer)
                while not self.abandoned and (chunk := answer.raw.read1(_CHUNK)):
                    file.write(chunk)
                    self.received += len(chunk)
        except Exception as error:  # noqa: BLE001  raised by `_attempt`
            self.error = error


def _refuse_unsafe(answer: requests.Response) -> None:
    schemes = [each.url.partition(":")[0] for each in [*answer.history, answer]]
    if "https" in schemes and "http" in schemes[schemes.index("https") :]:
        msg = "redirected from https to http; give another URL, or the file's SHA-256 in the sheet"
        raise DownloadFailedError(msg)
    if "Content-Length" not in answer.headers and not answer.raw.chunked:
        msg = (
            "the server does not say how long the file is, so that a cut is not seen; give its "
            "SHA-256 in the sheet"
        )
        raise DownloadFailedError(msg)


def _attempt(url: str, part: Path, retry: RetryPolicy, end: float, *, checked: bool) -> None:
    transfer = _Transfer(url, part, retry.timeout, checked=checked)
    progress = tqdm(
        desc=url.rpartition("/")[2],
        unit="B",
        unit_scale=True,
        delay=_SECONDS_BEFORE_PROGRESS,
        mininterval=0.2 if sys.stderr.isatty() else 5.0,
    )
    transfer.start()
    since, before = time.monotonic(), 0
    try:
        while transfer.is_alive():
            transfer.join(min(0.1, retry.timeout / 4))
            now = time.monotonic()
            if now >= end:
                msg = f"not whole within {retry.deadline:g} s"
                raise DownloadFailedError(msg)
            if now - since >= 2 * retry.timeout and transfer.is_alive():
                if transfer.received - before < retry.least_rate * (now - since):
                    msg = f"less than {retry.least_rate:g} bytes per second"
                    raise _TemporaryError(msg)
                since, before = now, transfer.received
            progress.total = transfer.length
            progress.update(transfer.received - progress.n)
    finally:
        transfer.abandoned = True
        progress.close()
    if transfer.error is not None:
        raise _in_words(transfer.error, retry.timeout) from transfer.error


def _in_words(error: Exception, timeout: float) -> Exception:
    """Return in words, and by class, why an attempt failed; an unexpected error as it is."""
    if isinstance(error, requests.HTTPError):
        answer = error.response
        said = f"{answer.status_code} {quoted(answer.reason)[1:-1]}"
        if answer.status_code < 500 and answer.status_code not in _TEMPORARY:
            return NotThereError(said)
        failure, wait = _TemporaryError(said), answer.headers.get("Retry-After", "")
        failure.retry_after = float(wait) if wait.isdecimal() else None
        return failure
    if isinstance(error, requests.Timeout) or "timed out" in str(error):
        return _TemporaryError(f"no answer within {timeout:g} s")
    if isinstance(error, requests.ConnectionError | HTTPError):
        reason = _innermost(error)
        what = "the host closes the connection" if isinstance(reason, RemoteDisconnected) else (
            f"the connection failed ({quoted(str(reason), 160)[1:-1]})"
        )  # fmt: skip
        return _TemporaryError(what)
    if isinstance(error, requests.RequestException | ValueError):
        return DownloadFailedError(quoted(str(error), 160)[1:-1])
    return error


def _innermost(error: BaseException) -> object:
    """Return the innermost reason of a failed or broken connection."""
    reason: object = error
    while isinstance(reason, BaseException):
        inner = getattr(reason, "reason", None) or (reason.args[-1] if reason.args else None)
        if not isinstance(inner, BaseException):
            break
        reason = inner
    return reason


@contextmanager
def open_url(url: str, timeout: float) -> Iterator["io.BufferedReader[Any]"]:
    """Open a URL to read its beginning, decompressed; what is not read is not fetched.

    Raises
    ------
    DownloadFailedError
        If there is no answer, or not that file.
    """
    try:
        with requests.get(url, stream=True, timeout=timeout, headers=_HEADERS) as answer:
            answer.raise_for_status()
            answer.raw.auto_close = False  # at the end a buffer may still hold some
            stream: Any = io.BufferedReader(answer.raw, 1 << 15)
            if stream.peek(2).startswith(b"\x1f\x8b"):
                stream = io.BufferedReader(igzip.IGzipFile(fileobj=stream), 1 << 15)
            yield stream
    except (requests.RequestException, HTTPError) as error:
        raise DownloadFailedError(str(_in_words(error, timeout))) from error
