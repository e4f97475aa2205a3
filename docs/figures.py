"""The figures of the method pages, drawn by the library: ``python docs/figures.py``."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.model_selection import cross_val_score

from xnbflow.density.families import Gaussian, Kernel
from xnbflow.naive_bayes import (
    XNB,
    ClassSpecificNB,
    ClassSpecificNBCV,
    GeneralizedNB,
    KernelNBRegressor,
)
from xnbflow.papers.directional.von_mises import VonMises
from xnbflow.papers.separation.separation_scores import printed_cut, select_blocks
from xnbflow.preprocessing import CICA
from xnbflow.report.page.style import COLOURS, GREY, legend_above, new_axes, plain_number, render

__all__ = ["FIGURES"]

Drawing = tuple[Callable[..., Figure], dict[str, Any]]


def _curves(
    x: np.ndarray, lines: dict[str, np.ndarray], x_label: str, y_label: str, *, log: bool = False
) -> Figure:
    figure, axes = new_axes(6.4, 2.9, left=0.7, top=0.35)
    for number, (label, y) in enumerate(lines.items()):
        style = "--" if number % 2 else "-"
        axes.plot(x, y, style, color=COLOURS[number], label=label)
    if log:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(plain_number)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    legend_above(axes, len(lines))
    return figure


def units() -> Drawing:
    """Accuracy on wine when all features are given in other units."""
    X, y = load_wine(return_X_y=True)
    scales = np.logspace(-3, 3, 13)
    lines = {
        label: np.array([cross_val_score(model, X * scale, y, cv=10).mean() for scale in scales])
        for label, model in {"XNB": XNB(), "ClassSpecificNB": ClassSpecificNB()}.items()
    }
    labels = {"x_label": "factor of all units", "y_label": "accuracy, 10 folds"}
    return _curves, {"x": scales, "lines": lines, "log": True, **labels}


def floor() -> Drawing:
    """Accuracy on digits by the floor of the bandwidths."""
    X, y = load_digits(return_X_y=True)
    floors = np.array([0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8])
    lines = {}
    for model in (ClassSpecificNB(contamination=0.0), XNB()):
        models = [clone(model).set_params(min_bandwidth=value) for value in floors]
        scores = [cross_val_score(each, X, y, cv=5).mean() for each in models]
        lines[type(model).__name__] = np.array(scores)
    labels = {"x_label": "floor (min_bandwidth)", "y_label": "accuracy, 5 folds"}
    return _curves, {"x": floors, "lines": lines, **labels}


def _path(sizes: np.ndarray, loss: np.ndarray, error: np.ndarray, chosen: int) -> Figure:
    figure, axes = new_axes(6.4, 2.9, left=0.7, top=0.35)
    axes.fill_between(sizes, loss - error, loss + error, color=COLOURS[0], alpha=0.2, lw=0)
    axes.plot(sizes, loss, color=COLOURS[0], label="log loss and its standard error")
    axes.axvline(chosen, color=COLOURS[1], ls="--", label="chosen: one standard error")
    axes.set_xlabel("features per pair of classes")
    axes.set_ylabel("inner log loss, nats")
    legend_above(axes, 2)
    return figure


def size() -> Drawing:
    """Inner log loss along the path of sizes, on breast cancer."""
    model = ClassSpecificNBCV(rule="one_standard_error").fit(*load_breast_cancer(return_X_y=True))
    path = model.path_
    columns = {"sizes": "n_features_per_pair", "loss": "log_loss", "error": "log_loss_se"}
    arguments = {name: path[column].to_numpy() for name, column in columns.items()}
    return _path, {**arguments, "chosen": model.n_features_}


def densities() -> Drawing:
    """Draw normal and kernel densities of one simulated feature with two modes in one class."""
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.normal(4, 0.5, 60), rng.normal(8, 1.0, 40)])
    grid = np.linspace(1, 12, 300)
    codes = np.zeros(len(values), dtype=np.intp)
    families = {"kernel (flexible NB)": Kernel(), "normal (Gaussian NB)": Gaussian()}
    lines = {}
    for label, family in families.items():
        fitted = family.fit(values[None, :], codes, 1)
        lines[label] = np.exp(fitted.log_density(grid[None, :]).reshape(-1))
    return _curves, {"x": grid, "lines": lines, "x_label": "value", "y_label": "density"}


def angles() -> Drawing:
    """Von Mises and normal densities of angles around north."""
    angle = np.random.default_rng(0).vonmises(0.0, 4.0, 200) % (2 * np.pi)
    degrees = np.degrees(angle)
    grid = np.linspace(0, 360, 361)
    codes = np.zeros(200, dtype=np.intp)
    lines = {}
    for label, family in {"von Mises": VonMises(period=360), "normal": Gaussian()}.items():
        fitted = family.fit(degrees[None, :], codes, 1)
        lines[label] = np.exp(fitted.log_density(grid[None, :]).reshape(-1))
    return _curves, {"x": grid, "lines": lines, "x_label": "degrees", "y_label": "density"}


def effects() -> Drawing:
    """Naive effect of a feature that is listed twice in the table, and what is left of it."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 1000)
    x = rng.normal(y, 1.0)
    model = GeneralizedNB().fit(np.column_stack([x, x + rng.normal(0, 0.01, 1000)]), y)
    values = model.values_[0]
    naive = model.naive_effects_[0]
    both = naive + model.marginal_bias_[0]
    lines = {"naive effect": naive, "with its adjustment": both}
    return _curves, {"x": values, "lines": lines, "x_label": "value", "y_label": "log odds"}


