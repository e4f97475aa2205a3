"""The values of a table: numbers, categories, angles; rows and columns without; equal samples."""

import math

import numpy as np

from xnbflow.core.errors import quoted
from xnbflow.core.nouns import counted, either
from xnbflow.data.dataset import row_slices
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.cell_texts import category_codes, is_missing
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.series.feature_names import TOTAL
from xnbflow.sources.series.features import Features
from xnbflow.sources.series.samples import Samples

#: Periods of the units of angles.
_PERIODS = {"degrees": 360.0, "radians": 2 * math.pi}
#: Least number of names of which the last may be a total.
_LEAST_SUMMED = 4
#: Largest relative difference of a total from the sum, due to rounding.
_ROUNDING_OF_TOTAL = 1e-3
#: Least number of features by which samples are recognised as equal.
_FEWEST_COMPARED = 20


def read_values(
    table: TextTable, features: Features, entry: DatasetEntry, *, release: bool
) -> np.ndarray:
    """Return the values of features, (n_features, n_samples); NaN where one is missing.

    Categories become codes, and angles radians. With ``release`` the texts of the table are removed
    from memory as they are converted.
    """
    is_category = features.kinds == "categorical"
    if not is_category.any():
        values = table.values(features.places.tolist(), release=release)
    else:
        values = np.empty((len(features.places), len(table.samples)))
        # Categories are read first: the texts of their rows may be released with the numbers.
        values[is_category] = _category_codes(table, features.places[is_category].tolist(), entry)
        numbers = features.places[~is_category].tolist()
        values[~is_category] = table.values(numbers, release=release)
    for row in np.flatnonzero(features.kinds == "angular").tolist():
        values[row] *= 2 * math.pi / period_of(entry.angular[features.names[row]])
    return values


def period_of(unit: str | float) -> float:
    """Return the period of an angle by its unit in the key ``angular``.

    Examples
    --------
    >>> period_of("degrees"), period_of(24)
    (360.0, 24.0)
    """
    return float(_PERIODS.get(str(unit), unit))


def _category_codes(table: TextTable, variables: list[int], entry: DatasetEntry) -> np.ndarray:
    """Return the codes of categories, (n_variables, n_samples); NaN where a cell is missing."""
    codes = np.full((len(variables), len(table.samples)), np.nan)
    literal = set(entry.literal)
    for row, cells in enumerate(table.texts(variables)):
        present = [i for i, cell in enumerate(cells) if cell in literal or not is_missing(cell)]
        codes[row, present] = category_codes([cells[i] for i in present])
    return codes


def remaining_values(
    values: np.ndarray, variables: np.ndarray, features: Features, samples: Samples
) -> np.ndarray:
    """Return the values of some of the features and samples of a table.

    ``values`` are (n_variables, n_samples), of all samples and of the ``variables`` of the table
    that are features, in ascending order. They are copied where some are left out.
    """
    if len(features.places) < len(values):
        values = values[np.searchsorted(variables, features.places)]
    if len(samples.places) < values.shape[1]:
        values = values.take(samples.places, axis=1)
    return values


def leave_out_others(
    values: np.ndarray,
    features: Features,
    samples: Samples,
    entry: DatasetEntry,
    notes: list[str],
) -> tuple[Features, Samples]:
    """Return the features and samples without rows and columns that are neither, with notes.

    Those without a name and without a value are due to separators at the ends of lines. With
    samples in columns, features without a name are omitted if most have one. A last row or column
    that is named as a total is omitted if it is one.
    """
    # Most tables have a name in every row and column, and no total.
    last_names = [*features.names[-1:], *samples.names[-1:]]
    has_total = any(TOTAL.fullmatch(name) for name in last_names)
    if not has_total and "" not in features.names and "" not in samples.names:
        return features, samples

    variables = features.places
    features, samples = _leave_out_empty(values, features, samples, notes)
    if entry.samples == "columns":
        features = _leave_out_unnamed(features, notes)
    remaining = remaining_values(values, variables, features, samples)
    if _is_last_the_total(features.names, remaining):
        notes.append(f"{quoted(features.names[-1])} is the sum of all others and was left out")
        features = features.take(np.arange(len(features.names) - 1))
        remaining = remaining[:-1]
    if _is_last_the_total(samples.names, remaining.T):
        notes.append(f"{quoted(samples.names[-1])} is the sum of all others and was left out")
        samples = samples.take(np.arange(len(samples.names) - 1))
    return features, samples


