"""Tables of the study's simulations: section 6 of the CICA paper, repeated over seeds.

A *setting* is a simulation and a number of samples. In each setting and seed CICA is fitted at the
paper's width and at the chosen one (`_cica_fits`). In settings with predictions, naive Bayes
regression is fitted to its components, and to those of other transformations
(`_fits_of_other_methods`). In the paper's setting the descents are shown step by step
(`_descent_rows`). `summarise_seeds` makes the tables over seeds of these rows.
"""

import itertools
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.linalg import fractional_matrix_power
from sklearn.decomposition import PCA, FastICA
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.parallel import Parallel, delayed

from xnbflow.core.blas import one_blas_thread
from xnbflow.core.seeds import derive_seed
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
from xnbflow.papers.cica.natural_gradient import ConditionalEntropy, natural_gradient
from xnbflow.papers.cica.regression import KernelNBRegressor
from xnbflow.papers.cica.simulation import N_SOURCES, Simulation, recovery_error, simulate
from xnbflow.papers.cica.transformer import CICA

#: Nuisance inputs of the setting with ten inputs.
_N_NUISANCE = 8
#: Widths of the regression, as tables name them and as the regression takes them.
_REGRESSION_WIDTHS = {"paper's": "paper", "chosen": "cv"}
#: A descent leaves the sources again if the recovery error grows to this multiple of its least.
_LEAVES = 1.5
#: Methods that may fail to converge.
_ITERATED = (PAPERS_WIDTH, CHOSEN_WIDTH, FAST_ICA)
#: Limits of a band over seeds, as shares of the seeds.
_BAND = {"lower": 0.1, "median": 0.5, "upper": 0.9}
#: A descent that is shown ends where no entry of the gradient is larger, as that of `CICA`.
_DESCENT_TOLERANCE = 1e-4
#: Steps of FastICA.
_FAST_ICA_STEPS = 1000


@dataclass(frozen=True, kw_only=True)
class _Setting:
    """A simulation, and whether y is predicted or only the recovery of sources computed."""

    name: str
    samples: int
    nuisance: int = 0
    least_target: float = -3.0
    predict: bool = True


class SeedTables(NamedTuple):
    """The rows of one seed, or of all of them.

    Attributes
    ----------
    fits : DataFrame
        A row per setting, seed and method: its recovery error, width, steps and convergence.
    errors : DataFrame
        The mean square error of the regression on the components of each fit, at both widths.
    iterations : DataFrame
        Both errors at each step of the descents that are shown.
    """

    fits: pd.DataFrame
    errors: pd.DataFrame
    iterations: pd.DataFrame


def simulate_seeds(params: Mapping[str, Any], threads: int) -> SeedTables:
    """Simulate every setting with every seed; a seed's rows are computed in one process.

    ``params`` are those of `xnbflow.papers.cica.compute.analyse`.
    """
    tasks = []
    for setting, seed in itertools.product(_simulation_settings(params), range(params["seeds"])):
        task = delayed(_simulate_seed)(setting, seed, params["test_samples"], params["steps"])
        tasks.append(task)
    results = Parallel(n_jobs=threads)(tasks)
    return SeedTables(
        fits=pd.concat([result.fits for result in results], ignore_index=True),
        errors=pd.concat([result.errors for result in results], ignore_index=True),
        iterations=pd.concat([result.iterations for result in results], ignore_index=True),
    )


def _simulation_settings(params: Mapping[str, Any]) -> list[_Setting]:
    """Return the settings that the study's parameters name."""
    for_recovery = [
        _Setting(name=AS_PAPER, samples=n, predict=False) for n in params["recovery_samples"]
    ]
    with_nuisance = [
        _Setting(name="ten inputs", samples=n, nuisance=_N_NUISANCE)
        for n in params["nuisance_samples"]
    ]
    correlated = [
        _Setting(name="correlated sources", samples=n, least_target=0.0)
        for n in params["correlated_samples"]
    ]
    as_paper = [_Setting(name=AS_PAPER, samples=n) for n in params["samples"]]
    return for_recovery + with_nuisance + correlated + as_paper


