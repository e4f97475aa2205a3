"""Choices of CICA's kernel width with few samples: `python -m benchmarks.cica_widths [SAMPLES]`.

The paper's simulation (section 6) has 20 samples, at which the width that `CICA` chooses by
likelihood does not recover the sources. This program compares it with other choices, over 50
simulations of 20 (or SAMPLES) training and 100 test samples: fixed widths; the mean objective over
several widths; and the choice among fixed widths by the leave-one-out likelihood of the
regression, by the cross-validated square error, by the cross-validated likelihood with new starts
in every fold, and the narrowest width within a standard error of the latter. It prints the recovery
error (Eq. 12) and the mean square error of the regression, median with tenth and ninetieth
percentile, and writes them to results/benchmarks. It takes some minutes.
"""

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from xnbflow.papers.cica.natural_gradient import ConditionalEntropy, natural_gradient
from xnbflow.papers.cica.regression import KernelNBRegressor
from xnbflow.papers.cica.simulation import Simulation, recovery_error, simulate
from xnbflow.papers.cica.transformer import CICA

RESULTS = Path(__file__).parents[1] / "results" / "benchmarks"
N_SIMULATIONS = 50
N_TEST = 100
N_FOLDS = 5
WIDTHS = (1.0, 0.5, 0.35, 0.25, 0.18, 0.125)
#: Widths over which the objective is averaged.
SEVERAL_WIDTHS = (1.0, 0.5, 0.25, 0.125)
#: Random starts of a descent, on all samples and in a fold.
N_STARTS = 12
N_FOLD_STARTS = 6
#: Settings, and words of the command, of a run that shows that it computes something.
SMALL = {"N_SIMULATIONS": 1, "N_STARTS": 2, "N_FOLD_STARTS": 2}
SMALL_WORDS = ("20",)


