"""Conditionally independent components for naive Bayes: CICA paper, section 6, over many seeds.

The paper shows one run of 20 samples. Here its experiment is repeated, with more samples, with
nuisance inputs, and with class labels instead of a real target.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.linalg import fractional_matrix_power
from sklearn.decomposition import PCA, FastICA
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from xnbflow.data.dataset import DataSet
from xnbflow.data.seeds import derive_seed
from xnbflow.diagnostics.dependence import conditional_dependence
from xnbflow.naive_bayes.flexible import FlexibleNB
from xnbflow.naive_bayes.regression import KernelNBRegressor
from xnbflow.preprocessing.cica import CICA
from xnbflow.preprocessing.natural_gradient import ConditionalEntropy, natural_gradient
from xnbflow.studies.cica import (
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
from xnbflow.studies.defaults import with_defaults

__all__ = ["Simulation", "analyse", "recovery_error", "simulate"]

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
#: The sources are left again where the recovery error grows to this multiple of its least.
_LEAVES = 1.5
#: Methods that may fail to converge.
_ITERATED = (PAPERS_WIDTH, CHOSEN_WIDTH, FAST_ICA)


@dataclass(frozen=True)
class Simulation:
    """Samples of section 6.

    Attributes
    ----------
    inputs : ndarray of shape (n_samples, n_inputs)
        Sources, and nuisance if there is any, mixed.
    target : ndarray of shape (n_samples,)
        y.
    mixing : ndarray of shape (n_inputs, n_inputs)
        ``inputs = [sources, nuisance] @ mixing.T``; the two sources come first.
    """

    inputs: np.ndarray
    target: np.ndarray
    mixing: np.ndarray


@dataclass(frozen=True)
class _Setting:
    """What is simulated, and whether y is predicted or only the recovery of sources computed."""

    setting: str
    samples: int
    nuisance: int = 0
    least_target: float = -3.0
    predict: bool = True


def simulate(
    n_samples: int, random: np.random.Generator, *, n_nuisance: int = 0, least_target: float = -3.0
) -> Simulation:
    """Draw samples as in section 6: sources ``y + e1`` and ``y² + e2``, the e uniform on [-1, 1].

    Parameters
    ----------
    n_samples : int
        Number of samples.
    random : Generator
        Source of random numbers.
    n_nuisance : int
        Standard normal variables that do not depend on y. With them the mixing is a random
        matrix, without them the paper's.
    least_target : float
        y is uniform from here to 3. With the paper's -3 the sources are uncorrelated; with 0 they
        are not, though still independent given y.

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
    """Return how far a matrix is from a scaled permutation, Eq. 12.

    Parameters
    ----------
    demixed : ndarray of shape (n_sources, n_sources)
        P = W A, from true sources to components.

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

    Parameters
    ----------
    series : dict of str to DataSet
        Data sets to classify; may be empty.
    params : dict
        All optional. ``seeds``: how many (50). ``samples``: training samples with the paper's two
        inputs (20 and 200). ``recovery_samples``: further ones at which only the recovery of the
        sources is computed (500 and 1000). ``nuisance_samples``: training samples with eight
        nuisance variables besides the sources (200); ``correlated_samples``: with y on [0, 3]
        (200). ``test_samples`` (100). ``steps``: of the descents shown step by step (30).
        ``splits`` (10) and ``repeats`` (1) of the classification's cross-validation.
    threads : int
        Seeds simulated at a time.

    Returns
    -------
    dict of str to DataFrame
        The tables that ``tables.toml`` declares. Bands reach from the tenth to the
        ninetieth percentile over seeds. ``dependence`` is computed on the samples that CICA was
        fitted to, and on a half that it has not seen.

    Raises
    ------
    InputError
        If a parameter is unknown.
    """
    params = with_defaults("cica", params, _DEFAULTS)
    tables = _simulated(params, threads)
    folds = [
        delayed(_classify)(data, params["splits"], repeat)
        for data in series.values()
        for repeat in range(params["repeats"])
    ]
    classification = pd.DataFrame(
        [row for rows in Parallel(n_jobs=threads)(folds) for row in rows],
        columns=["dataset", "repeat", "fold", "transformation", "accuracy"],
    )
    accuracies = classification.groupby(["dataset", "transformation"], sort=False)["accuracy"]
    dependence = pd.DataFrame(
        [row for data in series.values() for row in _dependence(data)],
        columns=["dataset", "samples", "transformation", "ratio", "pairs", "largest_r"],
    )
    return tables | {
        "classification": classification,
        "accuracies": accuracies.agg(mean="mean", sd="std", folds="size").reset_index(),
        "dependence": dependence,
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
    iterations = _bands(iterations, ["samples", "width", "measure", "step"])
    iterated = fits[fits["method"].isin(_ITERATED)]
    medians = iterated.groupby(keys, sort=False)[["width", "steps"]].median()
    return {
        "fits": fits,
        "errors": errors,
        "summary": _with_shares(summary),
        "iterations": iterations,
        "descents": _descents(iterations),
        "convergence": medians.join(_converged(iterated, keys)).reset_index(),
        "converged": _converged(iterated, ["method"]).reset_index(),
    }


def _bands(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return the median and the band of ``value``, and the number of seeds, per group."""
    groups = table.groupby(keys, sort=False)["value"]
    bands = (
        groups.quantile([0.1, 0.5, 0.9]).unstack().set_axis(["lower", "median", "upper"], axis=1)
    )
    return bands.join(groups.count().rename("seeds")).reset_index()


def _with_shares(summary: pd.DataFrame) -> pd.DataFrame:
    """Add medians as shares of those without a transformation."""
    keys = [*SETTING, "measure"]
    without = summary[summary["method"] == UNTRANSFORMED].set_index(keys)["median"]
    without = without.reindex(pd.MultiIndex.from_frame(summary[keys]))
    return summary.assign(of_untransformed=summary["median"] / without.to_numpy())


def _descents(iterations: pd.DataFrame) -> pd.DataFrame:
    """Return where each median begins, is least and ends, and whether it rises again."""
    steps = iterations.sort_values("step", kind="stable")
    paths = steps.groupby(["samples", "width", "measure"], sort=False)["median"]
    found = paths.agg(start="first", least="min", least_at="idxmin", end="last")
    found["least_at"] = steps.loc[found["least_at"], "step"].to_numpy()
    return found.assign(leaves=found["end"] > _LEAVES * found["least"]).reset_index()


def _converged(fits: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return how many runs converged."""
    groups = fits.groupby(keys, sort=False)["converged"]
    return groups.agg(runs="size", converged_runs="sum", converged="mean")


@dataclass(frozen=True)
class _Trial:
    """Training and test samples of one seed."""

    drawn: Simulation
    n_training: int

    @property
    def training(self) -> np.ndarray:
        return self.drawn.inputs[: self.n_training]

    @property
    def target(self) -> np.ndarray:
        return self.drawn.target[: self.n_training]

    def recovery_error(self, demixing: np.ndarray) -> float:
        """Return Eq. 12; NaN where the components are more than the sources."""
        if len(demixing) != _N_SOURCES:
            return np.nan
        return recovery_error(demixing @ self.drawn.mixing[:, :_N_SOURCES])

    def mean_square_error(self, demixing: np.ndarray, width: str) -> float:
        """Return the error of naive Bayes regression on components, on the test samples."""
        components = self.drawn.inputs @ demixing.T
        model = KernelNBRegressor(width=width).fit(components[: self.n_training], self.target)
        predicted = model.predict(components[self.n_training :])
        return float(np.mean((predicted - self.drawn.target[self.n_training :]) ** 2))


def _simulate_seed(
    setting: _Setting, seed: int, n_test: int, n_steps: int
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return one seed's rows of ``fits``, ``errors`` and (not yet summarised) ``iterations``."""
    random = np.random.default_rng(derive_seed("cica", setting.setting, setting.samples, seed))
    drawn = simulate(
        setting.samples + n_test,
        random,
        n_nuisance=setting.nuisance,
        least_target=setting.least_target,
    )
    trial = _Trial(drawn, setting.samples)
    errors, steps = [], []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        random_state = int(random.integers(2**31))
        fits = _cica(trial, random_state)
        if setting.predict:
            fits += _rivals(trial, random_state)
            errors = [
                {"method": fit["method"], "regression_width": name}
                | {"mean_square_error": trial.mean_square_error(fit["demixing"], width)}
                for fit in fits
                for name, width in _WIDTHS.items()
            ]
        if setting.predict and setting.setting == AS_PAPER:
            steps = _by_step(trial, [fit["width"] for fit in fits[:2]], n_steps)
    for fit in fits:
        fit["recovery_error"] = trial.recovery_error(fit.pop("demixing"))
    about = {"setting": setting.setting, "samples": setting.samples, "seed": seed}
    fits, errors, steps = (
        pd.DataFrame([about | row for row in rows]) for rows in (fits, errors, steps)
    )
    return fits, errors, steps


def _cica(trial: _Trial, random_state: int) -> list[dict[str, Any]]:
    """Return what CICA finds at the paper's and at the chosen width."""
    fits = {
        method: CICA(n_components=_N_SOURCES, width=width, random_state=random_state).fit(
            trial.training, trial.target
        )
        for method, width in ((PAPERS_WIDTH, "paper"), (CHOSEN_WIDTH, "cv"))
    }
    return [
        {"method": method, "demixing": cica.components_, "width": cica.width_}
        | {"steps": cica.n_iter_, "converged": cica.converged_}
        for method, cica in fits.items()
    ]


def _rivals(trial: _Trial, random_state: int) -> list[dict[str, Any]]:
    """Return the other transformations.

    Symmetric whitening is one of them because the paper's mixing is symmetric: of uncorrelated
    sources, it is close to the inverse. The principal axes are not.
    """
    X = trial.training
    pca = PCA(_N_SOURCES).fit(X)
    ica = FastICA(_N_SOURCES, whiten="unit-variance", max_iter=1000, random_state=random_state)
    ica.fit(X)
    demixings = {
        UNTRANSFORMED: np.eye(X.shape[1]),
        WHITENING: pca.components_ / np.sqrt(pca.explained_variance_)[:, np.newaxis],
        FAST_ICA: ica.components_,
        TRUE_SOURCES: np.linalg.inv(trial.drawn.mixing)[:_N_SOURCES],
    }
    if X.shape[1] == _N_SOURCES:
        demixings[SYMMETRIC] = fractional_matrix_power(np.cov(X.T), -0.5)
    converged = {FAST_ICA: ica.n_iter_ < ica.max_iter}
    return [
        {"method": name, "demixing": demixing, "converged": converged.get(name, True)}
        for name, demixing in demixings.items()
    ]


def _by_step(trial: _Trial, widths: list[float], n_steps: int) -> list[dict[str, Any]]:
    """Return both errors at each step of a descent from the inputs as they are."""
    inputs, target = (
        (trial.training - trial.training.mean(axis=0)).T,
        trial.target / trial.target.std(),
    )
    rows = []
    for name, width in zip(_WIDTHS, widths, strict=True):
        objective = ConditionalEntropy(inputs, target, width)
        start = np.eye(_N_SOURCES)
        path = natural_gradient(objective, start, step=0.1, max_iter=n_steps, tol=1e-4).path
        values = [
            (trial.recovery_error(demixing), trial.mean_square_error(demixing, "paper"))
            for demixing in path
        ]
        values += [values[-1]] * (n_steps + 1 - len(path))
        rows += [
            {"width": name, "step": step, "measure": measure, "value": value}
            for step, both in enumerate(values)
            for measure, value in zip((RECOVERY_ERROR, SQUARE_ERROR), both, strict=True)
        ]
    return rows


def _classify(data: DataSet, n_splits: int, repeat: int) -> list[tuple[Any, ...]]:
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
                accuracy = model.score(components[test], y[test])
                rows.append((data.name, repeat, fold, transformation, accuracy))
    return rows


def _dependence(data: DataSet) -> list[tuple[Any, ...]]:
    """Return how many features depend on another given the class, before and after CICA."""
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
            largest = found.max_abs_r.max()
            rows.append((data.name, name, transformation, found.ratio, found.n_pairs, largest))
    return rows


def _before_and_after(data: DataSet, fitted: np.ndarray) -> dict[str, np.ndarray]:
    """Return the features, and their components by CICA fitted to some samples."""
    X = data.values.T
    cica = CICA(random_state=derive_seed("cica", data.name, "rotations"))
    return {"none": X, "CICA": cica.fit(X[fitted], data.labels[fitted]).transform(X)}