def summarise_seeds(seeds: SeedTables) -> dict[str, pd.DataFrame]:
    """Return the tables over seeds.

    ``summary`` has the median and the band of both errors of each method, ``iterations`` the same
    at each step of a descent, ``descents`` where a descent is least and where it ends, and
    ``convergence`` how many fits converged.
    """
    keys = [*SETTING, "method"]
    fits = seeds.fits.sort_values([*keys, "seed"], ignore_index=True)
    errors = seeds.errors.sort_values([*keys, "seed"], ignore_index=True)
    iterations = _bands(seeds.iterations, ["samples", "width", "measure", "step"])

    # Both errors over seeds, also as a share of the median without a transformation.
    square_error = SQUARE_ERROR + ", " + errors["regression_width"] + " width"
    values = pd.concat(
        [
            fits.assign(measure=RECOVERY_ERROR, value=fits["recovery_error"]),
            errors.assign(measure=square_error, value=errors["mean_square_error"]),
        ]
    )
    summary = _bands(values, [*SETTING, "method", "measure"])
    untransformed = summary[summary["method"] == UNTRANSFORMED]
    case = [*SETTING, "measure"]
    median_without = untransformed.set_index(case)["median"]
    cases = pd.MultiIndex.from_frame(summary[case])
    of_untransformed = summary["median"] / median_without.reindex(cases).to_numpy()
    summary = summary.assign(of_untransformed=of_untransformed)

    # Start, least value and end of the median of each descent.
    steps = iterations.sort_values("step", kind="stable")
    paths = steps.groupby(["samples", "width", "measure"], sort=False)["median"]
    descents = paths.agg(start="first", least="min", least_at="idxmin", end="last")
    descents["least_at"] = steps.loc[descents["least_at"], "step"].to_numpy()
    descents["leaves"] = descents["end"] > _LEAVES * descents["least"]
    descents = descents.reset_index()

    # Median width and steps of the iterated methods, and how many runs converged.
    groups = fits[fits["method"].isin(_ITERATED)].groupby([*SETTING, "method"], sort=False)
    medians = groups[["width", "steps"]].median()
    runs = groups["converged"].agg(runs="size", converged="mean")
    convergence = medians.join(runs).reset_index()

    return {
        "summary": summary,
        "iterations": iterations,
        "descents": descents,
        "convergence": convergence,
    }