class MeanEntropy:
    """The mean of the objective of CICA over several widths."""

    def __init__(self, inputs: np.ndarray, target: np.ndarray, widths: Sequence[float]) -> None:
        self.objectives = [ConditionalEntropy(inputs, target, width) for width in widths]
        self.standardise = self.objectives[0].standardise

    def __call__(self, demixing: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the mean value and its derivative, as those of `ConditionalEntropy`."""
        values = []
        gradients = []
        for objective in self.objectives:
            value, gradient = objective(demixing)
            values.append(value)
            gradients.append(gradient)
        return float(np.mean(values)), np.mean(gradients, axis=0)


def whiten(X: np.ndarray) -> np.ndarray:
    """Return the map from centred inputs to principal components of unit variance."""
    variances, axes = np.linalg.eigh(np.cov(X.T, bias=True))
    return (axes / np.sqrt(variances)).T


def lowest_descent(objective, n_starts: int, random: np.random.Generator) -> np.ndarray:
    """Return W of the lowest of several descents from random rotations."""
    lowest = np.inf
    demixing = np.eye(2)
    for _ in range(n_starts):
        start = np.linalg.qr(random.normal(size=(2, 2)))[0]
        descent = natural_gradient(objective, start, max_iter=100, tol=1e-4)
        if descent.values[-1] < lowest:
            lowest = descent.values[-1]
            demixing = descent.path[-1]
    return demixing


def cross_validate(
    X: np.ndarray, y: np.ndarray, random: np.random.Generator
) -> tuple[dict[float, float], dict[float, np.ndarray]]:
    """Return the square error, and minus the log-likelihood by fold, of each width."""
    n_samples = len(y)
    folds = np.array_split(random.permutation(n_samples), N_FOLDS)
    errors: dict[float, float] = {}
    losses: dict[float, np.ndarray] = {}
    for width in WIDTHS:
        square_errors = []
        fold_losses = []
        for test in folds:
            train = np.setdiff1d(np.arange(n_samples), test)
            mean = X[train].mean(axis=0)
            deviation = y[train].std()
            whitening = whiten(X[train])
            objective = ConditionalEntropy(
                whitening @ (X[train] - mean).T, y[train] / deviation, width
            )
            demixing = lowest_descent(objective, N_FOLD_STARTS, random)
            new = whitening @ (X[test] - mean).T
            fold_losses.append(objective.held_out(demixing, new, y[test] / deviation))
            components = X @ (demixing @ whitening).T
            model = KernelNBRegressor().fit(components[train], y[train])
            square_errors += ((model.predict(components[test]) - y[test]) ** 2).tolist()
        errors[width] = float(np.mean(square_errors))
        losses[width] = np.array(fold_losses)
    return errors, losses


def regression_likelihood(X: np.ndarray, y: np.ndarray, demixing: np.ndarray) -> float:
    """Return the leave-one-out likelihood of the targets given the components."""
    model = KernelNBRegressor().fit(X @ demixing.T, y)
    return model._held_out_likelihood(model.width_, model._tables)


def demixings(
    simulation: Simulation, n_samples: int, seed: int, random: np.random.Generator
) -> dict[str, np.ndarray]:
    """Return W of every choice of the width, from the first samples of a simulation."""
    X = simulation.inputs[:n_samples]
    y = simulation.target[:n_samples]
    whitening = whiten(X)
    inputs = whitening @ (X - X.mean(axis=0)).T
    target = y / y.std()
    of_width = {}
    for width in WIDTHS:
        objective = ConditionalEntropy(inputs, target, width)
        of_width[width] = lowest_descent(objective, N_STARTS, random) @ whitening
    several = MeanEntropy(inputs, target, SEVERAL_WIDTHS)
    likelihoods = {width: regression_likelihood(X, y, W) for width, W in of_width.items()}
    errors, losses = cross_validate(X, y, random)
    best = min(WIDTHS, key=lambda width: losses[width].mean())
    limit = losses[best].mean() + losses[best].std(ddof=1) / np.sqrt(N_FOLDS)
    narrowest = min(width for width in WIDTHS if losses[width].mean() <= limit)
    many_starts = CICA(random_state=seed, n_restarts=30)
    return {
        "chosen by CICA (cv)": CICA(random_state=seed).fit(X, y).components_,
        "the same, 30 restarts": many_starts.fit(X, y).components_,
        **{f"fixed {width:g}": W for width, W in of_width.items()},
        "mean over widths": lowest_descent(several, N_STARTS, random) @ whitening,
        "regression likelihood": of_width[max(likelihoods, key=likelihoods.get)],
        "cross-validated square error": of_width[min(errors, key=errors.get)],
        "cross-validated likelihood": of_width[best],
        "narrowest within one standard error": of_width[narrowest],
        "true sources": np.linalg.inv(simulation.mixing),
    }


def measure(n_samples: int) -> pd.DataFrame:
    """Return recovery error and mean square error of every choice and simulation."""
    rows = []
    for seed in range(N_SIMULATIONS):
        random = np.random.default_rng(10_000 + seed)
        simulation = simulate(n_samples + N_TEST, random)
        y = simulation.target
        for choice, demixing in demixings(simulation, n_samples, seed, random).items():
            components = simulation.inputs @ demixing.T
            model = KernelNBRegressor().fit(components[:n_samples], y[:n_samples])
            residuals = model.predict(components[n_samples:]) - y[n_samples:]
            rows.append(
                {
                    "samples": n_samples,
                    "choice": choice,
                    "seed": seed,
                    "recovery_error": recovery_error(demixing @ simulation.mixing),
                    "mean_square_error": float(np.mean(residuals**2)),
                }
            )
    return pd.DataFrame(rows)


def main(words: list[str]) -> None:
    """Measure, print the quantiles, and write them to results/benchmarks/cica_widths.tsv."""
    n_samples = int(words[0]) if words else 20
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        measured = measure(n_samples)
    groups = measured.groupby(["samples", "choice"], sort=False)
    quantiles = groups[["recovery_error", "mean_square_error"]].quantile([0.1, 0.5, 0.9]).unstack()
    quantiles.columns = [f"{name}_{level:.0%}" for name, level in quantiles.columns]
    RESULTS.mkdir(parents=True, exist_ok=True)
    quantiles.reset_index().to_csv(RESULTS / "cica_widths.tsv", sep="\t", index=False)
    print(quantiles.round(3).to_string())


if __name__ == "__main__":
    main(sys.argv[1:])
