"""Analyses of the directional study besides accuracies (Lopez-Cruz et al.).

Rose diagrams and fitted densities of angles (Figures 13 and 14), complexity of the classifiers
(Table 2), decision regions of the examples (Figures 3 to 12) and of data sets of two angles, and
samples of both distributions (Figures 1 and 2).
"""

import time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from xnbflow.core.errors import InputError
from xnbflow.core.seeds import derive_seed
from xnbflow.data.dataset import DataSet
from xnbflow.density.families.gaussian import Gaussian
from xnbflow.papers.directional.compute_distributions import distribution_tables
from xnbflow.papers.directional.compute_examples import (
    PrintedValue,
    example_points,
    figure_14,
    printed_values,
    torus_points,
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

#: Parameters of the study; `analyse` explains them.
DEFAULTS: dict[str, Any] = {"bins": 36, "max_features": 4, "repeats": 10}


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
    params = {**DEFAULTS, **params}
    artificial = figure_14()
    tables = _angle_tables([*series.values(), artificial], params["bins"], params["max_features"])
    tables |= distribution_tables()

    # Table 2. The seconds have a table of their own, since they differ in every run.
    columns = [*TABLES["complexity"].fixed, "seconds"]
    complexity = pd.DataFrame(columns=columns)
    if series:
        parts = [_selection_complexity(data, params["repeats"]) for data in series.values()]
        complexity = pd.concat(parts, ignore_index=True)
    tables["complexity"] = complexity.drop(columns="seconds")
    tables["seconds"] = complexity[["dataset", "classifier", "seconds"]]

    pairs = [data for data in series.values() if list(data.kinds) == ["angular", "angular"]]
    of_pairs = [torus_points(data.name, data.values.T, data.labels) for data in pairs]
    tables["examples"] = pd.concat([example_points(), *of_pairs], ignore_index=True)
    values = [*printed_values(), *_figure_14_classes(artificial)]
    rows = [value.row() for value in values]
    tables["printed"] = table_of(rows, TABLES["printed"])
    return tables


def _angle_tables(
    data_sets: list[DataSet], n_bins: int, max_features: int
) -> dict[str, pd.DataFrame]:
    """Return the tables ``rose``, ``fitted``, ``densities`` and ``likelihoods``."""
    roses = []
    fits = []
    densities = []
    for data in data_sets:
        angular = np.flatnonzero(data.kinds == "angular")
        if not len(angular):
            msg = f"data set {data.name!r} has no angular feature; leave it out of this analysis"
            raise InputError(msg)
        classes, codes, counts = np.unique(data.labels, return_inverse=True, return_counts=True)
        angles = data.values[angular]
        von_mises = VonMises().fit(angles, codes, len(classes))
        gaussian = Gaussian().fit(angles, codes, len(classes))
        fits.append(_angle_fits(data, angular, codes=codes, von_mises=von_mises, gaussian=gaussian))
        information = np.asarray(quadrature_information(von_mises, np.log(counts / len(codes))))
        for row in np.argsort(-information, kind="stable")[:max_features]:
            feature = angular[row]
            roses.append(_sector_counts(data, feature, n_bins))
            densities.append(
                _densities(data, feature, row=row, von_mises=von_mises, gaussian=gaussian)
            )
    fitted = pd.concat(fits, ignore_index=True)

    # The log-likelihoods of all angles of a data set under both distributions.
    is_better = fitted["von_mises_log_likelihood"] > fitted["gaussian_log_likelihood"]
    sums = (
        fitted.assign(better=is_better)
        .groupby("dataset", sort=False)
        .agg(
            angles=("feature", "nunique"),
            von_mises=("von_mises_log_likelihood", "sum"),
            gaussian=("gaussian_log_likelihood", "sum"),
            measured=("samples", "sum"),
            better=("better", "sum"),
            pairs=("better", "size"),
        )
    )
    sums["gain_per_angle"] = (sums["von_mises"] - sums["gaussian"]) / sums["measured"]
    likelihoods = sums.reset_index()[TABLES["likelihoods"].fixed]

    return {
        "rose": pd.concat(roses, ignore_index=True),
        "fitted": fitted,
        "densities": pd.concat(densities, ignore_index=True),
        "likelihoods": likelihoods,
    }


def _angle_fits(
    data: DataSet,
    angular: np.ndarray,
    codes: np.ndarray,
    von_mises: VonMises,
    gaussian: Gaussian,
) -> pd.DataFrame:
    """Return one row per angle and class: parameters and log-likelihoods."""
    n_classes = len(data.classes)
    counts = np.tile(np.bincount(codes), len(angular))
    log_likelihood = {}
    for name, family in (("von_mises", von_mises), ("gaussian", gaussian)):
        log_density = family.log_density(data.values[angular])  # (n_angles, n_classes, n_samples)
        of_class = [log_density[:, k, codes == k].sum(axis=1) for k in range(n_classes)]
        log_likelihood[name] = np.column_stack(of_class).ravel()
    gain = log_likelihood["von_mises"] - log_likelihood["gaussian"]
    return pd.DataFrame(
        {
            "dataset": data.name,
            "feature": np.repeat(data.features[angular], n_classes),
            "class": np.tile(data.classes, len(angular)),
            "samples": counts,
            "mean_direction": von_mises.mean_direction_.ravel(),
            "concentration": von_mises.concentration_.ravel(),
            "mean": gaussian.mean_.ravel(),
            "standard_deviation": np.sqrt(gaussian.variance_).ravel(),
            "von_mises_log_likelihood": log_likelihood["von_mises"],
            "gaussian_log_likelihood": log_likelihood["gaussian"],
            "gain": gain,
            "gain_per_sample": gain / counts,
        }
    )


def _sector_counts(data: DataSet, feature: int, n_bins: int) -> pd.DataFrame:
    """Return the number of samples of each class in each sector of the circle."""
    edges = np.linspace(-np.pi, np.pi, n_bins + 1)
    wrapped = np.pi - (np.pi - data.values[feature]) % (2 * np.pi)  # in (-pi, pi]
    counts = [np.histogram(wrapped[data.labels == label], edges)[0] for label in data.classes]
    return pd.DataFrame(
        {
            "dataset": data.name,
            "feature": data.features[feature],
            "class": np.repeat(data.classes, n_bins),
            "sector_start": np.tile(edges[:-1], len(counts)),
            "sector_end": np.tile(edges[1:], len(counts)),
            "samples": np.concatenate(counts),
        }
    )


def _densities(
    data: DataSet, feature: int, row: int, von_mises: VonMises, gaussian: Gaussian
) -> pd.DataFrame:
    """Return both densities of each class along the turn in which the data set has its angles.

    ``feature`` is the angle's position in the data set, ``row`` its position among the angles.
    """
    start = -np.pi if data.values[feature].min() < 0 else 0.0
    angle = np.linspace(start, start + 2 * np.pi, 361)
    grid = np.tile(angle, (len(von_mises.mean_direction_), 1))
    return pd.DataFrame(
        {
            "dataset": data.name,
            "feature": data.features[feature],
            "class": np.repeat(data.classes, len(angle)),
            "angle": np.tile(angle, len(data.classes)),
            "von_mises": np.exp(von_mises.log_density(grid)[row]).ravel(),
            "gaussian": np.exp(gaussian.log_density(grid)[row]).ravel(),
        }
    )


def _selection_complexity(data: DataSet, repeats: int) -> pd.DataFrame:
    """Fit each classifier to the complete data set, with other inner folds at each repeat."""
    rows = []
    for repeat in range(repeats):
        seed = derive_seed(data.name, repeat, "inner folds")
        folds = StratifiedKFold(10, shuffle=True, random_state=seed)
        for name, classifier in classifiers(data, folds).items():
            start = time.perf_counter()
            classifier.fit(data.values.T, data.labels)
            seconds = time.perf_counter() - start
            fitted = classifier
            used_terms: slice | np.ndarray = slice(None)
            if isinstance(classifier, SelectiveNB):
                fitted = classifier.estimator_
                used_terms = classifier.selected_
            used_columns = np.concatenate(fitted.term_columns())[used_terms]
            n_priors = len(classifier.classes_) - 1
            rows.append(
                {
                    "dataset": data.name,
                    "classifier": name,
                    "parameters": n_priors + int(fitted.n_parameters()[used_terms].sum()),
                    "features": len(used_columns),
                    "angular_percent": 100 * float(np.mean(data.kinds[used_columns] == "angular")),
                    "seconds": seconds,
                }
            )
    frame = pd.DataFrame(rows)
    return frame.groupby(["dataset", "classifier"], sort=False).mean().reset_index()


def classifiers(data: DataSet, folds: StratifiedKFold | int) -> dict[str, Any]:
    """Return the paper's classifiers for the columns of a data set; ``folds`` are inner ones."""
    columns = {kind: positions.tolist() for kind, positions in data.columns_by_kind.items()}
    von_mises = VonMisesNB(angular=columns["angular"], categorical=columns["categorical"])
    gaussian = HybridNB(
        [
            ("angular", "gaussian", columns["angular"]),
            ("linear", "gaussian", columns["linear"]),
            ("categorical", "categorical", columns["categorical"]),
        ]
    )
    return {
        "vMNB": von_mises,
        "SelvMNB": SelectiveNB(von_mises, cv=folds),
        "GNB": gaussian,
        "SelGNB": SelectiveNB(gaussian, cv=folds),
        "dNB": DiscretizedNB(categorical=columns["categorical"]),
    }


def _figure_14_classes(data: DataSet) -> list[PrintedValue]:
    """Return the classes of the angles pi and 0, for which the paper's Gaussians are wrong."""
    angles = np.array([[np.pi], [0.0]])
    values = []
    for name, model, printed_classes in (
        ("Gaussian", HybridNB(), (2, 1)),
        ("von Mises", VonMisesNB(), (1, 2)),
    ):
        labels = model.fit(data.values.T, data.labels).predict(angles)
        for angle, printed, label in zip(("pi", "0"), printed_classes, labels, strict=True):
            values.append(
                PrintedValue(
                    example=data.name,
                    quantity=f"class of the angle {angle}, {name}",
                    paper=float(printed),
                    computed=float(label),
                    decimals=0,
                )
            )
    return values
