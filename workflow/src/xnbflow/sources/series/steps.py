"""From a raw series to a data set: labels, groups, logarithms, missing values, duplicates.

`finish` has the documented order. Each step is a function of the series and its entry that
returns a series; a step that would change nothing is left out, or returns the series itself.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted, either, listed, noun
from xnbflow.core.terms import batch_column
from xnbflow.core.yaml_text import flow_yaml
from xnbflow.data.dataset import COUNTS, DataSet
from xnbflow.data.note import Note
from xnbflow.sources.annotation import read_annotation
from xnbflow.sources.dataset_entry import DatasetEntry, local_path
from xnbflow.sources.platforms import FEWEST_PROBES, probes_note
from xnbflow.sources.series.class_labels import LabelRule
from xnbflow.sources.series.inferred_keys import InferredKeys
from xnbflow.sources.series.intensities import keep_counts, transform
from xnbflow.sources.series.merging import collapse_probes, settle_duplicates
from xnbflow.sources.series.missing_values import settle_missing
from xnbflow.sources.series.plausibility import (
    is_technical,
    repeated_samples,
    suggested_group,
)
from xnbflow.sources.series.raw_series import RawSeries
from xnbflow.sources.series.sample_columns import column_named, refuse_unknown, require_columns
from xnbflow.sources.series.scale_recognition import of_other_scale, recognise_scale
from xnbflow.sources.series.scales import RecognisedScale, Transform
from xnbflow.sources.series.sequencing import is_control, read_tallies

#: The scale of transformed values, as in `DataSet`.
_SCALES = {
    Transform.LOG2: "log2",
    Transform.LOG2P1: "log2",
    Transform.LOG_CPM: "ln",
    Transform.TMM: COUNTS,
}


def finish(
    series: RawSeries, dataset: DatasetEntry, inferred: InferredKeys | None = None
) -> DataSet:
    """Return the data set of a raw series, by the keys of its entry.

    In this order: control probes are dropped and features annotated; samples without a label are
    omitted (or refused); columns for groups and batches are found; values are transformed, missing
    ones settled, probes collapsed to genes, and repeated names merged. A proposal is ``inferred``
    between the steps: keys of the entry, each before the step that needs it.
    """
    series = drop_controls(series, dataset)
    series = _annotate(series, dataset)
    series = label_samples(series, dataset)
    if inferred is not None:
        dataset = inferred.of_samples(series, dataset)
    series = name_groups(series, dataset)
    series = check_samples(series)
    series = settle_scale(series, dataset)
    if inferred is not None:
        dataset = inferred.of_values(series, dataset)
    with np.errstate(invalid="ignore", over="ignore"):  # the data set refuses infinite values
        has_missing = np.isnan(series.values.sum())
    if has_missing:
        series = settle_missing(series, dataset)
    if dataset.collapse:
        series = collapse_probes(series, dataset)
    if len(set(series.features.tolist())) < len(series.features):
        if inferred is not None:
            dataset = inferred.of_names(dataset)
        series = settle_duplicates(series, dataset)
    metadata = series.sample_metadata
    return DataSet(
        name=dataset.id,
        values=series.values,
        features=series.features,
        samples=series.samples,
        labels=series.labels,
        kinds=series.kinds,
        groups=series.groups,
        sample_metadata=metadata if len(metadata.columns) else None,
        feature_metadata=series.feature_metadata,
        missing=series.missing,
        notes=series.notes,
        scale=series.scale,
    )


def drop_controls(series: RawSeries, dataset: DatasetEntry) -> RawSeries:
    """Leave out control probes of the array."""
    are_controls = np.array([is_control(name) for name in series.features], dtype=bool)
    keep_all = dataset.controls == "keep"
    if keep_all or not are_controls.any() or are_controls.all():
        return series
    note = Note(
        f"{counted(int(are_controls.sum()), 'control probe', 'was', 'were')} left out "
        f"({listed(series.features[are_controls], 3)})",
        advice="controls: keep keeps them",
    )
    return series.with_features(np.flatnonzero(~are_controls)).with_notes([note])


def _annotate(series: RawSeries, dataset: DatasetEntry) -> RawSeries:
    """Add the annotation that the key ``annotation`` names to the annotation in the file.

    Notes have the number of features with a symbol, and a difference from the platforms of the
    series. Probes without the key have a note with the line that adds their symbols, unless the
    file has symbols.
    """
    location = dataset.annotation or ""
    metadata = series.feature_metadata
    has_symbols = metadata is not None and "symbol" in metadata
    n_features = len(series.features)
    if location in ("", "none"):
        may_be_probes = bool(series.platforms) or n_features >= FEWEST_PROBES
        note = None
        if not location and not has_symbols and may_be_probes:
            note = probes_note(list(series.features), series.platforms)
        return series if note is None else series.with_notes([note])
    notes: list[str] = []
    annotation, platform = read_annotation(local_path(location) or location, list(series.features))
    if platform and series.platforms and platform not in series.platforms.split():
        notes.append(f"the annotation is of {platform}, the series of {series.platforms}")
    n_symbols = int((annotation["symbol"] != "").sum())
    notes.append(
        f"{n_symbols} of {n_features} {noun(n_features, 'feature')} "
        f"{either(n_symbols, 'has', 'have')} a symbol in the annotation"
    )
    if metadata is not None:
        others = metadata.drop(columns=list(annotation), errors="ignore")
        annotation = pd.concat([others, annotation], axis=1)
    return replace(series, feature_metadata=annotation).with_notes(notes)


def label_samples(series: RawSeries, dataset: DatasetEntry) -> RawSeries:
    """Make labels of the samples' texts, and leave out samples without one."""
    where = f"{series.where}, label {dataset.label!r}"
    labels, keep, notes = LabelRule.parse(dataset).apply(where, series.samples, series.labels)
    if not keep.all():
        series = series.with_samples(np.flatnonzero(keep))
    series = series.with_notes(notes)
    return replace(series, labels=labels.tolist())


