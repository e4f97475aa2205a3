"""Repeated and nearly equal samples of one cohort, and samples of one patient in it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from xnbflow.diagnostics.sample_likeness import (
    ALIKE,
    ENOUGH,
    LikeSamples,
    are_apart,
    disjoint_sets,
    likeness_within_classes,
    linked_sets,
    standardise_samples,
    weak_sets,
)

#: Samples from which on repeats are searched.
_FEWEST_FOR_REPEATS = 8
#: Most samples of a group.
_LARGEST_REPEATS = 10
#: Least excess of the likeness within a group over that with other samples, in robust standard
#: deviations of all pairs.
_GAP = 2.0
#: Least correlation within a group.
_LEAST_REPEAT = 0.3
#: Where patients correlate less: least number of groups of one class each.
_FEWEST_WEAK_GROUPS = 8
#: Least share of the samples in these groups.
_LEAST_WEAK_SHARE = 0.6


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
    standardised = standardise_samples(values)
    correlation = standardised.T @ standardised
    np.fill_diagonal(correlation, -1.0)
    alike = (correlation >= ALIKE) & (len(values) >= ENOUGH) & are_apart(correlation)
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
    six samples, and these must be at least `_FEWEST_WEAK_GROUPS` (`weak_sets`).
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
    z, spread = likeness_within_classes(values, [labels, *columns])

    # An unrecorded batch makes one group of each class: so many are no finding.
    strong = disjoint_sets(_distant_sets(z, spread))
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


def _distant_sets(z: np.ndarray, spread: float) -> Iterator[LikeSamples]:
    """Yield the sets of average linkage whose members are far more alike than with others."""
    n_samples = len(z)
    largest = min(_LARGEST_REPEATS, n_samples // 3)
    for members in linked_sets(z, largest):
        outside = np.setdiff1d(np.arange(n_samples), members)
        within = z[np.ix_(members, members)].copy()
        np.fill_diagonal(within, 0.0)
        mean_within = within.sum(axis=1) / (len(members) - 1)
        distance = (mean_within - z[np.ix_(members, outside)].max(axis=1)).min()
        correlations = np.tanh(mean_within)
        if distance >= _GAP * spread and correlations.min() >= _LEAST_REPEAT:
            yield LikeSamples(float(distance), members, correlations)


def _weak_groups(z: np.ndarray, labels: np.ndarray) -> list[LikeSamples]:
    """Return many small groups of one class that hold most of the samples, or none.

    ``z`` (n_samples, n_samples) is the likeness, as in `likely_repeats`.
    """
    groups = [
        candidate
        for candidate in disjoint_sets(weak_sets(z, labels))
        if len(np.unique(labels[candidate.members])) == 1
    ]
    n_members = sum(len(candidate.members) for candidate in groups)
    are_many = len(groups) >= _FEWEST_WEAK_GROUPS
    return groups if are_many and n_members >= _LEAST_WEAK_SHARE * len(z) else []
