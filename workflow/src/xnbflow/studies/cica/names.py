"""Names of the methods, measures and settings that the study of CICA compares."""

__all__ = [
    "AS_PAPER",
    "CHOSEN_WIDTH",
    "FAST_ICA",
    "METHODS",
    "PAPERS_WIDTH",
    "RECOVERY_ERROR",
    "SQUARE_ERROR",
    "SYMMETRIC",
    "TRUE_SOURCES",
    "UNTRANSFORMED",
    "WHITENING",
    "square_error_at",
]

UNTRANSFORMED, TRUE_SOURCES = "no transformation", "true sources"
WHITENING, SYMMETRIC, FAST_ICA = "whitening", "symmetric whitening", "FastICA"
PAPERS_WIDTH, CHOSEN_WIDTH = "CICA, paper's width", "CICA, chosen width"
#: In the order in which they are shown.
METHODS = (
    UNTRANSFORMED,
    WHITENING,
    SYMMETRIC,
    FAST_ICA,
    PAPERS_WIDTH,
    CHOSEN_WIDTH,
    TRUE_SOURCES,
)

RECOVERY_ERROR, SQUARE_ERROR = "recovery error", "mean square error"
#: The setting of the paper's section 6.
AS_PAPER = "as in the paper"


def square_error_at(width: str) -> str:
    """Return the name of the measure with the regression's width: ``paper's`` or ``chosen``.

    Examples
    --------
    >>> square_error_at("chosen")
    'mean square error, chosen width'
    """
    return f"{SQUARE_ERROR}, {width} width"
