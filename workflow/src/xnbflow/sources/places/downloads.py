"""Atomic downloads, checked by SHA-256, from the first place that has the file."""

import hashlib
import re
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from xnbflow.core.atomic import atomic, write_atomically
from xnbflow.core.errors import InputError
from xnbflow.sources.dataset_entry import local_path
from xnbflow.sources.formats.files import (
    BROKEN_GZIP,
    checksums,
    fault_of,
    is_cut_text,
    open_raw,
)
from xnbflow.sources.places.retries import (
    DownloadFailedError,
    NotThereError,
    RetryPolicy,
    UnresolvedError,
)

if TYPE_CHECKING:
    import io

#: A link in a server's listing of a folder.
_HREF = re.compile(r"""href=["']?([^"'\s>/]+)["'\s>]""", re.IGNORECASE)
#: Bytes of a listing that are read.
_LONGEST_LISTING = 1 << 22
#: Seconds after which the name of a host is tried again.
_SECONDS_UNRESOLVED = 60


@dataclass(frozen=True)
class _Checksum:
    """The checksum of a file, what requires it, and what to do if another file is right."""

    sha256: str
    origin: str
    remedy: str


@dataclass(frozen=True)
class Origin:
    """Where a file came from.

    Attributes
    ----------
    path : Path
        The file on this machine.
    place : str, Path or None
        A URL, a folder's file (the same as the path), or None if it existed before.
    failures : tuple of str
        The places that failed before, each with the reason.
    earlier : str
        Of a file that existed before, the place from which it came in an earlier run, where the
        checksums have it.
    """

    path: Path
    place: str | Path | None
    failures: tuple[str, ...] = ()
    earlier: str = ""

    def sentence(self) -> str:
        """Return where the file came from, with the places that failed.

        Examples
        --------
        >>> Origin(Path("a.csv"), "https://b.org/a.csv", ("https://c.org: 404",)).sentence()
        'a.csv was downloaded from https://b.org/a.csv; other places failed: https://c.org: 404'
        """
        name = self.path.name
        if isinstance(self.place, Path):
            text = f"{name} was read from a folder of the configuration"
        elif self.place is not None:
            text = f"{name} was downloaded from {self.place}"
        else:
            text = f"{name} was in the folder of downloads"
            if self.earlier:
                text += f", downloaded earlier from {self.earlier}"
        if self.failures:
            text += f"; other places failed: {'; '.join(self.failures)}"
        return text


class UnavailableError(InputError):
    """No place has a file that a data set needs."""


