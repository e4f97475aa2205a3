"""Download one URL to one file, trying again what may pass; with requests, urllib3 and tqdm."""

import sys
import threading
import time
from http.client import HTTPException, RemoteDisconnected
from pathlib import Path
from typing import Any

import requests
from tqdm import tqdm
from urllib3.exceptions import HTTPError, MaxRetryError
from urllib3.util.retry import Retry

from xnbflow.data.errors import quoted
from xnbflow.data.sources.patience import Patience

__all__ = ["DownloadFailedError", "NotThereError", "download"]

_CHUNK = 1 << 18
_SECONDS_BEFORE_PROGRESS = 3.0
_MAY_PASS = frozenset({408, 425, 429})  # the client errors that may pass by themselves


class DownloadFailedError(Exception):
    """A URL could not be downloaded; the message says why, without the URL."""


class NotThereError(DownloadFailedError):
    """The server answered, but does not give such a file: 404 and the like."""


def download(url: str, path: Path, patience: Patience) -> None:
    """Download a URL; progress is shown on the standard error stream when it takes long.

    Parameters
    ----------
    url : str
        What to download.
    path : Path
        Where to write it. After a failure something may lie there.
    patience : Patience
        How long to wait, and how often to try.

    Raises
    ------
    DownloadFailedError
        If all attempts failed.
    """
    end = time.monotonic() + patience.deadline
    retry = _Retry(total=patience.retries, backoff_factor=patience.backoff)
    while True:
        try:
            _attempt(url, path, patience, end)
        except _PassingError as error:
            try:
                retry = retry.increment("GET", url, error=error)
            except MaxRetryError:
                times = f", {len(retry.history) + 1} times" if retry.history else ""
                msg = f"{error}{times}"
                raise DownloadFailedError(msg) from error
            retry.retry_after = error.retry_after
            if time.monotonic() + retry.pause >= end:
                msg = f"{error}, and the next attempt would be after {patience.deadline:g} s"
                raise DownloadFailedError(msg) from error
            retry.sleep()
        else:
            return


class _Retry(Retry):
    """urllib3's account of attempts; it waits before the first retry, too."""

    retry_after: float | None = None

    @property
    def pause(self) -> float:
        return self.get_backoff_time() if self.retry_after is None else self.retry_after

    def get_backoff_time(self) -> float:
        return float(self.retry_after or self.backoff_factor * 2 ** (len(self.history) - 1))


class _PassingError(HTTPError):
    """A failure that may pass when tried again."""

    retry_after: float | None = None


class _Transfer(threading.Thread):
    """One attempt; a thread, because no setting ends an answer that drips.

    Who starts it watches ``received`` and may give up; then nothing more is written.
    """

    def __init__(self, url: str, part: Path, timeout: float) -> None:
        super().__init__(daemon=True)
        self._url, self._part, self._timeout = url, part, timeout
        self.given_up = False
        self.received = 0
        self.length: int | None = None
        self.error: Exception | None = None

    def run(self) -> None:
        """Write the answer's body to the file."""
        # without compression in transit Content-Length is the file's, and a shorter answer an error
        headers = {"Accept-Encoding": "identity"}
        try:
            with requests.get(
                self._url, headers=headers, timeout=self._timeout, stream=True
            ) as answer:
                answer.raise_for_status()
                announced = answer.headers.get("Content-Length", "")
                self.length = int(announced) if announced.isdecimal() else None
                part = self._part
                with part.open("wb") as file:
                    while not self.given_up and (chunk := answer.raw.read1(_CHUNK)):
                        file.write(chunk)
                        self.received += len(chunk)
        except Exception as error:  # noqa: BLE001  told to who started the thread
            self.error = error


def _attempt(url: str, path: Path, patience: Patience, end: float) -> None:
    transfer = _Transfer(url, path, patience.timeout)
    progress = tqdm(
        desc=url.rpartition("/")[2],
        unit="B",
        unit_scale=True,
        delay=_SECONDS_BEFORE_PROGRESS,
        mininterval=0.2 if sys.stderr.isatty() else 5.0,
    )
    transfer.start()
    try:
        _watch(transfer, progress, patience, end)
        _show(transfer, progress)
    finally:
        transfer.given_up = True
        progress.close()
    if transfer.error is not None:
        raise _told(transfer.error, patience.timeout) from transfer.error


def _watch(transfer: _Transfer, progress: "tqdm[Any]", patience: Patience, end: float) -> None:
    """Wait for a transfer to end; give up where it is too slow or too late."""
    since, before = time.monotonic(), 0
    while transfer.is_alive():
        transfer.join(min(0.1, patience.timeout / 4))
        now = time.monotonic()
        if now >= end:
            msg = f"not whole within {patience.deadline:g} s"
            raise DownloadFailedError(msg)
        if now - since >= 2 * patience.timeout and transfer.is_alive():
            if transfer.received - before < patience.least_rate * (now - since):
                msg = f"less than {patience.least_rate:g} bytes per second"
                raise _PassingError(msg)
            since, before = now, transfer.received
        _show(transfer, progress)


def _show(transfer: _Transfer, progress: "tqdm[Any]") -> None:
    progress.total = transfer.length
    progress.update(transfer.received - progress.n)


def _told(error: Exception, timeout: float) -> Exception:
    """Return in words, and by class, why an attempt failed; what has no words here as it is."""
    if isinstance(error, requests.HTTPError):
        return _status_told(error.response)
    if isinstance(error, requests.Timeout) or "timed out" in str(error):
        return _PassingError(f"no answer within {timeout:g} s")
    if isinstance(error, requests.ConnectionError):
        return _PassingError(_connection_in_words(error))
    if isinstance(error, HTTPError):
        return _PassingError(f"the connection broke off ({_innermost(error)})")
    if isinstance(error, requests.RequestException | ValueError):
        return DownloadFailedError(quoted(str(error), 160)[1:-1])
    return error


def _status_told(answer: requests.Response) -> Exception:
    said = f"{answer.status_code} {quoted(answer.reason)[1:-1]}"
    if answer.status_code < 500 and answer.status_code not in _MAY_PASS:
        return NotThereError(said)
    told, wait = _PassingError(said), answer.headers.get("Retry-After", "")
    told.retry_after = float(wait) if wait.isdecimal() else None
    return told


def _connection_in_words(error: requests.ConnectionError) -> str:
    reason = _innermost(error)
    if isinstance(reason, RemoteDisconnected):
        return "the host answers nothing"
    if isinstance(reason, HTTPException):
        return "the host answers, but not in HTTP"
    return f"the host cannot be reached ({str(reason).rpartition(': ')[2]})"


def _innermost(error: BaseException) -> object:
    """Return the innermost reason of a failed or broken connection."""
    reason: object = error
    while isinstance(reason, BaseException):
        inner = getattr(reason, "reason", None) or (reason.args[-1] if reason.args else None)
        if not isinstance(inner, BaseException):
            break
        reason = inner
    return reason
