"""Whether a cohort is measured on the training data's scale: its medians against theirs."""

import numpy as np

from xnbflow.data.counts import counted

__all__ = ["scale_note"]

_MOST_FEATURES = 2000
#: Factors between these are told apart from neither noise nor another mix of classes.
_FACTORS = (2 / 3, 3 / 2)
#: Shifts are told from this many training quartile ranges on; of a single sample, from twice that.
_SHIFT = 1.0


def scale_note(quartiles: np.ndarray, values: np.ndarray) -> str | None:
    """Return in words how a cohort's scale differs from the training data's; None if it does not.

    Parameters
    ----------
    quartiles : ndarray of shape (3, n_features)
        Of the training samples.
    values : ndarray of shape (n_samples, n_features)
        The same features of the cohort; missing values do not count.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> training = rng.normal(8.0, 1.0, (50, 200)) + rng.normal(0, 2, 200)
    >>> quartiles = np.quantile(training, [0.25, 0.5, 0.75], axis=0)
    >>> scale_note(quartiles, training[:20])
    >>> scale_note(quartiles, 2 * training[:20])[:56]
    'its values are about 2.0 times those of the training dat'
    """
    if not values.size:
        return None
    columns = np.linspace(0, values.shape[1] - 1, min(values.shape[1], _MOST_FEATURES)).astype(int)
    columns = columns[~np.isnan(values[:, columns]).all(axis=0)]
    lower, middle, upper = quartiles[:, columns]
    medians = np.nanmedian(values[:, columns], axis=0)
    widths = upper - lower
    known = widths > 0
    if not known.any():
        return None
    factor = _factor(middle, medians, widths)
    if factor is not None and not _FACTORS[0] < factor < _FACTORS[1]:
        return (
            f"its values are about {_number(factor)} times those of the training data (medians of "
            f"{counted(len(columns), 'feature')}); bring them to the training data's scale, "
            "or train with a rank transformation"
        )
    shift = np.median(np.abs(medians - middle)[known] / widths[known])
    if shift > _SHIFT * (2 if len(values) == 1 else 1):
        return (
            f"its medians lie {shift:.1f} training quartile ranges off, half of them further "
            f"({counted(known.sum(), 'feature')}); the cohorts are not on one scale"
        )
    return None


def _factor(training: np.ndarray, cohort: np.ndarray, widths: np.ndarray) -> float | None:
    """Return the slope of cohort medians on training medians; None where medians hardly differ."""
    middle = np.median(training)
    far = np.abs(training - middle) > 2 * np.median(widths)
    if far.sum() < 3:  # features on one level: their ratio to 0, if that is far off, tells
        level = np.abs(training) > 2 * widths
        if level.sum() < 3:
            return None
        return float(np.median(cohort[level] / training[level]))
    origin = np.median(cohort[~far]) if (~far).any() else np.median(cohort)
    return float(np.median((cohort[far] - origin) / (training[far] - middle)))


def _number(value: float) -> str:
    return f"{value:.1f}" if 0.1 <= value < 1000 else f"{value:.1e}"
