"""From a file's contents to a data set: labels, groups, logarithms, missing values, duplicates."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted, listed
from xnbflow.core.terms import batch_column
from xnbflow.data.dataset import COUNTS, DataSet
from xnbflow.data.note import Note
from xnbflow.sources.annotation import annotate_features
from xnbflow.sources.class_labels import LabelRule
from xnbflow.sources.draft import Draft
from xnbflow.sources.intensities import keep_counts, looks_like_counts, scale_of, transform
from xnbflow.sources.merging import collapse_probes, settle_duplicates
from xnbflow.sources.missing_values import settle_missing
from xnbflow.sources.plausibility import (
    is_technical,
    lone_features,
    repeated_samples,
    suggested_group,
)
from xnbflow.sources.sample_columns import column_named, refuse_unknown, require_columns
from xnbflow.sources.sequencing import read_tallies, tally_pattern
from xnbflow.sources.sheet import SheetRow

#: Scales of values that are noted in any table.
_NOTED = {"counts", "estimated counts", "TPM", "CPM", "FPKM", "logged twice", "mixed"}
#: Controls of Affymetrix and Agilent, and the spike-ins of the ERCC.
_CONTROL = re.compile(r"AFFX[-_]|\([+-]\)|DarkCorner|GE_BrightCorner|ERCC-\d{5}$")


def assemble(dataset: SheetRow, draft: Draft) -> DataSet:
    """Return the series of a draft, by the options of its row in the sheet.

    In this order: control probes are dropped and features annotated; samples without a label are
    omitted (or refused); columns for groups and batches are found; values are transformed, missing
    ones settled, probes collapsed to genes, and repeated names merged.
    """
    options = dataset.options
    _drop_controls(draft, options.get("controls", "drop"))
    _annotate(dataset, draft)
    selected = _select_samples(dataset, draft)
    groups = _groups(dataset, draft, selected)
    metadata = _mark_batch(options.get("batch"), selected.metadata)
    _check_samples(draft, selected.names, groups)
    scale = _settle_scale(dataset, draft, selected.names)
    missing = settle_missing(draft, options.get("missing", "refuse"), selected.positions)
    collapse_probes(draft, options.get("collapse", "none"))
    settle_duplicates(draft, options.get("duplicates", "refuse"))
    return DataSet(
        name=dataset.id,
        values=draft.values,
        features=draft.features,
        samples=selected.names,
        labels=selected.labels,
        kinds=draft.kinds,
        groups=groups,
        sample_metadata=metadata if len(metadata.columns) else None,
        feature_metadata=draft.feature_metadata,
        missing=missing,
        notes=tuple(draft.notes),
        scale=scale,
    )


@dataclass(frozen=True)
class _Samples:
    """The samples of a draft that have a label, (n_samples,) each.

    ``positions`` are those in the file; ``metadata`` has a row per sample.
    """

    names: np.ndarray
    labels: np.ndarray
    positions: np.ndarray
    metadata: pd.DataFrame


def _select_samples(dataset: SheetRow, draft: Draft) -> _Samples:
    """Return the samples that have a label, and omit the values of the others from the draft.

    Columns that the options ``phenotype_columns`` and ``batch`` name are required.
    """
    rule = LabelRule.parse(dataset)
    where = f"{draft.where}, {draft.label_place}"
    labels, keep, notes = rule.apply(where, draft.samples, draft.labels)
    draft.notes += notes
    metadata = draft.sample_metadata.loc[keep].reset_index(drop=True)
    if not keep.all():
        draft.values = np.ascontiguousarray(draft.values[:, keep])
    phenotype_columns = dataset.names("phenotype_columns")
    require_columns(draft.where, metadata, "phenotype_columns", phenotype_columns)
    if batch := dataset.options.get("batch"):
        require_columns(draft.where, metadata, "batch", [batch])
    return _Samples(
        names=np.asarray(draft.samples, dtype=str)[keep],
        labels=labels,
        positions=np.flatnonzero(keep),
        metadata=metadata,
    )


def _mark_batch(batch: str | None, metadata: pd.DataFrame) -> pd.DataFrame:
    """Rename the column of the option ``batch``, if its name does not mean one, to ``batch (x)``.

    The audit recognises a batch by its name.
    """
    if not batch or is_technical(batch):
        return metadata
    return metadata.rename(columns={batch: batch_column(batch)})


def _settle_scale(dataset: SheetRow, draft: Draft, samples: np.ndarray) -> str:
    """Transform values by the option ``transform``; return their scale, as in `DataSet`.

    Only linear features are transformed. Notes report values whose scale needs attention, and
    features that are probably covariates. The option ``scale`` replaces the detected scale.
    """
    options = dataset.options
    notes = draft.notes
    is_linear = np.ones(len(draft.values), dtype=bool)
    if draft.kinds is not None:
        is_linear = np.asarray(draft.kinds) == "linear"
    linear_values = draft.values if is_linear.all() else draft.values[is_linear]
    how = options.get("transform", "none")
    file_name = draft.where.rpartition("/")[2]
    kind, finding = scale_of(linear_values, samples, file_name)
    if how != "none" and "scale" in options:
        msg = (
            f"{draft.where}: option scale={options['scale']} declares logarithms, and transform="
            f"{how} would take them again; keep one of the two"
        )
        raise InputError(msg, key="scale")
    if how == "tmm":
        notes += keep_counts(draft.where, draft.values, is_linear)
    elif how != "none":
        notes += transform(draft.where, linear_values, how, kind, finding)
    elif kind in _NOTED or (kind == "not logged" and draft.note_unlogged):
        notes.append(finding)
    if not is_linear.all():
        draft.values[is_linear] = linear_values
    elif lone := lone_features(draft.values, draft.features):
        note = Note(
            f"{', '.join(map(repr, lone))}: unlike all other features",
            advice=(
                "if they are covariates, not genes, set "
                f"phenotype_columns={','.join(lone)} in the sheet's options"
            ),
        )
        notes.append(note)
    if "scale" in options:
        return options["scale"]
    if how == "none":
        is_logged = kind == "logarithms" and not looks_like_counts(linear_values)
        return "log2" if is_logged and _is_of_array(draft) else ""
    # log2 and log2p1 have the base 2
    return {"log_cpm": "ln", "tmm": COUNTS}.get(how, "log2")


def _is_of_array(draft: Draft) -> bool:
    """Return whether values are those of genes: the source is of arrays, or symbols are known."""
    has_symbols = draft.feature_metadata is not None and "symbol" in draft.feature_metadata
    return draft.note_unlogged or has_symbols


def _drop_controls(draft: Draft, how: str) -> None:
    """Leave out control probes of the array."""
    names = np.asarray(draft.features, dtype=str)
    is_control = np.array([_CONTROL.match(name) is not None for name in names], dtype=bool)
    if how == "keep" or not is_control.any() or is_control.all():
        return
    note = Note(
        f"{counted(int(is_control.sum()), 'control probe', 'was', 'were')} left out "
        f"({listed(names[is_control], 3)})",
        advice="the option controls=keep keeps them",
    )
    draft.notes.append(note)
    place_in_file = draft.place
    rows = np.flatnonzero(~is_control)
    draft.take_rows(draft.values[rows], rows)
    draft.place = lambda feature, sample: place_in_file(int(rows[feature]), sample)


def _annotate(dataset: SheetRow, draft: Draft) -> None:
    """Add the sheet's annotation of features to that of the file."""
    has_symbols = draft.feature_metadata is not None and "symbol" in draft.feature_metadata
    annotation = annotate_features(
        dataset, list(draft.features), draft.platforms, draft.notes, has_symbols=has_symbols
    )
    if annotation is None:
        return
    if draft.feature_metadata is not None:
        others = draft.feature_metadata.drop(columns=list(annotation), errors="ignore")
        annotation = pd.concat([others, annotation], axis=1)
    draft.feature_metadata = annotation


