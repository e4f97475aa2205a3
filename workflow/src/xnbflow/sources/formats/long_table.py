"""Tables in long format: a row per sample and feature, with one column of values.

A reader of samples in rows would take each row for a sample and the values for its only feature.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xnbflow.core.refusals import Refusal
from xnbflow.sources.formats.cell_texts import is_missing, is_text
from xnbflow.sources.formats.opening import suffix_of
from xnbflow.sources.formats.parquet import PARQUET
from xnbflow.sources.formats.raw_table import RawTable
from xnbflow.sources.formats.workbook import WORKBOOKS
from xnbflow.sources.series.plausibility import is_patient, is_sample_id

#: Names of a column of samples, beside those of `is_sample_id`, and of one of features.
_SAMPLE = re.compile(
    r"(bio)?(sample|specimen)( (id|name|no|nr|number|code|barcode|label))?s?", re.IGNORECASE
)
_FEATURE = re.compile(
    r".*\b(gene|symbol|protein|assay|analyte|marker|biomarker|feature|probe|probeset|target|mirna"
    r"|metabolite|compound|detector|antigen|olinkid|uniprot|variable|transcript|peptide|cytokine"
    r"|lipid|antibody|taxon|cpg|ensembl)s?\b.*",
    re.IGNORECASE,
)
#: Names of a column of values, which comes before other numbers.
_VALUE = re.compile(
    r".*\b(npx|ct|cq|value|values|intensity|abundance|expression|counts?|concentration|conc|signal"
    r"|level|quantity|tpm|fpkm|rfu|mfi|beta|result)\b.*",
    re.IGNORECASE,
)
#: Most columns of a long table; a table with more columns has features in them.
MOST_LONG_COLUMNS = 40
#: Most columns of numbers that differ within samples and features, if none is named as values; a
#: table with more of them has features in them.
_MOST_VALUES = 5
#: First rows by which columns of texts and of numbers are distinguished.
_FIRST_ROWS = 200
#: Least number of samples.
_LEAST_SAMPLES = 4
#: Least number of features, unless columns are named as features and as values: fewer may be the
#: classes or the times of a table with samples in rows.
_LEAST_FEATURES = 11
#: Least share of the pairs of a sample and a feature that the table has.
_COMPLETE = 0.5


@dataclass(frozen=True, kw_only=True)
class LongColumns:
    """The columns of a long table: samples, features and values.

    ``texts`` are columns with one text or number for each sample, ``repeats`` whether a sample has
    several values of a feature.
    """

    sample: str
    feature: str
    value: str
    texts: tuple[str, ...] = ()
    repeats: bool = False


_LONG_TABLE = Refusal(
    code="long_table.long-table",
    sentence=(
        "{path} has a row for each sample and feature: {sample!r} has the samples, "
        "{feature!r} the features, and {value!r} the values. A row would be read as a sample."
        " Make a table with a row per sample, in Python: {line}"
    ),
)


def refuse_long(raw: RawTable, label: str | None = None) -> None:
    """Refuse a table with a row per sample and feature; the message has the line that pivots it.

    A column that is the ``label`` of the sheet has neither samples nor features.
    """
    columns = long_columns(raw, label)
    if columns is None:
        return
    path = Path(raw.path)
    index = [columns.sample, *columns.texts]
    # Several values of a pair are technical replicates, which pivot_table averages.
    method = "pivot_table" if columns.repeats else "pivot"
    line = (
        f"import pandas; {_reading(path, raw)}.{method}(index={index!r}, "
        f"columns={columns.feature!r}, values={columns.value!r}).to_csv('wide.csv')"
    )
    raise _LONG_TABLE.error(
        path=path, sample=columns.sample, feature=columns.feature, value=columns.value, line=line
    )


def _reading(path: Path, raw: RawTable) -> str:
    """Return the call of pandas that reads a table."""
    suffix = suffix_of(path)
    if suffix in PARQUET:
        return f"pandas.read_parquet({path.name!r})"
    if suffix in WORKBOOKS:
        return f"pandas.read_excel({path.name!r})"
    decimal = ", decimal=','" if raw.decimal == "," else ""
    return f"pandas.read_csv({path.name!r}, sep=None, engine='python'{decimal})"


def long_columns(raw: RawTable, label: str | None = None) -> LongColumns | None:
    """Return the columns of a table in long format; None for other tables.

    At least half of the pairs of a sample and a feature occur. One column of numbers differs within
    samples and within features; it has the values.
    """
    header = raw.header
    if not len(raw) or len(header) > MOST_LONG_COLUMNS:
        return None

    # Columns of texts and of numbers, by the first rows; numbers may name samples or features.
    columns = list(zip(*raw.first_rows(_FIRST_ROWS), strict=True))
    texts = [i for i, column in enumerate(columns) if 2 * sum(map(is_text, column)) > len(column)]
    numbers = [i for i, column in enumerate(columns) if i not in texts and _are_numbers(column)]
    names = [i for i in numbers if _is_name_of_sample(header[i]) or _is_feature(header[i])]
    if len({*texts, *names}) < 2:
        return None

    # Pairs of columns that may be samples and features. Their names decide where several columns
    # have them, as symbol and accession.
    keys = [i for i in sorted({*texts, *names}) if header[i] != label and header[i]]
    cells = dict(zip(keys, raw.columns(keys), strict=True))
    pairs = [
        (sample, feature)
        for sample in keys
        for feature in keys
        if sample != feature and _are_crossed(header, cells, sample, feature)
    ]
    pairs.sort(
        key=lambda pair: (not _is_name_of_sample(header[pair[0]]), not _is_feature(header[pair[1]]))
    )

    # The first pair with a column of values.
    for sample, feature in pairs:
        others = [i for i in numbers if i not in (sample, feature)]
        measured = dict(zip(others, raw.columns(others), strict=True))
        value = _column_of_values(header, measured, samples=cells[sample], features=cells[feature])
        if value is None:
            continue

        # Columns with one text or number for each sample describe samples, as the label does.
        other_keys = [i for i in keys if i not in (sample, feature)]
        constant = [i for i in other_keys if _is_constant_within(cells[sample], cells[i])]
        constant += [i for i in others if _is_constant_within(cells[sample], measured[i])]
        if label in header:
            constant.append(header.index(str(label)))
        n_pairs = len(set(zip(cells[sample], cells[feature], strict=True)))
        return LongColumns(
            sample=header[sample],
            feature=header[feature],
            value=header[value],
            texts=tuple(header[i] for i in constant),
            repeats=n_pairs < len(raw),
        )
    return None


def _column_of_values(
    header: Sequence[str],
    measured: dict[int, list[str]],
    *,
    samples: Sequence[str],
    features: Sequence[str],
) -> int | None:
    """Return the column of numbers that differs within samples and within features; None if none.

    ``measured`` are the columns of numbers by position. Without a name of values one of few columns
    has them, if there are enough features.
    """
    varying = [
        i
        for i, column in measured.items()
        if not _is_constant_within(samples, column) and not _is_constant_within(features, column)
    ]
    values = [i for i in varying if _VALUE.fullmatch(_words(header[i]))]
    has_many_features = len(set(features)) >= _LEAST_FEATURES
    if not values and has_many_features and len(varying) <= _MOST_VALUES:
        values = varying
    return values[0] if values else None


def _are_crossed(
    header: Sequence[str], cells: dict[int, list[str]], sample: int, feature: int
) -> bool:
    """Return whether two columns are probably samples and features, by their names and pairs."""
    n_samples = len(set(cells[sample]))
    n_features = len(set(cells[feature]))
    if _is_name_of_sample(header[feature]) or not (
        _is_name_of_sample(header[sample]) or _is_feature(header[feature])
    ):
        return False
    least = 2 if _is_feature(header[feature]) else _LEAST_FEATURES
    if n_samples < _LEAST_SAMPLES or n_features < least:
        return False
    n_pairs = len(set(zip(cells[sample], cells[feature], strict=True)))
    return n_pairs >= _COMPLETE * n_samples * n_features


def _is_constant_within(keys: Sequence[str], cells: Sequence[str]) -> bool:
    """Return whether a column has one text for each text of another."""
    return len(set(zip(keys, cells, strict=True))) == len(set(keys))


def _is_name_of_sample(name: str) -> bool:
    """Return whether a column's name is one of samples or patients."""
    return is_sample_id(name) or is_patient(name) or _SAMPLE.fullmatch(_words(name)) is not None


def _is_feature(name: str) -> bool:
    """Return whether a column's name is one of features."""
    return _FEATURE.fullmatch(_words(name)) is not None


def _words(name: str) -> str:
    """Return a name with spaces between its words: ``SampleID``, ``gene_name``, ``Ct value``."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return re.sub(r"[\W_]+", " ", spaced).strip()


def _are_numbers(cells: Sequence[str]) -> bool:
    return any(not is_missing(cell) and not is_text(cell) for cell in cells)
