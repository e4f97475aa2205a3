"""The tables of the analysis of single cells."""

from xnbflow.data.contract import named, table

__all__ = ["TABLES"]

TABLES = named(
    table(
        "methods",
        "how well a common classifier tells types of cells by the markers of each method",
        "a data set and method",
        "dataset method",
        status=("text", "ok, skipped (not installed) or failed"),
        reason=("text", "why it is skipped or failed; empty if ok"),
        version=("text", "of the package that ran; empty for this one and if skipped"),
        accuracy=("number", "of all folds' predictions, mean over repeats; missing unless ok"),
        balanced_accuracy=("number", "mean recall over types, likewise"),
        own_accuracy=("number", "of the method's own classifier; missing if it has none"),
        genes=("number", "markers of all types together, mean over folds"),
        genes_per_type=("number", "mean over types and folds"),
        types_without=("number", "types without a marker, mean over folds"),
        seconds=("number", "to choose the markers of a fold, mean"),
        cells="integer",
        types="integer",
        donors=("integer", "groups of cells that folds keep together; 0 where none are named"),
        folds=("integer", "per repeat"),
        repeats="integer",
    ),
    table(
        "recalls",
        "the share of each type's cells that is recognised by the markers of each method",
        "a data set, method and type",
        "dataset method",
        type="text",
        cells=("integer", "of the type"),
        recall=("number", "mean over repeats"),
        genes=("number", "markers of the type, mean over folds"),
    ),
    table(
        "markers",
        "which genes each method chooses, and how often",
        "a data set, method, type and gene",
        "dataset method",
        type="text",
        gene="text",
        folds=("integer", "in which it is chosen, over all repeats"),
        share=("number", "of the folds"),
    ),
)
