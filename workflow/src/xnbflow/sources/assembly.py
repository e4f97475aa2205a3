"""From a file's contents to a data set: labels, groups, logarithms, missing values, duplicates."""

import io
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from xnbflow.core.counts import counted, either, listed
from xnbflow.core.errors import InputError
from xnbflow.core.terms import column_of_term
from xnbflow.data.class_design import ClassDesign, class_designs
from xnbflow.data.dataset import COUNTS, DataSet, row_slices
from xnbflow.sources.annotation import annotated
from xnbflow.sources.cell_texts import is_missing
from xnbflow.sources.class_labels import LabelRule
from xnbflow.sources.intensities import keep_counts, looks_like_counts, scale_of, transform
from xnbflow.sources.plausibility import (
    is_technical,
    lone_features,
    read_tallies,
    repeated_samples,
    suggested_group,
)
from xnbflow.sources.sheet import SheetRow

#: Controls of Affymetrix and Agilent, and the spike-ins of the ERCC.
_CONTROL = re.compile(r"AFFX[-_]|\([+-]\)|DarkCorner|GE_BrightCorner|ERCC-\d{5}$")
#: Of features or samples.
Names = Sequence[str] | np.ndarray


@dataclass
class Draft:
    """The contents of a file before the sheet's options are applied.

    ``values`` (n_features, n_samples; NaN where missing) may be changed by `assemble`. ``labels``
    has the text from which each sample's label is made, ``sample_metadata`` the samples' other
    columns. ``place`` returns where the value of a feature and a sample is in the file, ``where``
    and ``label_place`` begin messages. ``note_unlogged`` is whether values that do not look logged
    get a note; those of a clinical table do not. ``platforms`` are those of the file, separated by
    spaces.
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
    note_unlogged: bool = False
    platforms: str = ""


def assemble(dataset: SheetRow, draft: Draft) -> DataSet:
    """Return the series after the sheet's options, applied in their order.

    Samples without a label are left out (or refused), logarithms taken, missing values settled,
    probes collapsed to genes, repeated names merged.
    """
    options, notes = dataset.options, draft.notes
    _drop_controls(draft, options.get("controls", "drop"))
    _annotate(dataset, draft)
    label_where = f"{draft.where}, {draft.label_place}"
    labels, keep, dropped = LabelRule.parse(dataset).apply(label_where, draft.samples, draft.labels)
    notes += dropped
    samples = np.asarray(draft.samples, dtype=str)[keep]
    metadata = draft.sample_metadata.loc[keep].reset_index(drop=True)
    if not keep.all():
        draft.values = np.ascontiguousarray(draft.values[:, keep])
    _require_columns(draft.where, metadata, "phenotype_columns", dataset.names("phenotype_columns"))
    _require_columns(draft.where, metadata, "batch", filter(None, [options.get("batch")]))
    groups = _groups(dataset, draft.where, metadata, samples, labels, notes)
    adjust = _adjusted(dataset, draft.where, metadata, samples)
    if (batch := options.get("batch")) and not is_technical(batch):
        renamed = f"batch ({batch})"  # by which the audit recognises it
        metadata = metadata.rename(columns={batch: renamed})
        terms = {batch: renamed, f"factor({batch})": f"factor({renamed})"}
        adjust = [terms.get(term, term) for term in adjust]
    _look_at(draft, samples, groups)
    linear = np.asarray(["linear"] if draft.kinds is None else draft.kinds) == "linear"
    part = draft.values if linear.all() else draft.values[linear]
    how = options.get("transform", "none")
    kind, seen = scale_of(part, samples)
    if how != "none" and "scale" in options:
        msg = (
            f"{draft.where}: option scale={options['scale']} declares logarithms, and transform="
            f"{how} would take them again; keep one of the two"
        )
        raise InputError(msg, key="scale")
    if how == "tmm":
        notes += keep_counts(draft.where, draft.values, linear)
    elif how != "none":
        notes += transform(draft.where, part, how, kind, seen)
    elif kind in {"counts", "logged twice", "mixed"} or (
        kind == "not logged" and draft.note_unlogged
    ):
        notes.append(seen)
    known = draft.feature_metadata is not None and "symbol" in draft.feature_metadata
    logged = kind == "logarithms" and (draft.note_unlogged or known) and not looks_like_counts(part)
    scales = {"none": "log2" if logged else "", "log_cpm": "ln", "tmm": COUNTS}
    scale = scales.get(how, "log2")
    scale = options.get("scale", scale)
    if not linear.all():
        draft.values[linear] = part
    elif lone := lone_features(draft.values, draft.features):
        notes.append(
            f"{', '.join(map(repr, lone))}: unlike all other features; if they are covariates, "
            f"not genes, set phenotype_columns={','.join(lone)} in the sheet's options"
        )
    missing = _settle_missing(draft, options.get("missing", "refuse"), np.flatnonzero(keep))
    _collapse(draft, options.get("collapse", "none"))
    _settle_duplicates(draft, options.get("duplicates", "refuse"))
    series = DataSet(
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
        scale,
        adjust,
        options.get("trend", "yes" if how == "log_cpm" else "no") == "yes",
        options.get("reference", ""),
        dataset.names("contrasts"),
        options.get("repeated", "mean"),
    )
    return replace(series, notes=(*notes, *_comparison_notes(series, draft.where)))


def _adjusted(
    dataset: SheetRow, where: str, metadata: pd.DataFrame, samples: np.ndarray
) -> list[str]:
    """Return the terms of the option ``adjust``; refuse columns with missing values."""
    terms = []
    for term in dataset.names("adjust"):
        wanted = column_of_term(term)
        name = _column(metadata, wanted)
        _require_columns(where, metadata, "adjust", [name])
        _refuse_unknown(where, metadata[name], samples, "adjust")
        terms.append(name if term == wanted else f"factor({name})")
    return terms


def refuse_inseparable(dataset: SheetRow, phenotype: pd.DataFrame) -> None:
    """Refuse columns of ``adjust`` that the classes or groups of a phenotype file determine.

    The table of values is not needed if the file has labels and groups as well. Samples with a
    missing value are ignored.
    """
    where, group = f"data set {dataset.id}, phenotype", dataset.options.get("group")
    wanted = [dataset.label or "", *map(column_of_term, dataset.names("adjust"))]
    names = [_column(phenotype, name) for name in [*wanted, *([group] if group else [])]]
    if len(wanted) < 2 or not {*names} <= {*phenotype}:
        return
    known = phenotype[~phenotype[names].map(is_missing).any(axis=1)]
    try:
        labels, keep, _ = LabelRule.parse(dataset).apply(where, known.index, known[names[0]])
    except InputError:
        return  # possibly of samples that are not in the table; `assemble` reads the labels again
    samples, known = known.index[keep].to_numpy(), known[keep].reset_index(drop=True)
    terms = _adjusted(dataset, where, known, samples)
    groups = known[names[-1]].to_numpy(dtype=str) if group else None
    empty = np.empty((0, len(samples)))
    series = DataSet(dataset.id, empty, [], samples, labels, None, groups, known, adjust=terms)
    if len(series.classes) > 1:
        _comparison_notes(series, where)


def _comparison_notes(series: DataSet, where: str) -> list[str]:
    """Return how classes are compared gene by gene; refuse columns that cannot be adjusted for."""
    covariates, notes = series.covariates, []
    for name, cells in covariates.items():
        n = len(set(cells))
        kind = (
            "numbers" if cells.dtype.kind == "f" else f"{n} {either(n, 'category', 'categories')}"
        )
        notes.append(f"{name!r} ({kind})")
    if notes:
        notes = [f"comparisons of single genes are adjusted for {', '.join(notes)}"]
    if series.groups is None and not series.adjust:
        return notes
    codes = np.unique(series.labels, return_inverse=True)[1]
    try:
        designs = class_designs(codes, series.groups, covariates)
    except InputError as error:
        if not series.adjust:
            return notes  # too few samples for a test, which is not an error in the sheet
        raise InputError(f"{where}: {error}", key="adjust") from error
    return notes + _mixture(series, designs)


def _mixture(series: DataSet, designs: Sequence[ClassDesign]) -> list[str]:
    """Return a note if some groups have samples of several classes and others of one class."""
    blocks = designs[0].blocks
    singles = 0 if series.groups is None else len(set(series.groups)) - blocks
    if not blocks or not singles:
        return []
    done = "left out" if designs[0].left_out else "compared with each other by their means"
    others = series.classes[~designs[0].compared]
    note = (
        f"single genes are compared within {counted(blocks, 'group')} of several classes; "
        f"{counted(singles, 'group')} of one class {either(singles, 'is', 'are')} {done}"
    )
    if len(others):
        note += f"; {listed(others)}, in no group with another class, by the means of all groups"
    return [note]


def _drop_controls(draft: Draft, how: str) -> None:
    """Leave out control probes of the array."""
    names = np.asarray(draft.features, dtype=str)
    found = np.array([_CONTROL.match(name) is not None for name in names], dtype=bool)
    if how == "keep" or not found.any() or found.all():
        return
    draft.notes.append(
        f"{counted(int(found.sum()), 'control probe', 'was', 'were')} left out "
        f"({listed(names[found], 3)}); the option controls=keep keeps them"
    )
    place, kept = draft.place, np.flatnonzero(~found)
    _take_rows(draft, draft.values[kept], kept)
    draft.place = lambda feature, sample: place(int(kept[feature]), sample)


def _annotate(dataset: SheetRow, draft: Draft) -> None:
    """Add the sheet's annotation of features to that of the file."""
    found = annotated(dataset, list(draft.features), draft.platforms, draft.notes)
    own = draft.feature_metadata
    if found is not None and own is not None:
        found = pd.concat([own.drop(columns=list(found), errors="ignore"), found], axis=1)
    draft.feature_metadata = own if found is None else found


