"""Transformers that prepare features for a classifier."""

from xnbflow.data.lazy import lazy_names

_HOME = {
    "CICA": "cica",
    "CorrelationBlocks": "correlation_blocks",
    "CountsPerMillion": "normalisation",
    "ExpressionFilter": "filters",
    "Imputer": "imputation",
    "Log2": "normalisation",
    "MDLPDiscretizer": "mdlp",
    "QuantileNormalizer": "normalisation",
    "SampleRanks": "normalisation",
    "SampleStandardizer": "normalisation",
    "StepwiseNaiveEffects": "naive_effects",
    "VarianceFilter": "filters",
    "looks_like_counts": "normalisation",
}

__all__ = [
    "CICA",
    "CorrelationBlocks",
    "CountsPerMillion",
    "ExpressionFilter",
    "Imputer",
    "Log2",
    "MDLPDiscretizer",
    "QuantileNormalizer",
    "SampleRanks",
    "SampleStandardizer",
    "StepwiseNaiveEffects",
    "VarianceFilter",
    "looks_like_counts",
]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
