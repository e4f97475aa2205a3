"""How right classifiers are: pooled over ten folds, the mean of three repeats, on public data.

The microarrays are looked for in the folder XNBFLOW_DATA, or ../shared/data; what is not
there is left out. `python -m benchmarks remedies` writes results/benchmarks/remedies.tsv.
"""

import os
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import balanced_accuracy_score, log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import LinearSVC

from xnbflow.naive_bayes import XNB, ClassSpecificNB, ClassSpecificNBCV, FlexibleNB, GaussianNB
from xnbflow.sources.simulate import simulate_series

DATA = Path(os.environ.get("XNBFLOW_DATA", Path(__file__).parents[2] / "shared" / "data"))
MICROARRAYS = {
    "khan": "SRBCT_Khan2001",
    "golub": "Leukemia_Golub1999",
    "alon": "Colorectal_Alon1999",
    "chowdary": "BreastColon_Chowdary2006",
    "ovary": "Ovary_GSE38666",
}
N_SPLITS = 10
N_REPEATS = 3
#: Settings of a run that shows that the benchmark computes something: one bundled data set.
SMALL = {
    "N_SPLITS": 2,
    "N_REPEATS": 1,
    "MICROARRAYS": {},
    "CELLS": "none",
    "FLOORS": (0.3,),
    "DISTANCES": ("combined",),
    "ONLY": ("wine", "breast cancer"),
}
#: The names of the data sets that are measured; all if empty.
ONLY: tuple[str, ...] = ()
#: XNB with one remedy after the other: evidence without units, then a floor.
PLAIN = {"contamination": 0.0, "distance": "hellinger"}
DISTANCES = ("combined", "hellinger")
FLOORS = (0.1, 0.2, 0.3, 0.5)
CONTAMINATIONS = (0.0, 0.01)
SHRINKAGES = [0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0]


def classifiers() -> dict[str, BaseEstimator]:
    """Return what is compared, each with its defaults unless its name says otherwise."""
    shrunken = GridSearchCV(
        NearestCentroid(priors="empirical"), {"shrink_threshold": SHRINKAGES}, cv=5
    )
    return {
        "NB": GaussianNB(),
        "FNB": FlexibleNB(),
        "FNB, floor .3": FlexibleNB(min_bandwidth=0.3),
        "XNB": XNB(),
        "XNB, units .001": scaled(1e-3, XNB()),
        "XNB, units 1000": scaled(1e3, XNB()),
        "relative evidence": ClassSpecificNB(min_bandwidth=0.0, **PLAIN),
        "relative, floor .3": ClassSpecificNB(min_bandwidth=0.3, **PLAIN),
        "ClassSpecificNB": ClassSpecificNB(),
        "ClassSpecificNBCV, one size": ClassSpecificNBCV(rule="one_standard_error"),
        "PAM": make_pipeline(StandardScaler(), shrunken),
        "linear SVM": make_pipeline(StandardScaler(), LinearSVC(max_iter=100_000)),
        "random forest": RandomForestClassifier(500, random_state=0),
    }


def scaled(factor: float, classifier: BaseEstimator) -> BaseEstimator:
    """Return a classifier that sees every feature in other units."""
    return make_pipeline(FunctionTransformer(partial(np.multiply, factor)), classifier)


def data_sets() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield each data set that is there: its name, values and labels."""
    bundled: dict[str, Callable] = {
        "wine": load_wine,
        "breast cancer": load_breast_cancer,
        "digits": load_digits,
    }
    for name, load in bundled.items():
        if not ONLY or name in ONLY:
            yield name, *load(return_X_y=True)
    for name, file in MICROARRAYS.items():
        path = DATA / "microarray" / f"{file}.csv.gz"
        if path.exists():
            table = pd.read_csv(path)
            yield name, table.iloc[:, 2:].to_numpy(float), table["type"].to_numpy(str)
    if not ONLY:
        series, _ = simulate_series("simulated", 130, 54_675, 5, seed=1)
        yield "simulated", series.values.T, np.asarray(series.labels)


def pooled(classifier: BaseEstimator, X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Return the figures of a classifier's predictions pooled over folds, means over repeats."""
    measurements = []
    for seed in range(N_REPEATS):
        folds = StratifiedKFold(N_SPLITS, shuffle=True, random_state=seed)
        labels = np.unique(y)
        features = []
        predicted = y.copy()
        proba = np.full((len(y), len(labels)), np.nan)
        for train, test in folds.split(X, y):
            model = clone(classifier).fit(X[train], y[train])
            predicted[test] = model.predict(X[test])
            if hasattr(model, "predict_proba"):
                proba[test] = model.predict_proba(X[test])
            if hasattr(model, "selected_features_"):
                sizes = [len(selected) for selected in model.selected_features_.values()]
                features.append(np.mean(sizes))
        loss = np.nan if np.isnan(proba).any() else log_loss(y, proba, labels=labels)
        measurements.append(
            {
                "accuracy": (predicted == y).mean(),
                "balanced_accuracy": balanced_accuracy_score(y, predicted),
                "log_loss": loss,
                "features_per_class": np.mean(features) if features else np.nan,
            }
        )
    frame = pd.DataFrame(measurements)
    return {**frame.mean().to_dict(), "accuracy_sd_repeats": frame["accuracy"].std()}


def nested_defaults(data: list[tuple[str, np.ndarray, np.ndarray]]) -> pd.DataFrame:
    """Return what the defaults reach, and what those chosen on all other data sets reach.

    A default that was tuned to the very data sets on which it is shown would be above the choice
    that did not see them.
    """
    variants = {}
    for distance, floor, share in product(DISTANCES, FLOORS, CONTAMINATIONS):
        variants[f"{distance}, floor {floor}, contamination {share}"] = ClassSpecificNB(
            distance=distance, min_bandwidth=floor, contamination=share
        )
    accuracies = {}
    for name, X, y in data:
        accuracies[name] = {
            label: pooled(model, X, y)["accuracy"] for label, model in variants.items()
        }
    accuracy = pd.DataFrame(accuracies)
    defaults = "{distance}, floor {min_bandwidth}, contamination {contamination}".format(
        **ClassSpecificNB().get_params()
    )
    measurements = []
    for name in accuracy:
        chosen = accuracy.drop(columns=name).mean(axis=1).idxmax()
        best = accuracy[name].idxmax()
        measurements.append(
            {
                "data": name,
                "chosen_on_others": chosen,
                "accuracy": accuracy.loc[chosen, name],
                "accuracy_of_defaults": accuracy.loc[defaults, name],
                "best": best,
                "accuracy_of_best": accuracy.loc[best, name],
            }
        )
    return pd.DataFrame(measurements)


def rows() -> list[dict]:
    """Return no rows: this benchmark measures no time."""
    return []


def details() -> dict[str, pd.DataFrame]:
    """Measure, and return the figures by data set and classifier, and those of the defaults."""
    data = list(data_sets())
    measurements = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, X, y in data:
            share = np.unique(y, return_counts=True)[1].max() / len(y)
            measurements.append({"data": name, "classifier": "largest class", "accuracy": share})
            for label, classifier in classifiers().items():
                measurements.append({"data": name, "classifier": label, **pooled(classifier, X, y)})
        return {"remedies": pd.DataFrame(measurements), "defaults": nested_defaults(data)}
