"""Downloads that are whole or absent, checked by SHA-256, from the first place that has them."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from xnbflow.data.atomic import atomic, write_atomically
from xnbflow.data.errors import InputError
from xnbflow.data.sources.files import (
    BROKEN_GZIP,
    checksums,
    is_cut_text,
    open_raw,
    what_is_wrong,
)
from xnbflow.data.sources.sheet import local_path

if TYPE_CHECKING:
    import io

__all__ = ["Downloads", "RetryPolicy"]

_HREF = re.compile(r"""href=["']?([^"'\s>/]+)["'\s>]""", re.IGNORECASE)
_LONGEST_LISTING = 1 << 22
_CUT = (
    "does not end with a line break: if it was cut within its last number, that is wrong. If "
    "it is whole, put its SHA-256 into the sheet"
)

_Made = TypeVar("_Made")


@dataclass(frozen=True)
class RetryPolicy:
    """How long is waited for a file.

    Attributes
    ----------
    timeout : float
        Seconds without an answer after which an attempt counts as failed.
    retries : int
        How often a failure that may pass is tried again: no connection, no answer, less than the
        announced length, a server's error. Others, 404 above all, are final.
    backoff : float
        Seconds before the first retry; each further one waits twice as long, but for a server that
        says how long to wait.
    least_rate : float
        Bytes per second, over twice ``timeout``, below which an attempt has failed.
    deadline : float
        Seconds for one file from one place, all attempts together.
    """

    timeout: float = 30.0
    retries: int = 4
    backoff: float = 1.0
    least_rate: float = 1000.0
    deadline: float = 14_400.0


@dataclass(frozen=True)
class _Fetched:
    """A file, where its checksum is recorded, and the place it comes from (None: was here)."""

    path: Path
    record: Path
    place: str | None
    known: bool

    @property
    def downloaded(self) -> bool:
        """Whether it is a copy of our own, not one in a folder of the user's."""
        return self.place is not None and self.path.parent == self.record.parent


@dataclass
class _Trial:
    """Files fetched for something that may yet be refused, and the places that are refused."""

    begun: bool = False
    fetched: list[_Fetched] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)

    def begin(self) -> None:
        """Forget the last trial's files."""
        self.begun = True
        self.fetched.clear()

    def refuse(self, reason: str) -> bool:
        """Drop the files and leave their places; False if none was fetched for this trial."""
        fresh = [(each, each.place) for each in self.fetched if each.place is not None]
        for each, place in fresh:
            why = reason.replace(str(each.path), place)
            self.refused[place] = why if place in why else f"{place}: {why}"
            if each.downloaded:
                each.path.unlink(missing_ok=True)
        return bool(fresh)


