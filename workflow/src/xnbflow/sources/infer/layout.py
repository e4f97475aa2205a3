"""Layout of a table: whether samples are its rows or its columns, and what describes them.

Keys that the entry has are kept, and further ones are inferred. The table is then turned by these
keys and by `xnbflow.sources.roles.turn`, as the reader does.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

import pandas as pd

from xnbflow.core.errors import InputError, did_you_mean, quoted
from xnbflow.core.nouns import either, listed, noun
from xnbflow.sources.dataset_entry import SAMPLE_NAMES, DatasetEntry, is_accession
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.infer.column_keys import add_names
from xnbflow.sources.infer.gene_columns import (
    are_row_numbers,
    columns_about_genes,
    sample_column_names,
)
from xnbflow.sources.infer.measures import other_measures
from xnbflow.sources.infer.name_families import are_numbered
from xnbflow.sources.infer.number_format import propose_decimal, remarks_on_units
from xnbflow.sources.infer.phenotype_file import join_phenotype
from xnbflow.sources.infer.variables import FIRST_SAMPLES, guess_variables
from xnbflow.sources.roles import turn
from xnbflow.sources.series.class_labels import LabelRule
from xnbflow.sources.series.feature_names import FEATURE_COUNTS_COLUMNS, TALLY
from xnbflow.sources.series.name_matching import matched_names
from xnbflow.sources.series.phenotype import PhenotypeFile, phenotype_columns, refuse_glued

#: The name that readers give to a row of conditions beside the header, such as ``line 2``.
_CONDITIONS = re.compile(r"(line|row) \d+")


@dataclass(frozen=True)
class Layout:
    """What describes the samples of a table, and whether they are its rows, with the reasons.

    Each step of a proposal returns another one, whose entry and remarks are more complete.

    Attributes
    ----------
    fields : DataFrame
        What describes the samples: a row per sample, columns of texts and of clinical numbers, all
        as text.
    entry : DatasetEntry
        The entry, completed by the keys that are inferred: first whether samples are columns, a
        decimal comma, and columns that are no features.
    remarks : tuple of str
        The reasons of these keys, as sentences.
    samples : tuple of str
        The names of the samples if these are columns.
    number_labels : DataFrame
        Columns of 0 and 1, or of few numbers, that are plausible labels.
    outside : tuple of str
        The fields that are numbers outside the block of features.
    few_features : tuple of str
        The columns of numbers, if they are too few to recognise which of them are features.
    """

    fields: pd.DataFrame
    entry: DatasetEntry
    remarks: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    number_labels: pd.DataFrame = field(default_factory=pd.DataFrame)
    outside: tuple[str, ...] = ()
    few_features: tuple[str, ...] = ()


def recognise_layout(
    table: TextTable, entry: DatasetEntry, phenotype_file: PhenotypeFile | None = None
) -> Layout:
    """Return the layout of a table, with the samples of its phenotype file.

    What a series of GEO describes is not examined where it is the phenotype of a table.
    """
    if table.described:  # AnnData, whose samples are rows: the first column has their names
        texts = table.columns(table.described[1:])
        names = [table.header[i] for i in table.described[1:]]
        return Layout(pd.DataFrame(dict(zip(names, texts, strict=True)), dtype=object), entry)
    path = Path(table.path)
    if not table.lines:
        return Layout(pd.DataFrame(), entry)  # the reader refuses it
    first_rows = table.first_rows(FIRST_SAMPLES)
    entry, remarks = propose_decimal(entry, table, first_rows)

    # The descriptions of the samples: in a file beside the table, in its rows or in its columns.
    phenotype = pd.DataFrame()
    if phenotype_file is not None and not is_accession(entry.phenotype or ""):
        phenotype = phenotype_columns(phenotype_file, entry)
    if table.is_header_short:
        refuse_glued(path, table.header, phenotype)
    if _are_columns(entry, table, first_rows, phenotype):
        layout = _samples_in_columns(table, entry, phenotype)
    else:
        layout = _samples_in_rows(table, entry, phenotype, first_rows)
    if phenotype.empty:
        remarks += remarks_on_units(layout.fields, entry.label)
    return replace(layout, remarks=(*remarks, *layout.remarks))


def _are_columns(
    entry: DatasetEntry,
    table: TextTable,
    first_rows: Sequence[Sequence[str]],
    phenotype: pd.DataFrame,
) -> bool:
    """Return whether samples are columns of the table.

    The first of these that applies decides:

    1. The entry has ``samples: columns``.
    2. The names of samples in a phenotype file are in the header, or in the first rows.
    3. The class is in the names of the samples, which are in the rows, or in the header.
    4. The label is no column (then it is a row), or is one.
    5. The header is that of featureCounts, or there is a row of conditions below the header.
    """
    if entry.samples == "columns":
        return True
    header = table.header
    sample_names = list(phenotype.index)
    if sample_names:
        for names in (header, header[1:], sample_column_names(table)):
            if set(sample_names) & set(names) or matched_names(names, sample_names):
                return True
        if set(sample_names) & set(chain.from_iterable(first_rows)):
            return False
    is_label_in_names = entry.label == SAMPLE_NAMES
    if is_label_in_names and (pattern := LabelRule.parse(entry).pattern) is not None:
        are_named = [any(map(pattern.search, cells)) for cells in first_rows]
        return 2 * sum(are_named) <= len(are_named)
    if (entry.label and not is_label_in_names) or sample_names:
        return bool(entry.label) and entry.label not in header
    has_conditions = _CONDITIONS.fullmatch(first_rows[0][0]) is not None
    return has_conditions or set(FEATURE_COUNTS_COLUMNS) <= set(header)


def _samples_in_rows(
    table: TextTable,
    entry: DatasetEntry,
    phenotype: pd.DataFrame,
    first_rows: Sequence[Sequence[str]],
) -> Layout:
    """Return the layout of a table with samples in rows.

    The columns of a ``phenotype`` file are added to the columns of the table that describe samples.
    """
    header = table.header
    guess = guess_variables(turn(table, entry), entry, first_rows)
    fields = pd.DataFrame(
        list(zip(*guess.descriptions.values(), strict=True)),
        columns=[header[i] for i in guess.descriptions],
        dtype=object,
    )

    # Columns that are no features: reads of no gene, and columns without a value.
    tallies = [name for name in map(str.strip, header) if TALLY.fullmatch(name)]
    if tallies:
        entry = add_names(entry, "drop", tallies)
    remarks = []
    empty = [header[i] for i in guess.empty if header[i]]
    if empty and not entry.features:
        entry = add_names(entry, "drop", empty)
        verb = either(len(empty), "has no value and is", "have no values and are")
        remarks.append(f"The {noun(len(empty), 'column')} {listed(empty)} {verb} left out (drop).")

    if len(phenotype):
        fields, entry = join_phenotype(fields, entry, phenotype, header)
    are_few = guess.are_few and not are_numbered([header[i] for i in guess.features])
    return Layout(
        fields,
        entry,
        tuple(remarks),
        number_labels=guess.number_labels,
        outside=tuple(header[i] for i in guess.outside if header[i] in fields),
        few_features=tuple(header[i] for i in guess.features if header[i]) if are_few else (),
    )


def _samples_in_columns(table: TextTable, entry: DatasetEntry, phenotype: pd.DataFrame) -> Layout:
    """Return the layout of a table with samples in columns.

    Rows of texts describe the samples, unless a ``phenotype`` file does.
    """
    # Columns that are no samples are dropped: descriptions of genes, and further measures of a
    # sample, such as its detection p-values.
    header = table.header
    gene_columns = columns_about_genes(table)
    if gene_columns and not header[0] and are_row_numbers(table.columns([0])[0]):
        # the index of pandas before the names of the features
        entry = entry.with_defaults(id_column=header[gene_columns[0]])
    gene_columns = [i for i in gene_columns if header[i] != entry.id_column]
    gene_column_names = [header[i] for i in gene_columns]
    no_values = {0, *gene_columns, *(i for i, name in enumerate(header) if name == entry.id_column)}
    value_columns = [name for i, name in enumerate(header) if i not in no_values]
    further_measures, remarks = other_measures(value_columns)
    declared = {entry.label, *entry.phenotype_columns}
    entry = replace(entry, samples="columns")
    entry = add_names(entry, "drop", [*gene_column_names, *further_measures])

    # Rows of texts are fields of the samples.
    turned = turn(table, entry)
    guess = guess_variables(turned, entry, turned.first_samples(FIRST_SAMPLES))
    described = {turned.names[i]: cells for i, cells in guess.descriptions.items()}
    fields = pd.DataFrame(described, dtype=object)
    if entry.label and entry.label not in fields and phenotype.empty:
        _refuse_absent_label(table, entry, turned.names, [*gene_column_names, *fields])
        # The label is the names of the samples, or in GEO: the rows of the table describe nothing.
        fields = fields.iloc[:, :0]

    # With a phenotype file these rows are neither fields nor features, unless the entry names them.
    if len(phenotype):
        undeclared = [name for name in fields if name not in declared]
        entry = add_names(entry, "drop", undeclared)
        numbers = {turned.names[i] for i in guess.outside}
        remarks += _remarks_on_rows([name for name in undeclared if name in numbers])
        matched = matched_names(turned.samples, list(phenotype.index)) or turned.samples
        is_in_table = phenotype.index.isin(matched)
        fields = phenotype[is_in_table] if is_in_table.any() else phenotype

    tallies = [name for name in map(str.strip, turned.names) if TALLY.fullmatch(name)]
    if tallies:
        entry = add_names(entry, "drop", tallies)
    return Layout(
        fields,
        entry,
        tuple(remarks),
        samples=tuple(turned.samples),
        number_labels=guess.number_labels,
        outside=tuple(turned.names[i] for i in guess.outside if turned.names[i] in fields),
    )


def _remarks_on_rows(names: Sequence[str]) -> list[str]:
    """Return a sentence on rows of numbers that are left out beside a phenotype file."""
    if not names:
        return []
    n_rows = len(names)
    remark = (
        f"{listed(names)} {either(n_rows, 'is a row', 'are rows')} of numbers unlike the others, "
        f"by name or by values, and {either(n_rows, 'is', 'are')} left out (drop); if "
        f"{either(n_rows, 'it is a feature, remove it', 'they are features, remove them')} "
        "from drop."
    )
    return [remark]


def _refuse_absent_label(
    table: TextTable, entry: DatasetEntry, row_names: Sequence[str], text_names: Sequence[object]
) -> None:
    """Refuse a label that is neither a column nor a row of the table.

    Two labels are accepted although the table does not have them: the names of the samples, and
    a label in the file or accession of GEO that the key ``phenotype`` names.

    Parameters
    ----------
    table : TextTable
        The table.
    entry : DatasetEntry
        The entry, with the label.
    row_names : sequence of str
        The names of all rows.
    text_names : sequence
        The names of rows and columns that are text, which the message lists.
    """
    label = str(entry.label)
    if label == SAMPLE_NAMES or entry.phenotype:
        return
    texts = list(map(str, text_names))
    similar = did_you_mean(label, texts) or did_you_mean(label, [*row_names, *table.header])
    hint = "Name the file of labels by phenotype"
    if texts:
        hint = f"Rows and columns of text: {listed(texts)}"
    msg = (
        f"{table.path}: no row and no column is called {quoted(label)}, which label names. "
        f"{hint}{similar}"
    )
    raise InputError(msg, file=str(table.path), key="label")
