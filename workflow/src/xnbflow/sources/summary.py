"""Summary of a file or an accession for the user, with a proposed row of the sheet.

Tables are summarised here, GEO in `xnbflow.sources.geo_summary`.
"""

import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.core.counts import counted, either, listed
from xnbflow.sources.acquisition import acquire
from xnbflow.sources.cell_texts import DECIMAL_COMMA, DECIMAL_POINT, is_missing, is_text
from xnbflow.sources.class_labels import LabelRule, label_options, plain_text
from xnbflow.sources.downloads import Downloads
from xnbflow.sources.genepattern import as_gct, read_classes
from xnbflow.sources.intensities import scale_of
from xnbflow.sources.phenotype import read_phenotype
from xnbflow.sources.plausibility import (
    is_clinical,
    is_patient,
    is_technical,
    lone_features,
    suggested_batch,
    suggested_group,
)
from xnbflow.sources.sheet import SheetRow, is_accession, sheet_text
from xnbflow.sources.table import fetch_table
from xnbflow.sources.table_formats import open_table, suffix_of

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
_FIRST_ROWS, _ROWS_OF_COLUMNS = 20, 60
_ID = re.compile(
    r"(sample|patient|subject|case|individual|donor)s?([ _.-]?(id|name|no|nr|number))?|id|name|"
    r"barcode|unnamed: 0",
    re.IGNORECASE,
)
#: Options about the use of columns.
_SETTLED = ("adjust", "group", "batch", "drop", "categorical", "phenotype_columns")
#: What a list of names cannot contain.
_RESERVED = re.compile(r"[,;=*?\[\]]")
#: With fewer features a table is not an array, and no scale is proposed.
_ARRAY = 500
#: The largest logarithm of intensities to base 2 exceeds this, that to base e does not.
_LARGEST_LOG2 = (11.2, 20.0)


