"""Summary of a file or an accession for the user, with a proposed row of the sheet.

Tables are summarised here, GEO in `xnbflow.sources.proposal.geo_summary`. What a table's columns
and rows are is recognised in `layout`; this module chooses the label and proposes options.
"""

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted, either, listed
from xnbflow.data.class_contrasts import proposed_contrasts
from xnbflow.data.dataset import DataSet
from xnbflow.data.note import Note
from xnbflow.sources.acquire import acquire
from xnbflow.sources.annotation import propose_annotation
from xnbflow.sources.formats.cell_texts import complaint, is_day, is_missing, is_text
from xnbflow.sources.formats.opening import suffix_of
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.places.retries import RetryPolicy
from xnbflow.sources.proposal.column_options import SETTLED, find_id_column, set_aside
from xnbflow.sources.proposal.layout import Layout, recognise_layout
from xnbflow.sources.proposal.sample_names import barcode_map, class_pattern
from xnbflow.sources.proposal.variables import is_covariate, is_text_column
from xnbflow.sources.roles import SAMPLE_NAMES
from xnbflow.sources.series.class_labels import (
    LabelRule,
    common_spellings,
    label_options,
    plain_text,
    propose_map,
)
from xnbflow.sources.series.cycles import about_cycles
from xnbflow.sources.series.intensities import refuse_no_counts, scale_of
from xnbflow.sources.series.merging import REPEATED_FEATURES
from xnbflow.sources.series.missing_values import MISSING_VALUES
from xnbflow.sources.series.plausibility import (
    binary_counts,
    is_class_name,
    is_event_status,
    is_event_time,
    is_patient,
    is_sample_id,
    is_technical,
    lone_features,
    suggested_batch,
    suggested_group,
)
from xnbflow.sources.series.sequencing import (
    BARCODE_PATIENT,
    PROPOSED_COUNT_TRANSFORM,
    are_alignments,
    plain_sample_names,
)
from xnbflow.sources.sheet import SheetRow, sheet_text

