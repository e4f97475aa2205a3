"""From what a file holds to a series: labels, groups, logarithms, missing values, duplicates."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from xnbflow.data.counts import counted
from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.data.sources.cell_texts import is_missing
from xnbflow.data.sources.collapse import merge_rows, settle_duplicates
from xnbflow.data.sources.hints import (
    lone_features,
    read_tallies,
    repeated_samples,
    suggested_group,
)
from xnbflow.data.sources.intensities import transform
from xnbflow.data.sources.labels import LABEL_OPTIONS, LabelRule, listed
from xnbflow.data.sources.missing import MissingRule, settle_missing
from xnbflow.data.sources.sheet_row import SheetRow

__all__ = ["OPTIONS", "Draft", "assemble"]

#: Options of the sheet that `assemble` reads, whatever the source.
OPTIONS = LABEL_OPTIONS | {"duplicates", "group", "missing", "transform"}

_COLLAPSES = ("none", "max_mean", "median")


#: Of features or samples.
Names = Sequence[str] | np.ndarray


@dataclass
class Draft:
    """What a file holds, before the sheet's options are applied.

    Attributes
    ----------
    where : str
        Data set and file, for messages.
    values : ndarray of float64, shape (n_features, n_samples)
        NaN where a value is missing. `assemble` may change it.
    features, samples : sequence of str
    labels : sequence of str
        The text of each sample from which its label is made.
    label_place : str
        Where that text stands, for messages.
    sample_metadata : DataFrame of str
        Further texts of samples; where the sheet's option ``group`` is looked up.
    kinds : sequence of str, optional
        As in `DataSet`.
    feature_metadata : DataFrame of str, optional
    place : callable, optional
        Given the positions of a feature and a sample, where the value stands in the file.
    notes : list of str
        What has been noted so far.
    tell_unlogged : bool
        Whether values that look not logged are worth a note: not those of a clinical table.
    """

    where: str
    values: np.ndarray
    features: Names
    samples: Names
    labels: Sequence[str]
    label_place: str
    sample_metadata: pd.DataFrame
    kinds: Names | None = None
    feature_metadata: pd.DataFrame | None = None
    place: Callable[[int, int], str] = lambda _feature, _sample: ""
    notes: list[str] = field(default_factory=list)
    tell_unlogged: bool = False


def assemble(dataset: SheetRow, draft: Draft) -> DataSet:
    """Apply the sheet's options in their order, and make the series.

    Samples without a label are left out (or refused), logarithms taken, missing values settled,
    probes collapsed to genes, repeated names merged.

    Raises
    ------
    InputError
        If an option is wrong or the file holds what it must not.
    """
    options, notes = dataset.options, draft.notes
    label_where = f"{draft.where}, {draft.label_place}"
    labels, keep, said = LabelRule.parse(dataset).apply(label_where, draft.samples, draft.labels)
    notes += said
    samples = np.asarray(draft.samples, dtype=str)[keep]
    metadata = draft.sample_metadata.loc[keep].reset_index(drop=True)
    places = np.flatnonzero(keep)
    values = draft.values if keep.all() else np.ascontiguousarray(draft.values[:, keep])
    draft.values = values
    groups = _groups(dataset, draft.where, metadata, samples, labels, notes)
    _refuse_tallies(draft)
    _hint_at_repeated_samples(draft, samples, groups)
    notes += _transformed(dataset, draft)
    _hint_at_lone_features(draft)
    rule = MissingRule.parse(options.get("missing", "refuse"), f"data set {dataset.id}")
    rows, missing, said = settle_missing(
        draft.where,
        draft.values,
        draft.features,
        rule,
        lambda feature, sample: draft.place(feature, int(places[sample])),
    )
    notes += said
    if rows is not None:
        _take_rows(draft, draft.values[rows], np.flatnonzero(rows))
    _collapse(dataset, draft)
    merged = settle_duplicates(
        draft.where, draft.values, draft.features, options.get("duplicates", "refuse")
    )
    if merged is not None:
        _take_rows(draft, *merged[:2])
        notes += merged[2]
    return DataSet(
        dataset.id,
        draft.values,
        draft.features,
        samples,
        labels,
        draft.kinds,
        groups,
        metadata if len(metadata.columns) else None,
        draft.feature_metadata,
        missing,
        tuple(notes),
    )


def _take_rows(draft: Draft, values: np.ndarray, rows: np.ndarray) -> None:
    """Go on with some of the features."""
    draft.values = values
    draft.features = np.asarray(draft.features, dtype=str)[rows]
    if draft.kinds is not None:
        draft.kinds = np.asarray(draft.kinds)[rows]
    if draft.feature_metadata is not None:
        draft.feature_metadata = draft.feature_metadata.iloc[rows].reset_index(drop=True)


def _groups(
    dataset: SheetRow,
    where: str,
    metadata: pd.DataFrame,
    samples: np.ndarray,
    labels: np.ndarray,
    notes: list[str],
) -> np.ndarray | None:
    name = dataset.options.get("group")
    if name is None:
        if hint := suggested_group(metadata, labels):
            distinct = metadata[hint].nunique()
            notes.append(
                f"{hint!r} has {distinct} values for {len(samples)} samples: if it names patients "
                f"(or batches), say group={hint} in the sheet's options, so that none stands on "
                "both sides of a fold"
            )
        return None
    if name not in metadata:
        by_fold = {column.lower(): column for column in metadata}
        if name.lower() not in by_fold:
            msg = (
                f"{where}: there is no {name!r}, which the sheet's option group names; there are "
                f"{listed(list(metadata.columns)) or 'no further columns'}"
            )
            raise InputError(msg)
        name = by_fold[name.lower()]
    groups = metadata[name].to_numpy(dtype=str)
    unknown = [s for s, group in zip(samples, groups, strict=True) if is_missing(group)]
    if unknown:
        msg = (
            f"{where}: {counted(len(unknown), 'sample', 'has', 'have')} no {name!r}, their "
            f"group: {listed(unknown)}; "
            "fill it in, or leave the samples out"
        )
        raise InputError(msg)
    return groups


def _refuse_tallies(draft: Draft) -> None:
    """Refuse reads of no gene among counts: they are no features, and no part of a sample's sum."""
    tallies = read_tallies(draft.features)
    if tallies:
        stems = "__*" if tallies[0].startswith("__") else "N_*"
        msg = (
            f"{draft.where}: {listed(tallies)} are reads that belong to no gene, not features; say "
            f"drop={stems} in the sheet's options"
        )
        raise InputError(msg)


