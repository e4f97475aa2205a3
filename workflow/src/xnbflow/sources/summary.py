"""What a file or an accession holds, shown to a person, and the proposal of its row of the sheet.

For tables it is made here, for GEO in `xnbflow.sources.geo_summary`.
"""

import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.core.counts import counted, listed
from xnbflow.sources.acquisition import acquire
from xnbflow.sources.cell_texts import DECIMAL_COMMA, DECIMAL_POINT, is_missing, is_text
from xnbflow.sources.class_labels import plain_text
from xnbflow.sources.genepattern import as_gct, read_classes
from xnbflow.sources.intensities import scale_of
from xnbflow.sources.phenotype import read_phenotype
from xnbflow.sources.plausibility import suggested_group
from xnbflow.sources.sheet import SheetRow, is_accession, local_path, sheet_text
from xnbflow.sources.table_formats import open_table, suffix_of

__all__ = [
    "MOST_CLASSES",
    "Summary",
    "class_score",
    "distinct_values",
    "proposed_logarithm",
    "summarise_table",
]

_CLASS = re.compile(
    r"disease|diagnos|tumou?r|cancer|status|state|histolog|pathol|condition|phenotype|group|"
    r"subtype|class|type|label|treatment|genotype|outcome|response|stage|grade",
    re.IGNORECASE,
)
_NO_CLASS = re.compile(
    r"^(sex|gender|age.*|race|ethnic.*|organism|.*batch.*|.*date.*|smok.*|.*individual.*|"
    r".*patient.*|.*subject.*|.*donor.*|.*survival.*|platform|.*\bid)$",
    re.IGNORECASE,
)
_SHOWN_VALUES = 12
#: Of a label that is proposed.
MOST_CLASSES = 10
_FIRST_ROWS, _ROWS_OF_COLUMNS = 5, 60
#: What numbers are that no array measures, by the whole name of their column.
_COVARIATE = re.compile(r"age|sex|gender|bmi|batch|plate|stage|grade|year", re.IGNORECASE)
_ID = re.compile(
    r"(sample|patient|subject|case|individual|donor)s?([ _.-]?(id|name|no|nr|number))?|id|name",
    re.IGNORECASE,
)
#: Options that say what to do with columns.
_SETTLED = ("adjust", "group", "batch", "drop", "categorical", "phenotype_columns")
#: Fewer features are no array, and their scale is no business of ours.
_ARRAY = 500


@dataclass(frozen=True)
class Summary:
    """What is known of a series before it is a study, and a proposal for the sheet.

    ``values`` has a row per field and distinct value, with the number of ``samples``. ``row`` is
    the proposed row, None where nothing looks like a class; ``reason`` says why. A table that
    begins (``has_table``) may hold no row, as of RNA-seq. ``accession`` is the file's path where it
    is none of GEO.
    """

    accession: str
    title: str
    platform: str
    type: str
    n_samples: int
    has_table: bool
    values: pd.DataFrame
    row: SheetRow | None
    reason: str
    supplementary: tuple[str, ...] = ()

    @property
    def sheet(self) -> str:
        """The proposed row as the text of a sheet, with its header; empty where there is none."""
        return sheet_text([self.row]) if self.row else ""

    def __str__(self) -> str:
        facts = {"platform": self.platform, "type": self.type, "samples": self.n_samples}
        lines = [f"{self.accession}  {self.title}".strip()]
        lines += [f"{name:8}  {fact}" for name, fact in facts.items() if fact]
        for name, part in self.values.groupby("field", sort=False):
            lines += ["", f"{name} ({len(part)} distinct)"]
            shown = part.head(_SHOWN_VALUES)
            lines += [
                f"  {n:5d}  {v}" for v, n in zip(shown["value"], shown["samples"], strict=True)
            ]
            if len(part) > len(shown):
                lines.append(f"         ... {len(part) - len(shown)} more")
        if not self.has_table:
            lines += ["", "no table of values; supplementary files:", *self.supplementary[:8]]
        lines += ["", self.reason]
        if self.row:
            lines += ["A sheet with this data set (tabs between cells):", "", self.sheet]
        return "\n".join(lines)


def distinct_values(fields: pd.DataFrame) -> pd.DataFrame:
    """Return the distinct values of each field, commonest first, with their numbers of samples."""
    counts = [
        (str(name), value or "(none)", count)
        for name in fields
        for value, count in Counter(fields[name]).most_common()
    ]
    return pd.DataFrame(counts, columns=["field", "value", "samples"])


