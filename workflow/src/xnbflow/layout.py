"""Where everything is: a study's tables and sections by name, and what a training job writes.

Read by the rules and by the report, so that a table has one name in one place.
"""

from xnbflow.config import Study

__all__ = ["STUDY_TABLES", "TRAINING_TABLES", "section_modules"]

#: What a training job writes, a folder each, one file per batch of folds.
TRAINING_TABLES = ("predictions", "selected", "distances", "explanations", "ties", "fits")

#: What the stage *compare* writes for a study, each as Parquet and TSV, and what each one is.
STUDY_TABLES = {
    "datasets": "samples, features and classes of each data set",
    "class_sizes": "samples of each class",
    "diagnostics": "ratios of non-normal and of conditionally dependent features",
    "metrics": "metrics of every classifier in every fold",
    "summary": "mean and spread of each metric, over folds or over repeats, with intervals",
    "repeats": "value of each metric in each repeat",
    "paper": "the paper's numbers beside ours",
    "confusion": "how often a sample of one class is taken for another",
    "calibration": "predicted probability against observed frequency",
    "confidence": "how many predictions are sure, and how many of these are right",
    "recall": "how many samples of each class are recognised",
    "samples": "how often each sample is misclassified",
    "selection": "how often each feature is selected for each class",
    "ties": "features that could as well have been selected",
    "stability": "Nogueira's stability index of the selected sets",
    "recovery": "planted markers found, where the truth is known",
    "ranks": "average rank of each classifier over data sets",
    "omnibus": "tests whether any classifier differs from the others",
    "pairwise": "every pair of classifiers compared over data sets",
    "pairwise_within": "every pair of classifiers compared over the folds of each data set",
    "seconds": "time to fit and to predict",
    "problems": "fits that failed and warnings",
}


def section_modules(study: Study) -> list[str]:
    """Return the modules that hold the sections of a study's report, in order."""
    names = ["overview"]
    if study.diagnostics and study.datasets:
        names.append("diagnostics")
    if study.classifiers:
        names += ["accuracy", "explanation", "samples", "comparison"]
    general = "xnbflow.report.sections"
    return [
        *(f"{general}.{name}" for name in names),
        *(f"xnbflow.analyses.{name}.section" for name in study.analyses),
        f"{general}.methods",
    ]