def name_groups(series: RawSeries, dataset: DatasetEntry) -> RawSeries:
    """Find the columns that ``phenotype: {columns: ...}``, ``batch`` and ``group`` name.

    A batch gets a name by which the audit recognises it, as ``batch (x)``. Without ``group``
    a column of groups has a note.
    """
    metadata = series.sample_metadata
    if dataset.phenotype_columns:
        columns = list(dataset.phenotype_columns)
        require_columns(series.where, metadata, "phenotype.columns", columns)
    batch = dataset.batch
    if batch:
        require_columns(series.where, metadata, "batch", [batch])
    groups = None
    notes: list[str] = []
    if dataset.group:
        groups = _groups(series, dataset.group)
    elif len(metadata.columns) and (
        column := suggested_group(metadata, np.asarray(series.labels), least=(2, 2))
    ):
        note = Note(
            f"{column!r} has {metadata[column].nunique()} values for {len(metadata)} samples",
            advice=(
                f"if it names patients, set group: {flow_yaml(column)}, so that none is on both "
                "sides of a fold"
            ),
        )
        notes.append(note)
    if batch and not is_technical(batch):
        metadata = metadata.rename(columns={batch: batch_column(batch)})
    return replace(series, groups=groups, sample_metadata=metadata).with_notes(notes)


def _groups(series: RawSeries, column: str) -> np.ndarray:
    """Return the group of each sample by the column of the key ``group``.

    A group that is the class in other words is refused.
    """
    metadata = series.sample_metadata
    labels = np.asarray(series.labels)
    name = column_named(metadata, column)
    require_columns(series.where, metadata, "group", [name])
    refuse_unknown(series.where, metadata[name], series.samples, "group")
    groups = metadata[name].to_numpy(dtype=str)
    # As many pairs as groups and as classes: each group is one class, and each class one group.
    n_pairs = len(set(zip(groups, labels, strict=True)))
    is_class = n_pairs == len(set(groups)) == len(set(labels))
    if is_class and 1 < n_pairs < len(labels):
        msg = (
            f"{series.where}: the group {quoted(name)} is the class: each of its values is one "
            "class, so that no fold has a class in training and test. These samples cannot "
            f"show whether a classifier recognises the class or {quoted(name)}; to go on, set "
            f"batch: {name} instead of group: {name}, and the audit will name it"
        )
        raise InputError(msg, key="group")
    return np.asarray(groups)


