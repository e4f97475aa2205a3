"""One URL: downloaded to a file, with retries, or opened to read its beginning; by requests."""

import io
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests
from isal import igzip
from tqdm import tqdm
from urllib3.exceptions import HTTPError

from xnbflow.core.errors import InputError, quoted
from xnbflow.sources.retries import DownloadFailedError, NotThereError, RetryPolicy

_CHUNK = 1 << 18
_SECONDS_BEFORE_PROGRESS = 3.0
#: Client errors that may be temporary.
_TEMPORARY = frozenset({408, 425, 429})
#: Without compression in transit Content-Length is the size of the file, so cut files are detected.
_HEADERS = {"Accept-Encoding": "identity"}


class _TemporaryError(DownloadFailedError):
    """A failure that may pass when the URL is tried again."""

    retry_after: float | None = None


def download(url: str, path: Path, retry: RetryPolicy, *, checked: bool) -> None:
    """Download a URL; progress is shown on the standard error stream when it takes long.

    Each attempt has a file of its own beside the path. Without a known checksum (``checked``), an
    answer is refused if a change or cut on the way would not be detected: a redirection from https
    to http, and a body of unknown length.

    Raises
    ------
    DownloadFailedError
        If all attempts failed; the message has the reason, without the URL.
    """
    end = time.monotonic() + retry.deadline
    for attempt in range(retry.retries + 1):
        part = path.with_name(f"{path.name}.{attempt}")
        try:
            _attempt(_Transfer(url, part, retry.timeout, checked=checked), retry, end)
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
    """One attempt, in a thread, because no timeout applies to a server that sends byte by byte."""

    def __init__(self, url: str, part: Path, timeout: float, *, checked: bool) -> None:
        super().__init__(daemon=True)
        self.url, self.part, self.timeout, self.checked = url, part, timeout, checked
        self.abandoned, self.received = False, 0
        self.length: int | None = None
        self.error: Exception | None = None

    def run(self) -> None:
        """Write the answer's body to the file."""
        try:
            with self.part.open("wb") as file, _answered(self.url, self.timeout) as answer:
                announced = answer.headers.get("Content-Length", "")
                self.length = int(announced) if announced.isdecimal() else None
                if not self.checked:
                    _refuse_unsafe(answer)
                while not self.abandoned and (chunk := answer.raw.read1(_CHUNK)):
                    file.write(chunk)
                    self.received += len(chunk)
        except Exception as error:  # noqa: BLE001  raised by `_attempt`
            self.error = error


def _refuse_unsafe(answer: requests.Response) -> None:
    """Refuse an answer without protection from changes and cuts; warn of one from another host."""
    schemes = [each.url.partition(":")[0] for each in [*answer.history, answer]]
    if "https" in schemes and "http" in schemes[schemes.index("https") :]:
        msg = "redirected from https to http; give another URL, or the file's SHA-256 in the sheet"
        raise DownloadFailedError(msg)
    if "Content-Length" not in answer.headers and not answer.raw.chunked:
        msg = (
            "the server does not send the length of the file, so a cut file is not detected; give "
            "its SHA-256 in the sheet"
        )
        raise DownloadFailedError(msg)
    hosts = [urlsplit(each.url).hostname for each in [*answer.history, answer]]
    if len(set(hosts)) > 1:
        msg = (
            f"{hosts[0]} redirected to {hosts[-1]}, which sent {answer.url.rpartition('/')[2]!r}; "
            "give the file's SHA-256 in the sheet, so that another file is refused"
        )
        warnings.warn(msg, UserWarning, stacklevel=2)


def _attempt(transfer: _Transfer, retry: RetryPolicy, end: float) -> None:
    """Wait for a transfer within the limits of the policy."""
    progress = tqdm(
        desc=transfer.url.rpartition("/")[2],
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
        raise transfer.error


@contextmanager
def _answered(url: str, timeout: float) -> Iterator[requests.Response]:
    """Open a URL; a `_TemporaryError` if another attempt may succeed, else its base class."""
    try:
        with requests.get(url, headers=_HEADERS, timeout=timeout, stream=True) as answer:
            answer.raise_for_status()
            yield answer
    except InputError:  # of who reads
        raise
    except requests.HTTPError as error:
        answer = error.response
        reason = f"{answer.status_code} {quoted(answer.reason)[1:-1]}"
        if answer.status_code < 500 and answer.status_code not in _TEMPORARY:
            raise NotThereError(reason) from error
        failure, wait = _TemporaryError(reason), answer.headers.get("Retry-After", "")
        failure.retry_after = float(wait) if wait.isdecimal() else None
        raise failure from error
    except (requests.RequestException, HTTPError, ValueError) as error:
        if isinstance(error, requests.Timeout) or "timed out" in str(error):
            msg = f"no answer within {timeout:g} s"
            raise _TemporaryError(msg) from error
        reason = quoted(str(error), 160)[1:-1]
        if isinstance(error, requests.ConnectionError | HTTPError):
            msg = f"the connection failed ({reason})"
            raise _TemporaryError(msg) from error
        raise DownloadFailedError(reason) from error


@contextmanager
def open_url(url: str, timeout: float) -> Iterator["io.BufferedReader[Any]"]:
    """Open a URL to read its beginning, decompressed, without a download of the rest."""
    with _answered(url, timeout) as answer:
        answer.raw.auto_close = False  # at the end a buffer may still hold some
        stream: Any = io.BufferedReader(answer.raw, 1 << 15)
        if stream.peek(2).startswith(b"\x1f\x8b"):
            stream = io.BufferedReader(igzip.IGzipFile(fileobj=stream), 1 << 15)
        yield stream
