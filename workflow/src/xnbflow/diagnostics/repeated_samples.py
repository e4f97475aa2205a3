"""Repeated and nearly equal samples, and samples of the same patients, across cohorts."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from xnbflow.diagnostics.features import MAD_TO_SD

#: Least correlation of two samples of one cohort that are alike, each feature centred.
ALIKE = 0.7
#: Least correlation of two samples of different cohorts that are copies of each other. Samples of
#: different cells of one patient reach .8.
COPIES = 0.85
#: Least number of features for correlations; few features correlate by chance.
ENOUGH = 100
#: Features by which repeated samples are found, samples from which on they are searched, the most
#: samples of a group, and the least mean number of samples of a level of a column that is removed.
_VARIABLE_FEATURES = 2000
_FEWEST_FOR_REPEATS = 8
_LARGEST_REPEATS = 10
_MEAN_OF_LEVEL = 4
#: Least excess of the likeness within a group over that with other samples, in robust standard
#: deviations of all pairs, and least correlation within a group.
_GAP = 2.0
_LEAST_REPEAT = 0.3
#: Where patients correlate less: least excess of the mean likeness within a group over that of the
#: group with any other sample, in the same units; the most samples of a group; and the least number
#: of groups of one class each, and least share of the samples in them.
_WEAK_GAP = 2.0
_LARGEST_WEAK = 6
_FEWEST_WEAK_GROUPS = 8
_LEAST_WEAK_SHARE = 0.6
#: Least excess over the correlation with any other sample, on Fisher's scale.
_APART = 0.5
#: Largest p with which samples are considered to be from the same patients.
_CERTAIN = 0.001
#: Least number of groups with samples of two cohorts, and least share of the second one's samples
#: in them, that are probably of the same patients. Independent cohorts had at most 4, and .13.
_FEWEST_SHARED_GROUPS = 5
_LEAST_SHARED = 0.2
#: Simulations of the number of mutual pairs.
_SIMULATIONS = 4999
#: Simulations that are in memory together.
_AT_ONCE = 200
#: Least number of samples of a class in a cohort; with two, half of the pairs are mutual by chance.
_FEWEST_OF_CLASS = 3


def shared_samples(
    first: np.ndarray, second: np.ndarray, names: tuple[np.ndarray, np.ndarray]
) -> pd.DataFrame:
    """Return which samples of two cohorts are the same.

    Both have values of the same features, (n_features, n_first) and (n_features, n_second), none
    missing; ``names`` are the names of their samples. Two samples are the same

    - by "name", if they have the same accession of GEO, or the same name and a correlation of at
      least `ALIKE`;
    - by "values", if they are equal in all features;
    - by "likeness", if their correlation is at least `COPIES`, and far larger than that of either
      with any other sample of the other cohort. This finds copies that were normalised again
      (Waldron and others, "The doppelgänger effect", Journal of the National Cancer Institute 108,
      2016, djw146).

    Correlations are those of samples in standard units, with features centred in each cohort.
    """
    correlation = _standardise_samples(_in_units(first)).T @ _standardise_samples(_in_units(second))
    enough = len(first) >= ENOUGH
    similar = (correlation >= ALIKE) & enough
    copies = (correlation >= COPIES) & enough & _are_apart(correlation)
    accession = np.char.startswith(names[0].astype(str), "GSM")[:, None]
    same_name = (names[0][:, None] == names[1]) & (accession | similar)
    same_values = _sample_bytes(first)[:, None] == _sample_bytes(second)
    i, j = np.nonzero(same_name | same_values | copies)
    by = np.select([same_name[i, j], same_values[i, j]], ["name", "values"], "likeness")
    return pd.DataFrame(
        {
            "first": names[0][i],
            "second": names[1][j],
            "by": by,
            "correlation": correlation[i, j],
        }
    )


def _sample_bytes(values: np.ndarray) -> np.ndarray:
    """Return the values of each sample as bytes, (n_samples,), to compare them all at once."""
    return np.array([sample.tobytes() for sample in values.T], dtype=object)


@dataclass(frozen=True)
class PatientMatch:
    """The number of samples of two cohorts that are each other's nearest in their class.

    ``p`` is the probability of at least this number of ``mutual`` pairs, out of ``possible`` ones,
    between samples of different patients. ``groups`` is the number of sets of samples of both
    cohorts that are more alike than others, and ``share`` that of the second cohort's samples in
    them: where a patient has several samples, or only some patients are the same, few pairs are
    mutual.
    """

    mutual: int
    possible: int
    p: float
    groups: int = 0
    share: float = 0.0

    @property
    def same_patients(self) -> bool:
        """Whether samples are probably of the same patients, by mutual pairs or by groups."""
        are_mutual = self.p <= _CERTAIN and 2 * self.mutual > self.possible
        return are_mutual or self.in_groups

    @property
    def in_groups(self) -> bool:
        """Whether enough samples of the second cohort are in groups with those of the first."""
        return self.groups >= _FEWEST_SHARED_GROUPS and self.share >= _LEAST_SHARED


def matched_patients(
    first: np.ndarray, second: np.ndarray, classes: tuple[np.ndarray, np.ndarray]
) -> PatientMatch:
    """Test whether the samples of two cohorts are of the same patients.

    Samples of one patient are similar beyond their class, because other cells or another time share
    the patient's genotype and treatment. Features are centred within the classes of each cohort.
    Two samples of a class are a *mutual pair* if each correlates most with the other. If all
    patients differ, correlations are exchangeable, and their means by row and column are 0 because
    features are centred. The number of mutual pairs is therefore compared with that in matrices of
    independent normal numbers that are centred by row and column. Groups of samples of both cohorts
    are found as within one cohort (`likely_repeats`).

    Parameters
    ----------
    first, second : ndarray of shape (n_features, n_first) and (n_features, n_second)
        Values of the same features, none missing.
    classes : tuple of two ndarray
        The classes of the samples. Classes with fewer than three samples in a cohort are omitted.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> patients = rng.normal(size=(300, 12))
    >>> cells = [patients + 1.5 * rng.normal(size=(300, 12)) for _ in range(2)]
    >>> labels = np.repeat(["a", "b"], 6)
    >>> matched_patients(*cells, (labels, labels)).same_patients
    True
    >>> other = rng.normal(size=(300, 12))
    >>> matched_patients(cells[0], other, (labels, labels)).same_patients
    False
    """
    rng = np.random.default_rng(0)
    mutual = 0
    possible = 0
    simulated = np.zeros(_SIMULATIONS, dtype=int)
    for label in np.intersect1d(*classes):
        one = first[:, classes[0] == label]
        other = second[:, classes[1] == label]
        n = one.shape[1]
        m = other.shape[1]
        if min(n, m) < _FEWEST_OF_CLASS or len(first) < ENOUGH:
            continue
        correlations = _standardise_samples(one).T @ _standardise_samples(other)
        mutual += int(_mutual_pairs(correlations[None])[0])
        possible += min(n, m)
        for start in range(0, _SIMULATIONS, _AT_ONCE):
            size = min(_AT_ONCE, _SIMULATIONS - start)
            numbers = rng.normal(size=(size, n, m))
            numbers -= numbers.mean(axis=1, keepdims=True)
            numbers -= numbers.mean(axis=2, keepdims=True)
            simulated[start : start + size] += _mutual_pairs(numbers)
    if not possible:
        return PatientMatch(0, 0, 1.0)
    p = (1 + np.count_nonzero(simulated >= mutual)) / (1 + _SIMULATIONS)
    groups, share = _groups_of_both(first, second, classes)
    return PatientMatch(mutual, possible, float(p), groups, share)


def _groups_of_both(
    first: np.ndarray, second: np.ndarray, classes: tuple[np.ndarray, np.ndarray]
) -> tuple[int, float]:
    """Return how many groups have samples of both cohorts, and the second one's share in them.

    The arguments are those of `matched_patients`. Features are centred within the classes of each
    cohort, and have one variance in both.
    """
    cohorts = np.repeat([0, 1], [first.shape[1], second.shape[1]])
    labels = np.concatenate([np.asarray(column, dtype=str) for column in classes])
    class_of_cohort = np.char.add(np.array(["first ", "second "])[cohorts], labels)
    residuals = []
    for number, values in enumerate((first, second)):
        of_cohort = class_of_cohort[cohorts == number]
        within = np.array(values, dtype=float)
        for label in np.unique(of_cohort):
            members = of_cohort == label
            within[:, members] -= within[:, members].mean(axis=1, keepdims=True)
        residuals.append(_in_units(within.T).T)
    z, _ = _likeness_within_classes(np.hstack(residuals), [class_of_cohort])

    n_groups = 0
    n_shared = 0
    for candidate in _disjoint(_weak_sets(z, class_of_cohort)):
        members = candidate.members
        are_of_both = len(np.unique(cohorts[members])) == 2
        if are_of_both and len(np.unique(labels[members])) == 1:
            n_groups += 1
            n_shared += int(cohorts[members].sum())
    return n_groups, n_shared / second.shape[1]


def _mutual_pairs(correlations: np.ndarray) -> np.ndarray:
    """Return for each matrix the number of entries that are the maxima of their row and column."""
    in_row = correlations == correlations.max(axis=2, keepdims=True)
    in_column = correlations == correlations.max(axis=1, keepdims=True)
    return np.asarray((in_row & in_column).sum(axis=(1, 2)))


def similar_samples(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of samples of one cohort that are alike, and their correlations.

    These are copies that were normalised again, and technical replicates: their correlation is at
    least `ALIKE`, and far larger than that of either with any other sample. No value (n_features,
    n_samples) may be missing; with fewer than `ENOUGH` features there are no such pairs. Pairs
    (n_pairs, 2) are positions, the lower first.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=(200, 6))
    >>> values[:, 4] = 3 * values[:, 1] + 0.1 * values[:, 0]
    >>> similar_samples(values)[0].tolist()
    [[1, 4]]
    """
    standardised = _standardise_samples(values)
    correlation = standardised.T @ standardised
    np.fill_diagonal(correlation, -1.0)
    alike = (correlation >= ALIKE) & (len(values) >= ENOUGH) & _are_apart(correlation)
    pairs = np.argwhere(np.triu(alike))
    return pairs, correlation[tuple(pairs.T)]


