"""Conditionally independent components for naive Bayes: CICA paper, section 6, over many seeds.

The paper shows one run of 20 samples. Here its experiment is repeated, with more samples, with
nuisance inputs, and with class labels instead of a real target.
"""

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.linalg import fractional_matrix_power
from sklearn.decomposition import PCA, FastICA
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from xnbflow.diagnostics.dependence import conditional_dependence
from xnbflow.errors import InputError
from xnbflow.naive_bayes.flexible import FlexibleNB
from xnbflow.naive_bayes.regression import KernelNBRegressor
from xnbflow.preprocessing.cica import CICA
from xnbflow.preprocessing.natural_gradient import ConditionalEntropy, natural_gradient
from xnbflow.seeds import derive_seed
from xnbflow.series import Series

__all__ = ["Simulation", "analyse", "recovery_error", "simulate"]

_DEFAULTS = {
    "seeds": 50,
    "samples": [20, 200],
    "recovery_samples": [500, 1000],
    "inputs": [10],
    "inputs_samples": 200,
    "test_samples": 100,
    "steps": 30,
    "splits": 10,
    "repeats": 2,
}
_N_SOURCES = 2
_BAND = (0.1, 0.9)
_PAPER, _CHOSEN = "CICA, paper's width", "CICA, chosen width"


@dataclass(frozen=True)
class Simulation:
    """Samples of section 6.

    Attributes
    ----------
    inputs : ndarray of shape (n_samples, n_inputs)
        Sources, and nuisance if there is any, mixed.
    target : ndarray of shape (n_samples,)
        y, uniform on [-3, 3].
    mixing : ndarray of shape (n_inputs, n_inputs)
        ``inputs = [sources, nuisance] @ mixing.T``; the two sources come first.
    """

    inputs: np.ndarray
    target: np.ndarray
    mixing: np.ndarray


def simulate(n_samples: int, n_inputs: int, random: np.random.Generator) -> Simulation:
    """Draw samples as in section 6: sources ``y + e1`` and ``y² + e2``, the e uniform on [-1, 1].

    Parameters
    ----------
    n_samples : int
        Number of samples.
    n_inputs : int
        2: the paper's mixing. More: besides the sources there are standard normal nuisance
        variables that do not depend on y, all mixed by a random matrix.
    random : Generator
        Source of random numbers.

    Examples
    --------
    >>> simulate(5, 2, np.random.default_rng(0)).inputs.shape
    (5, 2)
    """
    if n_inputs == _N_SOURCES:
        mixing = np.array([[1.0, 0.5], [0.5, 1.0]])
    else:
        mixing = random.normal(size=(n_inputs, n_inputs))
    target = random.uniform(-3.0, 3.0, n_samples)
    sources = np.column_stack([target, target**2]) + random.uniform(-1.0, 1.0, (n_samples, 2))
    nuisance = random.normal(size=(n_samples, n_inputs - _N_SOURCES))
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


