"""GEO: series matrices (GSE) and curated data sets (GDS), by accession or from a file.

NCBI's Gene Expression Omnibus (Barrett et al., Nucleic Acids Res. 41, 2013) serves for each series
and platform one series matrix, for each curated data set one SOFT file, and for each platform its
annotation.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, about_file
from xnbflow.core.nouns import listed
from xnbflow.core.refusals import Refusal
from xnbflow.data.dataset import DataSet
from xnbflow.data.note import Note
from xnbflow.sources.annotation import BASE_URLS
from xnbflow.sources.formats.files import open_raw
from xnbflow.sources.formats.geo_head import MOST_TEXTS, GeoHead, read_head
from xnbflow.sources.formats.text import read_text
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.series.raw_series import RawSeries
from xnbflow.sources.series.steps import finish
from xnbflow.sources.sheet import SheetRow, check_options, is_accession

if TYPE_CHECKING:
    from io import BufferedReader

#: Identifiers of probes without a gene, in small letters.
_CONTROL = frozenset({"--control", "control", "---", "--", "null", "na"})


def load(dataset: SheetRow, downloads: Downloads) -> DataSet:
    """Get a series by its accession (``GSE4107``, ``GSE781-GPL96``, ``GDS507``), path or URL."""
    location = dataset.location
    if is_accession(location):
        path = fetch_accession(dataset.id, location, downloads, dataset.sha256)
    else:
        name = dataset.id + "".join(Path(urlsplit(location).path).suffixes[-2:])
        path = downloads.fetch_location("geo", location, name=name, sha256=dataset.sha256)
    return read_geo(path, dataset)


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


_SEVERAL_PLATFORMS = Refusal(
    code="geo.several-platforms",
    sentence="{where}{accession} has several platforms, one file each; give one of {offered}",
    key="location",
)


@contextmanager
def naming_platforms(accession: str, downloads: Downloads, where: str = "") -> Iterator[None]:
    """Name the files of an accession that has several platforms, if the block cannot get one."""
    try:
        yield
    except InputError as error:
        if not accession.startswith("GSE") or "-" in accession:
            raise
        folder = accession_path(accession).rpartition("/")[0] + "/"
        names = downloads.listed_names("geo", folder, default=BASE_URLS)
        pattern = rf"\b({re.escape(accession)}-GPL\d+)_series_matrix"
        matrices = re.findall(pattern, " ".join(names))
        if not matrices:
            raise
        offered = ", ".join(sorted(set(matrices)))
        raise _SEVERAL_PLATFORMS.error(where=where, accession=accession, offered=offered) from error


def fetch_accession(
    name: str, accession: str, downloads: Downloads, sha256: str | None = None
) -> Path:
    """Get an accession's file for the data set ``name``."""
    path = accession_path(accession)
    with naming_platforms(accession, downloads, f"data set {name}: "):
        return downloads.fetch("geo", path, default=BASE_URLS, sha256=sha256)


def read_geo(path: str | Path, dataset: SheetRow) -> DataSet:
    """Read a series matrix or a GDS (``*_series_matrix.txt``, ``GDS*.soft``), plain or gzipped.

    The row's ``label`` names what the class is made of: ``characteristics:diagnosis`` (of a GDS,
    the subset's type, ``disease state``), ``title``, ``source`` or ``description``. Its options are
    those of `xnbflow.sources.series.steps.finish`. Titles, sources and characteristics are
    ``sample_metadata`` of the data set.
    """
    path = Path(path)
    where = f"data set {dataset.id}: {path}"
    check_options(dataset)
    with about_file(path):
        with open_raw(path) as stream:
            head = read_head(path, stream)
            field, texts = head.label_texts(where, dataset.label or "")
            features, values, symbols = _read_values(path, stream, head)
        notes: list[str] = []
        if head.platform:
            notes.append(Note(head.platform, "platform", start="platform "))
        start = "processing by the authors of the series: "
        processing = head.processing[:MOST_TEXTS]
        notes += [Note(text, "processing", start=start) for text in processing]
        sample_metadata = head.fields
        if field in head.characteristics:  # titles and sources remain, also if they are the label
            sample_metadata = head.fields.drop(columns=field)
        series = RawSeries(
            where=where,
            values=values,
            features=np.array(features, dtype=str),
            samples=np.array(head.samples, dtype=str),
            labels=texts,
            label_place=f"label {field!r}",
            sample_metadata=sample_metadata,
            feature_metadata=symbols,
            place=lambda feature, sample: f"row {features[feature]!r}, {head.samples[sample]}",
            notes=tuple(notes),
            note_unlogged=True,
            platforms=head.platform,
        )
        del values
        return finish(series, dataset)


def _read_values(
    path: Path, stream: "BufferedReader[Any]", head: GeoHead
) -> tuple[list[str], np.ndarray, pd.DataFrame | None]:
    """Return probes, values in the order of the head's samples, and the symbols of a GDS."""
    if not head.has_table:
        raise _no_values(path, head)
    table = read_text(
        path,
        stream,
        ("\t", "."),
        first_line=head.lines + 1,
        end=head.table_end,
        advice="get the file again, or correct the cell",
    )
    if not table.header:
        raise _no_values(path, head)
    places = _sample_places(path, table.header, head)
    names = [name.upper() for name in table.header]
    text_places = [0]
    if "IDENTIFIER" in names:
        text_places.append(names.index("IDENTIFIER"))
    if not len(table):
        raise _no_values(path, head)
    features, *identifiers = table.columns(text_places)
    values = table.numbers(places, release=True)
    if not identifiers:
        return features, values, None
    symbols = ["" if text.lower() in _CONTROL else text for text in identifiers[0]]
    return features, values, pd.DataFrame({"symbol": symbols}, dtype=object)


_NO_VALUES = Refusal(
    code="geo.no-values",
    sentence=(
        "{path} has no table of values ({accession}, {kind}): sequencing studies keep their "
        "counts in supplementary files{supplementary}. Get the table of counts and use source"
        " table, with the option phenotype={phenotype} for what is known of the samples"
    ),
)


def _no_values(path: Path, head: GeoHead) -> InputError:
    """Return the error for a series without a table of values, which names its other files."""
    files = list(dict.fromkeys(head.supplementary))
    files_of_series = [name for name in files if "/series/" in name] or files
    supplementary = ""
    if files_of_series:
        supplementary = f"; its supplementary files are {listed(files_of_series)}"
    kind = head.facts.get("type", "") or "of unknown type"
    return _NO_VALUES.error(
        path=path,
        accession=head.accession,
        kind=kind,
        supplementary=supplementary,
        phenotype=head.accession or path,
    )


_OTHER_SAMPLES = Refusal(
    code="geo.other-samples",
    sentence=(
        "{path}: the table's columns are not the samples of the head: {missing} without a "
        "column, {beyond} without a head; get the file again"
    ),
)


def _sample_places(path: Path, header: list[str], head: GeoHead) -> list[int]:
    """Return the columns of the head's samples; a GDS may have further columns."""
    missing = [sample for sample in head.samples if sample not in header]
    expected = {*head.samples, "ID_REF", "IDENTIFIER"}
    beyond = [name for name in header if name not in expected]
    if missing or (beyond and head.facts.get("value_type") is None):
        raise _OTHER_SAMPLES.error(
            path=path, missing=listed(missing) or "none", beyond=listed(beyond) or "none"
        )
    return [header.index(sample) for sample in head.samples]
