"""Download one URL to one file, trying again what may pass; with pooch, requests and tqdm."""

import sys
import time
from pathlib import Path

import pooch
import requests
from tqdm import tqdm

__all__ = ["DownloadFailedError", "NotThereError", "download"]

_CHUNK = 1 << 18
_SECONDS_BEFORE_PROGRESS = 3.0
_MAY_PASS = frozenset({408, 425, 429})  # the client errors that may pass by themselves


class DownloadFailedError(Exception):
    """A URL could not be downloaded; the message says why, without the URL."""


class NotThereError(DownloadFailedError):
    """The server answered, but does not give such a file: 404 and the like."""


def download(url: str, path: Path, *, timeout: float, retries: int, backoff: float) -> None:
    """Download a URL; progress is shown on the standard error stream when it takes long.

    Parameters
    ----------
    url : str
        What to download.
    path : Path
        Where to write it. After a failure something may lie there.
    timeout : float
        Seconds without an answer after which an attempt counts as failed.
    retries : int
        How often to try again after a failure that may pass: no connection, no answer, less than
        the announced length, a server's error. Others, 404 above all, are final.
    backoff : float
        Seconds before the first retry; each further one waits twice as long.

    Raises
    ------
    DownloadFailedError
        If all attempts failed.
    """
    for attempt in range(retries + 1):
        try:
            _attempt(url, path, timeout)
        except _PassingError as error:
            if attempt == retries:
                times = f", {attempt + 1} times" if attempt else ""
                msg = f"{error}{times}"
                raise DownloadFailedError(msg) from error
            time.sleep(backoff * 2**attempt)
        else:
            return


class _PassingError(Exception):
    """A failure that may pass when tried again."""


class _Progress(tqdm):
    """A progress bar that pooch can reset without showing it."""

    def reset(self, total: float | None = None) -> None:
        self.n, self.total = 0, total or self.total


def _attempt(url: str, path: Path, timeout: float) -> None:
    progress = _Progress(
        desc=url.rpartition("/")[2],
        total=1,  # until the server says how much; pooch takes a bar without total for none
        unit="B",
        unit_scale=True,
        delay=_SECONDS_BEFORE_PROGRESS,
        mininterval=0.2 if sys.stderr.isatty() else 5.0,
    )
    # without compression in transit Content-Length is the file's, and a shorter answer an error
    downloader = pooch.HTTPDownloader(
        progressbar=progress,
        chunk_size=_CHUNK,
        timeout=timeout,
        headers={"Accept-Encoding": "identity"},
    )
    try:
        downloader(url, str(path), None)
    except requests.HTTPError as error:
        error.response.close()
        status = error.response.status_code
        kind = _PassingError if status in _MAY_PASS or status >= 500 else NotThereError
        msg = f"{status} {error.response.reason}"
        raise kind(msg) from error
    except requests.Timeout as error:
        msg = f"no answer within {timeout:g} s"
        raise _PassingError(msg) from error
    except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError) as error:
        raise _PassingError(_in_words(error)) from error
    except requests.RequestException as error:
        raise DownloadFailedError(str(error)) from error
    finally:
        progress.close()


def _in_words(error: requests.RequestException) -> str:
    """Return the innermost reason of a failed or broken connection."""
    reason: object = error
    while isinstance(reason, BaseException):
        inner = getattr(reason, "reason", None) or (reason.args[-1] if reason.args else None)
        if not isinstance(inner, BaseException):
            break
        reason = inner
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return f"the connection broke off ({reason})"
    return f"the host cannot be reached ({str(reason).rpartition(': ')[2]})"
