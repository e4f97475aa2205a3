"""Files that earlier versions wrote elsewhere, which the job that wrote them removes.

A run of this version in a folder of an earlier one leaves no second copy of a table. Each job
removes the files that its rule wrote, by their exact names: another job may write beside it.
"""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from xnbflow.tables.contract import FIGURES_FOLDER, GROUPS, STUDY
from xnbflow.tables.storage import remove_files, table_files

#: Tables of *compare* that were directly in the folder of the study.
_OF_COMPARE = (
    "audit",
    "averages",
    "calibration",
    "class_sizes",
    "components",
    "concordance",
    "concordance_pairs",
    "confidence",
    "confusion",
    "datasets",
    "diagnostics",
    "estimates",
    "hard_samples",
    "headline",
    "metrics",
    "misclassified",
    "notes",
    "omnibus",
    "p_values",
    "pairwise",
    "pairwise_within",
    "paper",
    "problems",
    "random_genes",
    "ranks",
    "recall",
    "recovery",
    "repeats",
    "roc",
    "samples",
    "seconds",
    "selection",
    "sets",
    "stability",
    "summary",
    "suspects",
    "ties",
    "verdicts",
)
#: Tables of *combine* that were there, too.
_OF_COMBINE = ("cohort_matrix", "cohort_series", "meta_genes")
#: Tables of *models*, whose names began with the classifier.
_OF_MODELS = ("core", "heatmap", "signature")
#: Tables of single features that were in the folder of a data set; *genes* writes them for a study.
_OF_GENES = ("genes", "contrasts", "gene_heatmap", "gene_values")
#: Tables of *diagnose* that were there, too.
_OF_DIAGNOSE = (*GROUPS["diagnostic"].tables, *GROUPS["audit"].tables)
#: The files directly in the folder of a data set that *diagnose* and *seek* wrote.
EARLIER_FILES_OF_DATA_SET = (
    *table_files(_OF_GENES),
    *table_files(_OF_DIAGNOSE),
    *table_files(["places"]),
    "availability.json",
)
#: The files directly in the folder of a study that a rule wrote.
EARLIER_FILES = {
    "compare": table_files(_OF_COMPARE),
    "combine": table_files(_OF_COMBINE),
}


def _folders_of_a_study() -> set[str]:
    """Return the names of the folders that jobs of this version write in the folder of a study."""
    names = {FIGURES_FOLDER.rpartition("/")[2]}
    for group in GROUPS.values():
        folder, _, path = group.path.partition(f"{STUDY}/")
        if not folder and "/" in path:
            names.add(path.partition("/")[0])
    return names


def remove_earlier_tables(rule: str, study_folder: str | Path) -> None:
    """Remove the tables that a rule wrote directly into the folder of a study."""
    remove_files(study_folder, EARLIER_FILES[rule])


def remove_earlier_diagnostics(folder: str | Path) -> None:
    """Remove the files of *diagnose* and *seek* that were directly in the folder of a data set."""
    remove_files(folder, EARLIER_FILES_OF_DATA_SET)


def remove_earlier_model(classifier: str, folder: str | Path) -> None:
    """Remove the files of a model that were in the folder of its data set."""
    names = [f"{classifier}.skops", f"{classifier}.gmt"]
    names += [f"{classifier}.{name}" for name in table_files(_OF_MODELS)]
    remove_files(folder, names)


def remove_earlier_analysis(analysis: str, tables: Iterable[str], study_folder: str | Path) -> None:
    """Remove the tables of an analysis that were in a folder of its name in the study's folder.

    A folder of this name that jobs of this version write is left alone.
    """
    folder = Path(study_folder, analysis)
    if analysis in _folders_of_a_study():
        return
    remove_files(folder, table_files(tables))
    with suppress(OSError):  # it does not exist, or has files of the user
        folder.rmdir()