def _leave_out_empty(
    values: np.ndarray, features: Features, samples: Samples, notes: list[str]
) -> tuple[Features, Samples]:
    """Omit features and samples without a name and without a value, unless all are."""
    is_missing_value = np.isnan(values)
    is_empty_feature = (features.names == "") & is_missing_value.all(axis=1)
    is_empty_sample = (samples.names == "") & is_missing_value.all(axis=0)
    for name in samples.columns:
        is_empty_sample &= samples.columns[name].map(is_missing).to_numpy(dtype=bool)
    n_empty = int(is_empty_feature.sum() + is_empty_sample.sum())
    if not n_empty or is_empty_feature.all() or is_empty_sample.all():
        return features, samples
    what = either(n_empty, "column or row was", "columns or rows were")
    notes.append(f"{n_empty:,} {what} left out, without a name and without a value")
    kept_features = features.take(np.flatnonzero(~is_empty_feature))
    return kept_features, samples.take(np.flatnonzero(~is_empty_sample))


def _leave_out_unnamed(features: Features, notes: list[str]) -> Features:
    """Omit features without a name, if most features have one."""
    is_named = features.names != ""
    n_unnamed = int((~is_named).sum())
    if not n_unnamed or "categorical" in features.kinds or n_unnamed >= is_named.sum():
        return features
    verb = either(n_unnamed, "was", "were")
    notes.append(f"{counted(n_unnamed, 'feature')} without a name {verb} left out")
    return features.take(np.flatnonzero(is_named))


def _is_last_the_total(names: np.ndarray, values: np.ndarray) -> bool:
    """Return whether the last name is that of a total, and the last row the sum of all others.

    ``values`` are (n_names, n).
    """
    if len(names) < _LEAST_SUMMED or not TOTAL.fullmatch(str(names[-1])):
        return False
    sums = np.nansum(values[:-1], axis=0)
    return np.allclose(sums, values[-1], rtol=_ROUNDING_OF_TOTAL)


def repeated_samples(values: np.ndarray, groups: np.ndarray | None = None) -> list[list[int]]:
    """Return the positions of samples with equal values: one sample that is given twice.

    The result is empty with few features, or whole numbers alone, since samples may agree by
    chance, and where a group keeps such samples together.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=(30, 4))
    >>> values[:, 3] = values[:, 1]
    >>> repeated_samples(values), repeated_samples(values, np.array(["p", "q", "r", "q"]))
    ([[1, 3]], [])
    """
    if len(values) < _FEWEST_COMPARED:
        return []
    sums = np.zeros(values.shape[1])  # equal samples have equal sums, and few others have
    for rows in row_slices(values.shape):
        sums += np.nansum(values[rows], axis=0)
    _, position, counts = np.unique(sums, return_inverse=True, return_counts=True)
    samples_of_values: dict[bytes, list[int]] = {}
    for sample in np.flatnonzero(counts[position] > 1).tolist():
        samples_of_values.setdefault(values[:, sample].tobytes(), []).append(sample)
    repeated = []
    for samples in samples_of_values.values():
        is_one_group = groups is not None and len(set(groups[samples].tolist())) == 1
        shared_values = values[:, samples[0]]
        is_whole = (shared_values == np.floor(shared_values)).all()
        if len(samples) > 1 and not is_one_group and not is_whole:
            repeated.append(samples)
    return repeated
