"""How alike samples are: correlations in standard units, and sets of samples apart from all others.

`xnbflow.diagnostics.repeated_samples` finds repeats within a cohort by these, and
`xnbflow.diagnostics.shared_samples` samples and patients of two cohorts.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from xnbflow.diagnostics.features import MAD_TO_SD

#: Least number of features for correlations; few features correlate by chance.
ENOUGH = 100
#: Least correlation of two samples of one cohort that are alike, each feature centred.
ALIKE = 0.7
#: Least excess over the correlation with any other sample, on Fisher's scale.
_APART = 0.5
#: Features that decide the likeness of samples within classes: those of largest variance.
_VARIABLE_FEATURES = 2000
#: Least mean number of samples of a level of a column whose effect is removed.
_MEAN_OF_LEVEL = 4
#: Least excess of the mean likeness within a set over that of the set with any other sample, in
#: robust standard deviations of all pairs, for samples that are not apart one by one.
_WEAK_GAP = 2.0
#: Most samples of such a set.
_LARGEST_WEAK = 6


def standardise_samples(values: np.ndarray) -> np.ndarray:
    """Return samples with features centred, then of mean 0 and length 1."""
    centred = values - values.mean(axis=1, keepdims=True)
    centred -= centred.mean(axis=0)
    length = np.sqrt(np.sum(centred**2, axis=0))
    return np.divide(centred, length, out=np.zeros_like(centred), where=length > 0)


def in_standard_units(values: np.ndarray) -> np.ndarray:
    """Return each sample in its standard deviations, so that a copy may have another scale."""
    deviations = values.std(axis=0)
    return np.divide(values, deviations, out=np.zeros(values.shape), where=deviations > 0)


def are_apart(correlation: np.ndarray) -> np.ndarray:
    """Return a mask of pairs whose correlation far exceeds those with any other sample."""
    z = np.arctanh(np.clip(correlation, -1 + 1e-12, 1 - 1e-12))
    best_other = np.maximum(_best_other(z), _best_other(z.T).T)
    return np.asarray(z - best_other >= _APART)


def _best_other(z: np.ndarray) -> np.ndarray:
    """Return for each entry the maximum of the others in its row, -inf in a single column."""
    if z.shape[1] < 2:
        return np.full(z.shape, -np.inf)
    ascending = np.sort(z, axis=1)
    best = ascending[:, -1:]
    second = ascending[:, -2:-1]
    return np.where(z == best, second, best)


def likeness_within_classes(
    values: np.ndarray, columns: Sequence[np.ndarray]
) -> tuple[np.ndarray, float]:
    """Return Fisher's z of the correlations of samples, (n_samples, n_samples), and its spread.

    The levels of ``columns``, of which the first is the class, are removed from the values. The
    correlations are over the features that then vary most.
    """
    indicators = [np.eye(n_levels)[codes] for n_levels, codes in _levels(columns)]
    left, singular, _ = np.linalg.svd(np.hstack(indicators), full_matrices=False)
    basis = left[:, singular > 1e-9 * singular[0]]
    residuals = values - (values @ basis) @ basis.T

    variable = np.argsort(-residuals.var(axis=1), kind="stable")[:_VARIABLE_FEATURES]
    standardised = standardise_samples(residuals[np.sort(variable)])
    correlation = standardised.T @ standardised
    z = np.arctanh(np.clip(correlation, -1 + 1e-12, 1 - 1e-12))
    pairs = z[np.triu_indices(len(z), 1)]
    spread = MAD_TO_SD * np.median(np.abs(pairs - np.median(pairs)))
    return z, float(spread)


def _levels(columns: Sequence[np.ndarray]) -> list[tuple[int, np.ndarray]]:
    """Return the number of levels and the codes of the classes, and of columns of few levels."""
    levels = []
    for position, column in enumerate(columns):
        names, codes = np.unique(column, return_inverse=True)
        if position == 0 or len(names) * _MEAN_OF_LEVEL <= len(codes):
            levels.append((len(names), codes))
    return levels


class LikeSamples(NamedTuple):
    """Samples that are more alike than each of them is with any other, by ``distance`` in z.

    ``correlations`` (n_members,) are the mean ones of each member with the others.
    """

    distance: float
    members: np.ndarray
    correlations: np.ndarray


def weak_sets(z: np.ndarray, labels: np.ndarray) -> Iterator[LikeSamples]:
    """Yield the sets of average linkage whose mean likeness exceeds that with any other sample.

    The mean over the members of a set has less noise than single pairs. Class means are removed
    from the values, and with them a part of each patient, so that patients of one class have
    negative correlations and those of two have none: the likeness of each pair of classes is
    centred at its median.
    """
    n_samples = len(z)
    centred = z.copy()
    np.fill_diagonal(centred, np.nan)
    for one in np.unique(labels):
        for other in np.unique(labels):
            block = np.ix_(labels == one, labels == other)
            if np.isfinite(centred[block]).any():  # a class of one sample has no pair
                centred[block] -= np.nanmedian(centred[block])
    np.fill_diagonal(centred, 0.0)
    pairs = centred[np.triu_indices(n_samples, 1)]
    spread = MAD_TO_SD * np.median(np.abs(pairs))

    for members in linked_sets(centred, min(_LARGEST_WEAK, n_samples // 3)):
        size = len(members)
        within = centred[np.ix_(members, members)].sum() / (size * (size - 1))
        outside = np.setdiff1d(np.arange(n_samples), members)
        distance = within - centred[np.ix_(members, outside)].mean(axis=0).max()
        if distance >= _WEAK_GAP * spread:
            likeness = z[np.ix_(members, members)].copy()
            np.fill_diagonal(likeness, 0.0)
            correlations = np.tanh(likeness.sum(axis=1) / (size - 1))
            yield LikeSamples(float(distance), members, correlations)


def linked_sets(z: np.ndarray, largest: int) -> list[np.ndarray]:
    """Return the samples of the nodes of average linkage.

    ``z`` (n_samples, n_samples) is the likeness; nodes have at most ``largest`` samples.
    """
    from scipy.cluster.hierarchy import linkage  # noqa: PLC0415  half a second
    from scipy.spatial.distance import squareform  # noqa: PLC0415

    distance = z[~np.eye(len(z), dtype=bool)].max() - z
    np.fill_diagonal(distance, 0.0)
    merges = linkage(squareform(distance, checks=False), method="average")
    sets = [np.array([i]) for i in range(len(z))]
    for first, second in merges[:, :2].astype(int).tolist():
        sets.append(np.sort(np.concatenate([sets[first], sets[second]])))
    return [members for members in sets[len(z) :] if len(members) <= largest]


def disjoint_sets(candidates: Iterable[LikeSamples]) -> list[LikeSamples]:
    """Return sets without common samples: of nested ones, the one that is furthest apart."""
    chosen: list[LikeSamples] = []
    taken: set[int] = set()
    for candidate in sorted(candidates, key=lambda candidate: -candidate.distance):
        members = set(candidate.members.tolist())
        if taken.isdisjoint(members):
            chosen.append(candidate)
            taken |= members
    return chosen