def _groups(dataset: SheetRow, draft: Draft, samples: _Samples) -> np.ndarray | None:
    """Return the group of each sample, by the option ``group``; note a column that may be one.

    A group that is the class in other words is refused.
    """
    metadata = samples.metadata
    n_samples = len(samples.names)
    option = dataset.options.get("group")
    if option is None:
        if column := suggested_group(metadata, samples.labels, least=(2, 2)):
            note = Note(
                f"{column!r} has {metadata[column].nunique()} values for {n_samples} samples",
                advice=(
                    f"if it names patients, set group={column} in the sheet's options, so that "
                    "none is on both sides of a fold"
                ),
            )
            draft.notes.append(note)
        return None
    name = column_named(metadata, option)
    require_columns(draft.where, metadata, "group", [name])
    refuse_unknown(draft.where, metadata[name], samples.names, "group")
    groups = metadata[name].to_numpy(dtype=str)
    # As many pairs as groups and as classes: each group is one class, and each class one group.
    n_pairs = len(set(zip(groups, samples.labels, strict=True)))
    is_class = n_pairs == len(set(groups)) == len(set(samples.labels))
    if is_class and 1 < n_pairs < n_samples:
        msg = (
            f"{draft.where}: the group {name!r} is the class: each of its values is one class, so "
            "that no fold has a class in training and test. These samples cannot show whether a "
            f"classifier recognises the class or {name!r}; to go on, set batch={name} instead of "
            f"group={name}, and the audit will name it"
        )
        raise InputError(msg, key="group")
    return groups


def _check_samples(draft: Draft, samples: np.ndarray, groups: np.ndarray | None) -> None:
    """Note repeated samples; refuse reads that belong to no gene, which change sums."""
    if tallies := read_tallies(draft.features):
        msg = (
            f"{draft.where}: {listed(tallies)} are reads that belong to no gene, not features; set "
            f"drop={tally_pattern(tallies)} in the sheet's options"
        )
        raise InputError(msg, key="drop", sheet=True)
    if copies := repeated_samples(draft.values, groups):
        several = [" = ".join(map(str, samples[positions])) for positions in copies]
        note = Note(
            f"{counted(len(copies), 'sample', 'has', 'have')} several names, all values being the "
            f"same: {listed(several)}",
            advice=(
                "leave out all but one, or name what they share by group=, otherwise training and "
                "test share samples"
            ),
        )
        draft.notes.append(note)
