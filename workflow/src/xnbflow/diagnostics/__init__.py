"""Diagnostics of a series: whether features are normal, and independent given the class."""

from xnbflow.diagnostics.correlation import normalised_residuals, top_partners
from xnbflow.diagnostics.dependence import ConditionalDependence, conditional_dependence
from xnbflow.diagnostics.false_discovery import benjamini_hochberg
from xnbflow.diagnostics.genes import gene_table
from xnbflow.diagnostics.normality import shapiro_wilk, shapiro_wilk_within

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
