"""Conditionally independent components for naive Bayes: CICA paper, section 6, over many seeds.

The paper shows one run of 20 samples. Here its experiment is repeated, with more samples, with
nuisance inputs, with class labels instead of a real target (`_classify`), and on a real target
(`real_target`).
"""

import itertools
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
from xnbflow.papers.cica.real_target import score_regressors
from xnbflow.papers.cica.regression import KernelNBRegressor
from xnbflow.papers.cica.transformer import CICA
from xnbflow.tables.contract import analysis_tables
from xnbflow.tables.storage import table_of

TABLES = analysis_tables(ANALYSIS)

_DEFAULTS: dict[str, Any] = {
    "seeds": 50,
    "samples": [20, 200],
    "recovery_samples": [50, 500, 1000],
    "nuisance_samples": [200],
    "correlated_samples": [200],
    "test_samples": 100,
    "steps": 30,
    "splits": 10,
    "repeats": 1,
    "real_splits": 10,
    "real_repeats": 3,
}
_N_SOURCES = 2
_N_NUISANCE = 8
#: Widths of the regression, as tables name them and as the regression takes them.
_WIDTHS = {"paper's": "paper", "chosen": "cv"}
#: A recovery error (Eq. 12) below it means that each component is mostly one source: 2 is the
#: error of the paper's mixture itself.
RECOVERED = 0.5
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


class _SeedTables(NamedTuple):
    """The rows of one seed; iterations are not yet summarised over seeds."""

    fits: pd.DataFrame
    errors: pd.DataFrame
    iterations: pd.DataFrame


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
    and ``repeats`` those of the classification's cross-validation, ``real_splits`` and
    ``real_repeats`` those of the regression on diabetes (0 repeats leave it out).

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
    dependence = [row for data in series.values() for row in _dependence(data)]
    simulated = _simulated(params, threads)
    regression = score_regressors(params["real_splits"], params["real_repeats"], threads)
    return (
        simulated
        | regression
        | {
            "recovery": recovery_by_size(simulated["summary"]),
            "classification": classification,
            "accuracies": accuracies.agg(mean="mean", sd="std", folds="size").reset_index(),
            "dependence": table_of(dependence, TABLES["dependence"]),
        }
    )


def recovery_by_size(summary: pd.DataFrame) -> pd.DataFrame:
    """Return the recovery error of each method by number of samples, in the paper's setting.

    A method that recovers the sources has errors below `RECOVERED` in at least half of the runs.
    """
    rows = summary[
        (summary["setting"] == AS_PAPER)
        & (summary["measure"] == RECOVERY_ERROR)
        & ~summary["method"].isin([TRUE_SOURCES, UNTRANSFORMED])
    ]
    columns = ["samples", "method", "median", "lower", "upper", "seeds"]
    rows = rows.assign(recovers=rows["median"] < RECOVERED)
    return rows.sort_values(["samples", "method"], kind="stable", ignore_index=True)[
        [*columns, "recovers"]
    ]


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
    fits = pd.concat([result.fits for result in results], ignore_index=True)
    fits = fits.sort_values([*keys, "seed"], ignore_index=True)
    errors = pd.concat([result.errors for result in results], ignore_index=True)
    errors = errors.sort_values([*keys, "seed"], ignore_index=True)
    iterations = pd.concat([result.iterations for result in results], ignore_index=True)
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


