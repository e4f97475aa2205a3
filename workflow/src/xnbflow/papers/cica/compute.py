"""Conditionally independent components for naive Bayes: CICA paper, section 6, over many seeds.

The paper shows one run of 20 samples. Here its experiment is repeated, with more samples, with
nuisance inputs, and with class labels instead of a real target.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.linalg import fractional_matrix_power
from sklearn.decomposition import PCA, FastICA
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from xnbflow.core.seeds import derive_seed
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.dependence import conditional_dependence
from xnbflow.naive_bayes.flexible_nb import FlexibleNB
from xnbflow.papers.cica import (
    AS_PAPER,
    CHOSEN_WIDTH,
    FAST_ICA,
    PAPERS_WIDTH,
    RECOVERY_ERROR,
    SETTING,
    SQUARE_ERROR,
    SYMMETRIC,
    TRUE_SOURCES,
    UNTRANSFORMED,
    WHITENING,
)
from xnbflow.papers.cica.entries import ANALYSIS
from xnbflow.papers.cica.natural_gradient import ConditionalEntropy, natural_gradient
from xnbflow.papers.cica.regression import KernelNBRegressor
from xnbflow.papers.cica.transformer import CICA
from xnbflow.tables.contract import analysis_tables
from xnbflow.tables.storage import table_of

TABLES = analysis_tables(ANALYSIS)

_DEFAULTS: dict[str, Any] = {
    "seeds": 50,
    "samples": [20, 200],
    "recovery_samples": [500, 1000],
    "nuisance_samples": [200],
    "correlated_samples": [200],
    "test_samples": 100,
    "steps": 30,
    "splits": 10,
    "repeats": 1,
}
_N_SOURCES = 2
_N_NUISANCE = 8
#: Widths of the regression, as tables name them and as the regression takes them.
_WIDTHS = {"paper's": "paper", "chosen": "cv"}
#: A descent leaves the sources again if the recovery error grows to this multiple of its least.
_LEAVES = 1.5
#: Methods that may fail to converge.
_ITERATED = (PAPERS_WIDTH, CHOSEN_WIDTH, FAST_ICA)


class Simulation(NamedTuple):
    """Samples of section 6, with ``inputs = [sources, nuisance] @ mixing.T``.

    Inputs have the shape (n_samples, n_inputs), the mixing (n_inputs, n_inputs); the two sources
    come first.
    """

    inputs: np.ndarray
    target: np.ndarray
    mixing: np.ndarray


class _Setting(NamedTuple):
    """A simulation, and whether y is predicted or only the recovery of sources computed."""

    setting: str
    samples: int
    nuisance: int = 0
    least_target: float = -3.0
    predict: bool = True


def simulate(
    n_samples: int, random: np.random.Generator, *, n_nuisance: int = 0, least_target: float = -3.0
) -> Simulation:
    """Draw samples as in section 6: sources ``y + e1`` and ``y² + e2``, the e uniform on [-1, 1].

    The target y is uniform from ``least_target`` to 3: with the paper's -3 the sources are
    uncorrelated, with 0 they are not, though still independent given y. ``n_nuisance`` standard
    normal variables do not depend on y; with them the mixing is a random matrix, without them the
    paper's.

    Examples
    --------
    >>> simulate(5, np.random.default_rng(0)).inputs.shape
    (5, 2)
    """
    mixing = np.array([[1.0, 0.5], [0.5, 1.0]])
    if n_nuisance:
        mixing = random.normal(size=(_N_SOURCES + n_nuisance, _N_SOURCES + n_nuisance))
    target = random.uniform(least_target, 3.0, n_samples)
    sources = np.column_stack([target, target**2]) + random.uniform(-1.0, 1.0, (n_samples, 2))
    nuisance = random.normal(size=(n_samples, n_nuisance))
    return Simulation(np.hstack([sources, nuisance]) @ mixing.T, target, mixing)


def recovery_error(demixed: np.ndarray) -> float:
    """Return the deviation of P = W A (sources to components) from a scaled permutation, Eq. 12.

    Examples
    --------
    >>> recovery_error(np.array([[0.0, 2.0], [-1.0, 0.0]]))
    0.0
    >>> recovery_error(np.array([[1.0, 0.5], [0.5, 1.0]]))
    2.0
    """
    size = np.abs(demixed)
    rows = size / size.max(axis=1, keepdims=True)
    columns = size / size.max(axis=0)
    return float(rows.sum() - len(size) + columns.sum() - len(size))


def analyse(
    series: dict[str, DataSet], params: dict[str, Any], threads: int
) -> dict[str, pd.DataFrame]:
    """Repeat section 6 over many seeds, and classify data sets with and without CICA.

    There are ``seeds`` runs, ``threads`` at a time, of training ``samples`` with the paper's two
    inputs; of ``nuisance_samples`` with eight nuisance variables besides the sources; of
    ``correlated_samples`` with y on [0, 3]; and of ``recovery_samples``, at which only the recovery
    of the sources is computed. ``steps`` are those of the descents shown step by step, ``splits``
    and ``repeats`` those of the classification's cross-validation.

    Bands reach from the tenth to the ninetieth percentile over seeds. ``dependence`` is computed on
    the samples that CICA was fitted to, and on a half that it has not seen.
    """
    params = {**_DEFAULTS, **params}
    tasks = [
        delayed(_classify)(data, params["splits"], repeat)
        for data in series.values()
        for repeat in range(params["repeats"])
    ]
    classified = [row for rows in Parallel(n_jobs=threads)(tasks) for row in rows]
    classification = table_of(classified, TABLES["classification"])
    accuracies = classification.groupby(["dataset", "transformation"], sort=False)["accuracy"]
    found = [row for data in series.values() for row in _dependence(data)]
    return _simulated(params, threads) | {
        "classification": classification,
        "accuracies": accuracies.agg(mean="mean", sd="std", folds="size").reset_index(),
        "dependence": table_of(found, TABLES["dependence"]),
    }


def _simulated(params: dict[str, Any], threads: int) -> dict[str, pd.DataFrame]:
    """Return the tables of the simulations; a seed's are computed in one process."""
    settings = [
        *(_Setting(AS_PAPER, n, predict=False) for n in params["recovery_samples"]),
        *(_Setting("ten inputs", n, nuisance=_N_NUISANCE) for n in params["nuisance_samples"]),
        *(_Setting("correlated sources", n, least_target=0) for n in params["correlated_samples"]),
        *(_Setting(AS_PAPER, n) for n in params["samples"]),
    ]
    results = Parallel(n_jobs=threads)(
        delayed(_simulate_seed)(setting, seed, params["test_samples"], params["steps"])
        for setting in settings
        for seed in range(params["seeds"])
    )
    keys = [*SETTING, "method"]
    fits, errors, iterations = (
        pd.concat(parts, ignore_index=True) for parts in zip(*results, strict=True)
    )
    fits, errors = (
        table.sort_values([*keys, "seed"], ignore_index=True) for table in (fits, errors)
    )
    measures = [
        fits.assign(measure=RECOVERY_ERROR, value=fits["recovery_error"]),
        errors.assign(
            measure=SQUARE_ERROR + ", " + errors["regression_width"] + " width",
            value=errors["mean_square_error"],
        ),
    ]
    summary = _bands(pd.concat(measures), [*keys, "measure"])
    cases = summary.set_index([*SETTING, "measure"])
    without = cases.loc[cases["method"] == UNTRANSFORMED, "median"].reindex(cases.index)
    shares = summary["median"] / without.to_numpy()
    iterations = _bands(iterations, ["samples", "width", "measure", "step"])
    steps = iterations.sort_values("step", kind="stable")
    paths = steps.groupby(["samples", "width", "measure"], sort=False)["median"]
    descents = paths.agg(start="first", least="min", least_at="idxmin", end="last")
    descents["least_at"] = steps.loc[descents["least_at"], "step"].to_numpy()
    iterated = fits[fits["method"].isin(_ITERATED)]
    converged = {"runs": "size", "converged_runs": "sum", "converged": "mean"}
    of_setting = iterated.groupby(keys, sort=False)["converged"].agg(**converged)
    medians = iterated.groupby(keys, sort=False)[["width", "steps"]].median()
    return {
        "fits": fits,
        "errors": errors,
        "summary": summary.assign(of_untransformed=shares),
        "iterations": iterations,
        "descents": descents.assign(
            leaves=descents["end"] > _LEAVES * descents["least"]
        ).reset_index(),
        "convergence": medians.join(of_setting).reset_index(),
    }