@dataclass
class Downloads:
    """Sources and destination of files.

    Attributes
    ----------
    folder : Path
        Folder of downloads; files that a user puts there are used.
    base_urls : mapping of str to sequence of str
        Per source, the places to try in order: ``http(s)://`` or ``file://`` URLs, or folders.
    retry : RetryPolicy
    lock : Path or None
        A file with checksums of earlier accepted files, here or by others: a file that differs is
        refused, unless the data set has its checksum. `keep_checksums` adds to it.
    unresolved : Path or None
        A file of hosts whose names could not be resolved a moment ago, one in a line. They are not
        tried: without a network every job would wait for the same answer.
    checksum_place : str
        Where the user writes checksums, for messages.
    temporary : bool
        Whether the folder is removed afterwards, so that a user cannot put a file there.
    origins : list of Origin
        Where the files came from, in the order of fetching, since places were left out.
    """

    folder: Path
    base_urls: Mapping[str, Sequence[str]] = field(default_factory=dict)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    lock: Path | None = None
    checksum_place: str = "its data set"
    temporary: bool = False
    unresolved: Path | None = None
    origins: list[Origin] = field(default_factory=list, init=False, repr=False)
    _refused: dict[str, DownloadFailedError] = field(default_factory=dict, init=False, repr=False)

    def leave_out_places(self, error: InputError) -> None:
        """Leave out the places of the files that were fetched and refused, and remove the files.

        The same files can then be fetched again, from other places. The ``error`` of the refusal is
        raised if no file came from a place.
        """
        fetched = [
            (origin.path, origin.place) for origin in self.origins if origin.place is not None
        ]
        if not fetched:
            raise error
        for path, place in fetched:
            reason = str(error).replace(str(path), str(place))
            if str(place) not in reason:
                reason = f"{place}: {reason}"
            self._refused[str(place)] = DownloadFailedError(reason, key=error.key)
            if path != place:  # a downloaded copy
                path.unlink(missing_ok=True)
        self.origins.clear()

    def fetch(
        self, source: str, path: str, *, default: Sequence[str] = (), sha256: str | None = None
    ) -> Path:
        """Return a local copy of a source's file, downloaded if necessary.

        The path is relative to the base URLs, by default those in ``default``. A place may have the
        file gzipped, with ``.gz`` added; a folder may have it without the path's folders. The
        checksum is of the file or of its uncompressed contents. Without one, that in the ``lock``
        is required.
        """
        places = [_candidates(base, path) for base in self.base_urls.get(source, default)]
        return self._get(places, self.folder / source / path.rpartition("/")[2], sha256)

    def fetch_location(
        self, source: str, location: str, *, name: str, sha256: str | None = None
    ) -> Path:
        """Return a local copy of a file named by its own URL, or the file itself if it is local.

        A digest of the URL is added to the ``name`` of the copy, so that another URL is another
        file. The checksum of a local file is not in the lock, since its owner may change it;
        otherwise see `fetch`.
        """
        path = local_path(location)
        if path is None:
            stem, dot, suffixes = name.partition(".")
            digest = hashlib.sha256(location.encode()).hexdigest()[:8]
            target = self.folder / source / f"{stem}-{digest}{dot}{suffixes}"
            return self._get([[location]], target, sha256)
        # Without a checksum its reader finds what is wrong within it: it is read once.
        if sha256 is not None and (fault := _fault(path, self._checksum_of(name, sha256))):
            raise fault
        return path

    @contextmanager
    def open_head(
        self, source: str, path: str, *, default: Sequence[str] = ()
    ) -> Iterator[tuple[str, "io.BufferedReader[Any]"]]:
        """Open a source's file to read its beginning, decompressed; the rest is not fetched.

        It yields the URL or path, and the stream; for the parameters see `fetch`.
        """
        failures = []
        present = self.folder / source / path.rpartition("/")[2]
        places: list[str | Path] = [present]
        for base in self.base_urls.get(source, default):
            places += _candidates(base, path)
        for place in places:
            if isinstance(place, Path) and place.is_file():
                with open_raw(place) as stream:
                    yield str(place), stream
                return
            if isinstance(place, Path):
                failures.append(f"{place}: no such file")
                continue
            from xnbflow.sources.places import http  # noqa: PLC0415

            is_open = False
            try:
                with http.open_url(place, self.retry) as stream:
                    is_open = True
                    yield place, stream
            except DownloadFailedError as error:
                if is_open:
                    msg = f"{place}: {error}; try again later"
                    raise InputError(msg, file=str(place)) from error
                failures.append(f"{place}: {error}")
            except BROKEN_GZIP as error:
                msg = f"{place} is broken gzip ({error}); try again later"
                raise InputError(msg, file=str(place)) from error
            else:
                return
        tried = "\n  ".join(failures[1:])
        msg = (
            f"cannot get {present.name}:\n  {tried}\nCheck the network, or name another place, or "
            "the file by its path"
        )
        raise UnavailableError(msg, file=str(present))

    def listed_names(self, source: str, folder: str, *, default: Sequence[str] = ()) -> list[str]:
        """Return the names of files in a folder of a source; none where no place lists them."""
        for base in self.base_urls.get(source, default):
            local = local_path(base)
            names: list[str] = []
            if local is not None:
                for place in (local / folder, local):
                    if place.is_dir():
                        names += [path.name for path in place.iterdir()]
            else:
                from xnbflow.sources.places import http  # noqa: PLC0415

                url = f"{base.rstrip('/')}/{folder}"
                with suppress(DownloadFailedError), http.open_url(url, self.retry) as page:
                    names = _HREF.findall(page.read(_LONGEST_LISTING).decode(errors="replace"))
            if names:
                return names
        return []

    def _get(
        self, places: Sequence[Sequence[str | Path]], target: Path, sha256: str | None
    ) -> Path:
        """Return the file that is there, or get it from the first place that has it.

        Each of the ``places`` has the names under which the file may be there, as with ``.gz``. If
        it has none, the error of its first name is reported; after another failure its further
        names are not tried.
        """
        # The file that is there, by a user or an earlier run.
        checksum = self._checksum_of(target.name, sha256)
        for present in _variants(target):
            if present.is_file():
                if fault := _fault(present, checksum):
                    raise fault
                self._record(self._origin_of_present(present))
                return present

        # One place after another, with the reason of each that fails.
        failures: list[str] = []
        key = None
        for candidates in places:
            errors: list[DownloadFailedError] = []
            for place in candidates:
                try:
                    path = self._get_from(place, target, checksum)
                except NotThereError as error:
                    errors.append(error)
                except DownloadFailedError as error:
                    errors = [error]
                    break
                else:
                    origin = _without_password(place) if isinstance(place, str) else place
                    self._record(Origin(path, origin, failures=tuple(failures)))
                    return path
            failures.append(_without_password(str(errors[0])))
            key = key or errors[0].key

        # No place has it: the message names all of them.
        tried = (
            "\n".join(f"  {failure}" for failure in failures)
            or "  no base URL or folder is configured for this source"
        )
        remedy = (
            "Check the network and the base URLs in the configuration, or put the file (plain, or "
            f"gzipped with .gz added) by hand at {target}"
        )
        if self.temporary:
            remedy = "Check the network and the URL, or get the file by a browser and name its path"
        msg = f"cannot get {target.name}:\n{tried}\n{remedy}"
        raise UnavailableError(msg, file=str(target), key=key)

    def _record(self, origin: Origin) -> None:
        """Add the origin of a file, each once."""
        if origin not in self.origins:
            self.origins.append(origin)

    def _origin_of_present(self, path: Path) -> Origin:
        """Return the origin of a file that was there, by the lock."""
        place = _read_places(self.lock).get(path.name.removesuffix(".gz"), "")
        return Origin(path, None, earlier=place)

    def _get_from(self, place: str | Path, target: Path, checksum: _Checksum | None) -> Path:
        """Return a mirror folder's file, or download it; an error if it is not the right file."""
        if refused := self._refused.get(str(place)):
            raise refused
        if isinstance(place, str):
            return self._download(place, target, checksum)
        if not place.is_file():
            msg = f"{place}: no such file"
            raise NotThereError(msg)
        if fault := _fault(place, checksum):
            raise DownloadFailedError(str(fault), key=fault.key)
        return place

    def _download(self, url: str, target: Path, checksum: _Checksum | None) -> Path:
        """Download a file; an answer that is not the file is not kept."""
        # needs the extra "workflow", and is slow to import
        from xnbflow.sources.places import http  # noqa: PLC0415

        if url.endswith(".gz") and target.suffix != ".gz":
            target = target.with_name(target.name + ".gz")
        host = urlsplit(url).hostname or ""
        if host in _unresolved_hosts(self.unresolved):
            msg = f"{url}: the name {host} does not resolve (it was tried a moment ago)"
            raise UnresolvedError(msg)
        with atomic(target) as partial:
            try:
                http.download(url, partial, self.retry, checked=checksum is not None)
            except DownloadFailedError as error:
                if isinstance(error, UnresolvedError) and self.unresolved is not None:
                    with self.unresolved.open("a", encoding="utf-8") as file:
                        file.write(f"{host}\n")
                msg = f"{url}: {error}"
                raise type(error)(msg, key=error.key) from error
            fault = _fault(partial, checksum, name=url)
            if fault is None and checksum is None and is_cut_text(partial):
                msg = (
                    f"{url} does not end with a line break: if it was cut within its last number, "
                    "that number is wrong. If it is complete, give its SHA-256 (sha256 of the "
                    "data set)"
                )
                fault = InputError(msg, key="sha256")
            if fault:
                raise DownloadFailedError(str(fault), key=fault.key)
        return target

    def _checksum_of(self, name: str, sha256: str | None) -> _Checksum | None:
        """Return the checksum that its data set requires, or else the lock; None without either."""
        if sha256:
            return _Checksum(sha256, self.checksum_place, f"correct {self.checksum_place}")
        if locked := _read_lock(self.lock).get(name.removesuffix(".gz")):
            return _Checksum(locked, str(self.lock), f"take its line out of {self.lock}")
        return None

    def keep_checksums(self) -> None:
        """Add the checksums of the files that were fetched and accepted to the lock, with URLs."""
        if self.lock is None or not self.origins:
            return
        lock = _read_lock(self.lock)
        places = _read_places(self.lock)
        for origin in self.origins:
            name = origin.path.name.removesuffix(".gz")
            lock[name] = checksums(origin.path)[-1]  # of the contents
            place = origin.place or origin.earlier
            if place and isinstance(place, str):
                places[name] = place
        lines = []
        for name, sha256 in sorted(lock.items()):
            if name in places:
                lines.append(f"# {name} from {places[name]}\n")  # a comment of sha256sum
            lines.append(f"{sha256}  {name}\n")
        text = "".join(lines)
        write_atomically(self.lock, lambda target: target.write_text(text))