def weights() -> Drawing:
    """Threshold and optimal weights where half of the blocks are useless."""
    rng = np.random.default_rng(0)
    n, blocks, size = 200, 400, 2
    strength = np.where(np.arange(blocks) < blocks // 2, 0.0, 12.0)
    scores = np.sort(rng.noncentral_chisquare(size, strength))
    degrees = np.full(blocks, size)
    optimal = select_blocks(scores, degrees, n, "weights").weights
    cut = printed_cut(scores, degrees) * size
    lines = {"optimal weight, Eq. 17": optimal, "threshold, Eq. 22": (scores >= cut).astype(float)}
    return _curves, {"x": scores, "lines": lines, "x_label": "score u", "y_label": "weight"}


def _points(panels: dict[str, tuple[np.ndarray, np.ndarray]]) -> Figure:
    figure, axes = new_axes(6.4, 2.9, left=0.7, top=0.35)
    for number, (label, (truth, estimated)) in enumerate(panels.items()):
        marker = "os"[number]
        axes.plot(truth, estimated, marker, ms=3.5, color=COLOURS[number], label=label)
    axes.plot([-3, 3], [-3, 3], color=GREY, lw=0.8)
    axes.set_xlabel("true y")
    axes.set_ylabel("predicted y")
    legend_above(axes, 2)
    return figure


def components() -> Drawing:
    """Predictions of naive Bayes regression from inputs as they are, and from components."""
    rng = np.random.default_rng(0)
    y = rng.uniform(-3, 3, 300)
    sources = np.column_stack([y, y**2]) + rng.uniform(-1, 1, (300, 2))
    X = sources @ np.array([[1, 0.5], [0.5, 1]])
    cica = CICA(random_state=0).fit(X[:200], y[:200])
    panels = {}
    for label, change in {"inputs": lambda rows: rows, "components": cica.transform}.items():
        model = KernelNBRegressor(width="paper").fit(change(X[:200]), y[:200])
        estimated = model.predict(change(X[200:]))
        error = np.mean((estimated - y[200:]) ** 2)
        panels[f"{label}: mean square error {error:.2f}"] = (y[200:], estimated)
    return _points, {"panels": panels}


FIGURES = {
    each.__name__: each
    for each in (units, floor, size, densities, angles, effects, weights, components)
}


def main(folder: Path) -> None:
    """Draw every figure, or those that are named."""
    for name in sys.argv[1:] or FIGURES:
        draw, arguments = FIGURES[name]()
        svg = render(name, draw, arguments)
        (folder / f"{name}.svg").write_text(svg + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(__file__).parent / "figures")
