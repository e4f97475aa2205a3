"""The short names of methods; read whenever the Snakefile is, so nothing is imported here."""

from collections.abc import Iterable

__all__ = ["METHODS", "method_modules"]

#: Short name to the full path of the class.
METHODS = {
    "block_nb": "xnbflow.naive_bayes.block.BlockNB",
    "cica": "xnbflow.preprocessing.cica.CICA",
    "correlation_blocks": "xnbflow.preprocessing.correlation_blocks.CorrelationBlocks",
    "counts_per_million": "xnbflow.preprocessing.normalisation.CountsPerMillion",
    "csnb": "xnbflow.naive_bayes.class_specific_nb.ClassSpecificNB",
    "csnb_cv": "xnbflow.naive_bayes.class_specific_cv.ClassSpecificNBCV",
    "discretized_nb": "xnbflow.naive_bayes.discretized.DiscretizedNB",
    "expression_filter": "xnbflow.preprocessing.filters.ExpressionFilter",
    "flexible_nb": "xnbflow.naive_bayes.flexible.FlexibleNB",
    "gaussian_nb": "xnbflow.naive_bayes.gaussian.GaussianNB",
    "generalized_nb": "xnbflow.naive_bayes.generalized.GeneralizedNB",
    "hybrid_nb": "xnbflow.naive_bayes.hybrid.HybridNB",
    "imputer": "xnbflow.preprocessing.imputation.Imputer",
    "log2": "xnbflow.preprocessing.normalisation.Log2",
    "quantile_normalizer": "xnbflow.preprocessing.normalisation.QuantileNormalizer",
    "sample_ranks": "xnbflow.preprocessing.normalisation.SampleRanks",
    "sample_standardizer": "xnbflow.preprocessing.normalisation.SampleStandardizer",
    "selective_nb": "xnbflow.naive_bayes.selective.SelectiveNB",
    "stepwise_naive_effects": "xnbflow.preprocessing.naive_effects.StepwiseNaiveEffects",
    "variance_filter": "xnbflow.preprocessing.filters.VarianceFilter",
    "von_mises_fisher_nb": "xnbflow.naive_bayes.von_mises.VonMisesFisherNB",
    "von_mises_nb": "xnbflow.naive_bayes.von_mises.VonMisesNB",
    "xnb": "xnbflow.naive_bayes.class_specific.XNB",
}


def method_modules(methods: Iterable[str]) -> list[str]:
    """Return the modules of this package that hold the given methods.

    Examples
    --------
    >>> method_modules(["xnb", "sklearn.svm.LinearSVC"])
    ['xnbflow.naive_bayes.class_specific']
    """
    paths = [METHODS.get(method, method) for method in methods]
    return [path.rpartition(".")[0] for path in paths if path.startswith("xnbflow.")]
