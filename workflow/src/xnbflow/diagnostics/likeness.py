"""Repeated and nearly equal samples, within a cohort and across cohorts."""

import numpy as np
import pandas as pd

#: Least correlation of two samples that are the same, each feature centred in its cohort.
ALIKE = 0.7
#: With fewer features only equal values count: few features correlate by chance.
ENOUGH = 100
#: Least excess over the correlation with any other sample, on Fisher's scale.
_APART = 0.5


def shared_samples(
    first: np.ndarray, second: np.ndarray, names: tuple[np.ndarray, np.ndarray]
) -> pd.DataFrame:
    """Return which samples of two cohorts are the same.

    Both have values of the same features, (n_features, n_first) and (n_features, n_second), none
    missing. By "name": the same accession of GEO, or the same name and a correlation of `ALIKE` or
    more. By "values": equal in all features. By "likeness": features centred within each cohort,
    the samples correlate by `ALIKE` or more, and by far more than either does with any other sample
    of the other cohort. This finds copies that were normalised again, and replicates of one patient
    (Waldron and others, "The doppelgänger effect", Journal of the National Cancer Institute 108,
    2016, djw146).
    """
    correlation = _standard(first).T @ _standard(second)
    similar = (correlation >= ALIKE) & (len(first) >= ENOUGH)
    accession = np.char.startswith(names[0].astype(str), "GSM")[:, None]
    same_name = (names[0][:, None] == names[1]) & (accession | similar)
    one, other = (
        np.array([column.tobytes() for column in values.T], dtype=object)
        for values in (first, second)
    )
    same_values = one[:, None] == other
    i, j = np.nonzero(same_name | same_values | (similar & _are_apart(correlation)))
    by = np.select([same_name[i, j], same_values[i, j]], ["name", "values"], "likeness")
    found = {"first": names[0][i], "second": names[1][j], "by": by}
    return pd.DataFrame({**found, "correlation": correlation[i, j]})


def similar_samples(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of samples of one cohort that are alike, and their correlations.

    By likeness, as in `shared_samples`: copies that were normalised again, technical replicates. No
    value (n_features, n_samples) may be missing; with fewer than `ENOUGH` features there are no
    such pairs. Pairs (n_pairs, 2) are positions, the lower first.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=(200, 6))
    >>> values[:, 4] = 3 * values[:, 1] + 0.1 * values[:, 0]
    >>> similar_samples(values)[0].tolist()
    [[1, 4]]
    """
    standard = _standard(values)
    correlation = standard.T @ standard
    np.fill_diagonal(correlation, -1.0)
    alike = (correlation >= ALIKE) & (len(values) >= ENOUGH) & _are_apart(correlation)
    pairs = np.argwhere(np.triu(alike))
    return pairs, correlation[tuple(pairs.T)]


def _are_apart(correlation: np.ndarray) -> np.ndarray:
    """Return a mask of pairs whose correlation by far exceeds those with any other sample."""
    z = np.arctanh(np.clip(correlation, -1 + 1e-12, 1 - 1e-12))
    return np.asarray(z - np.maximum(_best_other(z), _best_other(z.T).T) >= _APART)


def _best_other(z: np.ndarray) -> np.ndarray:
    """Return for each pair the greatest value of its row without it, -inf in a single column."""
    if z.shape[1] < 2:
        return np.full(z.shape, -np.inf)
    second, best = np.sort(z, axis=1)[:, -2:].T
    return np.where(z == best[:, None], second[:, None], best[:, None])


def _standard(values: np.ndarray) -> np.ndarray:
    """Return samples with features centred, then of mean 0 and length 1."""
    centred = values - values.mean(axis=1, keepdims=True)
    centred -= centred.mean(axis=0)
    length = np.sqrt(np.sum(centred**2, axis=0))
    return np.divide(centred, length, out=np.zeros_like(centred), where=length > 0)
