"""Conditionally independent components: what the study of them computes, and its section."""

from xnbflow.core.entries import Analysis, list_of, whole

UNTRANSFORMED, TRUE_SOURCES = "no transformation", "true sources"
WHITENING, SYMMETRIC, FAST_ICA = "whitening", "symmetric whitening", "FastICA"
PAPERS_WIDTH, CHOSEN_WIDTH = "CICA, paper's width", "CICA, chosen width"
#: In the order in which they are shown.
METHODS = (UNTRANSFORMED, WHITENING, SYMMETRIC, FAST_ICA, PAPERS_WIDTH, CHOSEN_WIDTH, TRUE_SOURCES)

RECOVERY_ERROR, SQUARE_ERROR = "recovery error", "mean square error"
#: The setting of the paper's section 6.
AS_PAPER = "as in the paper"
#: The columns of a setting.
SETTING = ["setting", "samples"]

_SAMPLES = list_of(whole(2))

ANALYSIS = Analysis(
    "cica",
    "xnbflow.papers.cica.compute",
    "xnbflow.papers.cica.section",
    {
        "seeds": whole(1),
        "samples": _SAMPLES,
        "recovery_samples": _SAMPLES,
        "nuisance_samples": _SAMPLES,
        "correlated_samples": _SAMPLES,
        "test_samples": whole(1),
        "steps": whole(1),
        "splits": whole(2),
        "repeats": whole(1),
    },
)
