"""One URL: downloaded to a file, with retries, or opened to read its beginning; by requests."""

import io
import ipaddress
import shutil
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
from isal import igzip
from tqdm import tqdm
from urllib3.exceptions import HTTPError

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.refusals import Refusal
from xnbflow.sources.places.retries import DownloadFailedError, NotThereError, RetryPolicy

#: Bytes that are read at once.
_CHUNK = 1 << 18
#: Seconds of a download after which its progress is shown.
_SECONDS_BEFORE_PROGRESS = 3.0
#: Bytes of a gigabyte.
_GIGABYTE = 1e9
#: Bytes of the disk that stay free.
_RESERVE = 500_000_000
#: Bytes after which the size and the disk are compared again.
BYTES_BETWEEN_CHECKS = 1 << 26
#: Most redirections of a request.
_MOST_REDIRECTIONS = 10
#: Client errors that may be temporary.
_TEMPORARY = frozenset({408, 425, 429})
#: Without compression in transit Content-Length is the size of the file, so cut files are detected.
_HEADERS = {"Accept-Encoding": "identity"}


_NOT_WHOLE = Refusal(code="http.not-whole", sentence="the file was not whole within {seconds:g} s")

_TOO_SLOW = Refusal(
    code="http.too-slow", sentence="the server sent less than {rate:g} bytes per second"
)

_NO_ANSWER = Refusal(code="http.no-answer", sentence="there was no answer within {seconds:g} s")

_NO_CONNECTION = Refusal(code="http.no-connection", sentence="the connection failed ({reason})")

_STATUS = Refusal(code="http.status", sentence="the server answered {reason}")

_NO_REQUEST = Refusal(code="http.no-request", sentence="the request failed ({reason})")

_MANY_REDIRECTIONS = Refusal(
    code="http.many-redirections", sentence="there were more than {most} redirections"
)


class _TemporaryError(DownloadFailedError):
    """A failure that may pass when the URL is tried again."""

    retry_after: float | None = None


def download(url: str, path: Path, retry: RetryPolicy, *, checked: bool) -> None:
    """Download a URL; progress is shown on the standard error stream when it takes long.

    Each attempt has a file of its own beside the path. Without a known checksum (``checked``), an
    answer is refused if a change or cut on the way would not be detected: a redirection from https
    to http or to another host, and a body of unknown length. A file above the policy's limit, or
    above the free disk, is refused before it is written, and a redirection from a public address to
    a private one in any case.

    Raises
    ------
    DownloadFailedError
        If all attempts failed; the message has the reason, without the URL.
    """
    end = time.monotonic() + retry.deadline
    for attempt in range(retry.retries + 1):
        partial = path.with_name(f"{path.name}.{attempt}")
        try:
            _attempt(_Transfer(url, partial, retry, checked=checked), retry, end)
            partial.replace(path)
            return
        except _TemporaryError as error:
            wait = retry.backoff * 2**attempt if error.retry_after is None else error.retry_after
            if attempt == retry.retries:
                msg = f"{error}, {attempt + 1} times" if attempt else str(error)
                raise DownloadFailedError(msg, code=error.code) from error
            if time.monotonic() + wait >= end:
                msg = f"{error}, and the next attempt would be after {retry.deadline:g} s"
                raise DownloadFailedError(msg, code=error.code) from error
        finally:
            partial.unlink(missing_ok=True)
        time.sleep(wait)


class _Transfer(threading.Thread):
    """One attempt, in a thread, because no timeout applies to a server that sends byte by byte."""

    def __init__(self, url: str, partial: Path, retry: RetryPolicy, *, checked: bool) -> None:
        super().__init__(daemon=True)
        self.url = url
        self.partial = partial
        self.retry = retry
        self.checked = checked
        self.abandoned = False
        #: Bytes that were received, and that the server announced.
        self.received = 0
        self.length: int | None = None
        self.error: Exception | None = None

    def run(self) -> None:
        """Write the answer's body to the file."""
        try:
            with (
                self.partial.open("wb") as file,
                _answered(self.url, self.retry, checked=self.checked) as answer,
            ):
                announced = answer.headers.get("Content-Length", "")
                self.length = int(announced) if announced.isdecimal() else None
                if not self.checked:
                    _refuse_unknown_length(answer)
                _refuse_too_large(self.length or 0, self.partial.parent, self.retry)
                checked_at = 0
                while not self.abandoned and (chunk := answer.raw.read1(_CHUNK)):
                    file.write(chunk)
                    self.received += len(chunk)
                    if self.received - checked_at > BYTES_BETWEEN_CHECKS:
                        checked_at = self.received
                        rest = max(0, (self.length or 0) - self.received)
                        _refuse_too_large(self.received, self.partial.parent, self.retry, rest)
        except Exception as error:  # noqa: BLE001  raised by `_attempt`
            self.error = error


