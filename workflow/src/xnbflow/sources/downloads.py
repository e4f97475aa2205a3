"""Atomic downloads, checked by SHA-256, from the first place that has the file."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from xnbflow.core.atomic import atomic, write_atomically
from xnbflow.core.errors import InputError
from xnbflow.sources.files import BROKEN_GZIP, checksums, is_cut_text, open_raw, what_is_wrong
from xnbflow.sources.retries import DownloadFailedError, NotThereError, RetryPolicy
from xnbflow.sources.sheet import local_path

if TYPE_CHECKING:
    import io

_HREF = re.compile(r"""href=["']?([^"'\s>/]+)["'\s>]""", re.IGNORECASE)
_LONGEST_LISTING = 1 << 22
_CUT = (
    "does not end with a line break: if it was cut within its last number, that number is wrong. "
    "If it is complete, put its SHA-256 into the sheet"
)

_Made = TypeVar("_Made")


@dataclass(frozen=True)
class _Known:
    """A file's checksum, where it is given, and how to replace it if another file is right."""

    sha256: str
    who: str
    mend: str


#: A file, and its origin: a URL, a folder's file (the same), or None if it existed before.
_Fetched = tuple[Path, str | Path | None]


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
        refused, unless the sheet has its checksum. `accepted` adds to it.
    temporary : bool
        Whether the folder is removed afterwards, so that a user cannot put a file there.
    """

    folder: Path
    base_urls: Mapping[str, Sequence[str]] = field(default_factory=dict)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    lock: Path | None = None
    temporary: bool = False
    _fetched: list[_Fetched] = field(default_factory=list, init=False, repr=False)
    _refused: dict[str, str] = field(default_factory=dict, init=False, repr=False)

    def accepted(self, make: Callable[[], _Made]) -> _Made:
        """Return the result of ``make`` from fetched files; if refused, from the next place.

        Where ``make`` raises an `InputError`, files fetched for it are not kept, nor their
        checksums recorded, and it is called again as long as there are places left.
        """
        while True:
            self._fetched.clear()
            try:
                made = make()
            except InputError as error:
                fresh = [(path, place) for path, place in self._fetched if place is not None]
                if not fresh:
                    raise
                for path, place in fresh:
                    why = str(error).replace(str(path), str(place))
                    self._refused[str(place)] = why if str(place) in why else f"{place}: {why}"
                    if path != place:  # a downloaded copy
                        path.unlink(missing_ok=True)
            else:
                self._keep_checksums()
                return made

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
        _refuse(path, self._known(name, sha256) if sha256 else None)
        return path

    @contextmanager
    def open_head(
        self, source: str, path: str, *, default: Sequence[str] = ()
    ) -> Iterator[tuple[str, "io.BufferedReader[Any]"]]:
        """Open a source's file to read its beginning, decompressed; the rest is not fetched.

        It yields the URL or path, and the stream; its parameters are those of `fetch`.
        """
        failures = []
        present = self.folder / source / path.rpartition("/")[2]
        bases = self.base_urls.get(source, default)
        for place in (present, *(each for base in bases for each in _candidates(base, path))):
            if isinstance(place, Path) and place.is_file():
                with open_raw(place) as stream:
                    yield str(place), stream
                return
            if isinstance(place, Path):
                failures.append(f"{place}: no such file")
                continue
            from xnbflow.sources import http  # noqa: PLC0415

            is_open = False
            try:
                with http.open_url(place, self.retry) as stream:
                    is_open = True
                    yield place, stream
            except DownloadFailedError as error:
                if is_open:
                    msg = f"{place}: {error}; try again later"
                    raise InputError(msg, file=place) from error
                failures.append(f"{place}: {error}")
            except BROKEN_GZIP as error:
                msg = f"{place} is broken gzip ({error}); try again later"
                raise InputError(msg, file=place) from error
            else:
                return
        msg = f"cannot get {present.name}:\n  " + "\n  ".join(failures[1:])
        msg += "\nCheck the network, or name another place, or the file by its path"
        raise InputError(msg, file=str(present))

    def listed_names(self, source: str, folder: str, *, default: Sequence[str] = ()) -> list[str]:
        """Return the names of files in a folder of a source; none where no place lists them."""
        for base in self.base_urls.get(source, default):
            local = local_path(base)
            if local is not None:
                found = [p.name for f in (local / folder, local) if f.is_dir() for p in f.iterdir()]
            else:
                from xnbflow.sources import http  # noqa: PLC0415

                found = []
                url = f"{base.rstrip('/')}/{folder}"
                with suppress(DownloadFailedError), http.open_url(url, self.retry) as page:
                    found = _HREF.findall(page.read(_LONGEST_LISTING).decode(errors="replace"))
            if found:
                return found
        return []

    def _get(
        self, places: Sequence[Sequence[str | Path]], target: Path, sha256: str | None
    ) -> Path:
        known = self._known(target.name, sha256)
        for present in _variants(target):
            if present.is_file():
                _refuse(present, known)
                self._fetched.append((present, None))
                return present
        failures = []
        for candidates in places:
            why: list[DownloadFailedError] = []
            for place in candidates:
                try:
                    path = self._taken(place, target, known)
                except NotThereError as error:
                    why.append(error)
                except DownloadFailedError as error:
                    why = [error]
                    break
                else:
                    self._fetched.append((path, place))
                    return path
            failures.append(f"  {why[0]}")
        tried = "\n".join(failures) or "  no base URL or folder is configured for this source"
        remedy = (
            "Check the network and the base URLs in the configuration, or put the file (plain, or "
            f"gzipped with .gz added) by hand at {target}"
        )
        if self.temporary:
            remedy = "Check the network and the URL, or get the file by a browser and name its path"
        msg = f"cannot get {target.name}:\n{tried}\n{remedy}"
        raise InputError(msg, file=str(target))

    def _taken(self, place: str | Path, target: Path, known: _Known | None) -> Path:
        """Return a mirror folder's file, or download it; an error if it is not the right file."""
        if reason := self._refused.get(str(place)):
            raise DownloadFailedError(reason)
        if isinstance(place, str):
            return self._downloaded(place, target, known)
        if not place.is_file():
            msg = f"{place}: no such file"
            raise NotThereError(msg)
        if wrong := _complaint(place, known):
            msg = f"{place} {wrong}"
            raise DownloadFailedError(msg)
        return place

    def _downloaded(self, url: str, target: Path, known: _Known | None) -> Path:
        # needs the extra "workflow", and is slow to import
        from xnbflow.sources import http  # noqa: PLC0415

        if url.endswith(".gz") and target.suffix != ".gz":
            target = target.with_name(target.name + ".gz")
        with atomic(target) as part:
            try:
                http.download(url, part, self.retry, checked=known is not None)
            except DownloadFailedError as error:
                msg = f"{url}: {error}"
                raise type(error)(msg) from error
            wrong = _complaint(part, known)
            if wrong is None and known is None and is_cut_text(part):
                wrong = _CUT
            if wrong:
                msg = f"{url} {wrong}"
                raise DownloadFailedError(msg)
        return target

    def _known(self, name: str, sha256: str | None) -> _Known | None:
        """Return the checksum that a file must have by the sheet, else by the lock."""
        if sha256:
            return _Known(sha256, "the sheet", "correct the sheet")
        if locked := _sums(self.lock).get(name.removesuffix(".gz")):
            return _Known(locked, str(self.lock), f"take its line out of {self.lock}")
        return None

    def _keep_checksums(self) -> None:
        """Add the checksums of the files that were fetched to the lock."""
        if self.lock is None or not self._fetched:
            return
        lock = _sums(self.lock)
        lock |= {path.name.removesuffix(".gz"): checksums(path)[-1] for path, _ in self._fetched}
        text = "".join(f"{sha256}  {name}\n" for name, sha256 in sorted(lock.items()))
        write_atomically(self.lock, lambda part: part.write_text(text))


