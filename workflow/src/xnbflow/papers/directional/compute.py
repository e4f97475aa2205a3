"""Analyses of the directional study besides accuracies (Lopez-Cruz et al.).

Rose diagrams and fitted densities of angles (Figures 13 and 14), complexity of the classifiers
(Table 2), and decision regions of the examples (Figures 3 to 12) and of data sets of two angles.
"""

import time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from xnbflow.core.errors import InputError
from xnbflow.core.seeds import derive_seed
from xnbflow.data.dataset import DataSet
from xnbflow.density.families.distribution import Distribution
from xnbflow.density.families.gaussian import Gaussian
from xnbflow.papers.directional import CLASSIFIERS
from xnbflow.papers.directional.compute_examples import (
    example_tables,
    figure_14,
    printed_values,
    torus_regions,
)
from xnbflow.papers.directional.discretized_nb import DiscretizedNB
from xnbflow.papers.directional.entries import ANALYSIS
from xnbflow.papers.directional.hybrid_nb import HybridNB
from xnbflow.papers.directional.mutual_information import quadrature_information
from xnbflow.papers.directional.selective_nb import SelectiveNB
from xnbflow.papers.directional.von_mises import VonMises
from xnbflow.papers.directional.von_mises_nb import VonMisesNB
from xnbflow.tables.contract import analysis_tables
from xnbflow.tables.storage import table_of

TABLES = analysis_tables(ANALYSIS)

#: Numbers with a smaller difference are equal to four decimals.
_SAME = 5e-5


def analyse(
    series: dict[str, DataSet],
    params: dict[str, Any],
    threads: int,  # noqa: ARG001
) -> dict[str, pd.DataFrame]:
    """Compute the tables behind the study's figures.

    A rose diagram has ``bins`` sectors; roses and densities are shown of the ``max_features``
    angles of a data set with most information on the class. Each classifier is fitted ``repeats``
    times to each complete data set (10, as in the paper), on numba's number of threads.

    The comparison with the paper is `compute_comparison`. Figure 14's artificial data are a data
    set, too; a data set of just two angles is also an example. One without angles is an
    `InputError`.
    """
    params = {"bins": 36, "max_features": 4, "repeats": 10, **params}
    artificial = figure_14()
    tables = _angle_tables([*series.values(), artificial], params["bins"], params["max_features"])
    sizes = [_complexity(data, params["repeats"]) for data in series.values()]
    sizes = sizes or [table_of([], TABLES["complexity"])]
    tables["complexity"] = pd.concat(sizes, ignore_index=True)
    tables |= example_tables()
    for data in series.values():
        if list(data.kinds) == ["angular", "angular"]:
            regions, boundary = torus_regions(data.name, data.values.T, data.labels)
            tables["regions"] = pd.concat([tables["regions"], regions], ignore_index=True)
            tables["boundaries"] = pd.concat([tables["boundaries"], boundary], ignore_index=True)
    printed = pd.concat([printed_values(), _figure_14_classes(artificial)], ignore_index=True)
    same = np.isclose(printed["paper"], printed["computed"], rtol=0, atol=_SAME)
    return tables | {"printed": printed.assign(agrees=same)}


def _angle_tables(
    data_sets: list[DataSet], n_bins: int, max_features: int
) -> dict[str, pd.DataFrame]:
    parts: dict[str, list[pd.DataFrame]] = {"rose": [], "fitted": [], "densities": []}
    for data in data_sets:
        angular = np.flatnonzero(data.kinds == "angular")
        if not len(angular):
            msg = f"data set {data.name!r} has no angular feature; leave it out of this analysis"
            raise InputError(msg)
        classes, codes, counts = np.unique(data.labels, return_inverse=True, return_counts=True)
        angles = data.values[angular]
        families = [family.fit(angles, codes, len(classes)) for family in (VonMises(), Gaussian())]
        parts["fitted"].append(_fitted(data, angular, codes, families))
        information = quadrature_information(families[0], np.log(counts / len(codes)))
        for row in np.argsort(-np.asarray(information), kind="stable")[:max_features]:
            rose, densities = _along_the_circle(data, angular[row], row, families, n_bins)
            parts["rose"].append(rose)
            parts["densities"].append(densities)
    tables = {table: pd.concat(frames, ignore_index=True) for table, frames in parts.items()}
    fitted = tables["fitted"]
    better = fitted["von_mises_log_likelihood"] > fitted["gaussian_log_likelihood"]
    sums = (
        fitted.assign(better=better)
        .groupby("dataset", sort=False)
        .agg(
            angles=("feature", "nunique"),
            von_mises=("von_mises_log_likelihood", "sum"),
            gaussian=("gaussian_log_likelihood", "sum"),
            gain_per_angle=("samples", "sum"),
            better=("better", "sum"),
            pairs=("better", "size"),
        )
    )
    gain = (sums["von_mises"] - sums["gaussian"]) / sums["gain_per_angle"]
    return tables | {"likelihoods": sums.assign(gain_per_angle=gain).reset_index()}


