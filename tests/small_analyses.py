"""The tables of every analysis from small data: a function for each, by its name."""

from importlib import import_module

import numpy as np
import pandas as pd
from report_study import small
from toys import dataset

from xnbflow.core.plugins import known_analyses
from xnbflow.evaluation.folds import draw_folds

LABELS = np.array(list("abc") * 12)


def tables_of(name, folder):
    """Return every table of an analysis; a `KeyError` if there is no function for it."""
    series, params = globals()[name](folder)
    analysis = known_analyses()[name]
    tables = import_module(analysis.compute).analyse(series, params, 1)
    if analysis.comparison:
        about, study = globals()[f"{name}_study"]()
        compare = import_module(analysis.comparison).compare
        tables |= compare(about, study)
    return tables


def toy(features=12):
    """Each class is high in a feature of its own."""
    values = np.random.default_rng(0).normal(size=(features, 36))
    for i, label in enumerate("abc"):
        values[i] += 3.0 * (label == LABELS)
    return {"toy": dataset(values, LABELS)}


def distances(folder):
    rng = np.random.default_rng(1)
    values = rng.normal(size=(12, 36))
    values[2] += 2.0 * (LABELS == "a")
    values[3] -= 2.0 * (LABELS == "b")
    return toy() | {"other": dataset(values, LABELS, "other")}, small("distances")


def cells(folder):
    return toy(), {"splits": 3, "repeats": 1, "top": 2, "trees": 5}


def cica(folder):
    few = {"seeds": 1, "nuisance_samples": [], "steps": 2, "splits": 2, "real_splits": 2}
    return toy(3), small("cica") | few


def signatures(folder):
    return toy(), small("signatures")


def separation(folder):
    return toy(), small("separation") | {"repeats": 20, "fits": 2}


def effects(folder):
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
    names[2], names[7] = "228915_at", "212056_at"  # of medulloblastoma
    data = dataset(values, labels, "GSE50161", features=names)
    return {data.name: data}, {"figure_repeats": 1}


def xnb_paper_study():
    """The study's tables with two repeats of a data set of the paper."""
    key = {"dataset": "GSE50161", "folds": "10x10", "metric": "accuracy"}
    repeats = [key | {"classifier": name, "value": 0.9} for name in ("nb", "xnb") * 2]
    diagnostics = {"dataset": ["GSE50161"], "non_normal_ratio": [0.5], "dependent_ratio": [0.25]}
    parts = {"nb": "nb", "xnb": "xnb"}
    return {"parts": parts}, {
        "repeats": pd.DataFrame(repeats), "diagnostics": pd.DataFrame(diagnostics)
    }  # fmt: skip


def directional(folder):
    angles = np.random.default_rng(0).vonmises(np.repeat([0, 2], 20), 4, (2, 40))
    parts = {"features": ["phi", "psi"], "kinds": ["angular"] * 2}
    data = dataset(angles, np.repeat(["a", "b"], 20), **parts)
    return {data.name: data}, {"repeats": 1, "bins": 4, "max_features": 1}


def directional_study():
    """The study's tables for two of the paper's data sets, and one of ours."""
    from papers.directional.test_directional_study import ABOUT, common_tables

    return ABOUT, common_tables()
