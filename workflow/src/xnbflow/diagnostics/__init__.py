"""Diagnostics of a series: whether features are normal, and independent given the class."""

from typing import TYPE_CHECKING, Any

from xnbflow.core.plugins import public_name

if TYPE_CHECKING:
    from xnbflow.diagnostics.correlation import normalised_residuals, top_partners
    from xnbflow.diagnostics.dependence import ConditionalDependence, conditional_dependence
    from xnbflow.diagnostics.false_discovery import benjamini_hochberg
    from xnbflow.diagnostics.genes import gene_table
    from xnbflow.diagnostics.normality import shapiro_wilk, shapiro_wilk_within

#: Where the public names are; a job imports those that it needs.
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
    """Import a public name on first use (PEP 562)."""
    return public_name(__name__, _MODULES, name)