@dataclass(frozen=True)
class Downloads:
    """Where files come from and go to.

    Attributes
    ----------
    folder : Path
        Downloads land here; files put here by hand are used.
    base_urls : mapping of str to sequence of str
        Per source, the places to try in order: ``http(s)://`` or ``file://`` URLs, or folders.
    retry : RetryPolicy
    lock : Path or None
        A file with the checksums of what was accepted before, here or by others: what differs is
        refused, unless the sheet has a checksum. `accepted` adds to it.
    """

    folder: Path
    base_urls: Mapping[str, Sequence[str]] = field(default_factory=dict)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    lock: Path | None = None
    _trial: _Trial = field(default_factory=_Trial, init=False, repr=False)

    def accepted(self, make: Callable[[], _Made]) -> _Made:
        """Return what is made of fetched files; if it is refused, of those of the next place.

        Parameters
        ----------
        make : callable
            Calls `fetch` or `fetch_location`, reads what they return and checks it. Where it raises
            an `InputError`, files fetched for it are not kept, nor their checksums recorded, and
            it is called again as long as there are places left.

        Raises
        ------
        InputError
            If no place has files of which ``make`` can make something.
        """
        while True:
            self._trial.begin()
            try:
                made = make()
            except InputError as error:
                if not self._trial.refuse(str(error)):
                    raise
            else:
                self._keep_checksums()
                return made

    def fetch(
        self, source: str, path: str, *, default: Sequence[str] = (), sha256: str | None = None
    ) -> Path:
        """Return a local copy of a source's file, downloaded if need be.

        Parameters
        ----------
        source : str
            Name of the source; its subfolder of `folder`, and its key in `base_urls`.
        path : str
            The file's path below a base URL. Every place may hold it gzipped, with ``.gz`` added;
            a folder may hold it without the path's folders.
        default : sequence of str
            The base URLs where none are configured.
        sha256 : str, optional
            Checksum of the file, or of what it holds uncompressed. Without it the checksum is
            recorded at first sight in ``<file>.sha256`` and demanded from then on.

        Raises
        ------
        InputError
            If no place has the file, or what is there is not the file.
        """
        name = path.rpartition("/")[2]
        places = [_candidates(base, path) for base in self.base_urls.get(source, default)]
        return self._get(places, self.folder / source / name, sha256)

    def fetch_location(
        self, source: str, location: str, *, name: str, sha256: str | None = None
    ) -> Path:
        """Return a local copy of a file named by its own URL, or the file itself if it is local.

        Parameters
        ----------
        source : str
            Name of the source; its subfolder of `folder`.
        location : str
            An ``http(s)://`` or ``file://`` URL, or a path.
        name : str
            How to call the local copy; a digest of the URL is added, so that another URL is
            another file.
        sha256 : str, optional
            As in `fetch`; a local file's checksum is not recorded, for its owner may change it.

        Raises
        ------
        InputError
            As in `fetch`.
        """
        path = local_path(location)
        if path is None:
            stem, dot, suffixes = name.partition(".")
            digest = hashlib.sha256(location.encode()).hexdigest()[:8]
            target = self.folder / source / f"{stem}-{digest}{dot}{suffixes}"
            return self._get([[location]], target, sha256)
        if wrong := what_is_wrong(path):
            msg = f"{path} {wrong}"
            raise InputError(msg, file=str(path))
        if sha256:
            _refuse(path, self._known(name, sha256))
        return path

    @contextmanager
    def open_head(
        self, source: str, path: str, *, default: Sequence[str] = ()
    ) -> Iterator[tuple[str, "io.BufferedReader[Any]"]]:
        """Open a source's file to read its beginning; the rest is not fetched.

        Parameters
        ----------
        source, path, default
            As in `fetch`.

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
        failures = []
        present = self.folder / source / path.rpartition("/")[2]
        for candidate in (present, *self._candidates(source, path, default)):
            if isinstance(candidate, Path):
                if candidate.is_file():
                    with open_raw(candidate) as stream:
                        yield str(candidate), stream
                    return
                failures.append(f"{candidate}: no such file")
                continue
            from xnbflow.data.sources import http  # noqa: PLC0415 - as in `_download`

            try:
                with http.open_url(candidate, self.retry.timeout) as stream:
                    yield candidate, stream
            except http.DownloadFailedError as error:
                failures.append(f"{candidate}: {error}")
            except BROKEN_GZIP as error:
                msg = f"{candidate} is broken gzip ({error}); try again later"
                raise InputError(msg, file=candidate) from error
            else:
                return
        msg = f"cannot get {path.rpartition('/')[2]}:\n  " + "\n  ".join(failures[1:])
        msg += "\nCheck the network, or name another place, or the file by its path"
        raise InputError(msg, file=str(present))

    def listed_names(self, source: str, folder: str, *, default: Sequence[str] = ()) -> list[str]:
        """Return the names of files in a folder of a source; none where no place lists them."""
        for base in self.base_urls.get(source, default):
            local = local_path(base)
            if local is not None:
                found = [p.name for f in (local / folder, local) if f.is_dir() for p in f.iterdir()]
                if found:
                    return found
                continue
            from xnbflow.data.sources import http  # noqa: PLC0415 - as in `_download`

            try:
                with http.open_url(f"{base.rstrip('/')}/{folder}", self.retry.timeout) as stream:
                    return _HREF.findall(stream.read(_LONGEST_LISTING).decode(errors="replace"))
            except http.DownloadFailedError:
                continue
        return []

    def _candidates(self, source: str, path: str, default: Sequence[str]) -> list[str | Path]:
        bases = self.base_urls.get(source, default)
        return [candidate for base in bases for candidate in _candidates(base, path)]

    def _get(
        self, places: Sequence[Sequence[str | Path]], target: Path, sha256: str | None
    ) -> Path:
        known = self._known(target.name, sha256)
        for present in _variants(target):
            if present.is_file():
                _refuse(present, known or _Known.recorded(_record_of(present)))
                self._note(present, sha256, place=None)
                return present
        failures = []
        for candidates in places:
            try:
                return self._get_first(candidates, target, known, sha256)
            except _FailedError as error:
                failures.append(f"  {error}")
        tried = "\n".join(failures) or "  no base URL or folder is configured for this source"
        msg = (
            f"cannot get {target.name}:\n{tried}\n"
            "Check the network and the base URLs in the configuration, or put the file (plain, or "
            f"gzipped with .gz added) by hand at {target}"
        )
        raise InputError(msg, file=str(target))

    def _get_first(
        self,
        candidates: Sequence[str | Path],
        target: Path,
        known: "_Known | None",
        sha256: str | None,
    ) -> Path:
        """Return the first file that is there, of those that one place may have."""
        absences = []
        for candidate in candidates:
            if reason := self._trial.refused.get(str(candidate)):
                raise _FailedError(reason)
            try:
                if isinstance(candidate, Path):
                    record = _record_of(target.parent / candidate.name)
                    path = _use(candidate, known or _Known.recorded(record))
                else:
                    path = self._download(candidate, target, known)
                    record = _record_of(path)
            except _AbsentError as error:
                absences.append(error)
            else:
                self._note(path, sha256, place=str(candidate), record=record)
                return path
        raise absences[0]

    def _download(self, url: str, target: Path, known: "_Known | None") -> Path:
        # needs the extra "workflow", and is slow to import
        from xnbflow.data.sources import http  # noqa: PLC0415

        if url.endswith(".gz") and target.suffix != ".gz":
            target = target.with_name(target.name + ".gz")
        try:
            with atomic(target) as part:
                known = known or _Known.recorded(_record_of(target))
                http.download(url, part, self.retry, checked=known is not None)
                wrong = _complaint(part, known)
                if wrong is None and known is None and is_cut_text(part):
                    wrong = _CUT
                if wrong:
                    msg = f"{url} {wrong}"
                    raise _FailedError(msg)
        except http.DownloadFailedError as error:
            kind = _AbsentError if isinstance(error, http.NotThereError) else _FailedError
            msg = f"{url}: {error}"
            raise kind(msg) from error
        return target

    def _known(self, name: str, sha256: str | None) -> "_Known | None":
        """Return the checksum that a file must have by the sheet, else by the lock."""
        if sha256:
            return _Known(sha256, "the sheet", "correct the sheet")
        locked = _read_lock(self.lock).get(name.removesuffix(".gz"))
        if locked is None:
            return None
        return _Known(locked, str(self.lock), f"take its line out of {self.lock}")

    def _note(
        self, path: Path, sha256: str | None, *, place: str | None, record: Path | None = None
    ) -> None:
        """Remember a file until what is made of it is accepted; outside of a trial, it is."""
        record = record or _record_of(path)
        self._trial.fetched.append(_Fetched(path, record, place, known=bool(sha256)))
        if not self._trial.begun:
            self._keep_checksums()

    def _keep_checksums(self) -> None:
        """Record the checksums of the files that were fetched."""
        lock = _read_lock(self.lock)
        for fetched in self._trial.fetched:
            found = checksums(fetched.path)
            if not fetched.known and not fetched.record.is_file():
                _write_record(fetched.record, found[0])
            lock[fetched.path.name.removesuffix(".gz")] = found[-1]
        self._trial.fetched.clear()
        if self.lock is not None and lock:
            text = "".join(f"{found}  {name}\n" for name, found in sorted(lock.items()))
            write_atomically(self.lock, lambda part: part.write_text(text))


@dataclass(frozen=True)
class _Known:
    """A checksum that a file must have, who says so, and what to do if another file is right."""

    sha256: str
    who: str
    mend: str

    @classmethod
    def recorded(cls, record: Path) -> "_Known | None":
        """Return the checksum of a file ``<name>.sha256``; None where there is none."""
        if not record.is_file():
            return None
        found = _sums(record)
        if len(found) != 1:
            msg = f"{record} holds no SHA-256; delete it to record the file that is there now"
            raise InputError(msg, file=str(record))
        (sha256,) = found.values()
        return cls(sha256, str(record), f"delete {record}")


def _sums(path: Path) -> dict[str, str]:
    """Return the checksums in a file as of ``sha256sum``, by name."""
    text = path.read_bytes().decode(errors="replace")
    lines = [re.fullmatch(r"([0-9a-f]{64})(?:  (.+))?", line) for line in text.splitlines()]
    return {line[2] or "": line[1] for line in lines if line}


def _read_lock(lock: Path | None) -> dict[str, str]:
    return _sums(lock) if lock is not None and lock.is_file() else {}


class _FailedError(Exception):
    """A place does not give the file."""


class _AbsentError(_FailedError):
    """A place does not have the file under this name."""


def _use(path: Path, known: _Known | None) -> Path:
    """Return a mirror folder's file if it is there and the one wanted."""
    if not path.is_file():
        msg = f"{path}: no such file"
        raise _AbsentError(msg)
    if wrong := _complaint(path, known):
        msg = f"{path} {wrong}"
        raise _FailedError(msg)
    return path