def _bands(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return the median and the band of ``value``, and the number of seeds, per group."""
    groups = table.groupby(keys, sort=False)["value"]
    bands = (
        groups.quantile([0.1, 0.5, 0.9]).unstack().set_axis(["lower", "median", "upper"], axis=1)
    )
    return bands.join(groups.count().rename("seeds")).reset_index()


def _simulate_seed(
    setting: _Setting, seed: int, n_test: int, n_steps: int
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return one seed's rows of ``fits``, ``errors`` and (not yet summarised) ``iterations``."""
    n = setting.samples
    random = np.random.default_rng(derive_seed("cica", setting.setting, n, seed))
    drawn = simulate(
        n + n_test, random, n_nuisance=setting.nuisance, least_target=setting.least_target
    )
    X, y = drawn.inputs[:n], drawn.target[:n]

    def recovery(demixing: np.ndarray) -> float:
        if len(demixing) != _N_SOURCES:
            return np.nan
        return recovery_error(demixing @ drawn.mixing[:, :_N_SOURCES])

    def square_error(demixing: np.ndarray, width: str) -> float:
        components = drawn.inputs @ demixing.T
        model = KernelNBRegressor(width=width).fit(components[:n], y)
        return float(np.mean((model.predict(components[n:]) - drawn.target[n:]) ** 2))

    fits: list[dict[str, Any]] = []
    errors, steps = [], []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        random_state = int(random.integers(2**31))
        for method, width in ((PAPERS_WIDTH, "paper"), (CHOSEN_WIDTH, "cv")):
            cica = CICA(n_components=_N_SOURCES, width=width, random_state=random_state).fit(X, y)
            found = {"width": cica.width_, "steps": cica.n_iter_, "converged": cica.converged_}
            fits.append({"method": method, "demixing": cica.components_, **found})
        if setting.predict:
            fits += _rivals(X, drawn.mixing, random_state)
            errors = [
                {"method": fit["method"], "regression_width": name}
                | {"mean_square_error": square_error(fit["demixing"], width)}
                for fit in fits
                for name, width in _WIDTHS.items()
            ]
        if setting.predict and setting.setting == AS_PAPER:
            for name, fit in zip(_WIDTHS, fits, strict=False):
                path = _descent(X, y, fit["width"], n_steps)
                values = [(recovery(each), square_error(each, "paper")) for each in path]
                values += [values[-1]] * (n_steps + 1 - len(path))
                steps += [
                    {"width": name, "step": step, "measure": measure, "value": value}
                    for step, both in enumerate(values)
                    for measure, value in zip((RECOVERY_ERROR, SQUARE_ERROR), both, strict=True)
                ]
    for fit in fits:
        fit["recovery_error"] = recovery(fit.pop("demixing"))
    about = {"setting": setting.setting, "samples": n, "seed": seed}
    fits, errors, steps = (
        pd.DataFrame([about | row for row in rows]) for rows in (fits, errors, steps)
    )
    return fits, errors, steps


def _rivals(X: np.ndarray, mixing: np.ndarray, random_state: int) -> list[dict[str, Any]]:
    """Return the other transformations.

    Symmetric whitening is one of them because the paper's mixing is symmetric: of uncorrelated
    sources, it is close to the inverse. The principal axes are not.
    """
    pca = PCA(_N_SOURCES).fit(X)
    ica = FastICA(_N_SOURCES, whiten="unit-variance", max_iter=1000, random_state=random_state)
    ica.fit(X)
    demixings = {
        UNTRANSFORMED: np.eye(X.shape[1]),
        WHITENING: pca.components_ / np.sqrt(pca.explained_variance_)[:, np.newaxis],
        FAST_ICA: ica.components_,
        TRUE_SOURCES: np.linalg.inv(mixing)[:_N_SOURCES],
    }
    if X.shape[1] == _N_SOURCES:
        demixings[SYMMETRIC] = fractional_matrix_power(np.cov(X.T), -0.5)
    converged = {FAST_ICA: ica.n_iter_ < ica.max_iter}
    return [
        {"method": name, "demixing": demixing, "converged": converged.get(name, True)}
        for name, demixing in demixings.items()
    ]


def _descent(X: np.ndarray, y: np.ndarray, width: float, n_steps: int) -> list[np.ndarray]:
    """Return the matrix at each step of a descent from the identity."""
    objective = ConditionalEntropy((X - X.mean(axis=0)).T, y / y.std(), width)
    start = np.eye(_N_SOURCES)
    return natural_gradient(objective, start, max_iter=n_steps, tol=1e-4).path


def _classify(data: DataSet, n_splits: int, repeat: int) -> list[dict[str, Any]]:
    """Return the accuracy of FlexibleNB by fold, with and without CICA."""
    folds = StratifiedKFold(
        n_splits, shuffle=True, random_state=derive_seed("cica", data.name, "folds", repeat)
    )
    X, y = data.values.T, data.labels
    rows = []
    with threadpool_limits(1):
        for fold, (training, test) in enumerate(folds.split(X, y)):
            for transformation, components in _before_and_after(data, training).items():
                model = FlexibleNB().fit(components[training], y[training])
                about = {"dataset": data.name, "repeat": repeat, "fold": fold}
                accuracy = model.score(components[test], y[test])
                rows.append({**about, "transformation": transformation, "accuracy": accuracy})
    return rows


def _dependence(data: DataSet) -> list[dict[str, Any]]:
    """Return numbers of features that depend on another given the class, without and with CICA."""
    y = data.labels
    everything = np.arange(data.n_samples)
    halves = StratifiedShuffleSplit(
        1, test_size=0.5, random_state=derive_seed("cica", data.name, "halves")
    )
    kept, held_out = next(halves.split(data.values.T, y))
    rows = []
    for name, fitted, tested in (
        ("those fitted", everything, everything),
        ("held-out half", kept, held_out),
    ):
        for transformation, components in _before_and_after(data, fitted).items():
            found = conditional_dependence(components[tested], y[tested])
            row: dict[str, Any] = {"dataset": data.name, "samples": name}
            row |= {"transformation": transformation}
            row |= {"ratio": found.ratio, "pairs": found.n_pairs}
            rows.append(row | {"largest_r": found.max_abs_r.max()})
    return rows


def _before_and_after(data: DataSet, fitted: np.ndarray) -> dict[str, np.ndarray]:
    """Return the features, and their components by CICA fitted to some samples."""
    X = data.values.T
    cica = CICA(random_state=derive_seed("cica", data.name, "rotations"))
    return {"none": X, "CICA": cica.fit(X[fitted], data.labels[fitted]).transform(X)}
