"""Numbers under the pointer, as texts."""

import numpy as np

#: Numbers from which on there are no decimals.
_LARGE = 1000


def number_text(value: float) -> str:
    """Return a number with three significant digits, or a large one without decimals.

    Examples
    --------
    >>> number_text(0.12345), number_text(12345.6)
    ('0.123', '12,346')
    """
    return f"{value:.3g}" if value < _LARGE else f"{value:,.0f}"


def intervals(lower: np.ndarray, upper: np.ndarray) -> list[str]:
    """Return intervals as texts; an unknown one is empty."""
    texts = []
    for low, high in zip(lower, upper, strict=True):
        finite = np.isfinite(low) and np.isfinite(high)
        texts.append(f"{number_text(low)} to {number_text(high)}" if finite else "")
    return texts
