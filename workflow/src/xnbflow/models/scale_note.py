"""Difference in scale between a table to predict and the training data, in words."""

import numpy as np

from xnbflow.core.nouns import counted

#: Factors between these may be due to noise or to another mix of classes.
_SMALLEST_FACTOR = 2 / 3
_LARGEST_FACTOR = 3 / 2
#: Features whose median is further than this from the middle, in widths, determine a factor.
_FAR = 2.0
#: Fewest features that determine a factor.
_FEWEST_FEATURES = 3
#: Least shift to report, in training quartile ranges.
_LEAST_SHIFT = 1.0
#: The same for a single sample, whose values are its medians and vary more.
_LEAST_SHIFT_OF_SAMPLE = 2.0


def scale_note(quartiles: np.ndarray, values: np.ndarray) -> str | None:
    """Return in words how a cohort's scale differs from the training data's; None if it does not.

    ``quartiles`` (3, n_features) are of the training samples, ``values`` (n_samples, n_features)
    the cohort's; missing ones do not count.

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
    present = ~np.isnan(values).all(axis=0)
    lower, middle, upper = quartiles[:, present]
    medians = np.nanmedian(values[:, present], axis=0)
    widths = upper - lower
    varies = widths > 0
    if not varies.any():
        return None
    factor = _scale_factor(middle, medians, widths)
    if factor is not None and not _SMALLEST_FACTOR < factor < _LARGEST_FACTOR:
        times = f"{factor:.1f}" if 0.1 <= factor < 1000 else f"{factor:.1e}"
        return (
            f"its values are about {times} times those of the training data (medians of "
            f"{counted(present.sum(), 'feature')}); bring them to the training data's scale, "
            "or train with a rank transformation"
        )
    shift = np.median(np.abs(medians - middle)[varies] / widths[varies])
    least_shift = _LEAST_SHIFT_OF_SAMPLE if len(values) == 1 else _LEAST_SHIFT
    if shift > least_shift:
        return (
            f"its medians lie {shift:.1f} training quartile ranges off, half of them further "
            f"({counted(varies.sum(), 'feature')}); the cohorts are not on one scale"
        )
    return None


def _scale_factor(training: np.ndarray, cohort: np.ndarray, widths: np.ndarray) -> float | None:
    """Return the slope of cohort medians on training medians; None where medians hardly differ.

    The slope is the median over features with a low or high training median of the quotient of
    deviations from the middle. Where all features have about the same median it is the median of
    the quotients of the medians themselves, of features that are far from 0.
    """
    middle = np.median(training)
    far = np.abs(training - middle) > _FAR * np.median(widths)
    if far.sum() < _FEWEST_FEATURES:
        far_from_zero = np.abs(training) > _FAR * widths
        if far_from_zero.sum() < _FEWEST_FEATURES:
            return None
        return float(np.median(cohort[far_from_zero] / training[far_from_zero]))
    origin = np.median(cohort[~far]) if (~far).any() else np.median(cohort)
    return float(np.median((cohort[far] - origin) / (training[far] - middle)))