def _fitted(
    data: DataSet, angular: np.ndarray, codes: np.ndarray, families: list[Distribution]
) -> pd.DataFrame:
    """Return one row per angle and class: parameters and log-likelihoods."""
    von_mises, gaussian = families
    classes = data.classes
    angles = data.values[angular]
    log_likelihood = np.array(
        [
            [
                family.log_density(angles[:, codes == k])[:, k].sum(axis=1)
                for k in range(len(classes))
            ]
            for family in families
        ]
    ).swapaxes(1, 2)
    counts = np.tile(np.bincount(codes), len(angular))
    gain = (log_likelihood[0] - log_likelihood[1]).ravel()
    return pd.DataFrame(
        {
            "dataset": data.name,
            "feature": np.repeat(data.features[angular], len(classes)),
            "class": np.tile(classes, len(angular)),
            "samples": counts,
            "mean_direction": von_mises.mean_direction_.ravel(),
            "concentration": von_mises.concentration_.ravel(),
            "mean": gaussian.mean_.ravel(),
            "standard_deviation": np.sqrt(gaussian.variance_).ravel(),
            "von_mises_log_likelihood": log_likelihood[0].ravel(),
            "gaussian_log_likelihood": log_likelihood[1].ravel(),
            "gain": gain,
            "gain_per_sample": gain / counts,
        }
    )


def _along_the_circle(
    data: DataSet, feature: int, row: int, families: list[Distribution], n_bins: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the samples of each class in each sector, and both densities in the data's turn."""
    edges = np.linspace(-np.pi, np.pi, n_bins + 1)
    wrapped = np.pi - (np.pi - data.values[feature]) % (2 * np.pi)
    counts = [np.histogram(wrapped[data.labels == label], edges)[0] for label in data.classes]
    start = -np.pi if data.values[feature].min() < 0 else 0.0
    angle = np.linspace(start, start + 2 * np.pi, 361)
    grid = np.tile(angle, (len(families[0].mean_direction_), 1))
    about = {"dataset": data.name, "feature": data.features[feature]}
    rose = {
        "class": np.repeat(data.classes, n_bins),
        "sector_start": np.tile(edges[:-1], len(counts)),
        "sector_end": np.tile(edges[1:], len(counts)),
        "samples": np.concatenate(counts),
    }
    densities = {
        "class": np.repeat(data.classes, len(angle)),
        "angle": np.tile(angle, len(data.classes)),
    }
    for name, family in zip(("von_mises", "gaussian"), families, strict=True):
        densities[name] = np.exp(family.log_density(grid)[row]).ravel()
    return pd.DataFrame(about | rose), pd.DataFrame(about | densities)


def _complexity(data: DataSet, repeats: int) -> pd.DataFrame:
    """Fit each classifier to the complete data set, with other inner folds at each repeat."""
    rows = []
    for repeat in range(repeats):
        seed = derive_seed(data.name, repeat, "inner folds")
        folds = StratifiedKFold(10, shuffle=True, random_state=seed)
        for name, classifier in classifiers(data, folds).items():
            start = time.perf_counter()
            classifier.fit(data.values.T, data.labels)
            seconds = time.perf_counter() - start
            selective = isinstance(classifier, SelectiveNB)
            hybrid = classifier.estimator_ if selective else classifier
            terms = classifier.selected_ if selective else slice(None)
            used = np.concatenate(hybrid.term_columns())[terms]
            parameters = len(classifier.classes_) - 1 + int(hybrid.n_parameters()[terms].sum())
            angular = 100 * float(np.mean(data.kinds[used] == "angular"))
            row = {"dataset": data.name, "classifier": name, "parameters": parameters}
            row |= {"features": len(used), "angular_percent": angular, "seconds": seconds}
            rows.append(row)
    frame = table_of(rows, TABLES["complexity"])
    return frame.groupby(["dataset", "classifier"], sort=False).mean().reset_index()


def classifiers(data: DataSet, folds: StratifiedKFold | int) -> dict[str, Any]:
    """Return the paper's classifiers for the columns of a data set; ``folds`` are inner ones."""
    linear, angular, categorical = (each.tolist() for each in data.columns_by_kind.values())
    von_mises = VonMisesNB(angular=angular, categorical=categorical)
    gaussian = HybridNB(
        [
            ("angular", "gaussian", angular),
            ("linear", "gaussian", linear),
            ("categorical", "categorical", categorical),
        ]
    )
    selective = [SelectiveNB(estimator, cv=folds) for estimator in (von_mises, gaussian)]
    discretized = DiscretizedNB(categorical=categorical)
    made = (von_mises, selective[0], gaussian, selective[1], discretized)
    return dict(zip(CLASSIFIERS, made, strict=True))


def _figure_14_classes(data: DataSet) -> pd.DataFrame:
    """Return the class of the angles pi and 0, for which the paper's Gaussians are wrong."""
    rows = []
    for name, model, expected in (
        ("Gaussian", HybridNB(), (2, 1)),
        ("von Mises", VonMisesNB(), (1, 2)),
    ):
        labels = model.fit(data.values.T, data.labels).predict(np.array([[np.pi], [0.0]]))
        for angle, paper, label in zip(("pi", "0"), expected, labels, strict=True):
            row = {"example": data.name, "quantity": f"class of the angle {angle}, {name}"}
            rows.append(row | {"paper": float(paper), "computed": float(label)})
    return pd.DataFrame(rows)