@dataclass(frozen=True)
class LikelyRepeats:
    """Samples that are probably of the same patients, or replicates of each other.

    Attributes
    ----------
    group : ndarray of int, shape (n_samples,)
        The number of the group of each sample, -1 of samples that are in none.
    likeness : ndarray of shape (n_samples,)
        Mean correlation of a sample with the others of its group, after class means are removed;
        NaN for samples in no group.
    """

    group: np.ndarray
    likeness: np.ndarray

    @property
    def share(self) -> float:
        """Share of the samples that are in a group."""
        return float(np.mean(self.group >= 0))


def likely_repeats(
    values: np.ndarray, labels: np.ndarray, columns: Sequence[np.ndarray] = ()
) -> LikelyRepeats:
    """Return groups of samples that are far more alike than samples of different patients.

    Values are centred within the classes, so that two samples of a class are not alike because of
    it, and tumour and normal tissue of a patient are. ``z`` are the correlations of samples on
    Fisher's scale, over the 2,000 features of largest variance within classes; they spread by ``s``
    (1.4826 times the median absolute deviation of all pairs). A set of samples is a group if the
    mean z of each member with the others exceeds its largest z with any sample outside by `_GAP`
    times s, and is at least that of a correlation of `_LEAST_REPEAT`. Candidates are the nodes of
    average linkage with at most `_LARGEST_REPEATS` samples and a third of all; of nested ones the
    furthest apart is the group.

    Of independent samples the largest and the second largest z of a sample differ by more than c s
    with a probability of about ``exp(-c sqrt(2 log n))``, and both members of a pair must do so.
    Subtypes and batches are sets of many samples, whose likeness to others is continuous. The few
    samples of a class that are in the batch of another one are alike, however: the effects of
    recorded ``columns`` are removed with the class means, and groups are reported from one more
    than there are classes on, as an unrecorded batch makes one group of each class.

    Samples of a patient that correlate less, such as .2, are not apart one by one, but many such
    groups together are. Three fifths of the samples must then be in groups of one class, of at most
    `_LARGEST_WEAK` samples, and these must be at least `_FEWEST_WEAK_GROUPS` (`_weak_sets`).
    Batches and chips have samples of several classes, and subtypes are fewer and larger.

    Parameters
    ----------
    values : ndarray of shape (n_features, n_samples)
        None missing.
    labels : ndarray of shape (n_samples,)
    columns : sequence of ndarray of shape (n_samples,), optional
        Categories of the samples, as batches; those with less than four samples of a level in the
        mean, which may be patients, are not removed.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> patients = rng.normal(size=(400, 10))
    >>> values = np.repeat(patients, 2, axis=1) + rng.normal(size=(400, 20))  # a correlation of .5
    >>> labels = np.repeat(["a", "b"], 10)
    >>> likely_repeats(values, labels).group.tolist()
    [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9]
    >>> likely_repeats(rng.normal(size=(400, 20)), labels).share
    0.0
    """
    n_samples = values.shape[1]
    group = np.full(n_samples, -1)
    likeness = np.full(n_samples, np.nan)
    if len(values) < ENOUGH or n_samples < _FEWEST_FOR_REPEATS:
        return LikelyRepeats(group, likeness)
    z, spread = _likeness_within_classes(values, [labels, *columns])

    # An unrecorded batch makes one group of each class: so many are no finding.
    strong = _disjoint(_distant_sets(z, spread))
    if len(strong) <= len(np.unique(labels)):
        strong = []
    weak = _weak_groups(z, labels)
    n_strong = sum(len(candidate.members) for candidate in strong)
    n_weak = sum(len(candidate.members) for candidate in weak)
    for number, candidate in enumerate(weak if n_weak > n_strong else strong):
        group[candidate.members] = number
        likeness[candidate.members] = candidate.correlations

    # Groups are numbered in the order of their first samples.
    number_of_group: dict[int, int] = {}
    for number in group[group >= 0].tolist():
        number_of_group.setdefault(number, len(number_of_group))
    renumbered = np.array([number_of_group.get(number, -1) for number in group.tolist()])
    return LikelyRepeats(renumbered, likeness)


