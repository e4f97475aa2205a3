"""Columns of the samples: their names, patients, batches, and other phenotype."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from xnbflow.core.nouns import either, listed
from xnbflow.sources.formats.cell_texts import is_missing
from xnbflow.sources.formats.opening import suffix_of
from xnbflow.sources.proposal.column_options import SETTLED, name_column, set_aside
from xnbflow.sources.proposal.label import first_column
from xnbflow.sources.proposal.variables import is_covariate, is_text_column
from xnbflow.sources.series.class_labels import (
    LabelRule,
    label_options,
    propose_map,
)
from xnbflow.sources.series.plausibility import (
    is_patient,
    is_sample_id,
    suggested_batch,
    suggested_group,
)
from xnbflow.sources.sheet import SheetRow


def propose_columns(sheet_row: SheetRow, fields: pd.DataFrame) -> tuple[SheetRow, list[str]]:
    """Return the row with the columns that are not features, and remarks.

    These are names, patients, the batch, rare classes, and other columns of the samples.
    """
    label = str(sheet_row.label).removeprefix("obs:")
    options = dict(sheet_row.options)
    if label in sheet_row.names("phenotype_columns"):  # an export may have the label beside others
        others = [name for name in sheet_row.names("phenotype_columns") if name != label]
        options["phenotype_columns"] = ",".join(others)
        if not others:
            del options["phenotype_columns"]
    if len(fields):
        fields = fields.map(str.strip)
    unique = fields.loc[:, ~fields.columns.duplicated(keep=False)]
    names = [str(name) for name in fields if name not in (label, "")]
    in_table = suffix_of(sheet_row.location) != ".h5ad" and "phenotype" not in options
    id_column = name_column(sheet_row, fields, [label])
    repeated: dict[str, list[str]] = {}
    if in_table and sheet_row.orientation == "rows" and not id_column and "" not in fields:
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
        options, remarks = _with_map(sheet_row, options, texts)
        rule = LabelRule.parse(replace(sheet_row, options=options))
        classes, keep, _ = rule.apply(sheet_row.location, range(len(texts)), texts)
        labels[keep] = classes
    candidates = unique[[name for name in others if name in unique]]
    options |= column_options(candidates, labels, options)
    sheet_row = replace(sheet_row, id_column=id_column, options=options)
    settled = ",".join(options.get(key, "") for key in SETTLED).split(",")
    rest = [name for name in others if name not in settled]
    if in_table and rest and "features" not in options:
        sheet_row = set_aside(sheet_row, rest)
    for name, cells in repeated.items():
        remarks.append(
            f"The column {name!r} would name the samples, but {listed(cells)} "
            f"{either(len(cells), 'occurs', 'occur')} more than once; make the names unique."
        )
    remarks += _remarks(fields, others, sheet_row, in_table=in_table)
    return sheet_row, remarks


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
    sheet_row: SheetRow, options: dict[str, str], texts: Sequence[str]
) -> tuple[dict[str, str], list[str]]:
    """Return the options with a ``map`` that leaves out classes of one or two samples."""
    if "map" in options:
        return options, []
    rule = LabelRule.parse(replace(sheet_row, options=options))
    labels, _, _ = rule.apply(sheet_row.location, range(len(texts)), texts)
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
    fields: pd.DataFrame, others: Sequence[str], sheet_row: SheetRow, *, in_table: bool
) -> list[str]:
    """Return sentences on numeric columns that are not features, and on patients."""
    group = sheet_row.options.get("group")
    columns = {name: first_column(fields, name) for name in others if name != group}
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
