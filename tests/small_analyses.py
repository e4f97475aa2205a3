"""The tables of every analysis of the papers from small data.

There is a function for each analysis, with its name: it returns series by name, and parameters
with which the analysis takes seconds. ``{name}_study`` returns what an analysis reads of the study
beside its data. `tables_of` calls them.
"""

from contextlib import nullcontext
from importlib import import_module
from unittest.mock import patch

import numpy as np
import pandas as pd
from report_study import small
from sklearn.datasets import load_diabetes
from toys import dataset

from xnbflow.core.plugins import known_analyses
from xnbflow.evaluation.folds import draw_folds

LABELS = np.array(list("abc") * 12)


def tables_of(name, folder):
    """Return every table of an analysis; a `KeyError` if there is no function for it."""
    series, params = globals()[name](folder)
    analysis = known_analyses()[name]
    with few_patients_of_diabetes() if name == "cica" else nullcontext():
        tables = import_module(analysis.compute).analyse(series, params, 1)
    if analysis.comparison:
        about, study = globals()[f"{name}_study"]()
        compare = import_module(analysis.comparison).compare
        tables |= compare(about, study)
    return tables


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


def cica(folder):
    """A series of three features, and simulations with one seed."""
    few = {"seeds": 1, "nuisance_samples": [], "steps": 2, "splits": 2, "real_splits": 2}
    return toy(3), small("cica") | few


def separation(folder):
    """One series, and simulations of 20 repeats."""
    return toy(), small("separation") | {"repeats": 20, "fits": 2}


def effects(folder):
    """Ninety mails with two of the columns of spambase and a category; the first tells spam."""
    rng = np.random.default_rng(0)
    values = np.array([*rng.normal(size=(2, 90)), np.arange(90) % 3])
    labels = np.where(values[0] + rng.normal(size=90) > 0, "spam", "mail")
    names, kinds = ["capLengthMAX", "wordFreqOUR", "c"], ["linear", "linear", "categorical"]
    data = dataset(values, labels, "spambase", features=names, kinds=kinds)
    sets = {"features": {"paper": names[:2], "selected": "stepwise"}, "tune": {"span": [0.5]}}
    return {data.name: data}, small("effects") | sets | {"folds": draw_folds(data, 3, 1)}


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
    tables = {"repeats": pd.DataFrame(repeats), "diagnostics": pd.DataFrame(diagnostics)}
    return about, tables


def directional(folder):
    """Forty samples of two angles, whose classes are two radians apart."""
    angles = np.random.default_rng(0).vonmises(np.repeat([0, 2], 20), 4, (2, 40))
    parts = {"features": ["phi", "psi"], "kinds": ["angular"] * 2}
    data = dataset(angles, np.repeat(["a", "b"], 20), **parts)
    return {data.name: data}, {"repeats": 1, "bins": 4, "max_features": 1}


def directional_study():
    """The study's tables for two of the paper's data sets, and one of ours."""
    from papers.directional.test_directional_study import ABOUT, common_tables

    return ABOUT, common_tables()