def _take_rows(draft: Draft, values: np.ndarray, rows: np.ndarray) -> None:
    """Keep some of the features."""
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
    wanted = dataset.options.get("group")
    if wanted is None:
        if hint := suggested_group(metadata, labels, least=(2, 2)):
            notes.append(
                f"{hint!r} has {metadata[hint].nunique()} values for {len(samples)} samples: if it "
                f"names patients, set group={hint} in the sheet's options, so that "
                "none is on both sides of a fold"
            )
        return None
    name = _column(metadata, wanted)
    _require_columns(where, metadata, "group", [name])
    _refuse_unknown(where, metadata[name], samples, "group")
    groups = metadata[name].to_numpy(dtype=str)
    pairs = {(group, label) for group, label in zip(groups, labels, strict=True)}
    if 1 < len(pairs) == len(set(groups)) == len(set(labels)) < len(samples):
        msg = (
            f"{where}: the group {name!r} is the class: each of its values is one class, so that "
            "no fold has a class in training and test. These samples cannot show whether a "
            f"classifier recognises the class or {name!r}; to go on, set batch={name} instead of "
            f"group={name}, and the audit will name it"
        )
        raise InputError(msg, key="group")
    return groups


def _column(metadata: pd.DataFrame, wanted: str) -> str:
    """Return the column of a name; small and capital letters are alike if no name is equal."""
    columns = {column.lower(): column for column in metadata}
    return wanted if wanted in metadata else columns.get(wanted.lower(), wanted)


