"""Conditionally independent components: their study and its section."""

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
