"""Diagnostics of a series: whether features are normal, and independent given the class."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xnbflow.diagnostics.correlation import normalised_residuals, top_partners
    from xnbflow.diagnostics.dependence import ConditionalDependence, conditional_dependence
    from xnbflow.diagnostics.false_discovery import benjamini_hochberg
    from xnbflow.diagnostics.genes import gene_table
    from xnbflow.diagnostics.normality import shapiro_wilk, shapiro_wilk_within

#: Where the public names are.
_MODULES = ("correlation", "dependence", "false_discovery", "genes", "normality")

__all__ = [
    "ConditionalDependence",
    "benjamini_hochberg",
    "conditional_dependence",
    "gene_table",
    "normalised_residuals",
    "shapiro_wilk",
    "shapiro_wilk_within",
    "top_partners",
]


def __getattr__(name: str) -> Any:
    """Import a public name on first use: few jobs need the tests (PEP 562)."""
    if name in __all__:
        found = (vars(import_module(f"{__name__}.{module}")) for module in _MODULES)
        return next(module[name] for module in found if name in module)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