def _simulate_seed(setting: _Setting, seed: int, n_test: int, n_steps: int) -> _SeedTables:
    """Simulate one training and test set, and return the rows of one seed."""
    n = setting.samples
    random = np.random.default_rng(derive_seed("cica", setting.setting, n, seed))
    simulation = simulate(
        n + n_test, random, n_nuisance=setting.nuisance, least_target=setting.least_target
    )
    X, y = simulation.inputs[:n], simulation.target[:n]
    errors: list[dict[str, Any]] = []
    steps: list[dict[str, Any]] = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        random_state = int(random.integers(2**31))
        fits = [
            _fit_cica(X, y, method, width, random_state)
            for method, width in ((PAPERS_WIDTH, "paper"), (CHOSEN_WIDTH, "cv"))
        ]
        if setting.predict:
            fits += _rivals(X, simulation.mixing, random_state)
            for fit, (name, width) in itertools.product(fits, _WIDTHS.items()):
                error = _square_error(simulation, n, fit["demixing"], width)
                row = {"method": fit["method"], "regression_width": name}
                errors.append({**row, "mean_square_error": error})
        if setting.predict and setting.setting == AS_PAPER:
            for name, fit in zip(_WIDTHS, fits, strict=False):
                steps += _steps(simulation, n, fit["width"], n_steps, name)
    for fit in fits:
        fit["recovery_error"] = _recovery(simulation, fit.pop("demixing"))
    about = {"setting": setting.setting, "samples": n, "seed": seed}
    return _SeedTables(
        fits=pd.DataFrame([about | row for row in fits]),
        errors=pd.DataFrame([about | row for row in errors]),
        iterations=pd.DataFrame([about | row for row in steps]),
    )


def _recovery(simulation: Simulation, demixing: np.ndarray) -> float:
    """Return the recovery error of the sources; missing with more components than sources."""
    if len(demixing) != _N_SOURCES:
        return np.nan
    return recovery_error(demixing @ simulation.mixing[:, :_N_SOURCES])


def _square_error(simulation: Simulation, n: int, demixing: np.ndarray, width: str) -> float:
    """Return the error of naive Bayes regression, fitted to the first n samples, on the others."""
    components = simulation.inputs @ demixing.T
    model = KernelNBRegressor(width=width).fit(components[:n], simulation.target[:n])
    return float(np.mean((model.predict(components[n:]) - simulation.target[n:]) ** 2))


def _fit_cica(
    X: np.ndarray, y: np.ndarray, method: str, width: str, random_state: int
) -> dict[str, Any]:
    """Return W, and how the fit ended, as a row of ``fits``."""
    cica = CICA(n_components=_N_SOURCES, width=width, random_state=random_state).fit(X, y)
    return {
        "method": method,
        "demixing": cica.components_,
        "width": cica.width_,
        "steps": cica.n_iter_,
        "converged": cica.converged_,
    }


def _steps(
    simulation: Simulation, n: int, width: float, n_steps: int, name: str
) -> list[dict[str, Any]]:
    """Return both errors at each step of a descent from the identity."""
    path = _descent(simulation.inputs[:n], simulation.target[:n], width, n_steps)
    # A descent that has converged stays where it is.
    path += [path[-1]] * (n_steps + 1 - len(path))
    rows: list[dict[str, Any]] = []
    for step, demixing in enumerate(path):
        row = {"width": name, "step": step}
        rows.append({**row, "measure": RECOVERY_ERROR, "value": _recovery(simulation, demixing)})
        error = _square_error(simulation, n, demixing, "paper")
        rows.append({**row, "measure": SQUARE_ERROR, "value": error})
    return rows


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
    first_half, second_half = next(halves.split(data.values.T, y))
    # Samples that CICA is fitted to, and samples in which the dependence is measured.
    parts = {
        "those fitted": (everything, everything),
        "held-out half": (first_half, second_half),
    }
    rows: list[dict[str, Any]] = []
    for name, (training, tested) in parts.items():
        for transformation, components in _before_and_after(data, training).items():
            dependence = conditional_dependence(components[tested], y[tested])
            rows.append(
                {
                    "dataset": data.name,
                    "samples": name,
                    "transformation": transformation,
                    "ratio": dependence.ratio,
                    "pairs": dependence.n_pairs,
                    "largest_r": dependence.max_abs_r.max(),
                }
            )
    return rows


def _before_and_after(data: DataSet, training: np.ndarray) -> dict[str, np.ndarray]:
    """Return the features, and their components by CICA fitted to training samples."""
    X = data.values.T
    cica = CICA(random_state=derive_seed("cica", data.name, "rotations"))
    return {"none": X, "CICA": cica.fit(X[training], data.labels[training]).transform(X)}