def _read_lock(path: Path | None) -> dict[str, str]:
    """Return the checksums of a file of ``sha256sum`` by name; none if there is no file."""
    if path is None or not path.is_file():
        return {}
    text = path.read_bytes().decode(errors="replace")
    lines = [re.fullmatch(r"([0-9a-f]{64})  (.+)", line) for line in text.splitlines()]
    return {line[2]: line[1] for line in lines if line}


def _unresolved_hosts(path: Path | None) -> set[str]:
    """Return the hosts of a recent file of `Downloads.unresolved`; none if it is old or absent."""
    if path is None or not path.is_file():
        return set()
    if time.time() - path.stat().st_mtime > _SECONDS_UNRESOLVED:
        return set()
    return set(path.read_text(encoding="utf-8").splitlines())


def _without_password(text: str) -> str:
    """Return a text without the user and password of a URL.

    Examples
    --------
    >>> _without_password("https://user:word@server.org/file: 404")
    'https://server.org/file: 404'
    """
    return re.sub(r"(?<=://)[^/@\s]*@", "", text)


def _read_places(path: Path | None) -> dict[str, str]:
    """Return the URLs in the comments of a file of checksums by name; none if there is no file."""
    if path is None or not path.is_file():
        return {}
    text = path.read_bytes().decode(errors="replace")
    lines = [re.fullmatch(r"# (.+) from (\S+)", line) for line in text.splitlines()]
    return {line[1]: line[2] for line in lines if line}


