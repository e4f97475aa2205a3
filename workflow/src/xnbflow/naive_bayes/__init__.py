"""Naive Bayes classifiers, one file each, on one small base class."""

import importlib

_HOME = {
    "BaseNaiveBayes": "base",
    "BlockNB": "block",
    "DiscretizedNB": "discretized",
    "FlexibleNB": "flexible",
    "GaussianNB": "gaussian",
    "GeneralizedNB": "generalized",
    "HybridNB": "hybrid",
    "KernelNBRegressor": "regression",
    "SelectiveNB": "selective",
    "VonMisesFisherNB": "von_mises",
    "VonMisesNB": "von_mises",
    "XNB": "class_specific",
}

__all__ = [
    "XNB",
    "BaseNaiveBayes",
    "BlockNB",
    "DiscretizedNB",
    "FlexibleNB",
    "GaussianNB",
    "GeneralizedNB",
    "HybridNB",
    "KernelNBRegressor",
    "SelectiveNB",
    "VonMisesFisherNB",
    "VonMisesNB",
]


def __getattr__(name: str) -> object:
    """Import an estimator when it is first asked for: nobody waits for those they do not use."""
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return __all__
