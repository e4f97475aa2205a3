"""Figures of single features: their class densities as XNB estimates them (XNB paper, Eq. 8)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.distributions.kernel import Kernel
from xnbflow.report.drawings.densities import draw_densities
from xnbflow.report.page.blocks import Figure
from xnbflow.series import Series

__all__ = ["density_figures", "telling_features"]

_POINTS = 128


def telling_features(selection: pd.DataFrame, per_class: int, most: int) -> list[str]:
    """Return the features selected most often for each class, in turn over the classes.

    Parameters
    ----------
    selection : DataFrame
        ``class``, ``feature``, ``frequency``, ``mean_rank`` of one data set.
    per_class, most : int
        How many per class, and in all.
    """
    ordered = selection.sort_values(
        ["frequency", "mean_rank"], ascending=[False, True], kind="stable"
    ).drop_duplicates(["class", "feature"])
    place = ordered.groupby("class").cumcount()
    chosen = ordered[place < per_class].assign(place=place)
    chosen = chosen.sort_values(["place", "class"], kind="stable")
    return chosen["feature"].drop_duplicates().head(most).tolist()


def density_figures(
    series: Series,
    features: Sequence[str],
    selection: pd.DataFrame,
    distances: Mapping[tuple[str, str, str], float],
    params: Mapping[str, Any],
) -> list[Figure]:
    """Return a figure per feature: densities of all classes, samples as rugs, distances.

    Parameters
    ----------
    series : Series
        The data set.
    features : sequence of str
        What to show.
    selection : DataFrame
        ``class``, ``feature``, ``frequency``, ``mean_distance``: which class a feature was selected
        for, how often, and how far it keeps that class from another.
    distances : mapping of (class, feature, other class) to float
        Mean distance of the class from the other in the feature.
    params : mapping
        Parameters of the classifier, of which ``bandwidth`` and ``kernel`` count here.
    """
    classes = series.classes
    rows = [int(np.flatnonzero(series.features == name)[0]) for name in features]
    values = series.values[rows]
    codes = np.searchsorted(classes, series.labels)
    grids, curves = _curves(values, codes, len(classes), params)
    figures = []
    for i, name in enumerate(features):
        chosen = selection[selection["feature"] == name]
        chosen = chosen.sort_values(["frequency", "mean_distance"], ascending=False)
        focus = chosen["class"].iloc[0]
        notes = [_note(distances.get((focus, name, other))) for other in classes]
        served = ", ".join(dict.fromkeys(chosen["class"]))
        arguments = {
            "feature": name,
            "grid": grids[i],
            "densities": curves[:, i],
            "samples": [values[i, codes == code] for code in range(len(classes))],
            "classes": classes.tolist(),
            "chosen": np.flatnonzero(np.isin(classes, chosen["class"])).tolist(),
            "focus": int(np.searchsorted(classes, focus)),
            "notes": notes,
        }
        alt = f"Densities of {name} in {len(classes)} classes; selected for {served}."
        figures.append(
            Figure(f"density-{series.name}-{i + 1:02d}", draw_densities, arguments, "", alt)
        )
    return figures


def _note(distance: float | None) -> str:
    return "" if distance is None else f"{distance:.2f}"


def _curves(
    values: np.ndarray, codes: np.ndarray, n_classes: int, params: Mapping[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Return grids (n_features, n_points) and densities (n_classes, n_features, n_points)."""
    low, high = values.min(axis=1), values.max(axis=1)
    margin = 0.08 * np.where(high > low, high - low, 1.0)
    grids = np.linspace(low - margin, high + margin, _POINTS, axis=1)
    curves = np.empty((n_classes, *grids.shape))
    for code in range(n_classes):  # one class at a time, as XNB fits them: no kernel to compile
        mine = values[:, codes == code]
        family = Kernel(
            bandwidth=params.get("bandwidth", "silverman"),
            kernel=params.get("kernel", "gaussian"),
        )
        family.fit(mine, np.zeros(mine.shape[1], dtype=int), 1)
        curves[code] = np.exp(family.log_density(grids))[:, 0]
    return grids, curves
