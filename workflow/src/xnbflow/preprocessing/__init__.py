"""Transformers that prepare features for a classifier."""

from xnbflow.papers.cica.transformer import CICA
from xnbflow.papers.directional.mdlp import MDLPDiscretizer
from xnbflow.papers.generalized.stepwise_naive_effects import StepwiseNaiveEffects
from xnbflow.papers.separation.correlation_blocks import CorrelationBlocks
from xnbflow.preprocessing.filters import ExpressionFilter, VarianceFilter
from xnbflow.preprocessing.imputation import Imputer
from xnbflow.preprocessing.normalisation import (
    CountsPerMillion,
    Log2,
    QuantileNormalizer,
    SampleRanks,
    SampleStandardizer,
    looks_like_counts,
)

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