_TOO_LARGE = Refusal(
    code="http.too-large",
    sentence=(
        "the file has {size:,.1f} GB, more than the limit of {limit:g} GB; if it is the right "
        "file, raise the limit (download: most_gigabytes in the configuration, --most-gigabytes "
        "of `xnbflow study`)"
    ),
)

_FULL_DISK = Refusal(
    code="http.full-disk",
    sentence=(
        "the disk of {folder} has {free:,.1f} GB free, too little for a file of {size:,.1f} GB; "
        "make room, or choose another folder"
    ),
)


def _refuse_too_large(size: int, folder: Path, retry: RetryPolicy, rest: int | None = None) -> None:
    """Refuse a file of more bytes than the limit, or of more than the disk has room for.

    The ``rest`` are the bytes that are not yet written, by default all.
    """
    if size > retry.most_gigabytes * _GIGABYTE:
        error = _TOO_LARGE.error(size=size / _GIGABYTE, limit=retry.most_gigabytes)
        raise DownloadFailedError.of(error)
    free = shutil.disk_usage(folder).free
    needed = (size if rest is None else rest) + _RESERVE
    if needed > free:
        error = _FULL_DISK.error(folder=folder, free=free / _GIGABYTE, size=size / _GIGABYTE)
        raise DownloadFailedError.of(error)


_UNKNOWN_LENGTH = Refusal(
    code="http.unknown-length",
    sentence=(
        "the server does not send the length of the file, so a cut file is not detected; give its "
        "SHA-256 in the sheet"
    ),
    sheet=True,
)


def _refuse_unknown_length(answer: requests.Response) -> None:
    """Refuse an answer that does not show whether the file is cut."""
    if "Content-Length" not in answer.headers and not answer.raw.chunked:
        raise DownloadFailedError.of(_UNKNOWN_LENGTH.error())


_NO_WEB_ADDRESS = Refusal(
    code="http.no-web-address",
    sentence="redirected to {target!r}, which is not a web address",
)

_PRIVATE_ADDRESS = Refusal(
    code="http.private-address",
    sentence=("{host} redirected to {other}, an address of a private network; give another URL"),
)

_UNENCRYPTED = Refusal(
    code="http.unencrypted",
    sentence=(
        "redirected from https to http; give another URL, or the file's SHA-256 in the sheet"
    ),
    sheet=True,
)

_OTHER_HOST = Refusal(
    code="http.other-host",
    sentence=(
        "{host} redirected to {other}, another host, for {path!r}; if this is right, name that URL "
        "itself, give the file's SHA-256 in the sheet, or set download: other_hosts: true in the "
        "configuration"
    ),
    sheet=True,
)


def _refuse_redirection(url: str, target: str, retry: RetryPolicy, *, checked: bool) -> None:
    """Refuse a redirection to a private network, to http, or to another host.

    With a known checksum (``checked``) the latter two are followed, since it refuses another file.
    """
    host = urlsplit(url).hostname or ""
    other = urlsplit(target).hostname or ""
    if urlsplit(target).scheme not in ("http", "https"):
        raise DownloadFailedError.of(_NO_WEB_ADDRESS.error(target=target))
    if is_private(other) and not is_private(host):
        raise DownloadFailedError.of(_PRIVATE_ADDRESS.error(host=host, other=other))
    if checked:
        return
    if url.startswith("https:") and target.startswith("http:"):
        raise DownloadFailedError.of(_UNENCRYPTED.error())
    if not is_same_site(host, other) and not retry.other_hosts:
        error = _OTHER_HOST.error(host=host, other=other, path=urlsplit(target).path)
        raise DownloadFailedError.of(error)


def is_same_site(host: str, other: str) -> bool:
    """Return whether one host is the other, or a part of it, as www.ncbi.nlm.nih.gov."""
    return host == other or host.endswith(f".{other}") or other.endswith(f".{host}")