def _sums(path: Path | None) -> dict[str, str]:
    """Return the checksums of a file of ``sha256sum`` by name; none if there is no file."""
    if path is None or not path.is_file():
        return {}
    text = path.read_bytes().decode(errors="replace")
    lines = [re.fullmatch(r"([0-9a-f]{64})  (.+)", line) for line in text.splitlines()]
    return {line[2]: line[1] for line in lines if line}


def _candidates(base: str, path: str) -> list[str | Path]:
    """Return where a base may hold a file: plain or gzipped, in a folder also flat."""
    folder = local_path(base)
    if folder is not None:
        return [*_variants(folder / path), *_variants(folder / path.rpartition("/")[2])]
    url = f"{base.rstrip('/')}/{path}"
    return [url] if path.endswith(".gz") else [url, f"{url}.gz"]


def _variants(path: Path) -> tuple[Path, Path]:
    """Return a path with and without ``.gz``, as given first."""
    return path, path.with_suffix("") if path.suffix == ".gz" else path.with_name(path.name + ".gz")


def _refuse(path: Path, known: _Known | None) -> None:
    if wrong := _complaint(path, known):
        msg = f"{path} {wrong}"
        raise InputError(msg, file=str(path))


def _complaint(path: Path, known: _Known | None) -> str | None:
    """Return why a file is not the right one: it has no data or another checksum."""
    if wrong := what_is_wrong(path):
        return wrong
    try:
        found = checksums(path)
    except InputError as error:
        return str(error).removeprefix(f"{path} ")
    if known is None or known.sha256 in found:
        return None
    return (
        f"has SHA-256 {found[0]}, but {known.who} has {known.sha256}: it is damaged or "
        f"another version; delete it and get it again, or {known.mend} if it is the right file"
    )
