"""Whether a class is high or low in a feature: one rule for the page, the signature, the sets."""

import numpy as np

__all__ = ["direction"]


def direction(medians: np.ndarray, means: np.ndarray, code: int) -> str:
    """Return where a class is in a feature among all classes.

    Parameters
    ----------
    medians, means : ndarray of shape (n_classes,)
        Of the feature within each class; NaN of a class without a value, which does not count.
    code : int
        The class.

    Returns
    -------
    {"high", "low", "between", "equal"}
        Above or below every other class or between them by the medians; by the means where all
        medians are equal, as in counts that are mostly zero.

    Examples
    --------
    >>> medians = np.array([1.0, 3.0, 2.0])
    >>> [direction(medians, medians, code) for code in range(3)]
    ['low', 'high', 'between']
    >>> direction(np.zeros(2), np.array([0.1, 0.4]), 1), direction(np.ones(2), np.ones(2), 0)
    ('high', 'equal')
    """
    found = _place(medians, code)
    return _place(means, code) if found == "equal" else found


def _place(centres: np.ndarray, code: int) -> str:
    mine, others = centres[code], np.delete(centres, code)
    others = others[~np.isnan(others)]
    if np.isnan(mine) or (mine == others).all():
        return "equal"
    if (mine >= others).all():
        return "high"
    return "low" if (mine <= others).all() else "between"
