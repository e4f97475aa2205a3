"""Bandwidths of kernel densities, per class and feature (XNB paper, section 4.1)."""

import numpy as np

from xnbflow.density.bandwidth_search import adapt, search_likelihood, solve_plug_in
from xnbflow.density.kernels import kernel_code
from xnbflow.density.rule_of_thumb import rule_of_thumb
from xnbflow.errors import require_choice

__all__ = ["BANDWIDTHS", "bandwidths_of"]

BANDWIDTHS = ("silverman", "scott", "sheather_jones", "cross_validation", "adaptive")

#: The factor of the rule of thumb; the other rules start from Silverman's.
_FACTORS = dict.fromkeys(BANDWIDTHS, 0.9) | {"scott": 1.059}


def bandwidths_of(
    tile: np.ndarray, offsets: np.ndarray, rule: str, kernel: str = "gaussian"
) -> np.ndarray:
    """Return the bandwidths of every class and feature.

    Parameters
    ----------
    tile : ndarray of shape (n_samples, n_features)
        Class after class, ascending within each (see `xnbflow.density.tiles`).
    offsets : ndarray of int, shape (n_classes + 1,)
        Class ``c`` has the rows ``offsets[c]`` to ``offsets[c + 1]``.
    rule : str
        One of `BANDWIDTHS`.
    kernel : str
        One of `xnbflow.density.kernels.KERNELS`; "cross_validation" and "adaptive" depend on it.

    Returns
    -------
    ndarray of shape (n_classes, n_features), or (n_samples, n_features) for "adaptive"

    Raises
    ------
    InputError
        If there is no such rule or kernel.

    Examples
    --------
    >>> tile = np.arange(5.0)[:, None]
    >>> bandwidths_of(tile, np.array([0, 5]), "silverman").round(4)
    array([[1.0314]])
    """
    require_choice("bandwidth", rule, BANDWIDTHS)
    widths = np.empty((len(offsets) - 1, tile.shape[1]))
    rule_of_thumb(tile, offsets, _FACTORS[rule], widths)
    if rule == "adaptive":
        local = np.empty(tile.shape)
        adapt(tile, offsets, widths, kernel_code(kernel), local)
        return local
    if rule == "sheather_jones":
        solve_plug_in(tile, offsets, widths)
    elif rule == "cross_validation":
        search_likelihood(tile, offsets, widths, kernel_code(kernel))
    return widths
