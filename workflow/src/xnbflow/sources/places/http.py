"""One URL: downloaded to a file, with retries, or opened to read its beginning; by requests."""

import io
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import requests
from isal import igzip
from requests.adapters import HTTPAdapter
from tqdm import tqdm
from urllib3 import Retry
from urllib3.exceptions import HTTPError, MaxRetryError, NameResolutionError

from xnbflow.core.errors import quoted
from xnbflow.sources.formats.files import BROKEN_GZIP
from xnbflow.sources.places.retries import (
    DownloadFailedError,
    NotThereError,
    RetryPolicy,
    UnresolvedError,
)

#: Bytes that are read at once.
_CHUNK = 1 << 18
#: Seconds of a download after which its progress is shown.
_SECONDS_BEFORE_PROGRESS = 3.0
#: Bytes of a gigabyte.
_GIGABYTE = 1e9
#: Answers that may be temporary.
_TEMPORARY = (408, 425, 429, 500, 502, 503, 504)
#: Without compression in transit Content-Length is the size of the file, so cut files are detected.
_HEADERS = {"Accept-Encoding": "identity"}
#: The first bytes of gzip files.
_GZIP = b"\x1f\x8b"


class _Attempts(Retry):
    """Retries of a request, of which a name that does not resolve has none.

    A machine without a network would wait for all of them.
    """

    def increment(
        self,
        method: str | None = None,
        url: str | None = None,
        response: Any = None,
        error: Exception | None = None,
        _pool: Any = None,
        _stacktrace: TracebackType | None = None,
    ) -> Self:
        """Count an attempt; raise `MaxRetryError` after the last one."""
        if isinstance(error, NameResolutionError):
            raise MaxRetryError(_pool, url or "", error) from error
        return super().increment(method, url, response, error, _pool, _stacktrace)


class _BodyError(DownloadFailedError):
    """The body of an answer was not whole; another attempt may succeed."""


def download(url: str, path: Path, retry: RetryPolicy, *, checked: bool) -> None:
    """Download a URL; progress is shown on the standard error stream when it takes long.

    A body that ends early is tried again: one that is shorter than the server announced, and
    broken gzip. A text of unknown length that is not ``checked`` by a checksum afterwards is
    refused, since it may end anywhere. A file above the policy's limit of size is refused before it
    is written.

    Raises
    ------
    DownloadFailedError
        If all attempts failed; the message has the reason, without the URL.
    """
    end = time.monotonic() + retry.deadline
    for attempt in range(retry.retries + 1):
        try:
            with _answer(url, retry) as answer:
                _receive(answer, path, retry, end)
            _refuse_cut(answer, path, checked=checked)
        except _BodyError:
            wait = retry.backoff * 2**attempt
            if attempt == retry.retries or time.monotonic() + wait >= end:
                raise
            time.sleep(wait)
        else:
            return


def _receive(answer: requests.Response, path: Path, retry: RetryPolicy, end: float) -> None:
    """Write the body of an answer to a file; give up at the time ``end`` (`time.monotonic`)."""
    announced = answer.headers.get("Content-Length", "")
    length = int(announced) if announced.isdecimal() else None
    _refuse_too_large(length or 0, retry)
    progress = tqdm(
        desc=answer.url.rpartition("/")[2],
        total=length,
        unit="B",
        unit_scale=True,
        delay=_SECONDS_BEFORE_PROGRESS,
        mininterval=0.2 if sys.stderr.isatty() else 5.0,
    )
    received = 0
    with path.open("wb") as file, progress:
        # ``read1`` returns what has arrived, so a slow server does not hold the deadline up.
        while chunk := answer.raw.read1(_CHUNK):
            file.write(chunk)
            received += len(chunk)
            _refuse_too_large(received, retry)
            if time.monotonic() >= end:
                msg = f"the file was not whole within {retry.deadline:g} s"
                raise DownloadFailedError(msg)
            progress.update(len(chunk))


def _refuse_too_large(size: int, retry: RetryPolicy) -> None:
    """Refuse a file of more bytes than the limit."""
    if size > retry.most_gigabytes * _GIGABYTE:
        msg = (
            f"the file has {size / _GIGABYTE:,.1f} GB, more than the limit of "
            f"{retry.most_gigabytes:g} GB; if it is the right file, raise the limit (download: "
            "most_gigabytes in the configuration, --most-gigabytes of `xnbflow study`)"
        )
        raise DownloadFailedError(msg)