def _likeness_within_classes(
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
    standardised = _standardise_samples(residuals[np.sort(variable)])
    correlation = standardised.T @ standardised
    z = np.arctanh(np.clip(correlation, -1 + 1e-12, 1 - 1e-12))
    pairs = z[np.triu_indices(len(z), 1)]
    spread = MAD_TO_SD * np.median(np.abs(pairs - np.median(pairs)))
    return z, float(spread)


class _LikeSamples(NamedTuple):
    """Samples that are more alike than each of them is with any other, by ``distance`` in z.

    ``correlations`` (n_members,) are the mean ones of each member with the others.
    """

    distance: float
    members: np.ndarray
    correlations: np.ndarray


def _distant_sets(z: np.ndarray, spread: float) -> Iterator[_LikeSamples]:
    """Yield the sets of average linkage whose members are far more alike than with others."""
    n_samples = len(z)
    largest = min(_LARGEST_REPEATS, n_samples // 3)
    for members in _linked_sets(z, largest):
        outside = np.setdiff1d(np.arange(n_samples), members)
        within = z[np.ix_(members, members)].copy()
        np.fill_diagonal(within, 0.0)
        mean_within = within.sum(axis=1) / (len(members) - 1)
        distance = (mean_within - z[np.ix_(members, outside)].max(axis=1)).min()
        correlations = np.tanh(mean_within)
        if distance >= _GAP * spread and correlations.min() >= _LEAST_REPEAT:
            yield _LikeSamples(float(distance), members, correlations)


def _disjoint(candidates: Iterable[_LikeSamples]) -> list[_LikeSamples]:
    """Return sets without common samples: of nested ones, the one that is furthest apart."""
    chosen: list[_LikeSamples] = []
    taken: set[int] = set()
    for candidate in sorted(candidates, key=lambda candidate: -candidate.distance):
        members = set(candidate.members.tolist())
        if taken.isdisjoint(members):
            chosen.append(candidate)
            taken |= members
    return chosen


def _weak_groups(z: np.ndarray, labels: np.ndarray) -> list[_LikeSamples]:
    """Return many small groups of one class that hold most of the samples, or none.

    ``z`` (n_samples, n_samples) is the likeness, as in `likely_repeats`.
    """
    groups = [
        candidate
        for candidate in _disjoint(_weak_sets(z, labels))
        if len(np.unique(labels[candidate.members])) == 1
    ]
    n_members = sum(len(candidate.members) for candidate in groups)
    are_many = len(groups) >= _FEWEST_WEAK_GROUPS
    return groups if are_many and n_members >= _LEAST_WEAK_SHARE * len(z) else []


def _weak_sets(z: np.ndarray, labels: np.ndarray) -> Iterator[_LikeSamples]:
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

    for members in _linked_sets(centred, min(_LARGEST_WEAK, n_samples // 3)):
        size = len(members)
        within = centred[np.ix_(members, members)].sum() / (size * (size - 1))
        outside = np.setdiff1d(np.arange(n_samples), members)
        distance = within - centred[np.ix_(members, outside)].mean(axis=0).max()
        if distance >= _WEAK_GAP * spread:
            likeness = z[np.ix_(members, members)].copy()
            np.fill_diagonal(likeness, 0.0)
            correlations = np.tanh(likeness.sum(axis=1) / (size - 1))
            yield _LikeSamples(float(distance), members, correlations)


def _levels(columns: Sequence[np.ndarray]) -> list[tuple[int, np.ndarray]]:
    """Return the number of levels and the codes of the classes, and of columns of few levels."""
    levels = []
    for position, column in enumerate(columns):
        names, codes = np.unique(column, return_inverse=True)
        if position == 0 or len(names) * _MEAN_OF_LEVEL <= len(codes):
            levels.append((len(names), codes))
    return levels


def _linked_sets(z: np.ndarray, largest: int) -> list[np.ndarray]:
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


def _are_apart(correlation: np.ndarray) -> np.ndarray:
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


def _in_units(values: np.ndarray) -> np.ndarray:
    """Return each sample in its standard deviations, so that a copy may have another scale."""
    deviations = values.std(axis=0)
    return np.divide(values, deviations, out=np.zeros(values.shape), where=deviations > 0)


def _standardise_samples(values: np.ndarray) -> np.ndarray:
    """Return samples with features centred, then of mean 0 and length 1."""
    centred = values - values.mean(axis=1, keepdims=True)
    centred -= centred.mean(axis=0)
    length = np.sqrt(np.sum(centred**2, axis=0))
    return np.divide(centred, length, out=np.zeros_like(centred), where=length > 0)
