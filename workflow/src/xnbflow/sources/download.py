"""Downloads that are whole or absent, checked by SHA-256, from the first place that has them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from xnbflow.atomic import atomic, write_atomically
from xnbflow.errors import InputError
from xnbflow.sources.files import checksums, local_path, what_is_wrong

__all__ = ["Downloads"]


@dataclass(frozen=True)
class Downloads:
    """Where files come from and go to.

    Attributes
    ----------
    folder : Path
        Downloads land here; files put here by hand are used.
    base_urls : mapping of str to sequence of str
        Per source, the places to try in order: ``http(s)://`` or ``file://`` URLs, or folders.
    timeout, retries, backoff
        As in `xnbflow.sources.acquire`.
    """

    folder: Path
    base_urls: Mapping[str, Sequence[str]] = field(default_factory=dict)
    timeout: float = 30.0
    retries: int = 4
    backoff: float = 1.0

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
        _refuse(path, sha256, record=None)
        return path

    def _get(
        self, places: Sequence[Sequence[str | Path]], target: Path, sha256: str | None
    ) -> Path:
        for present in _variants(target):
            if present.is_file():
                _refuse(present, sha256, record=_record_of(present))
                return present
        failures = []
        for candidates in places:
            try:
                return self._get_first(candidates, target, sha256)
            except _FailedError as error:
                failures.append(f"  {error}")
        tried = "\n".join(failures) or "  no base URL or folder is configured for this source"
        msg = (
            f"cannot get {target.name}:\n{tried}\n"
            "Check the network and the base URLs in the configuration, or put the file (plain, or "
            f"gzipped with .gz added) by hand at {target}"
        )
        raise InputError(msg)

    def _get_first(
        self, candidates: Sequence[str | Path], target: Path, sha256: str | None
    ) -> Path:
        """Return the first file that is there, of those that one place may have."""
        absences = []
        for candidate in candidates:
            try:
                if isinstance(candidate, Path):
                    return _use(candidate, sha256, _record_of(target.parent / candidate.name))
                return self._download(candidate, target, sha256)
            except _AbsentError as error:
                absences.append(error)
        raise absences[0]

    def _download(self, url: str, target: Path, sha256: str | None) -> Path:
        # needs the extra "workflow", and is slow to import
        from xnbflow.sources import http  # noqa: PLC0415

        if url.endswith(".gz") and target.suffix != ".gz":
            target = target.with_name(target.name + ".gz")
        patience = {"timeout": self.timeout, "retries": self.retries, "backoff": self.backoff}
        try:
            with atomic(target) as part:
                http.download(url, part, **patience)
                if wrong := _complaint(part, sha256, record=_record_of(target)):
                    msg = f"{url} {wrong}"
                    raise _FailedError(msg)
        except http.DownloadFailedError as error:
            kind = _AbsentError if isinstance(error, http.NotThereError) else _FailedError
            msg = f"{url}: {error}"
            raise kind(msg) from error
        return target


class _FailedError(Exception):
    """A place does not give the file."""


class _AbsentError(_FailedError):
    """A place does not have the file under this name."""


def _use(path: Path, sha256: str | None, record: Path) -> Path:
    """Return a mirror folder's file if it is there and the one wanted."""
    if not path.is_file():
        msg = f"{path}: no such file"
        raise _AbsentError(msg)
    if wrong := _complaint(path, sha256, record=record):
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


def _refuse(path: Path, sha256: str | None, *, record: Path | None) -> None:
    if wrong := _complaint(path, sha256, record=record):
        msg = f"{path} {wrong}"
        raise InputError(msg)


def _complaint(path: Path, sha256: str | None, *, record: Path | None) -> str | None:
    """Say why a file is not the one wanted: no data at all, or another checksum.

    The checksum is the known one, else the recorded one; where there is neither, it is recorded.
    """
    if wrong := what_is_wrong(path):
        return wrong
    known = sha256
    if known is None and record is not None and record.is_file():
        known = record.read_text().split()[0]
    if known is None and record is None:
        return None
    try:
        found = checksums(path)
    except InputError as error:
        return str(error).removeprefix(f"{path} ")
    if known is None:
        _write_record(record, found[0])
    elif known not in found:
        who, mend = ("the sheet", "correct the sheet") if sha256 else (record, f"delete {record}")
        return (
            f"has SHA-256 {found[0]}, but {who} says {known}: it is damaged or another version; "
            f"delete it and get it again, or {mend} if this is the right file"
        )
    return None


def _write_record(record: Path, sha256: str) -> None:
    write_atomically(record, lambda part: part.write_text(f"{sha256}  {record.stem}\n"))
