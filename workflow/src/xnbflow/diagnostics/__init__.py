"""Diagnostics of a series: its features, its classes, and causes of unreliable accuracies.

================== ==================================================================
normality          Is a feature normal, in all samples and within the classes?
dependence         Which features depend on another one given the class?
correlation        What are the within-class correlations of all pairs of features?
genes              How does each feature differ between a class and the others?
linear_models      Which moderated tests compare classes? (limma)
least_squares, moderation, voom, block_correlation, modelled_features
                   Fits, variances, weights, repeated samples and features of these models
contrasts          How does each feature differ between two classes that a study names?
areas              What are the exact areas under the ROC curve of all features?
camera, gene_set_tests, gene_set_files
                   Does a gene set differ from the other genes, and where are the sets?
false_discovery    Which p-values remain small after adjustment?
series_audit       Which findings question the accuracies of a series?
sample_levels, repeated_samples, sex_check, sample_components, series_fingerprints
                   Which levels of samples, copies, exchanged samples, components and samples of
                   other series are among them?
shared_samples, sample_likeness
                   Which samples and patients have two cohorts in common, and how alike are samples?
association, column_associations, columns, column_parts, class_words
                   How is a column of the samples associated with the class, what is in it, which
                   parts has it, and is it the class in other words?
heatmap, gene_values, gene_tables, diagnostic_tables
                   Which tables does a page show?
adjustment         Which columns and classes of a data set does a design name?
features           Are the samples and labels of a test valid?
================== ==================================================================
"""

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
        for module_name in _MODULES:
            module = import_module(f"{__name__}.{module_name}")
            if hasattr(module, name):
                return getattr(module, name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