def analyse(series: dict[str, Series], params: dict, threads: int) -> dict[str, pd.DataFrame]:
    """Repeat section 6 over many seeds, and classify data sets with and without CICA.

    Parameters
    ----------
    series : dict of str to Series
        Data sets to classify; may be empty.
    params : dict
        All optional. ``seeds``: how many (50). ``samples``: training samples with the paper's two
        inputs (20 and 200). ``recovery_samples``: further ones at which only the recovery of the
        sources is computed (500 and 1000). ``inputs``: larger numbers of inputs (10), with
        ``inputs_samples`` training samples (200). ``test_samples`` (100). ``steps``: of the
        descents shown step by step (30). ``splits`` (10) and ``repeats`` (2) of the
        classification's cross-validation.
    threads : int
        Seeds simulated at a time.

    Returns
    -------
    dict of str to DataFrame
        ``fits``: one row per simulated training set and method with its recovery error.
        ``errors``: the mean square error of naive Bayes on its components, with the paper's and
        with the data-chosen width of the regression. ``summary``: medians over seeds, and the band
        from the tenth to the ninetieth percentile. ``iterations``: the same by step of a descent
        from the inputs as they are. ``classification``: accuracy of FlexibleNB by fold with and
        without CICA. ``dependence``: the share of features that depend on another given the class,
        before and after, on the samples that CICA has seen and on a half that it has not.

    Raises
    ------
    InputError
        If a parameter is unknown.
    """
    for key in params:
        if key not in _DEFAULTS:
            msg = f"the analysis 'cica' has no parameter {key!r}; it has {', '.join(_DEFAULTS)}"
            raise InputError(msg)
    params = _DEFAULTS | params
    tables = _simulated(params, threads)
    folds = [
        delayed(_classify)(data, params["splits"], repeat)
        for data in series.values()
        for repeat in range(params["repeats"])
    ]
    tables["classification"] = pd.DataFrame(
        [row for rows in Parallel(n_jobs=threads)(folds) for row in rows],
        columns=["dataset", "repeat", "fold", "transformation", "accuracy"],
    )
    tables["dependence"] = pd.DataFrame(
        [row for data in series.values() for row in _dependence(data)],
        columns=["dataset", "samples", "transformation", "ratio", "pairs", "largest_r"],
    )
    return tables


def _simulated(params: dict, threads: int) -> dict[str, pd.DataFrame]:
    """Return the tables of the simulations; a seed's are computed in one process."""
    settings = [(2, n, True) for n in params["samples"]]
    settings += [(n_inputs, params["inputs_samples"], True) for n_inputs in params["inputs"]]
    settings += [(2, n, False) for n in params["recovery_samples"]]
    tasks = [
        delayed(_simulate_seed)(*setting, seed, params["test_samples"], params["steps"])
        for setting in reversed(settings)
        for seed in range(params["seeds"])
    ]
    results = Parallel(n_jobs=threads)(tasks)
    keys = ["inputs", "samples", "method", "seed"]
    fits, errors, iterations = (
        pd.concat([result[i] for result in results], ignore_index=True) for i in range(3)
    )
    fits, errors = (table.sort_values(keys, ignore_index=True) for table in (fits, errors))
    recovery = fits.assign(measure="recovery error", value=fits["recovery_error"])
    square = errors.assign(
        measure="mean square error, " + errors["regression_width"] + " width",
        value=errors["mean_square_error"],
    )
    summary = _bands(pd.concat([recovery, square]), ["inputs", "samples", "method", "measure"])
    by_step = _bands(iterations, ["samples", "width", "measure", "step"])
    return {"fits": fits, "errors": errors, "summary": summary, "iterations": by_step}