def class_score(name: str, texts: Iterable[str]) -> int:
    """Return how much a field looks like a class, by its name and its texts: 0 for not at all.

    Examples
    --------
    >>> class_score("diagnosis", "aabb"), class_score("sex", "aabb"), class_score("note", "abcd")
    (3, 0, 0)
    """
    found = list(map(plain_text, texts))
    counts = Counter(filter(None, found))
    if not 2 <= len(counts) <= MOST_CLASSES or _NO_CLASS.match(name) or name == "title":
        return 0
    if min(counts.values()) < 2 or sum(counts.values()) < len(found) / 2:
        return 0
    return 1 if name == "description" else 2 + bool(_CLASS.search(name))


def proposed_logarithm(values: np.ndarray, samples: np.ndarray) -> tuple[dict[str, str], str]:
    """Return the option ``transform`` for values, shape (n_features, n_samples), and why.

    Examples
    --------
    >>> proposed_logarithm(np.array([[20.0, 300.0, 9000.5]]), np.arange(3))[0]
    {'transform': 'log2'}
    """
    kind, seen = scale_of(values, samples)
    how = {"counts": "log_cpm", "not logged": "log2"}.get(kind)
    if how == "log2" and np.fmin.reduce(values, axis=None) <= 0:
        how, seen = None, f"{seen}; but some are 0 or below, which have no logarithm"
    if how:
        return {"transform": how}, f" Proposed is transform={how}: {seen}."
    return {}, "" if kind == "logarithms" else f" No transform is proposed: {seen}."


def summarise_table(dataset: SheetRow) -> Summary:
    """Say what a table holds, and propose what its row does not say yet.

    Proposed are the label, the column of sample names, the orientation, a decimal comma, columns
    that are no features, patients, and logarithms. The table is read whole: what the stage
    *acquire* would refuse is refused here.
    """
    path = local_path(dataset.location)
    fields = pd.DataFrame()
    if path is not None:
        fields, dataset = _looked_at(path, dataset)
    if not dataset.label:
        scores = {name: class_score(str(name), fields[name]) for name in fields}
        best = max(scores, key=scores.__getitem__, default="")
        dataset = replace(dataset, label=str(best) if scores.get(best) else None)
    kind = suffix_of(dataset.location)[1:]
    about = (dataset.location, "", "", kind)
    if not dataset.label:
        reason = (
            "No column of text looks like a class (2 to 10 values, each of several samples). Name "
            "the column of the class labels by --label; columns of text: "
            f"{listed(list(map(str, fields))) or 'none'}. Where samples are columns, say "
            "--orientation columns, and name the file of labels by --option phenotype="
        )
        return Summary(*about, len(fields), True, distinct_values(fields), None, reason)
    dataset = _without_covariates(dataset, fields)
    with tempfile.TemporaryDirectory() as folder:
        series = acquire(dataset, downloads=folder)
    reason = f"Label: {dataset.label}. {counted(series.n_features, 'feature')}."
    if series.n_features >= _ARRAY and "transform" not in dataset.options:
        option, why = proposed_logarithm(series.values, series.samples)
        dataset, reason = replace(dataset, options=dataset.options | option), reason + why
    known = pd.DataFrame({dataset.label: series.labels})
    known = pd.concat([known, series.sample_metadata], axis=1)
    return Summary(*about, series.n_samples, True, distinct_values(known), dataset, reason)


