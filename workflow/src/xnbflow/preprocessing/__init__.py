"""Transformers that prepare features for a classifier."""

import importlib

_HOME = {
    "CICA": "cica",
    "CorrelationBlocks": "correlation_blocks",
    "MDLPDiscretizer": "mdlp",
    "StepwiseNaiveEffects": "naive_effects",
}

__all__ = ["CICA", "CorrelationBlocks", "MDLPDiscretizer", "StepwiseNaiveEffects"]


def __getattr__(name: str) -> object:
    """Import a transformer when it is first asked for."""
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return __all__
