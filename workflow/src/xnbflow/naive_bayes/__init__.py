"""Naive Bayes classifiers, one file each, on one small base class."""

from xnbflow.data.lazy import lazy_names

_HOME = {
    "BaseNaiveBayes": "base",
    "BlockNB": "block",
    "ClassSpecificNB": "class_specific_nb",
    "ClassSpecificNBCV": "class_specific_cv",
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
    "ClassSpecificNB",
    "ClassSpecificNBCV",
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

__getattr__, __dir__ = lazy_names(__name__, _HOME)