def is_private(host: str) -> bool:
    """Return whether a host has an address of this machine or of a private network.

    Examples
    --------
    >>> is_private("127.0.0.1"), is_private("192.168.0.7"), is_private("8.8.8.8")
    (True, True, False)
    """
    try:
        addresses = {str(entry[4][0]) for entry in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError):
        return False  # the request itself fails
    for address in addresses:
        without_scope = address.partition("%")[0]  # fe80::1%eth0
        if not ipaddress.ip_address(without_scope).is_global:
            return True
    return False


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
    # The rate is measured from this time on, when so many bytes had been received.
    since = time.monotonic()
    received_before = 0
    try:
        while transfer.is_alive():
            transfer.join(min(0.1, retry.timeout / 4))
            now = time.monotonic()
            if now >= end:
                raise DownloadFailedError.of(_NOT_WHOLE.error(seconds=retry.deadline))
            if now - since >= 2 * retry.timeout and transfer.is_alive():
                if transfer.received - received_before < retry.least_rate * (now - since):
                    raise _TemporaryError.of(_TOO_SLOW.error(rate=retry.least_rate))
                since = now
                received_before = transfer.received
            progress.total = transfer.length
            progress.update(transfer.received - progress.n)
    finally:
        transfer.abandoned = True
        progress.close()
    if transfer.error is not None:
        raise transfer.error


@contextmanager
def _answered(url: str, retry: RetryPolicy, *, checked: bool) -> Iterator[requests.Response]:
    """Open a URL; a `_TemporaryError` if another attempt may succeed, else its base class.

    Redirections are followed one by one, each after `_refuse_redirection`.
    """
    timeout = retry.timeout
    try:
        with requests.Session() as session:
            for _ in range(_MOST_REDIRECTIONS):
                answer = session.get(
                    url, headers=_HEADERS, timeout=timeout, stream=True, allow_redirects=False
                )
                with answer:
                    if not answer.is_redirect:
                        answer.raise_for_status()
                        yield answer
                        return
                    target = urljoin(url, answer.headers["Location"])
                _refuse_redirection(url, target, retry, checked=checked)
                url = target
        raise DownloadFailedError.of(_MANY_REDIRECTIONS.error(most=_MOST_REDIRECTIONS))
    except InputError:  # of who reads
        raise
    except requests.HTTPError as error:
        answer = error.response
        reason = f"{answer.status_code} {quoted(answer.reason)[1:-1]}"
        refusal = _STATUS.error(reason=reason)
        if answer.status_code < 500 and answer.status_code not in _TEMPORARY:
            raise NotThereError.of(refusal) from error
        failure = _TemporaryError.of(refusal)
        wait = answer.headers.get("Retry-After", "")
        failure.retry_after = float(wait) if wait.isdecimal() else None
        raise failure from error
    except (requests.RequestException, HTTPError, ValueError) as error:
        if isinstance(error, requests.Timeout) or "timed out" in str(error):
            raise _TemporaryError.of(_NO_ANSWER.error(seconds=timeout)) from error
        reason = quoted(_first_cause(error), 160)[1:-1]
        if isinstance(error, requests.ConnectionError | HTTPError):
            raise _TemporaryError.of(_NO_CONNECTION.error(reason=reason)) from error
        raise DownloadFailedError.of(_NO_REQUEST.error(reason=reason)) from error


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
    return reason


@contextmanager
def open_url(url: str, retry: RetryPolicy) -> Iterator["io.BufferedReader[Any]"]:
    """Open a URL to read its beginning, decompressed, without a download of the rest.

    Reading fails (`DownloadFailedError`) where the server sends fewer bytes than the least rate.
    """
    with _answered(url, retry, checked=False) as answer:
        answer.raw.auto_close = False  # at the end a buffer may still hold some
        stream: Any = io.BufferedReader(_PacedStream(answer.raw, retry), 1 << 15)
        if stream.peek(2).startswith(b"\x1f\x8b"):
            stream = io.BufferedReader(igzip.IGzipFile(fileobj=stream), 1 << 15)
        yield stream


class _PacedStream(io.RawIOBase):
    """The body of an answer, given up if it comes too slowly over twice the timeout."""

    def __init__(self, raw: Any, retry: RetryPolicy) -> None:
        super().__init__()
        self._raw = raw
        self._retry = retry
        self._since = time.monotonic()
        self._received = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        chunk = self._raw.read1(len(buffer))
        buffer[: len(chunk)] = chunk
        self._received += len(chunk)
        elapsed = time.monotonic() - self._since
        if chunk and elapsed >= 2 * self._retry.timeout:
            if self._received < self._retry.least_rate * elapsed:
                raise DownloadFailedError.of(_TOO_SLOW.error(rate=self._retry.least_rate))
            self._since = time.monotonic()
            self._received = 0
        return len(chunk)
