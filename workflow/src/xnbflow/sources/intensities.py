"""Intensities: are they logged? And their logarithm."""

import numpy as np

from xnbflow.errors import InputError
from xnbflow.sources.missing import _ROWS

__all__ = ["TRANSFORMS", "intensity_quantiles", "is_not_logged", "transform"]

#: What the sheet's option ``transform`` may be.
TRANSFORMS = ("none", "log2", "log2p1")

_AT_MOST = 1_000_000


def intensity_quantiles(values: np.ndarray) -> np.ndarray:
    """Return the quantiles 0, 0.25, 0.5, 0.75, 0.99 and 1 of what is not missing, shape (6,).

    The extremes are exact; between them, of a large matrix, every so many-th feature counts.
    """
    step = max(1, values.size // _AT_MOST)
    sample = values[::step].ravel()
    sample = sample[~np.isnan(sample)]
    if not len(sample):
        return np.full(6, np.nan)
    quantiles = np.quantile(sample, [0.0, 0.25, 0.5, 0.75, 0.99, 1.0])
    quantiles[0] = np.fmin.reduce(values, axis=None)
    quantiles[-1] = np.fmax.reduce(values, axis=None)
    return quantiles


def is_not_logged(quantiles: np.ndarray) -> bool:
    """Return whether intensities look as if no logarithm had been taken.

    The rule of GEO2R (NCBI): the 99 % quantile exceeds 100, or the range exceeds 50 while the lower
    quartile is positive.

    Parameters
    ----------
    quantiles : ndarray, shape (6,)
        Of `intensity_quantiles`.

    Examples
    --------
    >>> is_not_logged(intensity_quantiles(np.array([[20.0, 300.0, 9000.0]])))
    True
    >>> is_not_logged(intensity_quantiles(np.array([[2.5, 7.1, 13.8]])))
    False
    """
    low, quartile, _, _, high, top = quantiles
    return bool(high > 100 or (top - low > 50 and quartile > 0))


def transform(where: str, values: np.ndarray, how: str) -> list[str]:
    """Take logarithms in place, and say what was seen and done.

    Parameters
    ----------
    where : str
        The data set, for errors.
    values : ndarray of float64, shape (n_features, n_samples)
        Changed in place. Of ``log2`` values of 0 and below become missing, as in GEO2R.
    how : {"none", "log2", "log2p1"}
        ``log2p1`` is log2(x + 1).

    Returns
    -------
    list of str
        For people: whether values look logged, and how many became missing.

    Raises
    ------
    InputError
        If `how` is unknown, or log2p1 meets negative values.
    """
    if how not in TRANSFORMS:
        msg = f"{where}: transform is {how!r}; use one of {', '.join(TRANSFORMS)}"
        raise InputError(msg)
    quantiles = intensity_quantiles(values)
    raw = is_not_logged(quantiles)
    seen = f"99 % quantile {quantiles[4]:.4g}, largest {quantiles[5]:.4g}"
    if how == "none":
        if not raw:
            return []
        return [f"the values look like intensities not logged ({seen}); consider transform=log2"]
    if how == "log2p1" and quantiles[0] < 0:
        msg = f"{where}: transform=log2p1 of {quantiles[0]:.4g}; values must not be negative"
        raise InputError(msg)
    notes = [f"logarithms to base 2 were taken of {'x + 1' if how == 'log2p1' else 'all values'}"]
    if not raw:
        notes.append(f"the values look logged already ({seen}); is transform={how} meant?")
    lost = 0
    for start in range(0, len(values), _ROWS):
        rows = values[start : start + _ROWS]
        if how == "log2p1":
            rows += 1.0
        lost += int((rows <= 0).sum())
        rows[rows <= 0] = np.nan
        np.log2(rows, out=rows)
    if lost:
        notes.append(f"{lost} values of 0 or below became missing, for they have no logarithm")
    return notes
