"""Small data of the analyses of papers: a function for each has its name.

It returns series by name, and parameters with which the analysis takes seconds; ``{name}_study``
returns what an analysis reads of the study beside its data.
"""

from unittest.mock import patch

import numpy as np
import pandas as pd
from report_study import small
from sklearn.datasets import load_diabetes
from toys import dataset

LABELS = np.array(list("abc") * 12)


def few_patients_of_diabetes():
    """Return a context in which CICA reads `few_patients`; the paper may be absent outside it."""
    return patch("xnbflow.papers.cica.real_target.load_diabetes", few_patients)


def few_patients(**options):
    """Return four columns of eighty patients of diabetes: the descents of CICA take minutes."""
    X, y = load_diabetes(**options)
    return X[:80, :4], y[:80]


def toy(features=12):
    """Return a series of three classes, each of which is higher in one feature."""
    values = np.random.default_rng(0).normal(size=(features, 36))
    for i, label in enumerate("abc"):
        values[i] += 3.0 * (label == LABELS)
    return {"toy": dataset(values, LABELS)}


def distances(folder):
    """Two series with other features that differ."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(12, 36))
    values[2] += 2.0 * (LABELS == "a")
    values[3] -= 2.0 * (LABELS == "b")
    return toy() | {"other": dataset(values, LABELS, "other")}, small("distances")


def xnb_paper(folder):
    """The series of Figure 1, with its classes and some of its probes."""
    rng = np.random.default_rng(1)
    classes = ["ependymoma", "glioblastoma", "medulloblastoma", "normal", "pilocytic_astrocytoma"]
    labels = np.repeat(classes, 12)
    values = rng.normal(size=(20, 60))
    for code, label in enumerate(classes):
        values[[code, code + 5]] += 5.0 * (labels == label)
    names = [f"p{i}_at" for i in range(20)]
    # two of the probes of medulloblastoma in Figure 1
    names[2] = "228915_at"
    names[7] = "212056_at"
    data = dataset(values, labels, "GSE50161", features=names)
    return {data.name: data}, {"figure_repeats": 1}


def xnb_paper_study():
    """The study's tables with two repeats of a data set of the paper."""
    key = {"dataset": "GSE50161", "folds": "10x10", "metric": "accuracy"}
    repeats = [key | {"classifier": name, "value": 0.9} for name in ("nb", "xnb") * 2]
    diagnostics = {"dataset": ["GSE50161"], "non_normal_ratio": [0.5], "dependent_ratio": [0.25]}
    about = {"parts": {"nb": "nb", "xnb": "xnb"}}
    tables = {"repeats": pd.DataFrame(repeats), "datasets": pd.DataFrame(diagnostics)}
    return about, tables