def check_samples(series: RawSeries) -> RawSeries:
    """Note repeated samples; refuse reads that belong to no gene, which change sums."""
    if tallies := read_tallies(series.features):
        drop = flow_yaml(tallies)
        msg = (
            f"{series.where}: {listed(tallies)} are reads that belong to no gene, not features; "
            f"set drop: {drop}"
        )
        raise InputError(msg, key="drop")
    copies = repeated_samples(series.values, series.groups)
    if not copies:
        return series
    several = [" = ".join(map(str, series.samples[positions])) for positions in copies]
    note = Note(
        f"{counted(len(copies), 'sample', 'has', 'have')} several names, all values being the "
        f"same: {listed(several)}",
        advice=(
            "leave out all but one, or name what they share by group, otherwise training and "
            "test share samples"
        ),
    )
    return series.with_notes([note])


def settle_scale(series: RawSeries, dataset: DatasetEntry) -> RawSeries:
    """Transform values by the key ``transform``, and set their scale, as in `DataSet`.

    Only linear features are transformed. Notes report values whose scale needs attention, and
    features that are probably covariates. The key ``scale`` replaces the detected scale.
    """
    notes: list[str] = []
    values = series.values
    is_linear = series.kinds == "linear"
    linear_values = values if is_linear.all() else values[is_linear]
    how = Transform(dataset.transform_name or Transform.NONE)
    if how is not Transform.NONE and dataset.scale:
        msg = (
            f"{series.where}: scale: {dataset.scale} declares logarithms, and transform: {how} "
            "would take them again; keep one of the two"
        )
        raise InputError(msg, key="scale")

    # Values of genes: the source is of arrays, or symbols are known, or the entry has counts.
    metadata = series.feature_metadata
    are_genes = series.note_unlogged or (metadata is not None and "symbol" in metadata)
    are_counts = how in (Transform.LOG_CPM, Transform.TMM)
    recognised = recognise_scale(
        linear_values,
        samples=series.samples,
        features=series.features,
        file_name=series.where.rpartition("/")[2],
        is_array=series.note_unlogged and not are_counts,
        are_genes=are_genes or are_counts,
    )

    # The transform, or a note where the values need one.
    if how is Transform.TMM:
        notes += keep_counts(series.where, values, is_linear, series.samples)
    elif how is not Transform.NONE:
        notes += transform(
            series.where,
            linear_values,
            how,
            recognised=recognised,
            samples=series.samples,
            floor=dataset.transform_floor,
        )
    elif recognised.kind is RecognisedScale.CYCLES:
        if not dataset.scale:  # which declares that the direction was corrected
            notes.append(recognised.reason)
    elif not recognised.is_logged and (
        recognised.kind is not RecognisedScale.NOT_LOGGED or series.note_unlogged
    ):
        notes.append(recognised.reason)
    if not is_linear.all():
        values[is_linear] = linear_values
    elif len(lone := series.features[of_other_scale(values)].tolist()):
        note = Note(
            f"{', '.join(map(repr, lone))}: unlike all other features",
            advice=(
                f"if they are covariates, not genes, set phenotype: {flow_yaml({'columns': lone})}"
            ),
        )
        notes.append(note)

    # The scale of the result: that of the transform, or of logarithms of genes.
    scale = _SCALES.get(how, "")
    if how is Transform.NONE and are_genes:
        scale = recognised.base
    return replace(series, scale=dataset.scale or scale).with_notes(notes)
