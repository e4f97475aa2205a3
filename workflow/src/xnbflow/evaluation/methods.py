"""Entries of the methods in the configuration; a package can add its own.

Validation, the digests behind reruns, the compilation ahead, `xnbflow methods` and the Methods
section of the pages read this. The Snakefile reads it in every job: nothing numerical is imported
here.
"""

from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Any

from xnbflow.core.entries import Method, read_parameters
from xnbflow.core.plugins import with_papers, with_plugins

#: The source of the published methods, as a key of the bibliography.
_XNB = "@xnb2024"
#: The schemas of the parameters by method, which `xnbflow.running.parameter_files` writes.
_PARAMETERS = read_parameters(__file__)
#: Checks of scikit-learn that a method does not pass, with the reason.
_BY_NAME = {"check_dataframe_column_names_consistency": "features are found by their names"}
_NO_READS = dict.fromkeys(
    ("check_estimators_dtypes", "check_fit2d_1feature"), "a sample without any read is refused"
)
#: The source of the class-specific methods.
_CSNB = "xnbflow; relative evidence: @baggenstoss1999"
#: What the values of the parameters ``selection``, ``evidence``, ``calibration`` and ``rule`` mean.
_XNB_SELECTION = {
    "greedy": "for each pair of classes the features of the greatest distance, until 1 - prod(1 - "
    "H) reaches the threshold (0.999), and of these the ones whose distance is above min_distance "
    "(0.5); a class gets the union over its pairs. The authors' program does the same; Eqs. 10 "
    "and 11 as printed differ and are the other values",
    "joint": "Eq. 11 as printed: one product over the other classes and the features. Features are "
    "ranked by their own 1 - prod(1 - H) over the other classes, and taken until the threshold",
    "minimal": "Eq. 10 with Eq. 11 for each other class: the fewest features that reach the "
    "threshold against every one of them, by integer programming among the 300 best of each pair",
}
_EVIDENCE_RULE = {
    "relative": "a class is scored by log p(x | class) - log p(x) of its features, p(x) the "
    "mixture of all classes; this score has no unit, so classes with other features are comparable",
}
_CALIBRATION_RULE = {
    "vector": "the evidence for each class is multiplied by a slope and an intercept is added, "
    "both fitted on inner predictions (vector scaling, @guo2017); of two classes, whose "
    "features are the same, it is divided by one temperature",
}
_SIZE_RULES = {
    "average": "the evidence is averaged over the numbers of features, with weights by inner log "
    "loss; correlated features count once, densities of small classes borrow the spread within all "
    "classes",
    "one_standard_error": "the fewest features within one standard error of the best "
    "(@breiman1984)",
}
_transformer = partial(Method, kind="transformer")
_OWN = (
    Method(
        name="gaussian_nb",
        estimator="xnbflow.naive_bayes.gaussian_nb.GaussianNB",
        title="Gaussian naive Bayes",
        source=f"{_XNB}, section 3",
        parameters=_PARAMETERS["gaussian_nb"],
    ),
    Method(
        name="flexible_nb",
        estimator="xnbflow.naive_bayes.flexible_nb.FlexibleNB",
        title="flexible naive Bayes: kernel densities",
        source=f"@john1995; {_XNB}, Eq. 8",
        parameters=_PARAMETERS["flexible_nb"],
    ),
    Method(
        name="xnb",
        estimator="xnbflow.naive_bayes.xnb.XNB",
        title="kernel densities, features of each class’s own",
        source=f"{_XNB}, Algorithm 1, Eqs. 8, 9 and 12; bandwidths by @silverman1986, Eq. 3.31",
        parameters=_PARAMETERS["xnb"],
        rules={"selection": _XNB_SELECTION},
        quick=True,
    ),
    Method(
        name="csnb",
        estimator="xnbflow.naive_bayes.class_specific_nb.ClassSpecificNB",
        title="ClassSpecificNB: features of each class’s own, weighed against one reference",
        source=_CSNB,
        parameters=_PARAMETERS["csnb"],
        rules={"evidence": _EVIDENCE_RULE},
        quick=True,
        checks_not_met=_BY_NAME,
    ),
    Method(
        name="csnb_cv",
        estimator="xnbflow.naive_bayes.class_specific_nb_cv.ClassSpecificNBCV",
        title=(
            "ClassSpecificNBCV: ClassSpecificNB, number of features and calibration cross-validated"
        ),
        source=_CSNB,
        parameters=_PARAMETERS["csnb_cv"],
        rules={
            "evidence": _EVIDENCE_RULE,
            "calibration": _CALIBRATION_RULE,
            "rule": _SIZE_RULES,
        },
        quick=True,
        tunes_itself=True,
        checks_not_met=_BY_NAME,
    ),
    Method(
        name="shrunken_centroids",
        estimator="xnbflow.naive_bayes.shrunken_centroids.ShrunkenCentroids",
        title="nearest shrunken centroids (PAM), threshold cross-validated",
        source="@tibshirani2002, on standardised features",
        parameters=_PARAMETERS["shrunken_centroids"],
        tunes_itself=True,
    ),
    _transformer(
        name="imputer",
        estimator="xnbflow.preprocessing.imputation.Imputer",
        title="missing values filled in by the training samples’ median",
        source="@troyanskaya2001",
    ),
    _transformer(
        name="read_filter",
        estimator="xnbflow.preprocessing.counts.ReadFilter",
        title="features of counts with enough reads in the training samples, by the smallest class",
        source="filterByExpr of edgeR, @chen2016",
        parameters=_PARAMETERS["read_filter"],
        checks_not_met=_NO_READS,
    ),
    _transformer(
        name="count_normalizer",
        estimator="xnbflow.preprocessing.counts.CountNormalizer",
        title=(
            "log2 counts per million, libraries adjusted for composition by TMM against a "
            "reference sample of the training samples; prior count as in edgeR"
        ),
        source="@robinson2010",
        parameters=_PARAMETERS["count_normalizer"],
        checks_not_met=_NO_READS,
    ),
    _transformer(
        name="sample_standardizer",
        estimator="xnbflow.preprocessing.normalisation.SampleStandardizer",
        title="each sample’s values, standardised",
        source="standard scores within a sample",
    ),
    _transformer(
        name="sample_ranks",
        estimator="xnbflow.preprocessing.normalisation.SampleRanks",
        title="each sample’s values by their rank",
        source="ranks within a sample, as in @geman2004",
    ),
    _transformer(
        name="quantile_normalizer",
        estimator="xnbflow.preprocessing.normalisation.QuantileNormalizer",
        title="each sample’s quantiles as the training samples have them in the mean",
        source="@bolstad2003",
    ),
)