def _refuse_cut(answer: requests.Response, path: Path, *, checked: bool) -> None:
    """Refuse a file that is cut, or might be; urllib3 compares a body with its length."""
    with path.open("rb") as file:
        is_gzip = file.read(len(_GZIP)) == _GZIP
    if is_gzip:
        try:
            with igzip.open(path) as contents:
                while contents.read(_CHUNK):
                    pass
        except BROKEN_GZIP as error:
            msg = f"the file ended early (broken gzip: {error})"
            raise _BodyError(msg) from error
    elif not checked and "Content-Length" not in answer.headers and not answer.raw.chunked:
        msg = (
            "the server does not send the length of the file, so a cut file is not detected; "
            "give its SHA-256 (sha256 of the data set)"
        )
        raise DownloadFailedError(msg, key="sha256")


@contextmanager
def _answer(url: str, retry: RetryPolicy) -> Iterator[requests.Response]:
    """Open a URL, with retries by urllib3, and translate errors of reading its body."""
    attempts = _Attempts(
        total=retry.retries,
        backoff_factor=retry.backoff,
        status_forcelist=_TEMPORARY,
        raise_on_status=False,
        respect_retry_after_header=False,  # a server may ask for a day
    )
    with requests.Session() as session:
        for scheme in ("http://", "https://"):
            session.mount(scheme, HTTPAdapter(max_retries=attempts))
        with _get(session, url, retry) as answer:
            try:
                yield answer
            except HTTPError as error:
                reason = f"the file ended early ({_first_cause(error)})"
                if _is_timeout(error):
                    reason = _no_answer_within(retry)
                raise _BodyError(reason) from error


def _get(session: requests.Session, url: str, retry: RetryPolicy) -> requests.Response:
    """Return the answer to a request of which the body is not yet read."""
    try:
        answer = session.get(url, headers=_HEADERS, timeout=retry.timeout, stream=True)
    except (requests.RequestException, ValueError) as error:
        if _is_unresolved(error):
            msg = "the name of the server does not resolve"
            raise UnresolvedError(msg) from error
        if _is_timeout(error):
            reason = _no_answer_within(retry)
        elif isinstance(error, requests.ConnectionError):
            reason = f"the connection failed ({_first_cause(error)})"
        else:
            reason = f"the request failed ({_first_cause(error)})"
        raise DownloadFailedError(reason) from error
    if not answer.ok:
        answer.close()
        status = answer.status_code
        is_absent = status < 500 and status not in _TEMPORARY
        msg = f"the server answered {status} {quoted(answer.reason)[1:-1]}"
        raise (NotThereError if is_absent else DownloadFailedError)(msg)
    return answer


def _is_unresolved(error: Exception) -> bool:
    """Return whether the name of a server does not resolve; requests keeps the error of urllib3."""
    cause = error.args[0] if error.args else None
    return isinstance(getattr(cause, "reason", None), NameResolutionError)


def _no_answer_within(retry: RetryPolicy) -> str:
    return f"there was no answer within {retry.timeout:g} s"


def _is_timeout(error: Exception) -> bool:
    """Return whether a server sent nothing for too long; errors of requests quote the reason."""
    return isinstance(error, requests.Timeout) or "timed out" in str(error)


def _first_cause(error: BaseException) -> str:
    """Return what the system reports, as "Connection refused", or else the text of the error.

    The errors of the libraries quote each other and the address, which the message has already.
    """
    reason = str(error)
    cause: BaseException | None = error
    while cause is not None:
        # RequestException is an OSError without the message of a system
        reason = getattr(cause, "strerror", None) or reason
        cause = cause.__cause__ or cause.__context__
    return quoted(reason, 160)[1:-1]


@contextmanager
def open_url(url: str, retry: RetryPolicy) -> Iterator["io.BufferedReader[Any]"]:
    """Open a URL to read its beginning, decompressed, without a download of the rest."""
    with _answer(url, retry) as answer:
        answer.raw.auto_close = False  # at the end a buffer may still hold some
        stream: Any = io.BufferedReader(answer.raw, 1 << 15)
        if stream.peek(2).startswith(_GZIP):
            stream = io.BufferedReader(igzip.IGzipFile(fileobj=stream), 1 << 15)
        yield stream