#: Names of fields that describe samples, or probes of NanoString, but are no question of a study.
_NO_CLASS = re.compile(
    r"^(sex|gender|age.*|race|ethnic.*|organism|.*batch.*|.*date.*|smok.*|.*individual.*|"
    r".*patient.*|.*subject.*|.*donor.*|.*survival.*|platform|.*\bid|code[ ._]?class)$",
    re.IGNORECASE,
)
#: Names of columns for how severe a disease is: a question after others.
_SEVERITY = re.compile(r"stage|grade", re.IGNORECASE)
#: Most characters of a value in a sentence.
_LONGEST_VALUE = 30
#: Most further columns that look like classes and are shown.
_SHOWN_LABELS = 5
#: Distinct values of a column that are shown; a numeric column with more is described by numbers.
_SHOWN_VALUES = 12
#: Most classes of a proposed label.
MOST_CLASSES = 10
#: Most columns that are taken for samples because of their names.
_MOST_SAMPLES = 1000
#: Largest share of the samples that are in classes of one sample.
_MOST_SINGLE = 0.2
#: Least number of features of an array; no scale is proposed for smaller tables.
_ARRAY = 500
#: Bounds of the largest logarithm of intensities to base 2; that to base e is below them (16-bit
#: scanners: at most 16 to base 2, 11.1 to base e).
_LARGEST_LOG2 = (11.2, 20.0)
#: The transform that is proposed for values of a scale.
_TRANSFORMS = {
    "counts": PROPOSED_COUNT_TRANSFORM,
    "estimated counts": PROPOSED_COUNT_TRANSFORM,
    "TPM": "log2p1",
    "CPM": "log2p1",
    "FPKM": "log2p1",
    "not logged": "log2",
    "intensities": "log2",
}
#: Largest share of missing values that are all imputed; of more, features with many are dropped.
_MOST_IMPUTED = 0.1
#: The columns of `described_numbers`.
_NUMBERS = ("field", "minimum", "median", "maximum", "samples", "missing")


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Description of a series before a study, and a proposal for the sheet.

    ``values`` has a row per field of text and distinct value, with the number of ``samples``;
    ``numbers`` a row per numeric field, with its minimum, median, maximum and the number of missing
    values. ``labels`` and ``groups`` are those of the proposed row, of each sample that has a
    label. ``row`` is the proposed row, None where nothing looks like a class; ``reason`` explains
    that. ``design`` are the values of the study's key ``design`` that a user has named. A table
    with a header (``has_table``) may have no rows, as for RNA-seq. ``accession`` is
    the path of a file that is not from GEO.
    """

    accession: str
    n_samples: int
    has_table: bool
    values: pd.DataFrame
    row: SheetRow | None
    reason: str
    title: str = ""
    platform: str = ""
    type: str = ""
    numbers: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=_NUMBERS))
    supplementary: tuple[str, ...] = ()
    labels: np.ndarray | None = None
    groups: np.ndarray | None = None
    design: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sheet(self) -> str:
        """The proposed row as the text of a sheet, with its header; empty where there is none."""
        return sheet_text([self.row]) if self.row else ""

    def __str__(self) -> str:
        facts = {"platform": self.platform, "type": self.type, "samples": self.n_samples}
        lines = [f"{self.accession}  {self.title}".strip()]
        lines += [f"{name:8}  {fact}" for name, fact in facts.items() if fact]
        for name, rows in self.values.groupby("field", sort=False):
            lines += ["", f"{name} ({len(rows)} distinct)"]
            shown = rows.head(_SHOWN_VALUES)
            for value, count in zip(shown["value"], shown["samples"], strict=True):
                lines.append(f"  {count:5d}  {value}")
            if len(rows) > len(shown):
                lines.append(f"         ... {len(rows) - len(shown)} more")
        lines += self._number_lines()
        if not self.has_table:
            lines += ["", "no table of values; supplementary files:", *self.supplementary[:8]]
        lines += ["", self.reason]
        if self.row:
            lines += ["A sheet with this data set (tabs between cells):", "", self.sheet]
        if self.design:
            lines += ["The design of its study:", ""]
            lines += [f"  {key}: {_as_yaml(value)}" for key, value in self.design.items()]
        lines += self._contrast_lines()
        return "\n".join(lines)

    def _contrast_lines(self) -> list[str]:
        """Return comparisons of single classes as the key ``design`` of the study has them."""
        if self.labels is None or "contrasts" in self.design:
            return []
        classes = sorted({str(label) for label in self.labels})
        contrasts = proposed_contrasts(classes, str(self.design.get("reference", "")))
        if not contrasts:
            return []
        lines = ["", "Genes of a class are compared with the mean of all other classes. To compare"]
        lines += ["single classes as well, add to the study:", "", "  design:", "    contrasts:"]
        return [*lines, *(f"    - {json.dumps(text, ensure_ascii=False)}" for text in contrasts)]

    def _number_lines(self) -> list[str]:
        lines = []
        for row in self.numbers.itertuples(index=False):
            limits = f"minimum {row.minimum:g}, median {row.median:g}, maximum {row.maximum:g}"
            missing = f"missing {row.missing} of {row.samples}"
            lines += ["", f"{row.field} (numbers)", f"  {limits}, {missing}"]
        return lines


def _as_yaml(value: Any) -> str:
    """Return a value of the configuration; a text that is a number has quotes.

    Examples
    --------
    >>> _as_yaml("healthy"), _as_yaml("0"), _as_yaml(0.05)
    ('healthy', '"0"', '0.05')
    """
    is_number = isinstance(value, str) and complaint(value) is None
    return json.dumps(value) if is_number else str(value)


def distinct_values(fields: pd.DataFrame) -> pd.DataFrame:
    """Return the distinct values of each field, commonest first, with their numbers of samples.

    Values that are equally common are in natural order: 0 h, 6 h, 24 h.
    """
    rows = []
    for name in fields:
        counts = Counter(fields[name])
        ordered = sorted(counts, key=lambda text: (-counts[text], natural_key(str(text))))
        rows += [(str(name), value or "(none)", counts[value]) for value in ordered]
    return pd.DataFrame(rows, columns=["field", "value", "samples"])


def natural_key(text: str) -> tuple[tuple[int, float, str], ...]:
    """Return a key by which numbers within texts sort as numbers.

    Examples
    --------
    >>> sorted(["24 h", "0 h", "6 h"], key=natural_key)
    ['0 h', '6 h', '24 h']
    """
    key = []
    # With a group in the pattern every second piece is a number: "6 h" becomes "", "6", " h".
    for place, piece in enumerate(re.split(r"(\d+(?:\.\d+)?)", text)):
        if place % 2:
            key.append((0, float(piece), ""))
        elif piece:
            key.append((1, 0.0, piece.lower()))
    return tuple(key)


def described_numbers(fields: pd.DataFrame) -> pd.DataFrame:
    """Return minimum, median, maximum and missing values of the fields that are numbers.

    Fields of few distinct values are categories, as grades are.

    Examples
    --------
    >>> ages = [str(age) for age in range(30, 50)] + ["NA"]
    >>> described_numbers(pd.DataFrame({"age": ages})).to_csv(index=False).split()[1]
    'age,30.0,39.5,49.0,21,1'
    """
    rows = []
    unique = fields.loc[:, ~fields.columns.duplicated()]
    for name in unique:
        cells = list(map(str, unique[name]))
        if is_text_column(cells) or len(set(cells)) <= _SHOWN_VALUES:
            continue
        texts = pd.Series([cell.strip().replace(",", ".", 1) for cell in cells])
        numbers = pd.to_numeric(texts, errors="coerce")
        if numbers.notna().any():
            row = {
                "field": str(name),
                "minimum": float(numbers.min()),
                "median": float(numbers.median()),
                "maximum": float(numbers.max()),
                "samples": len(cells),
                "missing": int(numbers.isna().sum()),
            }
            rows.append(row)
    return pd.DataFrame(rows, columns=_NUMBERS)


def class_score(name: str, texts: Iterable[str]) -> int:
    """Return a score of a field as a class, by its name and its texts; 0 for other fields.

    A description, and numbers without a name of a class (a score, an integer code), score least.
    Follow-up (an event that was seen or not) is an outcome of a survival model, and no class; nor
    are dates.

    Examples
    --------
    >>> class_score("diagnosis", "aabb"), class_score("sex", "aabb"), class_score("note", "abcd")
    (3, 0, 0)
    >>> class_score("vital_status", ["dead", "alive"] * 4)
    0
    """
    plain = list(map(plain_text, texts))
    literal = label_options(plain).get("literal")
    present = [text for text in plain if text == literal or not is_missing(text)]
    spellings = common_spellings(present)
    counts = Counter(spellings[text] for text in present)
    if not 2 <= len(counts) <= MOST_CLASSES or _NO_CLASS.match(name) or name == "title":
        return 0
    if is_event_status(name, list(counts)) or is_event_time(name):
        return 0
    if all(map(is_day, counts)):
        return 0
    n_repeated = sum(count > 1 for count in counts.values())
    n_single = len(counts) - n_repeated
    has_many_single = n_single > _MOST_SINGLE * len(plain)
    is_rarely_known = sum(counts.values()) < len(plain) / 2
    if n_repeated < 2 or has_many_single or is_rarely_known:
        return 0
    has_class_name = is_class_name(name)
    are_numbers = all(complaint(text) is None for text in counts)
    if name == "description" or (are_numbers and not has_class_name):
        return 1
    return 3 if has_class_name else 2


def proposed_logarithm(
    values: np.ndarray, samples: np.ndarray, name: str = ""
) -> tuple[dict[str, str], str]:
    """Return the option ``transform`` for values, shape (n_features, n_samples), and why.

    The ``name`` of the file may name the unit of the values.

    Examples
    --------
    >>> proposed_logarithm(np.array([[20.0, 300.0, 9000.5]]), np.arange(3))[0]
    {'transform': 'log2'}
    """
    kind, note = scale_of(values, samples, name)
    reason = str(note)
    transform = _TRANSFORMS.get(kind)
    if kind == "intensities":
        share = float(np.mean(values[values >= 0] == 0))
        missing = "impute" if share <= _MOST_IMPUTED else "drop_features:0.5"
        return {"transform": "log2", "missing": missing}, (
            f" Proposed are transform=log2 and missing={missing}: {reason}."
        )
    if transform == "log2" and np.fmin.reduce(values, axis=None) <= 0:
        reason = f"{reason}; but some are 0 or below, which have no logarithm"
        transform = None
    if transform:
        return {"transform": transform}, f" Proposed is transform={transform}: {reason}."
    if kind == "logarithms":
        return {}, ""
    return {}, f" No transform is proposed: {reason}."


def summarise_table(
    dataset: SheetRow, retry: RetryPolicy | None = None, annotations: Downloads | None = None
) -> Summary:
    """Summarise a table, and propose settings that its row does not have.

    The proposal has the label, the column of sample names, the orientation, a decimal comma,
    columns that are not features, patients, the batch, rare classes, repeated names, and
    logarithms. The whole table is read, with the same refusals as in the stage *acquire*; one at a
    URL is downloaded within the limits of ``retry``. With ``annotations``, from where the gene
    symbols of known arrays can be had, they are proposed for probes.
    """
    with tempfile.TemporaryDirectory() as folder:
        downloads = Downloads(Path(folder), retry=retry or RetryPolicy(), temporary=True)
        layout = recognise_layout(dataset, downloads)
        dataset, remarks = _with_label(layout)
        if not dataset.label and "phenotype" not in dataset.options:
            layout, dataset, remarks = _with_samples_in_columns(layout, downloads)
        if not dataset.label:
            layout, dataset, remarks = _with_binary_label(layout, dataset, remarks)
        if not dataset.label:
            return _without_proposal(dataset, layout)
        dataset, column_remarks = propose_columns(dataset, layout.fields)
        remarks = [*layout.remarks, *remarks, *column_remarks]
        series, dataset, reading_remarks = _read(dataset, downloads)
        series, dataset, patient_remarks = _with_patients(series, dataset, downloads)
        dataset, scale_remark = _with_scale(dataset, series)
        dataset, symbols_remarks = propose_annotation(dataset, series, annotations)
    remarks += [*reading_remarks, *patient_remarks, *symbols_remarks]
    described = pd.DataFrame({dataset.label: series.labels})
    described = pd.concat([described, series.sample_metadata], axis=1)
    numbers = described_numbers(described.drop(columns=dataset.label))
    reason = f"Label: {dataset.label}. {counted(series.n_features, 'feature')}.{scale_remark}"
    return Summary(
        accession=dataset.location,
        type=suffix_of(dataset.location)[1:],
        n_samples=series.n_samples,
        has_table=True,
        values=distinct_values(described.loc[:, ~described.columns.isin(numbers["field"])]),
        numbers=numbers,
        row=dataset,
        reason=" ".join([reason, *remarks]),
        labels=series.labels,
        groups=series.groups,
    )


def _with_label(layout: Layout) -> tuple[SheetRow, list[str]]:
    """Return the row with the column that looks most like a class, or the samples' names."""
    dataset = layout.row
    fields = layout.fields
    follow_up = [str(name) for name in fields if _is_follow_up(fields, str(name))]
    remarks = [_about_follow_up(follow_up, dataset.label)] if follow_up else []
    if dataset.label:
        return dataset, remarks
    candidates = plausible_labels(fields)
    if candidates:
        best, *others = candidates
        remarks += _about_binary(best, _first_column(fields, best))
        numbers = plausible_labels(layout.binary)
        everything = pd.concat([fields, layout.binary], axis=1)
        remarks += about_others(everything, [*others, *numbers])
        return replace(dataset, label=best), remarks
    names = list(layout.samples or _sample_names(fields))
    if are_alignments(names):
        names = plain_sample_names(names)
    if pattern := class_pattern(names):
        options = {"regex": pattern} | barcode_map(pattern) | dataset.options
        dataset = replace(dataset, label=SAMPLE_NAMES, options=options)
        matches = [re.search(pattern, name) for name in names]
        counts = Counter(match[1] for match in matches if match is not None)
        classes = listed(f"{label} ({n_samples})" for label, n_samples in counts.items())
        remarks.append(f"The names of the samples contain the class: {classes}.")
    return dataset, remarks