def _candidates(base: str, path: str) -> list[str | Path]:
    """Return where a base may hold a file: plain or gzipped, in a folder also flat."""
    folder = local_path(base)
    if folder is not None:
        return [*_variants(folder / path), *_variants(folder / path.rpartition("/")[2])]
    url = f"{base.rstrip('/')}/{path}"
    return [url] if path.endswith(".gz") else [url, f"{url}.gz"]


def _variants(path: Path) -> tuple[Path, Path]:
    """Return a path with and without ``.gz``, the path itself first."""
    if path.suffix == ".gz":
        return path, path.with_suffix("")
    return path, path.with_name(path.name + ".gz")


def _fault(
    path: Path, checksum: _Checksum | None, name: str | Path | None = None
) -> InputError | None:
    """Return why a file is not the right one: it has no data or another checksum.

    The ``name`` of the file in the message is by default its path.
    """
    # An archive whose reader opens its member; any other reader refuses it.
    is_archive = path.suffix == ".zip" and zipfile.is_zipfile(path)
    if not is_archive and (fault := fault_of(path, name)):
        return fault
    try:
        actual = checksums(path)
    except InputError as error:
        return InputError(str(error).replace(str(path), str(name or path), 1), file=error.file)
    if checksum is None or checksum.sha256 in actual:
        return None
    msg = (
        f"{name or path} has SHA-256 {actual[0]}, but {checksum.origin} has {checksum.sha256}: it "
        f"is damaged or another version; delete it and get it again, or {checksum.remedy} if it "
        "is the right file"
    )
    return InputError(msg, file=str(name or path))