def _require_columns(where: str, metadata: pd.DataFrame, option: str, names: Iterable[str]) -> None:
    """Refuse names in an option that are not columns of the samples."""
    for name in names:
        if name not in metadata:
            msg = (
                f"{where}: there is no {name!r}, which the sheet's option {option} names; there "
                f"are {listed(list(metadata.columns)) or 'no further columns'}"
            )
            raise InputError(msg, key=option)


def _refuse_unknown(where: str, cells: pd.Series, samples: np.ndarray, option: str) -> None:
    """Refuse missing values of a column that an option names."""
    if unknown := list(samples[cells.map(is_missing)]):
        msg = (
            f"{where}: {counted(len(unknown), 'sample', 'has', 'have')} no {cells.name!r}, which "
            f"the option {option} names: {listed(unknown)}; fill it in, or leave the samples out"
        )
        raise InputError(msg, key=option)


def _look_at(draft: Draft, samples: np.ndarray, groups: np.ndarray | None) -> None:
    """Note repeated samples; refuse reads that belong to no gene, which change sums."""
    if tallies := read_tallies(draft.features):
        stems = "__*" if tallies[0].startswith("__") else "N_*"
        msg = (
            f"{draft.where}: {listed(tallies)} are reads that belong to no gene, not features; set "
            f"drop={stems} in the sheet's options"
        )
        raise InputError(msg, key="drop")
    if found := repeated_samples(draft.values, groups):
        several = [" = ".join(map(str, samples[positions])) for positions in found]
        draft.notes.append(
            f"{counted(len(found), 'sample', 'has', 'have')} several names, all values being the "
            f"same: {listed(several)}; leave out all but one, or name what they share by group=, "
            "otherwise training and test share samples"
        )