def plausible_labels(fields: pd.DataFrame) -> list[str]:
    """Return the columns that look like classes, the best first.

    A column has a higher `class_score`, or words in place of numbers; a stage or a grade comes
    after other columns. Of equal ones the first in the table is better.

    Examples
    --------
    >>> table = pd.DataFrame({"stage": list("3344") * 2, "response": list("abab") * 2})
    >>> plausible_labels(table)
    ['response', 'stage']
    """
    ranks = {}
    for name in dict.fromkeys(map(str, fields)):
        cells = list(map(str, _first_column(fields, name)))
        score = class_score(name, cells)
        if score:
            are_words = any(is_text(cell) for cell in cells)
            ranks[name] = (score, _SEVERITY.search(name) is None, are_words)
    return sorted(ranks, key=ranks.__getitem__, reverse=True)


def _shortened(text: str) -> str:
    """Return a text of at most `_LONGEST_VALUE` characters."""
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}..."


def about_others(fields: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """Return a sentence on further columns that look like classes, with their values."""
    descriptions = []
    questions = [name for name in names if not is_technical(name)]
    for name in questions[:_SHOWN_LABELS]:
        counts = Counter(plain_text(str(cell)) for cell in _first_column(fields, name))
        values = [f"{_shortened(value)} {count}" for value, count in counts.most_common() if value]
        descriptions.append(f"{name} ({', '.join(values[:_SHOWN_VALUES])})")
    if not descriptions:
        return []
    return [
        f"Other columns that look like classes: {'; '.join(descriptions)}; --label chooses one."
    ]


def _first_column(fields: pd.DataFrame, name: str) -> pd.Series:
    """Return the first column of a name, which may occur twice."""
    return fields[[name]].iloc[:, 0]


def _with_samples_in_columns(
    layout: Layout, downloads: Downloads
) -> tuple[Layout, SheetRow, list[str]]:
    """Return the layout with samples in columns, if it has a label, else the given layout.

    The first column then has distinct names of features.
    """
    dataset = layout.row
    if dataset.orientation == "rows" and suffix_of(dataset.location) != ".h5ad":
        transposed = recognise_layout(replace(dataset, orientation="columns"), downloads)
        labelled, remarks = _with_label(transposed)
        is_labelled = bool(labelled.label or _binary_label(transposed))
        if is_labelled and len(transposed.samples) <= _MOST_SAMPLES:
            return transposed, labelled, remarks
    return layout, dataset, _with_label(layout)[1]


def _binary_label(layout: Layout) -> str:
    """Return the column of 0 and 1 that looks most like a class; empty where none does."""
    return next(iter(plausible_labels(layout.binary)), "")


def _with_binary_label(
    layout: Layout, dataset: SheetRow, remarks: list[str]
) -> tuple[Layout, SheetRow, list[str]]:
    """Return the layout and the row with a column of 0 and 1 as the label, where one is plausible.

    It then describes samples, as a column of texts does.
    """
    label = _binary_label(layout)
    if not label:
        return layout, dataset, remarks
    others = [name for name in plausible_labels(layout.binary) if name != label]
    remarks = [*remarks, *about_others(layout.binary, others)]
    cells = layout.binary[label]
    fields = layout.fields.assign(**{label: list(cells)})
    remarks = [*remarks, *_about_binary(label, cells)]
    return replace(layout, fields=fields), replace(dataset, label=label), remarks


def _about_binary(label: str, cells: Sequence[str] | pd.Series) -> list[str]:
    """Return a sentence about a proposed label of 0 and 1; none about other labels."""
    counts = binary_counts(list(map(str, cells)))
    if counts is None:
        return []
    n_zeros, n_ones = counts
    sentence = (
        f"{label!r} has the values 0 ({counted(n_zeros, 'sample')}) and 1 "
        f"({counted(n_ones, 'sample')}), which are proposed as classes; if it is a measurement, "
        "name another column by --label."
    )
    return [sentence]


def _is_follow_up(fields: pd.DataFrame, name: str) -> bool:
    """Return whether a column is the time to an event, or its status."""
    cells = list(map(str, _first_column(fields, name)))
    return is_event_time(name) or is_event_status(name, cells)


def _sample_names(fields: pd.DataFrame) -> list[str]:
    """Return the column of the samples' names, the first with a name for it; empty without."""
    for name in fields:
        cells = _first_column(fields, name)
        is_name_of_samples = not name or is_sample_id(str(name))
        if is_name_of_samples and cells.nunique() == len(cells):
            return list(map(str, cells))
    return []


def _about_follow_up(names: Sequence[str], label: str | None) -> str:
    """Return sentences about the time to an event and its status."""
    text = (
        f"{listed(names)} {either(len(names), 'is', 'are')} follow-up (the time to an event, or "
        "whether it was seen): an outcome, neither a class nor a confounder. A question about "
        "survival needs a survival model, such as Cox regression, which xnbflow does not have."
    )
    if label in names:
        text += (
            f" The label {label!r} ignores the time and samples that were followed for a short "
            "time; valid is a class that is known for every sample, such as an event within two "
            "years, without the samples that were followed for less."
        )
    return text


def _without_proposal(dataset: SheetRow, layout: Layout) -> Summary:
    """Return the summary of a table in which no column looks like a class."""
    fields = layout.fields
    numbers = described_numbers(fields)
    _, remarks = _with_label(layout)
    reason = (
        "No column of text looks like a class (2 to 10 values, each of several samples). Name "
        "the column of the class labels by --label; columns of text: "
        f"{listed(list(map(str, fields))) or 'none'}. Where samples are columns, set "
        "--orientation columns, and name the file of labels by --phenotype"
    )
    return Summary(
        accession=dataset.location,
        type=suffix_of(dataset.location)[1:],
        n_samples=len(fields),
        has_table=True,
        values=distinct_values(fields.loc[:, ~fields.columns.isin(numbers["field"])]),
        numbers=numbers,
        row=None,
        reason=" ".join([*layout.remarks, *remarks, reason]),
    )


def _read(dataset: SheetRow, downloads: Downloads) -> tuple[DataSet, SheetRow, list[str]]:
    """Read the series; return the row with options without which it cannot be used, and remarks.

    Repeated names keep the row of largest mean, missing values are imputed in the training folds,
    and features of another scale become phenotype.
    """
    remarks: list[str] = []
    try:
        series = acquire(dataset, downloads=downloads.folder)
    except InputError:
        dataset, series, remarks = _read_again(dataset, downloads)
    is_settled = bool({"features", "collapse"} & dataset.options.keys())
    is_settled |= suffix_of(dataset.location) == ".h5ad" or "duplicates" in dataset.options
    if not is_settled and (series.kinds == "linear").all():
        lone = lone_features(series.values, series.features)
        if lone:
            dataset = set_aside(dataset, lone)
            series = acquire(dataset, downloads=downloads.folder)
            remarks.append(
                f"{listed(lone)} {either(len(lone), 'has', 'have')} another scale than the "
                f"features, and {either(len(lone), 'is', 'are')} proposed as phenotype, not as "
                "features (phenotype_columns=)."
            )
    codes = {"without phenotype", "phenotype only"}
    absent = [note for note in series.notes if isinstance(note, Note) and note.code in codes]
    remarks += [f"{note[0].upper()}{note[1:]}." for note in absent]
    return series, dataset, remarks


def _read_again(dataset: SheetRow, downloads: Downloads) -> tuple[SheetRow, DataSet, list[str]]:
    """Read a refused series with the options that permit repeated names and missing values."""
    remarks: list[str] = []
    while True:
        try:
            series = acquire(dataset, downloads=downloads.folder)
            break
        except InputError as error:
            if error.code == MISSING_VALUES.code and "missing" not in dataset.options:
                share = error.fields["share"]
                option = {"missing": "impute" if share <= _MOST_IMPUTED else "drop_features:0.3"}
                remarks.append(
                    f"Proposed is missing={option['missing']}: {share:.1%} of the values are "
                    "missing."
                )
            elif error.code == REPEATED_FEATURES.code and "duplicates" not in dataset.options:
                option = {"duplicates": "max_mean"}
            else:
                raise
        dataset = replace(dataset, options=dataset.options | option)
    repeated = [
        note for note in series.notes if isinstance(note, Note) and note.code == "names repeat"
    ]
    if repeated and dataset.options.get("duplicates") == "max_mean":
        remarks.append(f"Proposed is duplicates=max_mean: {repeated[0]}.")
    return dataset, series, remarks


def _with_patients(
    series: DataSet, dataset: SheetRow, downloads: Downloads
) -> tuple[DataSet, SheetRow, list[str]]:
    """Return the series grouped by the patients in TCGA's barcodes, where samples share some."""
    metadata = series.sample_metadata
    if metadata is None or BARCODE_PATIENT not in metadata or "group" in dataset.options:
        return series, dataset, []
    if suggested_group(metadata[[BARCODE_PATIENT]], series.labels) is None:
        return series, dataset, []
    dataset = replace(dataset, options=dataset.options | {"group": BARCODE_PATIENT})
    series = acquire(dataset, downloads=downloads.folder)
    n_patients = metadata[BARCODE_PATIENT].nunique()
    remark = (
        f"Proposed is group={BARCODE_PATIENT}: the barcodes of {series.n_samples} samples name "
        f"{n_patients} patients."
    )
    return series, dataset, [remark]


def _with_scale(dataset: SheetRow, series: DataSet) -> tuple[SheetRow, str]:
    """Return the row with the option ``transform`` or ``scale``, and a sentence."""
    if {"scale", "transform"} & dataset.options.keys():
        return dataset, ""
    name = Path(dataset.location).name
    cycles = about_cycles(
        series.values, file_name=name, features=series.features, samples=series.samples
    )
    if cycles:
        return dataset, f" {str(cycles)[0].upper()}{str(cycles)[1:]}."
    if series.n_features < _ARRAY:
        return dataset, ""
    option, reason = proposed_logarithm(series.values, series.samples, name)
    if not option and not reason and _are_log2(series.values):
        option = {"scale": "log2"}
        reason = " Proposed is scale=log2: the values are as logarithms of intensities to base 2."
    if option.get("transform") == PROPOSED_COUNT_TRANSFORM:
        refuse_no_counts(f"data set {dataset.id}: {name}", series.values, series.samples)
    return replace(dataset, options=dataset.options | option), reason


def _are_log2(values: np.ndarray) -> bool:
    """Return whether logarithms have the base 2, by their largest value.

    Values with large negative numbers are ratios, centred or standardised, of any base.
    """
    lowest = np.nanmin(values)
    largest = np.nanmax(values)
    is_in_bounds = _LARGEST_LOG2[0] < largest < _LARGEST_LOG2[1]
    return bool(is_in_bounds and lowest > -largest / 2)


def propose_columns(dataset: SheetRow, fields: pd.DataFrame) -> tuple[SheetRow, list[str]]:
    """Return the row with the columns that are not features, and remarks.

    These are names, patients, the batch, rare classes, and other columns of the samples.
    """
    label = str(dataset.label).removeprefix("obs:")
    options = dict(dataset.options)
    if label in dataset.names("phenotype_columns"):  # an export may have the label beside others
        others = [name for name in dataset.names("phenotype_columns") if name != label]
        options["phenotype_columns"] = ",".join(others)
        if not others:
            del options["phenotype_columns"]
    if len(fields):
        fields = fields.map(str.strip)
    unique = fields.loc[:, ~fields.columns.duplicated(keep=False)]
    names = [str(name) for name in fields if name not in (label, "")]
    in_table = suffix_of(dataset.location) != ".h5ad" and "phenotype" not in options
    id_column = dataset.id_column
    repeated: dict[str, list[str]] = {}
    if in_table and dataset.orientation == "rows" and not id_column and "" not in fields:
        id_column = find_id_column(fields.loc[:, fields.columns != label])
        if not id_column:
            settled = ",".join(options.get(key, "") for key in SETTLED).split(",")
            repeated = repeated_names(unique.loc[:, ~unique.columns.isin([label, *settled])])
    others = [name for name in names if name != id_column and name not in repeated]
    if repeated and "features" not in options:
        dropped = [name for name in options.get("drop", "").split(",") if name]
        options["drop"] = ",".join([*dropped, *repeated])
    labels = np.full(len(fields), "", dtype=object)
    remarks: list[str] = []
    if label in unique and len(fields):
        texts = list(fields[label])
        options = label_options(texts) | options
        options, remarks = _with_map(dataset, options, texts)
        rule = LabelRule.parse(replace(dataset, options=options))
        classes, keep, _ = rule.apply(dataset.location, range(len(texts)), texts)
        labels[keep] = classes
    candidates = unique[[name for name in others if name in unique]]
    options |= column_options(candidates, labels, options)
    dataset = replace(dataset, id_column=id_column, options=options)
    settled = ",".join(options.get(key, "") for key in SETTLED).split(",")
    rest = [name for name in others if name not in settled]
    if in_table and rest and "features" not in options:
        dataset = set_aside(dataset, rest)
    for name, cells in repeated.items():
        remarks.append(
            f"The column {name!r} would name the samples, but {listed(cells)} "
            f"{either(len(cells), 'occurs', 'occur')} more than once; make the names unique."
        )
    remarks += _remarks(fields, others, dataset, in_table=in_table)
    return dataset, remarks


def repeated_names(fields: pd.DataFrame) -> dict[str, list[str]]:
    """Return the names that repeat in columns of samples' names, by column.

    Most of the names occur once; other columns describe samples, and patients may repeat.

    Examples
    --------
    >>> table = pd.DataFrame({"sample": list("wxyzx"), "patient": list("pqrsp")})
    >>> repeated_names(table), repeated_names(table.replace("y", "w"))
    ({'sample': ['x']}, {})
    """
    columns = {}
    for name in map(str, fields):
        if not is_sample_id(name) or is_patient(name):
            continue
        counts = Counter(cell for cell in fields[name] if not is_missing(cell))
        repeated = [cell for cell, count in counts.items() if count > 1]
        if repeated and 2 * (len(counts) - len(repeated)) > len(fields):
            columns[name] = repeated
    return columns


def _with_map(
    dataset: SheetRow, options: dict[str, str], texts: Sequence[str]
) -> tuple[dict[str, str], list[str]]:
    """Return the options with a ``map`` that leaves out classes of one or two samples."""
    if "map" in options:
        return options, []
    rule = LabelRule.parse(replace(dataset, options=options))
    labels, _, _ = rule.apply(dataset.location, range(len(texts)), texts)
    proposed, remark = propose_map(labels.tolist())
    return options | proposed, [remark] if remark else []


def column_options(
    fields: pd.DataFrame, labels: np.ndarray, settled: Mapping[str, str]
) -> dict[str, str]:
    """Return the options ``group`` and ``batch`` for columns of samples.

    The labels (n_samples,) are empty for samples that are left out.

    Examples
    --------
    >>> table = pd.DataFrame({"plate": list("aabb"), "patient": list("pqpq")})
    >>> column_options(table, np.array(list("tntn")), {})
    {'batch': 'plate'}
    """
    is_used = labels != ""
    if not is_used.any():  # the label is not among the fields: all samples are used
        is_used = np.ones(len(labels), dtype=bool)
    names = [name for name in fields if not set(str(name)) & set(";=")]  # others fit in no option
    candidates = fields.loc[is_used, names]
    proposed = {
        "group": suggested_group(candidates, labels[is_used]),
        "batch": suggested_batch(candidates),
    }
    return {key: name for key, name in proposed.items() if name and key not in settled}


def _remarks(
    fields: pd.DataFrame, others: Sequence[str], dataset: SheetRow, *, in_table: bool
) -> list[str]:
    """Return sentences on numeric columns that are not features, and on patients."""
    group = dataset.options.get("group")
    columns = {name: _first_column(fields, name) for name in others if name != group}
    numbers = []
    for name, cells in columns.items():
        if in_table and is_covariate(name) and not is_text_column(cells):
            numbers.append(name)
    remarks = []
    if numbers:
        predicate = either(len(numbers), "is not a feature by name", "are not features by name")
        remarks.append(f"{listed(numbers)} {predicate}.")
    for name, cells in columns.items():
        n_values = cells.nunique()
        if is_patient(name) and 2 < n_values < len(fields):
            remarks.append(
                f"{name!r} has {n_values} values for {len(fields)} samples and is not proposed as "
                "group=: that needs at least five patients, three of each class, and one of every "
                "sample."
            )
    return remarks
