"""Diagnostics of a series: whether features are normal, and independent given the class."""

import importlib

_HOME = {
    "ConditionalDependence": "dependence",
    "benjamini_hochberg": "multiple_testing",
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


def __getattr__(name: str) -> object:
    """Import a diagnostic when it is first asked for: nobody waits for those they do not use."""
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return __all__