def _settle_missing(draft: Draft, rule: str, places: np.ndarray) -> bool:
    """Drop features with missing values; return whether values remain to be imputed.

    The ``rule`` is ``refuse``, ``impute``, ``drop_features`` (all with a missing value) or
    ``drop_features:0.2`` (those that miss more than that share); ``places`` are the samples' in the
    file. Errors and notes list the features by how many values they miss.
    """
    n_features, n_samples = draft.values.shape
    n_missing = np.empty(n_features, dtype=np.intp)
    for rows in row_slices(draft.values.shape):
        n_missing[rows] = np.isnan(draft.values[rows]).sum(axis=1)
    affected = np.flatnonzero(n_missing)
    if not len(affected):
        return False
    worst = affected[np.argsort(-n_missing[affected], kind="stable")]
    named = listed(f"{str(draft.features[i])!r} ({n_missing[i]})" for i in worst)
    text = (
        f"{counted(n_missing.sum(), 'value', 'is', 'are')} missing, in {len(affected)} of "
        f"{n_features} features (of {counted(n_samples, 'sample')} each): {named}"
    )
    if rule == "refuse":
        feature = int(affected[0])
        place = draft.place(feature, int(places[np.argmax(np.isnan(draft.values[feature]))]))
        first = f", the first in {place}" if place else ""
        msg = (
            f"{draft.where}: {text}{first}. Fill them in, or set in the sheet's options "
            "missing=impute (in the training folds), missing=drop_features, or "
            "missing=drop_features:0.2 (and impute the rest)"
        )
        raise InputError(msg, key=str(draft.features[feature]))
    most = 1.0 if rule == "impute" else float(rule.partition(":")[2] or 0)
    gone = (n_missing > most * n_samples) | (n_missing == n_samples)
    draft.notes.append(f"missing values: {text}")
    if gone.all():
        msg = f"{draft.where}: {text}; no feature is left. Fill some in, or drop fewer"
        raise InputError(msg, key="missing")
    if gone.any():
        draft.notes.append(
            f"{counted(gone.sum(), 'feature', 'was', 'were')} dropped for "
            f"{either(gone.sum(), 'its', 'their')} missing values"
        )
        _take_rows(draft, draft.values[~gone], np.flatnonzero(~gone))
    left = int(n_missing[~gone].sum())
    if left:
        n_left = int((n_missing[~gone] > 0).sum())
        draft.notes.append(
            f"{counted(left, 'missing value')} of {counted(n_left, 'feature')} "
            f"{either(left, 'remains', 'remain')}, to be imputed in the training folds"
        )
    return left > 0


