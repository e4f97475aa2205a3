"""Repeated and nearly equal samples, and samples of the same patients, across cohorts."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

#: Least correlation of two samples of one cohort that are alike, each feature centred.
ALIKE = 0.7
#: Least correlation of two samples of different cohorts that are copies of each other. Samples of
#: different cells of one patient reach .8.
COPIES = 0.85
#: Least number of features for correlations; few features correlate by chance.
ENOUGH = 100
#: Least excess over the correlation with any other sample, on Fisher's scale.
_APART = 0.5
#: Largest p with which samples are considered to be from the same patients.
_CERTAIN = 0.001
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
    correlation = _standardised(_in_units(first)).T @ _standardised(_in_units(second))
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
    between samples of different patients.
    """

    mutual: int
    possible: int
    p: float

    @property
    def same_patients(self) -> bool:
        """Whether the samples are probably of the same patients: small p, and most pairs mutual."""
        return self.p <= _CERTAIN and 2 * self.mutual > self.possible


def matched_patients(
    first: np.ndarray, second: np.ndarray, classes: tuple[np.ndarray, np.ndarray]
) -> PatientMatch:
    """Test whether the samples of two cohorts are of the same patients.

    Samples of one patient are similar beyond their class, because other cells or another time share
    the patient's genotype and treatment. Features are centred within the classes of each cohort.
    Two samples of a class are a *mutual pair* if each correlates most with the other. If all
    patients differ, correlations are exchangeable, and their means by row and column are 0 because
    features are centred. The number of mutual pairs is therefore compared with that in matrices of
    independent normal numbers that are centred by row and column.

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
        correlations = _standardised(one).T @ _standardised(other)
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
    return PatientMatch(mutual, possible, float(p))


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
    standardised = _standardised(values)
    correlation = standardised.T @ standardised
    np.fill_diagonal(correlation, -1.0)
    alike = (correlation >= ALIKE) & (len(values) >= ENOUGH) & _are_apart(correlation)
    pairs = np.argwhere(np.triu(alike))
    return pairs, correlation[tuple(pairs.T)]


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


def _standardised(values: np.ndarray) -> np.ndarray:
    """Return samples with features centred, then of mean 0 and length 1."""
    centred = values - values.mean(axis=1, keepdims=True)
    centred -= centred.mean(axis=0)
    length = np.sqrt(np.sum(centred**2, axis=0))
    return np.divide(centred, length, out=np.zeros_like(centred), where=length > 0)