def _transformed(dataset: SheetRow, draft: Draft) -> list[str]:
    how = dataset.options.get("transform", "none")
    tell = draft.tell_unlogged
    if draft.kinds is None or set(draft.kinds) <= {"linear"}:
        return transform(draft.where, draft.values, how, tell_unlogged=tell)
    linear = np.asarray(draft.kinds) == "linear"
    part = draft.values[linear]
    said = transform(draft.where, part, how, tell_unlogged=tell)
    draft.values[linear] = part
    return said


def _hint_at_repeated_samples(draft: Draft, samples: Names, groups: np.ndarray | None) -> None:
    if found := repeated_samples(draft.values, groups):
        several = [" = ".join(str(samples[i]) for i in positions) for positions in found]
        draft.notes.append(
            f"{counted(len(found), 'sample', 'stands', 'stand')} there under several names, all "
            "values being the same: "
            f"{listed(several)}; leave out all but one, or name what they share by group=, lest "
            "a fold train on what it tests"
        )


def _hint_at_lone_features(draft: Draft) -> None:
    if draft.kinds is not None and set(draft.kinds) > {"linear"}:
        return
    if lone := lone_features(draft.values, draft.features):
        draft.notes.append(
            f"{', '.join(map(repr, lone))}: unlike all other features; if they are covariates "
            f"and no genes, say drop={','.join(lone)} in the sheet's options"
        )


def _collapse(dataset: SheetRow, draft: Draft) -> None:
    """Make one feature of each gene, if the sheet says so."""
    how = dataset.options.get("collapse", "none")
    if how not in _COLLAPSES:
        msg = f"data set {dataset.id}: collapse is {how!r}; use one of {', '.join(_COLLAPSES)}"
        raise InputError(msg)
    if how == "none":
        return
    table = draft.feature_metadata
    if table is None or "symbol" not in table or not table["symbol"].any():
        msg = (
            f"{draft.where}: collapse={how} needs the symbols of probes; name their platform's "
            "annotation in the sheet's options, say annotation=GPL570"
        )
        raise InputError(msg)
    symbols = table["symbol"].to_numpy(dtype=str)
    named = (symbols != "") & (np.char.find(symbols, "///") < 0)
    probes = np.flatnonzero(named)
    merged, genes, taken = merge_rows(draft.values[probes], symbols[probes], how)
    several = (np.char.find(symbols, "///") >= 0).sum()
    draft.notes.append(
        f"{counted(len(probes), 'probe', 'was', 'were')} collapsed to "
        f"{counted(len(genes), 'gene')} ({how}); left out were "
        f"{(symbols == '').sum()} without a symbol and {several} of several genes"
    )
    probe_names = np.asarray(draft.features, dtype=str)
    _take_rows(draft, merged, probes[taken])
    draft.features = genes
    if how != "median" and draft.feature_metadata is not None:
        probe = probe_names[probes[taken]]
        draft.feature_metadata = draft.feature_metadata.assign(probe=probe)