def _collapse(draft: Draft, how: str) -> None:
    """Make one feature of each gene, if the sheet's option ``collapse`` asks for it."""
    if how == "none":
        return
    table = draft.feature_metadata
    if table is None or "symbol" not in table or not table["symbol"].any():
        msg = (
            f"{draft.where}: collapse={how} needs the symbols of probes; name their platform's "
            "annotation in the sheet's options, as annotation=GPL570"
        )
        raise InputError(msg, key="annotation")
    symbols = table["symbol"].to_numpy(dtype=str)
    several = np.char.find(symbols, "///") >= 0
    probes = np.flatnonzero((symbols != "") & ~several)
    merged, genes, taken = merge_rows(draft.values[probes], symbols[probes], how)
    draft.notes.append(
        f"{counted(len(probes), 'probe', 'was', 'were')} collapsed to "
        f"{counted(len(genes), 'gene')} ({how}); left out were "
        f"{(symbols == '').sum()} without a symbol and {several.sum()} of several genes"
    )
    _take_rows(draft, merged, probes[taken])
    if how != "median" and draft.feature_metadata is not None:
        draft.feature_metadata = draft.feature_metadata.assign(probe=draft.features)
    draft.features = genes


def merge_rows(
    values: np.ndarray, names: Sequence[str] | np.ndarray, how: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return merged rows, one of each name, the names in order, and the row taken for each.

    ``max_mean`` takes the row whose mean over all samples is largest (the first of equals);
    ``mean`` and ``median`` are those of the rows, sample by sample. Missing values (NaN) do not
    count; labels play no part.

    Examples
    --------
    >>> merged, unique, rows = merge_rows(
    ...     np.array([[1.0, 2.0], [9.0, 9.0], [5.0, 8.0]]), ["TP53", "MYC", "TP53"], "max_mean"
    ... )
    >>> merged.tolist(), unique.tolist(), rows.tolist()
    ([[5.0, 8.0], [9.0, 9.0]], ['TP53', 'MYC'], [2, 1])
    """
    codes, unique = pd.factorize(np.asarray(names, dtype=object))
    order = np.argsort(codes, kind="stable")
    of_name = np.split(order, np.searchsorted(codes[order], np.arange(1, len(unique))))
    rows = np.array([each[0] for each in of_name], dtype=np.intp)
    merged = values[rows]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Mean of empty slice|All-NaN slice", RuntimeWarning)
        for name, block in enumerate(of_name):
            if len(block) == 1:
                continue
            if how == "max_mean":
                means = np.nanmean(values[block], axis=1)
                rows[name] = block[np.argmax(np.where(np.isnan(means), -np.inf, means))]
                merged[name] = values[rows[name]]
            else:
                middle = np.nanmean if how == "mean" else np.nanmedian
                merged[name] = middle(values[block], axis=0)
    return merged, np.asarray(unique, dtype=str), rows


def _settle_duplicates(draft: Draft, how: str) -> None:
    """Merge features whose names repeat, by the sheet's option ``duplicates``."""
    repeated = [(name, n) for name, n in Counter(draft.features).most_common() if n > 1]
    if not repeated:
        return
    named = listed(f"{str(name)!r} ({count} times)" for name, count in repeated)
    text = f"{counted(len(repeated), 'feature name', 'repeats', 'repeat')}: {named}"
    if how == "refuse":
        msg = (
            f"{draft.where}: {text}. Make names unique, or set in the sheet's options "
            "duplicates=max_mean (keep the row of largest mean), duplicates=mean or "
            "duplicates=rename (keep all, as name, name.1, name.2)"
        )
        raise InputError(msg, key="duplicates")
    if how == "rename":
        header = pd.DataFrame(columns=draft.features).to_csv(index=False)
        draft.features = list(pd.read_csv(io.StringIO(header), index_col=False).columns)
        draft.notes.append(f"{text}; all but the first of each got the suffix .1, .2, ...")
        return
    merged, _, rows = merge_rows(draft.values, draft.features, how)
    _take_rows(draft, merged, rows)
    done = "the one of largest mean was kept" if how == "max_mean" else "their mean was taken"
    draft.notes.append(f"{text}; {done}")