#: The methods of the core by name.
METHODS = {method.name: method for method in _OWN}


@cache
def shipped_methods() -> Mapping[str, Method]:
    """Return every method of this package by name: methods of the core, and of the papers."""
    return with_papers("xnbflow.methods", Method, METHODS)


@cache
def known_methods() -> Mapping[str, Method]:
    """Return every method by name: methods of this package, and of packages that add some."""
    return with_plugins("xnbflow.methods", Method, METHODS)


def entries_in(entry: Any) -> Iterator[Mapping[str, Any]]:
    """Yield every part of a classifier's configuration that names a method, nested ones included.

    Examples
    --------
    >>> list(entries_in({"steps": [{"method": "log2"}, {"method": "xnb", "params": {}}]}))
    [{'method': 'log2'}, {'method': 'xnb', 'params': {}}]
    """
    if isinstance(entry, Mapping) and isinstance(entry.get("method"), str):
        yield entry
    if isinstance(entry, Mapping | list):
        for value in entry.values() if isinstance(entry, Mapping) else entry:
            yield from entries_in(value)


def resolved(entry: Any) -> Any:
    """Return a classifier's configuration with the path of the class in place of a method's name.

    Examples
    --------
    >>> resolved({"method": "xnb", "params": {"threshold": 0.9}})
    {'method': 'xnbflow.naive_bayes.xnb.XNB', 'params': {'threshold': 0.9}}
    """
    if isinstance(entry, Mapping):
        values = {key: resolved(value) for key, value in entry.items()}
        method = entry.get("method")
        if isinstance(method, str) and method in known_methods():
            values["method"] = known_methods()[method].estimator
        return values
    return [resolved(value) for value in entry] if isinstance(entry, list) else entry


def unlabelled(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a classifier's configuration without its label and its job.

    Examples
    --------
    >>> unlabelled({"label": "XNB", "method": "xnb", "job": "main"})
    {'method': 'xnb'}
    """
    return {key: value for key, value in entry.items() if key not in {"label", "job"}}