def _simulate_seed(
    n_inputs: int, n_samples: int, predict: bool, seed: int, n_test: int, n_steps: int
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return one seed's rows of ``fits``, ``errors`` and (not yet summarised) ``iterations``."""
    random = np.random.default_rng(derive_seed("cica", n_inputs, n_samples, seed))
    drawn = simulate(n_samples + n_test, n_inputs, random)
    training, test = slice(0, n_samples), slice(n_samples, None)
    setting = {"inputs": n_inputs, "samples": n_samples, "seed": seed}
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        random_state = int(random.integers(2**31))
        X, y = drawn.inputs[training], drawn.target[training]
        rows = _cica(X, y, random_state)
        if predict:
            rows += _rivals(X, random_state, drawn.mixing)
        errors, steps = [], []
        for row in rows:
            demixing = row.pop("demixing")
            row["recovery_error"] = (
                recovery_error(demixing @ drawn.mixing[:, :_N_SOURCES])
                if len(demixing) == _N_SOURCES
                else np.nan
            )
            for width in ("paper", "cv") if predict else ():
                square = _mean_square_error(drawn, training, test, demixing, width)
                named = "paper's" if width == "paper" else "chosen"
                error = {"regression_width": named, "mean_square_error": square}
                errors.append(setting | {"method": row["method"]} | error)
        if predict and n_inputs == _N_SOURCES:
            steps = _by_step(drawn, training, test, [row["width"] for row in rows[:2]], n_steps)
    fits = pd.DataFrame([setting | row for row in rows])
    return fits, pd.DataFrame(errors), pd.DataFrame([setting | step for step in steps])


def _cica(X: np.ndarray, y: np.ndarray, random_state: int) -> list[dict]:
    """Return what CICA finds at the paper's and at the chosen width."""
    rows = []
    for method, width in ((_PAPER, "paper"), (_CHOSEN, "cv")):
        cica = CICA(n_components=_N_SOURCES, width=width, random_state=random_state).fit(X, y)
        rows.append(
            {
                "method": method,
                "demixing": cica.components_,
                "width": cica.width_,
                "steps": cica.n_iter_,
                "converged": cica.converged_,
            }
        )
    return rows


def _rivals(X: np.ndarray, random_state: int, mixing: np.ndarray) -> list[dict]:
    """Return the other transformations. Symmetric whitening is close to the paper's mixing."""
    pca = PCA(_N_SOURCES).fit(X)
    ica = FastICA(_N_SOURCES, whiten="unit-variance", max_iter=1000, random_state=random_state)
    ica.fit(X)
    demixings = {
        "no transformation": np.eye(X.shape[1]),
        "whitening": pca.components_ / np.sqrt(pca.explained_variance_)[:, np.newaxis],
        "FastICA": ica.components_,
        "true sources": np.linalg.inv(mixing)[:_N_SOURCES],
    }
    if X.shape[1] == _N_SOURCES:
        demixings["symmetric whitening"] = fractional_matrix_power(np.cov(X.T), -0.5)
    return [
        {
            "method": method,
            "demixing": demixing,
            "converged": method != "FastICA" or ica.n_iter_ < ica.max_iter,
        }
        for method, demixing in demixings.items()
    ]


def _mean_square_error(
    drawn: Simulation, training: slice, test: slice, demixing: np.ndarray, width: str
) -> float:
    """Return the mean square error of naive Bayes regression on components, on the test samples."""
    components = drawn.inputs @ demixing.T
    model = KernelNBRegressor(width=width).fit(components[training], drawn.target[training])
    return float(np.mean((model.predict(components[test]) - drawn.target[test]) ** 2))


def _by_step(
    drawn: Simulation, training: slice, test: slice, widths: list[float], n_steps: int
) -> list[dict]:
    """Return both errors at each step of a descent from the inputs as they are."""
    X, y = drawn.inputs[training], drawn.target[training]
    rows = []
    for name, width in zip(("paper's", "chosen"), widths, strict=True):
        objective = ConditionalEntropy((X - X.mean(axis=0)).T, y / y.std(), width)
        start = np.eye(_N_SOURCES)
        path = natural_gradient(objective, start, step=0.1, max_iter=n_steps, tol=1e-4).path
        measures = [
            {
                "recovery error": recovery_error(demixing @ drawn.mixing),
                "mean square error": _mean_square_error(drawn, training, test, demixing, "paper"),
            }
            for demixing in path
        ]
        measures += [measures[-1]] * (n_steps + 1 - len(path))
        rows += [
            {"width": name, "step": step, "measure": measure, "value": value}
            for step, both in enumerate(measures)
            for measure, value in both.items()
        ]
    return rows


def _classify(data: Series, n_splits: int, repeat: int) -> list[tuple]:
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


def _dependence(data: Series) -> list[tuple]:
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


def _before_and_after(data: Series, fitted: np.ndarray) -> dict[str, np.ndarray]:
    """Return the features, and their components by CICA fitted to some samples."""
    X = data.values.T
    cica = CICA(random_state=derive_seed("cica", data.name, "rotations"))
    return {"none": X, "CICA": cica.fit(X[fitted], data.labels[fitted]).transform(X)}


def _bands(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return the median and the band of ``value``, and the number of seeds, per group."""
    groups = table.groupby(keys, sort=False)["value"]
    bands = groups.quantile([_BAND[0], 0.5, _BAND[1]]).unstack()
    bands.columns = ["lower", "median", "upper"]
    return bands.join(groups.count().rename("seeds")).reset_index()
