"""GEO: series matrices (GSE) and curated data sets (GDS), by accession or from a file.

NCBI's Gene Expression Omnibus (Barrett et al., Nucleic Acids Res. 41, 2013) serves for each series
and platform one series matrix, for each curated data set one SOFT file, and for each platform its
annotation.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from xnbflow.core.errors import InputError, about_file
from xnbflow.data.dataset import DataSet
from xnbflow.data.note import Note
from xnbflow.sources.annotation import GEO_URLS
from xnbflow.sources.dataset_entry import DatasetEntry, is_accession, matching
from xnbflow.sources.formats.geo_head import MOST_TEXTS, GeoHead
from xnbflow.sources.formats.geo_table import SYMBOLS, read_geo_table
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.roles import assign_roles
from xnbflow.sources.series.inferred_keys import TransformInference
from xnbflow.sources.series.steps import series_of_table

#: Identifiers of probes without a gene, in small letters.
_CONTROL = frozenset({"--control", "control", "---", "--", "null", "na"})


def load(dataset: DatasetEntry, downloads: Downloads) -> DataSet:
    """Get a series by its accession (``GSE4107``, ``GSE781-GPL96``, ``GDS507``), path or URL."""
    return read_geo(fetch(dataset, downloads), dataset)


def fetch(dataset: DatasetEntry, downloads: Downloads) -> Path:
    """Return the local path of the file of a data set."""
    location = dataset.location
    if is_accession(location):
        return fetch_accession(dataset.id, location, downloads, dataset.sha256)
    name = dataset.id + "".join(Path(urlsplit(location).path).suffixes[-2:])
    return downloads.fetch_location("geo", location, name=name, sha256=dataset.sha256)


def accession_path(accession: str) -> str:
    """Return the path of an accession's file below GEO's base URL.

    Examples
    --------
    >>> accession_path("GSE781-GPL96")
    'series/GSEnnn/GSE781/matrix/GSE781-GPL96_series_matrix.txt.gz'
    >>> accession_path("GDS507")
    'datasets/GDSnnn/GDS507/soft/GDS507.soft.gz'
    """
    plain = accession.partition("-")[0]
    folder = f"{plain[:-3] if len(plain) > 6 else plain[:3]}nnn/{plain}"
    if plain.startswith("GDS"):
        return f"datasets/{folder}/soft/{plain}.soft.gz"
    return f"series/{folder}/matrix/{accession}_series_matrix.txt.gz"


@contextmanager
def naming_platforms(accession: str, downloads: Downloads, where: str = "") -> Iterator[None]:
    """Name the files of an accession that has several platforms, if the block cannot get one."""
    try:
        yield
    except InputError as error:
        if not accession.startswith("GSE") or "-" in accession:
            raise
        folder = accession_path(accession).rpartition("/")[0] + "/"
        names = downloads.listed_names("geo", folder, default=GEO_URLS)
        pattern = rf"\b({re.escape(accession)}-GPL\d+)_series_matrix"
        matrices = re.findall(pattern, " ".join(names))
        if not matrices:
            raise
        offered = ", ".join(sorted(set(matrices)))
        msg = f"{where}{accession} has several platforms, one file each; give one of {offered}"
        raise InputError(msg, key="accession") from error


def fetch_accession(
    name: str, accession: str, downloads: Downloads, sha256: str | None = None
) -> Path:
    """Get an accession's file for the data set ``name``."""
    path = accession_path(accession)
    with naming_platforms(accession, downloads, f"data set {name}: "):
        return downloads.fetch("geo", path, default=GEO_URLS, sha256=sha256)


def read_geo(
    path: str | Path, dataset: DatasetEntry, infer_transform: TransformInference | None = None
) -> DataSet:
    """Read a series matrix or a GDS (``*_series_matrix.txt``, ``GDS*.soft``), plain or gzipped.

    The entry's ``label`` names what the class is made of: ``characteristics:diagnosis`` (of a GDS,
    the subset's type, ``disease state``), ``title``, ``source`` or ``description``. Its other keys
    are described in `xnbflow.sources.roles.assign_roles` and
    `xnbflow.sources.series.steps.series_of_table`, which calls ``infer_transform``.
    Titles, sources and characteristics are ``sample_metadata`` of the data set.
    """
    path = Path(path)
    with about_file(path):
        text, head = read_geo_table(path)
        dataset = _with_fields(path, dataset, head)
        table = _samples_in_columns(text, head, dataset)
        notes: list[str] = []
        if head.platform:
            notes.append(Note(head.platform, "platform", start="platform "))
        start = "processing by the authors of the series: "
        processing = head.processing[:MOST_TEXTS]
        notes += [Note(text, "processing", start=start) for text in processing]
        table = replace(table, notes=[*notes, *table.notes])
        return series_of_table(
            table,
            assign_roles(table, dataset),
            dataset,
            are_intensities=True,
            platforms=head.platform,
            # Titles and sources remain descriptions of the samples where they are the label, too.
            keep_label=dataset.label not in head.characteristics,
            infer_transform=infer_transform,
        )


def _with_fields(path: Path, dataset: DatasetEntry, head: GeoHead) -> DatasetEntry:
    """Return the entry with the fields of the head that its label and other keys name.

    The names of fields may have other letters there, or ``characteristics:`` before them.
    """
    label, _ = head.label_texts(f"data set {dataset.id}: {path}", dataset.label or "")
    return replace(
        dataset,
        label=label,
        samples="columns",
        group=_field_of(head, dataset.group),
        batch=_field_of(head, dataset.batch),
        phenotype_columns=tuple(
            head.field_named(name) or name for name in dataset.phenotype_columns
        ),
    )


def _field_of(head: GeoHead, name: str | None) -> str | None:
    """Return the field that a key names; another name is unchanged, and refused later."""
    return name and (head.field_named(name) or name)


def _samples_in_columns(text: TextTable, head: GeoHead, dataset: DatasetEntry) -> TextTable:
    """Return the table of a file of GEO, with the samples in the order of its head.

    The symbols of a GDS annotate its probes. The key ``drop`` may name samples.
    """
    header = text.header
    names = [name.upper() for name in header]
    symbols = [names.index(SYMBOLS)] if SYMBOLS in names else []
    dropped = matching(head.samples, dataset.drop)
    kept = [sample for sample in head.samples if sample not in dropped]
    columns = [header.index(sample) for sample in kept]
    table = text.with_samples_in_columns(0, symbols, columns)
    for cells in table.annotation.values():
        texts = ["" if cell.lower() in _CONTROL else cell for cell in cells]
        table = replace(table, annotation={"symbol": texts})
    return table
