"""What the rows and columns of a table are: the one function that proposals and the reader call.

`infer` gives each variable of a table its role, by the keys of an entry. For a proposal it first
completes the entry by what the names and the texts of the table show, each key with its reason. The
reader applies the entry as it is written, so that it does what the proposal states.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.sources.dataset_entry import SAMPLE_NAMES, DatasetEntry
from xnbflow.sources.formats.cell_texts import is_number
from xnbflow.sources.formats.opening import suffix_of
from xnbflow.sources.formats.program_exports import MOST_LONG_COLUMNS, refuse_long
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.infer.column_kinds import propose_columns
from xnbflow.sources.infer.label import best_number_label, choose_label, choose_number_label
from xnbflow.sources.infer.layout import Layout, recognise_layout
from xnbflow.sources.roles import Role, assign_roles, kept_columns, turn
from xnbflow.sources.series.phenotype import (
    PhenotypeFile,
    phenotype_columns,
    refuse_glued,
    refuse_sample_as_header,
)

#: Most columns that are taken for samples because of their names.
_MOST_SAMPLES = 1000


@dataclass(frozen=True, kw_only=True)
class InferredRoles:
    """What the rows and columns of a table are, and the reasons.

    Attributes
    ----------
    entry : DatasetEntry
        The entry, with the keys that were inferred.
    table : TextTable
        The table, seen by its samples: as variables, whichever are its columns.
    roles : list of Role
        The role of each variable; empty where an inferred entry has no label.
    phenotype : DataFrame, optional
        The columns of the phenotype file that are kept, a row per sample.
    fields : DataFrame
        What describes the samples, a row per sample, for a proposal without a label.
    remarks : tuple of str
        The reasons of the inferred keys, as sentences.
    """

    entry: DatasetEntry
    table: TextTable
    roles: list[Role] = field(default_factory=list)
    phenotype: pd.DataFrame | None = None
    fields: pd.DataFrame = field(default_factory=pd.DataFrame)
    remarks: tuple[str, ...] = ()


def infer(
    table: TextTable,
    entry: DatasetEntry,
    phenotype: PhenotypeFile | None = None,
    *,
    complete: bool = False,
) -> InferredRoles:
    """Return the role of each variable of a table, and the reasons of keys that were inferred.

    Parameters
    ----------
    table : TextTable
        The table as its file has it.
    entry : DatasetEntry
        The entry of the data set, as it was written or named in a command.
    phenotype : PhenotypeFile, optional
        The phenotype file that the entry names.
    complete : bool, default=False
        Whether keys that the entry lacks are inferred from names and texts: the orientation, the
        names of samples and features, the label, phenotype, group and batch, decimal commas. What
        depends on values is inferred when they are read: missing values and the scale
        (`xnbflow.sources.series.inferred_keys`, `xnbflow.sources.proposal.scale`).

    Raises
    ------
    InputError
        If the table is of another kind, or has no variable that a key names.

    Examples
    --------
    >>> table = TextTable(
    ...     path=Path("x.csv"),
    ...     header=["sample", "type", *(f"gene{i}" for i in range(30))],
    ...     rows=[",".join([f"s{i}", "tn"[i % 2], *["7.5"] * 30]) for i in range(8)],
    ...     lines=range(2, 10),
    ...     separator=",",
    ... )
    >>> inferred = infer(table, DatasetEntry("x", "table", "x.csv"), complete=True)
    >>> inferred.entry.label, inferred.entry.id_column, [role.name for role in inferred.roles[:3]]
    ('type', 'sample', ['NAME', 'TEXT', 'NUMBER'])
    """
    # Tables of another kind are refused.
    if not table.header:
        raise InputError(f"{table.path} has no header; get it again")
    n_digits = sum(name.lstrip("+-.")[:1].isdecimal() for name in table.header)
    if entry.header is None and 2 * n_digits > len(table.header):
        _refuse_values_as_header(table)
    if len(table.header) <= MOST_LONG_COLUMNS and not table.described:
        refuse_long(table, entry.label)
    if phenotype is not None:
        refuse_sample_as_header(phenotype, entry, table)

    # A proposal completes the entry.
    remarks: tuple[str, ...] = ()
    if complete:
        layout = choose_label(recognise_layout(table, entry, phenotype))
        # Of more rows than columns, the names may be those of features, with a class by chance.
        is_in_names = layout.entry.label == SAMPLE_NAMES and not entry.label
        if not layout.entry.label or (is_in_names and len(table) > len(table.header)):
            layout = _other_layout(table, entry, layout)
        if not layout.entry.label:
            return InferredRoles(
                entry=layout.entry, table=table, fields=layout.fields, remarks=layout.remarks
            )
        layout = propose_columns(layout)
        entry = layout.entry
        remarks = layout.remarks
        if entry.decimal == "comma":
            table = replace(table, decimal=",")

    # The roles by the entry, whether it was written or inferred.
    columns = None
    if phenotype is not None:
        columns = phenotype_columns(phenotype, entry)
        if table.is_header_short:
            refuse_glued(Path(table.path), table.header, columns)
    turned = turn(table, entry)
    roles = assign_roles(turned, entry, columns)
    kept = None if columns is None else kept_columns(columns, entry)
    return InferredRoles(entry=entry, table=turned, roles=roles, phenotype=kept, remarks=remarks)


def _refuse_values_as_header(table: TextTable) -> None:
    """Refuse a header that is the values of a first sample, in a table without names.

    Names may be numbers as well: of genes (Entrez), samples, or days, and those that repeat get
    endings such as ``.1`` in pandas. Other numbers are values: those that repeat, that are below
    0, or that have two decimals or more.
    """
    counts = Counter(name for name in table.header if is_number(name))
    n_values = sum(
        n_columns
        for name, n_columns in counts.items()
        if n_columns > 1 or name.startswith("-") or len(name.partition(".")[2]) > 1
    )
    if 2 * n_values <= len(table.header):
        return
    shown = ", ".join(list(counts)[:3])
    msg = (
        f"{table.path}: the first row has numbers ({shown}, ...) where names of columns are "
        "expected, so that the first sample would be lost; insert a row of names above it. If "
        "these are names, give their line by the key header"
    )
    raise InputError(msg, file=str(table.path), key="header")


def _other_layout(table: TextTable, request: DatasetEntry, layout: Layout) -> Layout:
    """Return the layout of a table whose label is no column of texts; ``layout`` if there is none.

    The label of a table without a phenotype may be in a row, or in the header, so that samples are
    columns; the first column then has distinct names of features. Or it is a column or row of few
    numbers. The ``layout`` is that of the ``request`` with samples in rows. It has no label, or one
    in the names of the rows, which may be those of features.
    """
    entry = layout.entry
    may_be_columns = entry.samples == "rows" and suffix_of(entry.location) != ".h5ad"
    if may_be_columns and not entry.phenotype:
        if entry.decimal == "comma":
            table = replace(table, decimal=",")
        in_columns = replace(request, samples="columns", decimal=entry.decimal)
        transposed = recognise_layout(table, in_columns)
        labelled = choose_label(transposed)
        has_label = bool(labelled.entry.label)
        if not entry.label:
            has_label = has_label or bool(best_number_label(transposed))
        if has_label and len(transposed.samples) <= _MOST_SAMPLES:
            layout = labelled
    return layout if layout.entry.label else choose_number_label(layout)