def _bands(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return the median and the band of ``value``, and the number of seeds, per group."""
    groups = table.groupby(keys, sort=False)["value"]
    bands = groups.quantile(list(_BAND.values())).unstack()
    bands.columns = list(_BAND)
    return bands.join(groups.count().rename("seeds")).reset_index()


def _simulate_seed(setting: _Setting, seed: int, n_test: int, n_steps: int) -> SeedTables:
    """Simulate one training and test set, and return the rows of one seed."""
    n = setting.samples
    random = np.random.default_rng(derive_seed("cica", setting.name, n, seed))
    simulation = simulate(
        n + n_test, random, n_nuisance=setting.nuisance, least_target=setting.least_target
    )
    random_state = int(random.integers(2**31))
    errors: list[dict[str, Any]] = []
    steps: list[dict[str, Any]] = []
    with one_blas_thread(), warnings.catch_warnings():
        # The table of convergence shows which fits did not converge.
        warnings.simplefilter("ignore", ConvergenceWarning)
        cica_fits = _cica_fits(simulation, n, random_state)
        fits = cica_fits
        if setting.predict:
            fits = cica_fits + _fits_of_other_methods(simulation, n, random_state)
            errors = _error_rows(simulation, n, fits)
        if setting.predict and setting.name == AS_PAPER:
            steps = _descent_rows(simulation, n, cica_fits, n_steps)
    for fit in fits:
        fit["recovery_error"] = _recovery(simulation, fit.pop("demixing"))
    about = {"setting": setting.name, "samples": n, "seed": seed}
    return SeedTables(
        fits=pd.DataFrame([about | row for row in fits]),
        errors=pd.DataFrame([about | row for row in errors]),
        iterations=pd.DataFrame([about | row for row in steps]),
    )


def _cica_fits(simulation: Simulation, n: int, random_state: int) -> list[dict[str, Any]]:
    """Fit CICA to the first n samples at both widths; return rows of ``fits`` with W."""
    fits = []
    for method, width in ((PAPERS_WIDTH, "paper"), (CHOSEN_WIDTH, "cv")):
        cica = CICA(n_components=N_SOURCES, width=width, random_state=random_state)
        cica.fit(simulation.inputs[:n], simulation.target[:n])
        fits.append(
            {
                "method": method,
                "demixing": cica.components_,
                "width": cica.width_,
                "steps": cica.n_iter_,
                "converged": cica.converged_,
            }
        )
    return fits


def _fits_of_other_methods(
    simulation: Simulation, n: int, random_state: int
) -> list[dict[str, Any]]:
    """Return W of the other transformations of the first n samples, as rows of ``fits``.

    Symmetric whitening is one of them because the paper's mixing is symmetric: of uncorrelated
    sources, it is close to the inverse. The principal axes are not.
    """
    X = simulation.inputs[:n]
    pca = PCA(N_SOURCES).fit(X)
    ica = FastICA(
        N_SOURCES, whiten="unit-variance", max_iter=_FAST_ICA_STEPS, random_state=random_state
    )
    ica.fit(X)
    demixings = {
        UNTRANSFORMED: np.eye(X.shape[1]),
        WHITENING: pca.components_ / np.sqrt(pca.explained_variance_)[:, np.newaxis],
        FAST_ICA: ica.components_,
        TRUE_SOURCES: np.linalg.inv(simulation.mixing)[:N_SOURCES],
    }
    if X.shape[1] == N_SOURCES:
        demixings[SYMMETRIC] = fractional_matrix_power(np.cov(X.T), -0.5)
    fits = []
    for method, demixing in demixings.items():
        converged = method != FAST_ICA or ica.n_iter_ < ica.max_iter
        fits.append({"method": method, "demixing": demixing, "converged": converged})
    return fits


def _error_rows(simulation: Simulation, n: int, fits: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the mean square error of every fit, at both widths of the regression."""
    rows = []
    for fit in fits:
        for name, width in _REGRESSION_WIDTHS.items():
            error = _regression_error(simulation, n, fit["demixing"], width)
            rows.append(
                {
                    "method": fit["method"],
                    "regression_width": name,
                    "mean_square_error": error,
                }
            )
    return rows


def _descent_rows(
    simulation: Simulation, n: int, cica_fits: list[dict[str, Any]], n_steps: int
) -> list[dict[str, Any]]:
    """Return both errors at each step of a descent from the identity, at the width of each fit."""
    rows: list[dict[str, Any]] = []
    for name, fit in zip(_REGRESSION_WIDTHS, cica_fits, strict=True):
        path = _descend_from_identity(
            simulation.inputs[:n], simulation.target[:n], fit["width"], n_steps
        )
        # A descent that has converged stays where it is.
        n_missing = n_steps + 1 - len(path)
        path += [path[-1]] * n_missing
        for step, demixing in enumerate(path):
            errors = {
                RECOVERY_ERROR: _recovery(simulation, demixing),
                SQUARE_ERROR: _regression_error(simulation, n, demixing, "paper"),
            }
            for measure, value in errors.items():
                rows.append({"width": name, "step": step, "measure": measure, "value": value})
    return rows


def _descend_from_identity(
    X: np.ndarray, y: np.ndarray, width: float, n_steps: int
) -> list[np.ndarray]:
    """Return the matrix at each step of a descent from the identity."""
    objective = ConditionalEntropy((X - X.mean(axis=0)).T, y / y.std(), width)
    start = np.eye(N_SOURCES)
    return natural_gradient(objective, start, max_iter=n_steps, tol=_DESCENT_TOLERANCE).path


def _recovery(simulation: Simulation, demixing: np.ndarray) -> float:
    """Return the recovery error of the sources; missing with more components than sources."""
    if len(demixing) != N_SOURCES:
        return np.nan
    return recovery_error(demixing @ simulation.mixing[:, :N_SOURCES])


def _regression_error(simulation: Simulation, n: int, demixing: np.ndarray, width: str) -> float:
    """Return the error of naive Bayes regression, fitted to the first n samples, on the others."""
    components = simulation.inputs @ demixing.T
    model = KernelNBRegressor(width=width).fit(components[:n], simulation.target[:n])
    return float(np.mean((model.predict(components[n:]) - simulation.target[n:]) ** 2))