def _looked_at(path: Path, dataset: SheetRow) -> tuple[pd.DataFrame, SheetRow]:
    """Return what is known of the samples as text, and the row with what the file's form says."""
    if suffix_of(path) == ".h5ad":
        from xnbflow.sources.h5ad import cells_of  # noqa: PLC0415 - an extra

        return cells_of(path), dataset
    if suffix_of(path) == ".gct":
        dataset = as_gct(path, dataset)
    options, phenotype = dataset.options, dataset.options.get("phenotype", "")
    fields = pd.DataFrame()
    if suffix_of(phenotype) == ".cls":
        fields = read_classes(Path(phenotype), path)
    elif phenotype and not is_accession(phenotype):
        fields = read_phenotype(phenotype, dataset)
    with open_table(path, options) as table:
        header, decimal = table.header, table.decimal
        first = [cells for _, cells, _ in islice(table.divided_rows(len(header)), _FIRST_ROWS)]
    cells = [cell for row in first for cell in row]
    if decimal == "." and any(map(DECIMAL_COMMA.fullmatch, cells)):
        commas = not any(map(DECIMAL_POINT.fullmatch, cells))
        options = {"decimal": "comma"} | options if commas else options
    dataset = replace(dataset, options=options)
    if set(fields.index) & set(header):
        dataset = replace(dataset, orientation="columns")
    if dataset.orientation == "columns" or (dataset.label and dataset.label not in header):
        return _turned(path, dataset, fields)
    texts = [i for i, column in enumerate(zip(*first, strict=True)) if _is_text(column)]
    named = {i for i, n in enumerate(header) if _COVARIATE.fullmatch(n) or _ID.fullmatch(n)}
    own = sorted({*texts, *named})
    with open_table(path, options) as table:
        rows = [[row[1][i] for i in own] for row in table.divided_rows(len(header))]
    found = pd.DataFrame(rows, columns=[header[i] for i in own], dtype=object)
    found = found.loc[:, [i in named or _is_text(found.iloc[:, n]) for n, i in enumerate(own)]]
    if len(fields):
        keys = [name for name in found if found[name].isin(fields.index).any()]
        key = dataset.id_column or next(iter(keys), None)
        dataset = replace(dataset, id_column=key)
        known = fields.reindex(found[key]) if key in found else fields
        found = pd.concat([found, known.reset_index(drop=True).fillna("")], axis=1)
        found = found.loc[:, ~found.columns.duplicated()]
    return found, dataset


def _turned(path: Path, dataset: SheetRow, fields: pd.DataFrame) -> tuple[pd.DataFrame, SheetRow]:
    """Return the same of a table that has its samples in columns.

    A column beside the samples is text in most rows, a row that is no feature in some samples.
    """
    with open_table(path, dataset.options) as table:
        header, rows = table.header, table.divided_rows(len(table.header))
        first = [cells for _, cells, _ in islice(rows, _ROWS_OF_COLUMNS)]
        shares = [sum(map(is_text, column)) for column in zip(*first, strict=True)]
        beside = [i for i, share in enumerate(shares) if i > 0 and 2 * share > len(first)]
        places = [i for i in range(1, len(header)) if i not in beside]
        found = {
            cells[0].strip(): [cells[i] for i in places]
            for cells in chain(first, (cells for _, cells, _ in rows))
            if _is_text([cells[i] for i in places[:_FIRST_ROWS]])
            and _is_text([cells[i] for i in places])
        }
    if dataset.label and dataset.label not in found and fields.empty:
        return pd.DataFrame(), dataset  # the reader names what is there
    drop = [*(header[i] for i in beside), *(found if len(fields) else ())]
    options = ({"drop": ",".join(drop)} if drop else {}) | dataset.options
    dataset = replace(dataset, orientation="columns", options=options)
    return (fields if len(fields) else pd.DataFrame(found, dtype=object)), dataset


def _is_text(cells: Sequence[str]) -> bool:
    """Return whether more than a quarter of the cells are no numbers; single ones are mistakes."""
    return 4 * sum(map(is_text, cells)) > sum(not is_missing(cell) for cell in cells)


def _without_covariates(dataset: SheetRow, fields: pd.DataFrame) -> SheetRow:
    """Return the row with the columns that are no features: names, patients, what else is known."""
    label, options = str(dataset.label).removeprefix("obs:"), dict(dataset.options)
    others = [str(name) for name in fields if name not in (label, "")]
    distinct = [name for name in others if fields[name].nunique() == len(fields)]
    id_column = dataset.id_column
    in_table = suffix_of(dataset.location) != ".h5ad" and "phenotype" not in options
    if in_table and dataset.orientation == "rows" and not id_column and "" not in fields:
        id_column = next(iter(sorted(distinct, key=lambda n: not _ID.fullmatch(n))), None)
    others = [name for name in others if name not in (id_column, options.get("batch"))]
    labels = fields[label] if label in fields else np.repeat("", len(fields))
    group = options.get("group") or suggested_group(fields[others], list(labels))
    options |= {"group": group} if group and "batch" not in options else {}
    given = ",".join(options.get(key, "") for key in _SETTLED).split(",")
    rest = [n for n in others if n not in given and not set(n) & set(",;=*?[")]
    if in_table and rest and "features" not in options:
        options["phenotype_columns"] = ",".join(rest)
    return replace(dataset, id_column=id_column, options=options)
