"""Figures of single features: their densities in each class, from the tables that hold them."""

import numpy as np
import pandas as pd

from xnbflow.report.drawings.densities import draw_densities
from xnbflow.report.page.blocks import Figure

__all__ = ["density_figures"]


def density_figures(
    prefix: str,
    densities: pd.DataFrame,
    values: pd.DataFrame,
    selection: pd.DataFrame,
    distances: pd.DataFrame,
) -> list[Figure]:
    """Return a figure per feature: densities of all classes, samples as rugs, distances.

    Parameters
    ----------
    prefix : str
        What the figures' names begin with.
    densities, values : DataFrame
        The study's tables of that name, of one classifier on one data set.
    selection : DataFrame
        ``class``, ``feature``, ``frequency``, ``mean_distance``: which class a feature was selected
        for, how often, and how far it keeps that class from another.
    distances : DataFrame
        ``class``, ``feature``, ``other_class``, ``distance``.
    """
    far = distances.set_index(["class", "feature", "other_class"])["distance"].to_dict()
    figures = []
    for i, name in enumerate(densities["feature"].unique(), start=1):
        curves = densities[densities["feature"] == name]
        classes = curves["class"].unique()
        by_class = [curves[curves["class"] == label] for label in classes]
        rug = values[values["feature"] == name]
        chosen = selection[selection["feature"] == name]
        chosen = chosen.sort_values(["frequency", "mean_distance"], ascending=False)
        focus = chosen["class"].iloc[0]
        served = ", ".join(dict.fromkeys(chosen["class"]))
        arguments = {
            "feature": name,
            "grid": by_class[0]["x"].to_numpy(),
            "densities": np.array([curve["density"] for curve in by_class]),
            "samples": [rug.loc[rug["class"] == label, "value"].to_numpy() for label in classes],
            "classes": classes.tolist(),
            "chosen": np.flatnonzero(np.isin(classes, chosen["class"])).tolist(),
            "focus": classes.tolist().index(focus),
            "notes": [_note(far.get((focus, name, other))) for other in classes],
        }
        alt = f"Densities of {name} in {len(classes)} classes; selected for {served}."
        figures.append(Figure(f"{prefix}-{i:02d}", draw_densities, arguments, "", alt))
    return figures


def _note(distance: float | None) -> str:
    return "" if distance is None else f"{distance:.2f}"
