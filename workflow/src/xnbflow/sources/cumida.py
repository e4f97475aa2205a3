"""CuMiDa's microarray series: download, and a reader of their CSV and ARFF files.

CuMiDa (Feltes et al., J. Comput. Biol. 26, 2019) serves one CSV file per series, with one row per
sample: ``samples,type,<probe>,...``, 50 to 150 MB of decimals with up to 17 digits. The option
``format=arff`` reads the ARFF file of the series instead.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from xnbflow.core.errors import about_file
from xnbflow.core.refusals import Refusal
from xnbflow.data.dataset import DataSet
from xnbflow.sources.formats.arff import attribute_names
from xnbflow.sources.formats.files import open_raw
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.sheet import SheetRow
from xnbflow.sources.table import read_table

#: Where CuMiDa has been served, the present address first.
CUMIDA_URLS = (
    "https://sbcb.inf.ufrgs.br/data/cumida/Genes",
    "http://sbcb.inf.ufrgs.br/carbm/static/cumida/Genes",
)

_LOCATION = re.compile(r"([A-Za-z0-9_-]+)/([A-Za-z0-9_-]+)")
_HEADER = re.compile(rb'(\xef\xbb\xbf)?"?samples"?,"?type"?\s*,')
#: Nothing is left out, and features of one name (several probes of a RefSeq accession) are kept.
_OPTIONS = {"controls": "keep", "duplicates": "rename"}


_WRONG_LOCATION = Refusal(
    code="cumida.wrong-location",
    sentence=(
        "data set {dataset}: location {location!r} is not <Type>/<series>, as Brain/GSE50161"
    ),
    key="location",
)


def load(dataset: SheetRow, downloads: Downloads) -> DataSet:
    """Get a series whose location is ``<Type>/<GSE>``, as ``Brain/GSE50161``."""
    match = _LOCATION.fullmatch(dataset.location)
    if not match:
        raise _WRONG_LOCATION.error(dataset=dataset.id, location=dataset.location)
    kind, series = match.groups()
    options = dict(dataset.options)
    suffix = options.pop("format", "csv")
    path = downloads.fetch(
        "cumida",
        f"{kind}/{series}/{kind}_{series}.{suffix}",
        default=CUMIDA_URLS,
        sha256=dataset.sha256,
    )
    read = read_cumida_arff if suffix == "arff" else read_cumida_csv
    return read(path, dataset.id, options)


_NO_LABEL_COLUMN = Refusal(
    code="cumida.no-label-column",
    sentence=(
        "{path}, line 1: no label column: a CuMiDa file starts with samples,type and its "
        "features. Use source 'table' and name the columns there"
    ),
    key="line 1",
)


def read_cumida_csv(
    path: str | Path, name: str, options: Mapping[str, str] | None = None
) -> DataSet:
    r"""Read a file in CuMiDa's layout, ``samples,type,<feature>,...`` with one row per sample.

    Every number is the double nearest to its decimal text, as ``float`` gives it. Features whose
    names repeat (GSE26304 has RefSeq accessions of several probes) get the suffixes ``.1``, ``.2``,
    ... from the second on, as pandas gives them, with a note. ``options`` are those of
    `xnbflow.sources.series.steps.finish`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "toy.csv")
    ...     _ = path.write_text("samples,type,g1,g2\na,tumour,1.5,2\nb,normal,0.1,4e-1\n")
    ...     series = read_cumida_csv(path, "toy")
    >>> series.values.tolist(), series.labels.tolist()
    ([[1.5, 0.1], [2.0, 0.4]], ['tumour', 'normal'])
    """
    with about_file(path), open_raw(path) as stream:
        if not _HEADER.match(stream.read(40)):
            raise _NO_LABEL_COLUMN.error(path=path)
    row = SheetRow(
        name,
        "cumida",
        str(path),
        label="type",
        id_column="samples",
        options={**_OPTIONS, **(options or {})},
    )
    return read_table(path, row, are_intensities=True)


def read_cumida_arff(
    path: str | Path, name: str, options: Mapping[str, str] | None = None
) -> DataSet:
    """Read an ARFF file of CuMiDa: numeric probes, and the class in ``type`` or ``class``.

    Samples are named by an attribute ``samples``, or by their number from 0 if there is none. For
    the rest see `read_cumida_csv`.
    """
    with about_file(path), open_raw(path) as stream:
        header = attribute_names(stream)
    has_class = "type" not in header and "class" in header
    row = SheetRow(
        name,
        "cumida",
        str(path),
        label="class" if has_class else "type",
        id_column="samples" if "samples" in header else None,
        options={**_OPTIONS, **(options or {})},
    )
    return read_table(path, row, are_intensities=True)