@dataclass(frozen=True)
class Summary:
    """Description of a series before a study, and a proposal for the sheet.

    ``values`` has a row per field and distinct value, with the number of ``samples``; ``labels``
    and ``groups`` are those of the proposed row, of each sample that has a label. ``row`` is the
    proposed row, None where nothing looks like a class; ``reason`` explains that. A table with a
    header (``has_table``) may have no rows, as for RNA-seq. ``accession`` is the path of a file
    that is not from GEO.
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
    labels: np.ndarray | None = None
    groups: np.ndarray | None = None

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
    """Return a score of a field as a class, by its name and its texts; 0 for other fields.

    Examples
    --------
    >>> class_score("diagnosis", "aabb"), class_score("sex", "aabb"), class_score("note", "abcd")
    (3, 0, 0)
    """
    found = list(map(plain_text, texts))
    kept = label_options(found).get("literal")
    counts = Counter(text for text in found if text == kept or not is_missing(text))
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
    """Summarise a table, and propose settings that its row does not have.

    The proposal has the label, the column of sample names, the orientation, a decimal comma,
    columns that are not features, patients, the batch, and logarithms. The whole table is read,
    with the same refusals as in the stage *acquire*; one at a URL is downloaded.
    """
    with tempfile.TemporaryDirectory() as folder:
        return _summarised(dataset, Downloads(Path(folder)))


def _summarised(dataset: SheetRow, downloads: Downloads) -> Summary:
    fields, dataset = _looked_at(dataset, downloads)
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
            f"{listed(list(map(str, fields))) or 'none'}. Where samples are columns, set "
            "--orientation columns, and name the file of labels by --option phenotype="
        )
        return Summary(*about, len(fields), True, distinct_values(fields), None, reason)
    dataset, remarks = _without_covariates(dataset, fields)
    series = acquire(dataset, downloads=downloads.folder)
    settled = {"features", "collapse"} & dataset.options.keys() or kind == "h5ad"
    lone = [] if settled else lone_features(series.values, series.features)
    if lone and (series.kinds == "linear").all():
        dataset = _set_aside(dataset, lone)
        remarks.append(
            f"{listed(lone)} {either(len(lone), 'has', 'have')} another scale than the features, "
            f"and {either(len(lone), 'is', 'are')} proposed as phenotype, not as features "
            "(phenotype_columns=)."
        )
        series = acquire(dataset, downloads=downloads.folder)
    reason = f"Label: {dataset.label}. {counted(series.n_features, 'feature')}."
    if series.n_features >= _ARRAY and not {"scale", "transform"} & dataset.options.keys():
        option, why = proposed_logarithm(series.values, series.samples)
        if not option and not why and _are_log2(series.values):
            option = {"scale": "log2"}
            why = " Proposed is scale=log2: the values are as logarithms of intensities to base 2."
        dataset, reason = replace(dataset, options=dataset.options | option), reason + why
    known = pd.DataFrame({dataset.label: series.labels})
    known = pd.concat([known, series.sample_metadata], axis=1)
    return Summary(
        *about,
        series.n_samples,
        has_table=True,
        values=distinct_values(known),
        row=dataset,
        reason=" ".join([reason, *remarks]),
        labels=series.labels,
        groups=series.groups,
    )


def _are_log2(values: np.ndarray) -> bool:
    low, largest = np.nanmin(values), np.nanmax(values)
    return bool(low > -largest / 2 and _LARGEST_LOG2[0] < largest < _LARGEST_LOG2[1])


def _set_aside(dataset: SheetRow, names: Sequence[str]) -> SheetRow:
    """Return the row with phenotype columns, which are not features.

    A name that contains a separator of names is dropped by a pattern.
    """
    options = dict(dataset.options)
    for key, plain in (("phenotype_columns", True), ("drop", False)):
        own = [n for n in names if (_RESERVED.search(n) is None and names.count(n) == 1) == plain]
        given = [_RESERVED.sub("?", name) for name in own]
        if given:
            options[key] = ",".join(dict.fromkeys([*dataset.names(key), *given]))
    return replace(dataset, options=options)


def _looked_at(dataset: SheetRow, downloads: Downloads) -> tuple[pd.DataFrame, SheetRow]:
    """Return the samples' fields as text, and the row completed from the file's form."""
    path = fetch_table(downloads, dataset.location, dataset.id, dataset.sha256)
    if suffix_of(path) == ".h5ad":
        from xnbflow.sources.h5ad import cells_of  # noqa: PLC0415 - an extra

        return cells_of(path), dataset
    if suffix_of(path) == ".gct":
        dataset = as_gct(path, dataset)
    options, phenotype = dataset.options, dataset.options.get("phenotype", "")
    fields = pd.DataFrame()
    if phenotype and not is_accession(phenotype):
        beside = fetch_table(downloads, phenotype, f"{dataset.id}-phenotype")
        classes = suffix_of(beside) == ".cls"
        fields = read_classes(beside, path) if classes else read_phenotype(beside, dataset)
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
    columns = list(zip(*first, strict=True))
    texts = {i for i, column in enumerate(columns) if _is_text(column) or _is_empty(column)}
    named = {i for i, name in enumerate(header) if _ID.fullmatch(name) or is_patient(name)}
    numbers = set(range(len(header))) - texts - named
    clinical = {i for i in numbers if _is_covariate(header[i])}
    named |= clinical if 2 * len(clinical) <= len(numbers) else set()
    own = sorted({*texts, *named, *(i for i in numbers if header[i] == dataset.label)})
    with open_table(path, options) as table:
        rows = [[row[1][i] for i in own] for row in table.divided_rows(len(header))]
    found = pd.DataFrame(rows, columns=[header[i] for i in own], dtype=object)
    kept = [
        i not in texts or i in named or _is_text(found.iloc[:, n]) or _is_empty(found.iloc[:, n])
        for n, i in enumerate(own)
    ]
    found = found.loc[:, kept]
    if len(fields):
        keys = [name for name in found if found[name].isin(fields.index).any()]
        key = dataset.id_column or next(iter(keys), None)
        dataset = replace(dataset, id_column=key)
        known = fields.reindex(found[key]) if key in found else fields
        found = pd.concat([found, known.reset_index(drop=True).fillna("")], axis=1)
        found = found.loc[:, ~found.columns.duplicated()]
    return found, dataset


def _turned(path: Path, dataset: SheetRow, fields: pd.DataFrame) -> tuple[pd.DataFrame, SheetRow]:
    """Return the same for a table with samples in columns.

    A column beside the samples has text in most rows; a row that is not a feature in some samples.
    """
    with open_table(path, dataset.options) as table:
        header, rows = table.header, table.divided_rows(len(table.header))
        first = [cells for _, cells, _ in islice(rows, _ROWS_OF_COLUMNS)]
        shares = [sum(map(is_text, column)) for column in zip(*first, strict=True)]
        beside = [i for i, share in enumerate(shares) if i > 0 and 2 * share > len(first)]
        places = [i for i in range(1, len(header)) if i not in beside]
        declared = {dataset.label, *dataset.names("phenotype_columns")}
        found = {
            name: [cells[i] for i in places]
            for cells in chain(first, (cells for _, cells, _ in rows))
            if (name := cells[0].strip()) in declared
            or _is_covariate(name)
            or (
                _is_text([cells[i] for i in places[:_FIRST_ROWS]])
                and _is_text([cells[i] for i in places])
            )
        }
    if dataset.label and dataset.label not in found and fields.empty:
        return pd.DataFrame(), dataset  # the reader's error lists the names
    drop = [*(header[i] for i in beside), *(found if len(fields) else ())]
    drop = [_RESERVED.sub("?", name) for name in drop]
    options = ({"drop": ",".join(drop)} if drop else {}) | dataset.options
    dataset = replace(dataset, orientation="columns", options=options)
    return (fields if len(fields) else pd.DataFrame(found, dtype=object)), dataset


def _is_text(cells: Sequence[str]) -> bool:
    """Return whether more than a quarter of the cells are not numbers; single ones are mistakes."""
    return 4 * sum(map(is_text, cells)) > sum(not is_missing(cell) for cell in cells)


def _is_empty(cells: Sequence[str]) -> bool:
    return all(map(is_missing, cells))


def _is_covariate(name: str) -> bool:
    """Return whether a numeric column is a covariate by its name; KIT is a gene."""
    return is_clinical(name) or (is_technical(name) and not name.isupper())


def _without_covariates(dataset: SheetRow, fields: pd.DataFrame) -> tuple[SheetRow, list[str]]:
    """Return the row with the columns that are not features, and remarks.

    These are names, patients, the batch, and other columns of the samples.
    """
    label, options = str(dataset.label).removeprefix("obs:"), dict(dataset.options)
    fields = fields.map(str.strip) if len(fields) else fields
    names = [str(name) for name in fields if name not in (label, "")]
    unique = fields.loc[:, ~fields.columns.duplicated(keep=False)]
    distinct = [
        name
        for name in names
        if name in unique
        and fields[name].nunique() == len(fields)
        and not (fields[name].map(is_missing).any() or is_technical(name))
        and (_ID.fullmatch(name) or not fields[name].str.contains(r"\s").any())
    ]
    id_column = dataset.id_column
    in_table = suffix_of(dataset.location) != ".h5ad" and "phenotype" not in options
    if in_table and dataset.orientation == "rows" and not id_column and "" not in fields:
        id_column = next(iter(sorted(distinct, key=lambda n: not _ID.fullmatch(n))), None)
    others = [name for name in names if name != id_column]
    labels = np.full(len(fields), "", dtype=object)
    if label in unique and len(fields):
        options = label_options(fields[label]) | options
        rule, texts = LabelRule.parse(replace(dataset, options=options)), list(fields[label])
        classes, keep, _ = rule.apply(dataset.location, range(len(texts)), texts)
        labels[keep] = classes
    options |= column_options(unique[[n for n in others if n in unique]], labels, options)
    dataset = replace(dataset, id_column=id_column, options=options)
    given = ",".join(options.get(key, "") for key in _SETTLED).split(",")
    rest = [name for name in others if name not in given]
    if in_table and rest and "features" not in options:
        dataset = _set_aside(dataset, rest)
    return dataset, _remarks(fields, others, dataset, in_table=in_table)


def column_options(
    fields: pd.DataFrame, labels: np.ndarray, given: Mapping[str, str]
) -> dict[str, str]:
    """Return the options ``group`` and ``batch`` for columns of samples.

    The labels (n_samples,) are empty for samples that are left out.

    Examples
    --------
    >>> table = pd.DataFrame({"plate": list("aabb"), "patient": list("pqpq")})
    >>> column_options(table, np.array(list("tntn")), {})
    {'batch': 'plate'}
    """
    kept = labels != "" if (labels != "").any() else labels == ""
    known = fields.loc[kept, [name for name in fields if not set(str(name)) & set(";=")]]
    found = {"group": suggested_group(known, labels[kept]), "batch": suggested_batch(known)}
    return {key: name for key, name in found.items() if name and key not in given}


def _remarks(
    fields: pd.DataFrame, others: Sequence[str], dataset: SheetRow, *, in_table: bool
) -> list[str]:
    """Return sentences on numeric columns that are not features, and on patients."""
    group = dataset.options.get("group")
    others = [name for name in dict.fromkeys(others) if name != group]
    first = {name: fields[[name]].iloc[:, 0] for name in others}
    numbers = [
        name for name in others if in_table and _is_covariate(name) and not _is_text(first[name])
    ]
    remarks = []
    if numbers:
        what = either(len(numbers), "is not a feature by name", "are not features by name")
        remarks.append(f"{listed(numbers)} {what}.")
    counts = {name: first[name].nunique() for name in filter(is_patient, others)}
    return remarks + [
        f"{name!r} has {n} values for {len(fields)} samples and is not proposed as group=: that "
        "needs at least five patients, three of each class, and one of every sample."
        for name, n in counts.items()
        if 2 < n < len(fields)
    ]
