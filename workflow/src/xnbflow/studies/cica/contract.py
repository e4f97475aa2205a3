"""The tables of the analysis of conditionally independent components, and its methods' names."""

from xnbflow.data.contract import columns, named, table

__all__ = [
    "AS_PAPER",
    "CHOSEN_WIDTH",
    "FAST_ICA",
    "METHODS",
    "PAPERS_WIDTH",
    "RECOVERY_ERROR",
    "SETTING",
    "SQUARE_ERROR",
    "SYMMETRIC",
    "TABLES",
    "TRUE_SOURCES",
    "UNTRANSFORMED",
    "WHITENING",
]

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

_SETTING = columns(
    setting=("text", "what is simulated: as in the paper, with nuisance, or correlated sources"),
    samples=("integer", "training samples"),
)
_BAND = columns(
    lower=("number", "tenth percentile over seeds"),
    median="number",
    upper=("number", "ninetieth percentile"),
    seeds=("integer", "how many have a value"),
)
_CONVERGED = columns(
    runs="integer", converged_runs="integer", converged=("number:.0%", "share of the runs")
)
_TRANSFORMATION = columns(transformation=("text", "none or CICA"))

TABLES = named(
    table(
        "fits",
        "what each transformation finds of the sources",
        "a simulated training set and method",
        _SETTING,
        seed="integer",
        method="text",
        width=("number", "bandwidth of CICA; missing for others"),
        steps=("number", "of CICA's descent; missing for others"),
        converged="boolean",
        recovery_error=("number", "Eq. 12; missing with more components than sources"),
    ),
    table(
        "errors",
        "the error of naive Bayes regression on the components",
        "a simulated training set, method and width",
        _SETTING,
        seed="integer",
        method="text",
        regression_width=("text", "paper's or chosen"),
        mean_square_error=("number", "on test samples"),
    ),
    table(
        "summary",
        "both errors over seeds",
        "a setting, method and measure",
        _SETTING,
        "method",
        measure="text",
        **_BAND,
        of_untransformed=("number", "the median as a share of that of no transformation"),
    ),
    table(
        "iterations",
        "both errors by step of a descent from the inputs as they are, over seeds",
        "a step",
        samples=("integer", "training samples"),
        width=("text", "paper's or chosen"),
        measure="text",
        step="integer",
        **_BAND,
    ),
    table(
        "descents",
        "where the medians of such a descent begin, are least and end",
        "a number of samples, width and measure",
        samples=("integer", "training samples"),
        width=("text", "paper's or chosen"),
        measure="text",
        start="number",
        least="number",
        least_at=("integer", "step"),
        end="number",
        leaves=("boolean", "whether the end is above one and a half times the least"),
    ),
    table(
        "convergence",
        "how many runs converged, and with which widths and steps",
        "a setting and method that iterates",
        _SETTING,
        "method",
        width=("number", "median bandwidth of CICA; missing for others"),
        steps=("number:.0f", "median, of CICA's descent; missing for others"),
        **_CONVERGED,
    ),
    table(
        "converged",
        "the same over all settings",
        "a method that iterates",
        "method",
        _CONVERGED,
    ),
    table(
        "classification",
        "accuracy of flexible naive Bayes with and without CICA",
        "a fold and transformation",
        "dataset repeat fold",
        _TRANSFORMATION,
        accuracy="number",
    ),
    table(
        "accuracies",
        "the same over folds",
        "a data set and transformation",
        "dataset",
        _TRANSFORMATION,
        mean=("number", "accuracy"),
        sd=("number", "missing with one fold"),
        folds=("integer", "of all repeats"),
    ),
    table(
        "dependence",
        "features that depend on another given the class, before and after CICA",
        "a data set, part of its samples and transformation",
        "dataset",
        samples=("text", "those that CICA was fitted to, or a half that it has not seen"),
        **_TRANSFORMATION,
        ratio=("number", "share of dependent features"),
        pairs=("integer", "dependent pairs"),
        largest_r=("number", "the largest |r|"),
    ),
)
