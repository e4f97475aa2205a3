"""From a table of text with roles to a data set, in the documented order.

Each step returns what it changes, and appends what a user should know of it to ``notes``, which are
those of the data set in the order of the steps.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import NoReturn

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted, listed
from xnbflow.core.yaml_text import flow_yaml
from xnbflow.data.dataset import COUNTS, DataSet
from xnbflow.data.note import Note
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.formats.workbook import about_sheets
from xnbflow.sources.roles import Role
from xnbflow.sources.series.features import (
    Features,
    find_features,
    name_features,
    select_features,
)
from xnbflow.sources.series.inferred_keys import InferredKeys, TransformInference
from xnbflow.sources.series.intensities import keep_counts, transform
from xnbflow.sources.series.merging import collapse_probes, merge_duplicates
from xnbflow.sources.series.missing_values import settle_missing
from xnbflow.sources.series.samples import (
    Samples,
    find_samples,
    group_samples,
    label_samples,
    name_samples,
)
from xnbflow.sources.series.scale_recognition import of_other_scale, recognise_scale
from xnbflow.sources.series.scales import RecognisedScale, Transform
from xnbflow.sources.series.table_values import (
    leave_out_others,
    read_values,
    remaining_values,
    repeated_samples,
)

#: The scale of transformed values, as in `DataSet`.
_SCALES = {
    Transform.LOG2: "log2",
    Transform.LOG2P1: "log2",
    Transform.LOG_CPM: "ln",
    Transform.TMM: COUNTS,
}


def series_of_table(
    table: TextTable,
    roles: Sequence[Role],
    entry: DatasetEntry,
    phenotype: pd.DataFrame | None = None,
    *,
    are_intensities: bool = False,
    platforms: str = "",
    keep_label: bool = False,
    release: bool = True,
    inferred: InferredKeys | None = None,
    infer_transform: TransformInference | None = None,
) -> DataSet:
    """Return the data set of a table, by the roles of its variables and the keys of its entry.

    In this order: values are read, and rows and columns that are no features and no samples left
    out; features and samples get their names, and samples are joined with the phenotype; control
    probes are dropped and features annotated; samples without a label are omitted (or refused), and
    columns for groups and batches found; values are transformed, missing ones settled, probes
    collapsed to genes, and repeated names merged.

    Parameters
    ----------
    table : TextTable
        The table, seen by its samples.
    roles : sequence of Role
        The role of each variable (`xnbflow.sources.roles.assign_roles`).
    entry : DatasetEntry
        The entry of the data set.
    phenotype : DataFrame, optional
        The columns of a phenotype file, indexed by the names of samples.
    are_intensities : bool, default=False
        Whether the values are known to be of arrays: a note is added where they are not logged.
    platforms : str
        Accessions of the platforms that the file names, separated by spaces.
    keep_label : bool, default=False
        Whether the text of the label remains a description of the samples.
    release : bool, default=True
        Whether the texts of the table are removed from memory as they are converted.
    inferred : InferredKeys, optional
        The keys of a proposal, which are inferred before the steps that need them.
    infer_transform : callable, optional
        Returns the entry with the transform that the values need.

    Raises
    ------
    InputError
        If the table and its entry contradict each other, or a step needs a key.

    Examples
    --------
    >>> table = TextTable(
    ...     path="x.csv",
    ...     header=["id", "type", "g1", "g2"],
    ...     rows=["s1,t,1.5,2", "s2,n,3,4"],
    ...     lines=[2, 3],
    ...     separator=",",
    ... )
    >>> roles = [Role.NAME, Role.TEXT, Role.NUMBER, Role.NUMBER]
    >>> entry = DatasetEntry("x", "table", label="type")
    >>> series = series_of_table(table.with_samples_in_rows(0), roles, entry)
    >>> series.labels.tolist(), series.features.tolist(), series.values.tolist()
    (['t', 'n'], ['g1', 'g2'], [[1.5, 3.0], [2.0, 4.0]])
    """
    if not table.lines:
        raise InputError(f"{table.path} has no rows below its header; get it again")
    where = f"data set {entry.id}: {table.path}"
    notes = list(table.notes)

    # Names, texts of the samples, and values.
    with about_sheets(table) if table.sheets else nullcontext():
        features = find_features(table, roles)
        samples = find_samples(table, roles)
        values = read_values(table, features, entry, release=release)
        variables = features.places
        features, samples = leave_out_others(values, features, samples, entry, notes)
        features = name_features(table, features, entry, notes)
        names = set(features.names.tolist())
        samples = name_samples(table, samples, entry, phenotype, features=names, notes=notes)

    # Which features and samples remain; symbols, labels and groups.
    features = select_features(features, entry, notes, platforms)
    samples = label_samples(where, samples, entry, keep_label=keep_label, notes=notes)
    if inferred is not None:
        entry = inferred.of_samples(samples, entry)
    if len(samples.columns.columns) or entry.group or entry.batch or entry.phenotype_columns:
        samples = group_samples(where, samples, entry, notes)

    # Values of the features and samples that remain, which are copied once all of these are known.
    if len(features.places) < len(variables) or len(samples.places) < values.shape[1]:
        values = remaining_values(values, variables, features, samples)
    copies = repeated_samples(values, samples.groups)
    if copies:
        notes.append(_about_copies(samples.names, copies))
    if infer_transform is not None:
        entry = infer_transform(values, features, samples, entry)
    scale = settle_scale(
        values,
        features,
        samples,
        table=table,
        entry=entry,
        are_intensities=are_intensities,
        notes=notes,
    )
    values, features, has_missing = _settle_features(
        values, features, samples, table=table, entry=entry, inferred=inferred, notes=notes
    )
    return DataSet(
        name=entry.id,
        values=values,
        features=features.names,
        samples=samples.names,
        labels=samples.labels,
        kinds=features.kinds,
        groups=samples.groups,
        sample_metadata=samples.columns if len(samples.columns.columns) else None,
        feature_metadata=features.annotation if len(features.annotation.columns) else None,
        missing=has_missing,
        notes=tuple(notes),
        scale=scale,
    )


def _about_copies(names: np.ndarray, copies: Sequence[list[int]]) -> Note:
    """Return a note on samples that are given several times, by their positions."""
    several = [" = ".join(map(str, names[positions])) for positions in copies]
    return Note(
        f"{counted(len(copies), 'sample', 'has', 'have')} several names, all values being the "
        f"same: {listed(several)}",
        advice=(
            "leave out all but one, or name what they share by group, otherwise training and "
            "test share samples"
        ),
    )


def _settle_features(
    values: np.ndarray,
    features: Features,
    samples: Samples,
    *,
    table: TextTable,
    entry: DatasetEntry,
    inferred: InferredKeys | None,
    notes: list[str],
) -> tuple[np.ndarray, Features, bool]:
    """Settle missing values, collapse probes to genes, and merge features of one name.

    Return the values, the features, and whether values remain to be imputed in the training folds.
    """
    where = f"data set {entry.id}: {table.path}"
    with np.errstate(invalid="ignore", over="ignore"):  # the data set refuses infinite values
        has_missing = bool(np.isnan(values.sum()))
    if has_missing:
        if inferred is not None:
            entry = inferred.of_missing(values, entry)
        values, features = settle_missing(
            values, features, samples, table=table, entry=entry, notes=notes
        )
        has_missing = bool(np.isnan(values).any())
    if entry.collapse and entry.collapse != "none":
        values, features = collapse_probes(where, values, features, entry.collapse, notes)
    if len(set(features.names.tolist())) < len(features.names):
        if inferred is not None:
            entry = inferred.of_duplicates(entry)
        how = entry.duplicates or "refuse"
        values, features = merge_duplicates(where, values, features, how, notes)
    return values, features, has_missing


def settle_scale(
    values: np.ndarray,
    features: Features,
    samples: Samples,
    *,
    table: TextTable,
    entry: DatasetEntry,
    are_intensities: bool,
    notes: list[str],
) -> str:
    """Transform values in place by the key ``transform``; return their scale, as in `DataSet`.

    Only linear features of ``values`` (n_features, n_samples) are transformed. The ``notes`` get
    sentences on values whose scale needs attention, and on features that are probably covariates.
    The key ``scale`` replaces the recognised scale.
    """
    where = f"data set {entry.id}: {table.path}"
    how = Transform(entry.transform_name) if entry.transform else Transform.NONE
    if how is not Transform.NONE and entry.scale:
        _refuse_second_logarithm(where, entry)

    # Angles and categories have no scale. Values are those of genes if the source is of arrays,
    # if symbols are known, or if the entry has counts.
    is_linear = features.kinds == "linear"
    linear_values = values if is_linear.all() else values[is_linear]
    are_genes = are_intensities or "symbol" in features.annotation
    are_counts = how in (Transform.LOG_CPM, Transform.TMM)
    recognised = recognise_scale(
        linear_values,
        samples=samples.names,
        features=features.names,
        file_name=Path(table.path).name,
        is_array=are_intensities and not are_counts,
        are_genes=are_genes or are_counts,
    )

    # The transform, or a note where the values need one.
    if how is Transform.TMM:
        notes += keep_counts(where, values, is_linear, samples.names)
    elif how is not Transform.NONE:
        notes += transform(
            where,
            linear_values,
            how,
            recognised=recognised,
            samples=samples.names,
            floor=entry.transform_floor,
        )
    else:
        # The key scale declares that the direction of cycles was corrected. Values that are not
        # logged may be of anything, unless they are known to be of arrays.
        is_reversed = recognised.kind is RecognisedScale.CYCLES and not entry.scale
        may_be_anything = recognised.kind is RecognisedScale.NOT_LOGGED and not are_intensities
        if is_reversed or not (recognised.is_logged or may_be_anything):
            notes.append(recognised.reason)

    # Features of another scale, as an age among genes. Other kinds have other scales in any case.
    if not is_linear.all():
        values[is_linear] = linear_values
    elif covariates := features.names[of_other_scale(values)].tolist():
        notes.append(_about_covariates(covariates))

    # The scale of the result: that of the transform, or of logarithms of genes.
    if entry.scale or how is not Transform.NONE:
        return entry.scale or _SCALES[how]
    return recognised.base if are_genes else ""


def _refuse_second_logarithm(where: str, entry: DatasetEntry) -> NoReturn:
    """Refuse a transform of values whose ``scale`` is that of logarithms."""
    msg = (
        f"{where}: scale: {entry.scale} declares logarithms, and transform: "
        f"{entry.transform_name} would take them again; keep one of the two"
    )
    raise InputError(msg, key="scale")


def _about_covariates(names: Sequence[str]) -> Note:
    """Return a note on features of another scale than all others."""
    setting = flow_yaml({"columns": list(names)})
    return Note(
        f"{', '.join(map(repr, names))}: unlike all other features",
        advice=f"if they are covariates, not genes, set phenotype: {setting}",
    )
