"""Where everything is: a study's tables by name, and what a training job writes.

Read by the rules and by the report, so that a table has one name in one place.
"""

__all__ = ["STUDY_TABLES", "TRAINING_TABLES"]

#: What a training job writes, a folder each, one file per batch of folds.
TRAINING_TABLES = ("predictions", "selected", "distances", "explanations", "fits")

#: What the stage *compare* writes for a study, each as Parquet and TSV, and what each one is.
STUDY_TABLES = {
    "datasets": "samples, features and classes of each data set",
    "class_sizes": "samples of each class",
    "diagnostics": "ratios of non-normal and of conditionally dependent features",
    "metrics": "metrics of every classifier in every fold",
    "summary": "mean and standard deviation of each metric over folds and repeats",
    "repeats": "mean of each metric in each repeat",
    "paper": "the paper's numbers beside ours",
    "confusion": "how often a sample of one class is taken for another",
    "calibration": "predicted probability against observed frequency",
    "samples": "how often each sample is misclassified",
    "selection": "how often each feature is selected for each class",
    "stability": "Nogueira's stability index of the selected sets",
    "recovery": "planted markers found, where the truth is known",
    "ranks": "average rank of each classifier over data sets",
    "omnibus": "tests whether any classifier differs from the others",
    "pairwise": "every pair of classifiers compared over data sets",
    "pairwise_within": "every pair of classifiers compared over the folds of each data set",
    "seconds": "time to fit and to predict",
    "problems": "fits that failed and warnings",
}
