"""Diagnostics of a series: whether features are normal, and independent given the class."""

from xnbflow.data.lazy import lazy_names

_HOME = {
    "ConditionalDependence": "dependence",
    "benjamini_hochberg": "false_discovery",
    "conditional_dependence": "dependence",
    "normalised_residuals": "correlation",
    "shapiro_wilk": "normality",
    "shapiro_wilk_within": "normality",
    "top_partners": "correlation",
}

__all__ = [
    "ConditionalDependence",
    "benjamini_hochberg",
    "conditional_dependence",
    "normalised_residuals",
    "shapiro_wilk",
    "shapiro_wilk_within",
    "top_partners",
]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
