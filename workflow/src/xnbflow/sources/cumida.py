"""CuMiDa's microarray series: download, and a reader of their CSV and ARFF files.

CuMiDa (Feltes et al., J. Comput. Biol. 26, 2019) serves one CSV file per series, with one row per
sample: ``samples,type,<probe>,...``, 50 to 150 MB of decimals with up to 17 digits. The key
``format: arff`` reads the ARFF file of the series instead.
"""

import re
from dataclasses import replace
from pathlib import Path

from xnbflow.core.errors import InputError, about_file, quoted
from xnbflow.data.dataset import DataSet
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.arff import attribute_names
from xnbflow.sources.formats.files import open_raw
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.table import read_table

#: Where CuMiDa has been served, the present address first.
CUMIDA_URLS = (
    "https://sbcb.inf.ufrgs.br/data/cumida/Genes",
    "http://sbcb.inf.ufrgs.br/carbm/static/cumida/Genes",
)

_NAME = re.compile(r"([A-Za-z0-9_-]+)/([A-Za-z0-9_-]+)")
_HEADER = re.compile(rb'(\xef\xbb\xbf)?"?samples"?,"?type"?\s*,')


def load(dataset: DatasetEntry, downloads: Downloads) -> DataSet:
    """Get a series whose name is ``<Type>/<GSE>``, as ``Brain/GSE50161``."""
    match = _NAME.fullmatch(dataset.location)
    if not match:
        msg = (
            f"data set {dataset.id}: name {quoted(dataset.location)} is not <Type>/<series>, as "
            "Brain/GSE50161"
        )
        raise InputError(msg, key="name")
    kind, series = match.groups()
    suffix = dataset.options.get("format", "csv")
    path = downloads.fetch(
        "cumida",
        f"{kind}/{series}/{kind}_{series}.{suffix}",
        default=CUMIDA_URLS,
        sha256=dataset.sha256,
    )
    read = _read_cumida_arff if suffix == "arff" else read_cumida_csv
    return read(path, dataset)


def read_cumida_csv(path: str | Path, dataset: DatasetEntry) -> DataSet:
    r"""Read a file in CuMiDa's layout, ``samples,type,<feature>,...`` with one row per sample.

    Every number is the double nearest to its decimal text, as ``float`` gives it. Features whose
    names repeat (GSE26304 has RefSeq accessions of several probes) get the suffixes ``.1``, ``.2``,
    ... from the second on, as pandas gives them, with a note. The other keys of the
    entry are those of `xnbflow.sources.series.steps.series_of_table`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "toy.csv")
    ...     _ = path.write_text("samples,type,g1,g2\na,tumour,1.5,2\nb,normal,0.1,4e-1\n")
    ...     series = read_cumida_csv(path, DatasetEntry("toy", "cumida", "Brain/GSE1"))
    >>> series.values.tolist(), series.labels.tolist()
    ([[1.5, 0.1], [2.0, 0.4]], ['tumour', 'normal'])
    """
    with about_file(path), open_raw(path) as stream:
        if not _HEADER.match(stream.read(40)):
            msg = (
                f"{path}, line 1: no label column: a CuMiDa file starts with samples,type and its "
                "features. Use source 'table' and name the columns there"
            )
            raise InputError(msg, file=str(path), key="source")
    return _read(path, dataset, label="type", id_column="samples")


def _read_cumida_arff(path: str | Path, dataset: DatasetEntry) -> DataSet:
    """Read an ARFF file of CuMiDa: numeric probes, and the class in ``type`` or ``class``.

    Samples are named by an attribute ``samples``, or by their number from 0 if there is none. For
    the rest see `read_cumida_csv`.
    """
    with about_file(path), open_raw(path) as stream:
        header = attribute_names(stream)
    has_class = "type" not in header and "class" in header
    return _read(
        path,
        dataset,
        label="class" if has_class else "type",
        id_column="samples" if "samples" in header else None,
    )


def _read(path: str | Path, dataset: DatasetEntry, *, label: str, id_column: str | None) -> DataSet:
    """Read a file as a table; no probe is left out, and those of one name are kept."""
    table = replace(
        dataset.with_defaults(controls="keep", duplicates="rename"),
        location=str(path),
        label=label,
        id_column=id_column,
    )
    return read_table(path, table, are_intensities=True)
