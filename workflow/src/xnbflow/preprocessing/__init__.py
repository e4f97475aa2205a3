"""Transformers that prepare features for a classifier."""

from xnbflow.lazy import lazy_names

_HOME = {
    "CICA": "cica",
    "CorrelationBlocks": "correlation_blocks",
    "MDLPDiscretizer": "mdlp",
    "StepwiseNaiveEffects": "naive_effects",
}

__all__ = ["CICA", "CorrelationBlocks", "MDLPDiscretizer", "StepwiseNaiveEffects"]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
