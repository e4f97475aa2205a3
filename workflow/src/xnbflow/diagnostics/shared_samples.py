"""Samples of two cohorts that are the same, and samples that are of the same patients."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from xnbflow.diagnostics.sample_likeness import (
    ALIKE,
    ENOUGH,
    are_apart,
    disjoint_sets,
    in_standard_units,
    likeness_within_classes,
    standardise_samples,
    weak_sets,
)

#: Least correlation of two samples of different cohorts that are copies of each other. Samples of
#: different cells of one patient reach .8.
COPIES = 0.85
#: Largest p with which samples are considered to be from the same patients.
_CERTAIN = 0.001
#: Least number of groups with samples of two cohorts that are probably of the same patients.
#: Independent cohorts had at most 4.
_FEWEST_SHARED_GROUPS = 5
#: Least share of the second cohort's samples in these groups. Independent cohorts had at most .13.
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
    correlation = standardise_samples(in_standard_units(first)).T @ standardise_samples(
        in_standard_units(second)
    )
    enough = len(first) >= ENOUGH
    similar = (correlation >= ALIKE) & enough
    copies = (correlation >= COPIES) & enough & are_apart(correlation)
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
    are found as within one cohort (`xnbflow.diagnostics.repeated_samples.likely_repeats`).

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
        correlations = standardise_samples(one).T @ standardise_samples(other)
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


def _mutual_pairs(correlations: np.ndarray) -> np.ndarray:
    """Return for each matrix the number of entries that are the maxima of their row and column."""
    in_row = correlations == correlations.max(axis=2, keepdims=True)
    in_column = correlations == correlations.max(axis=1, keepdims=True)
    return np.asarray((in_row & in_column).sum(axis=(1, 2)))


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
        residuals.append(in_standard_units(within.T).T)
    z, _ = likeness_within_classes(np.hstack(residuals), [class_of_cohort])

    n_groups = 0
    n_shared = 0
    for candidate in disjoint_sets(weak_sets(z, class_of_cohort)):
        members = candidate.members
        are_of_both = len(np.unique(cohorts[members])) == 2
        if are_of_both and len(np.unique(labels[members])) == 1:
            n_groups += 1
            n_shared += int(cohorts[members].sum())
    return n_groups, n_shared / second.shape[1]