def _candidates(base: str, path: str) -> list[str | Path]:
    """Return where a base may hold a file: plain or gzipped, in a folder also flat."""
    folder = local_path(base)
    if folder is not None:
        return [*_variants(folder / path), *_variants(folder / path.rpartition("/")[2])]
    url = f"{base.rstrip('/')}/{path}"
    return [url] if path.endswith(".gz") else [url, f"{url}.gz"]


def _variants(path: Path) -> tuple[Path, Path]:
    """Return a path with and without ``.gz``, as given first."""
    if path.suffix == ".gz":
        return path, path.with_suffix("")
    return path, path.with_name(path.name + ".gz")


def _record_of(path: Path) -> Path:
    return path.with_name(path.name + ".sha256")


def _refuse(path: Path, known: _Known | None) -> None:
    if wrong := _complaint(path, known):
        msg = f"{path} {wrong}"
        raise InputError(msg, file=str(path))


def _complaint(path: Path, known: _Known | None) -> str | None:
    """Say why a file is not the one wanted: no data at all, or another checksum."""
    if wrong := what_is_wrong(path):
        return wrong
    try:
        found = checksums(path)
    except InputError as error:
        return str(error).removeprefix(f"{path} ")
    if known is not None and known.sha256 not in found:
        return (
            f"has SHA-256 {found[0]}, but {known.who} says {known.sha256}: it is damaged or "
            f"another version; delete it and get it again, or {known.mend} if it is the right file"
        )
    return None


def _write_record(record: Path, sha256: str) -> None:
    write_atomically(record, lambda part: part.write_text(f"{sha256}  {record.stem}\n"))
