"""Samples of the distributions of angles and of unit vectors: Figures 1 and 2 of the paper.

The paper draws 100 points of a von Mises and of a von Mises-Fisher distribution, with the sample's
mean direction as a line whose length is the mean resultant length. Here they are with the maximum
likelihood estimates of sections 2.1 and 2.2 beside the true parameters.
"""

import numpy as np
import pandas as pd
from scipy.stats import vonmises_fisher

from xnbflow.core.seeds import derive_seed
from xnbflow.papers.common.bessel import bessel_ratio, concentration

_N_POINTS = 100
#: The concentration of both figures.
_KAPPA = 5
#: Mean directions as printed: pi / 2 on the circle, (0, 0, 1) on the sphere.
_MEAN_DIRECTIONS = {
    "figure 1": np.array([0.0, 1.0]),
    "figure 2": np.array([0.0, 0.0, 1.0]),
}
_COORDINATES = ("x", "y", "z")


def distribution_tables() -> dict[str, pd.DataFrame]:
    """Return the tables ``points`` and ``directions`` of Figures 1 and 2.

    Examples
    --------
    >>> directions = distribution_tables()["directions"]
    >>> directions.query("example == 'figure 2'")[["parameters", "z"]].round(2).to_numpy().tolist()
    [['true', 1.0], ['estimated', 1.0]]
    """
    points = []
    directions = []
    for example, mean_direction in _MEAN_DIRECTIONS.items():
        vectors = _draw(example, mean_direction)
        points.append(_with_coordinates(vectors).assign(example=example))

        # Direction, resultant length and concentration: the true ones and the estimates.
        dimension = len(mean_direction)
        resultant = vectors.mean(axis=0)
        length = np.linalg.norm(resultant)
        frame = _with_coordinates(np.stack([mean_direction, resultant / length]))
        directions_of_example = frame.assign(
            parameters=["true", "estimated"],
            resultant_length=[
                float(bessel_ratio(dimension / 2 - 1, np.array(float(_KAPPA)))),
                length,
            ],
            concentration=[float(_KAPPA), float(concentration(np.array([length]), dimension)[0])],
        )
        directions.append(directions_of_example.assign(example=example))
    return {
        "points": pd.concat(points, ignore_index=True),
        "directions": pd.concat(directions, ignore_index=True),
    }


def _draw(example: str, mean_direction: np.ndarray) -> np.ndarray:
    """Return unit vectors, shape (n_points, dimension)."""
    rng = np.random.default_rng(derive_seed("directional distribution", example))
    if len(mean_direction) == 2:
        angle = np.arctan2(mean_direction[1], mean_direction[0])
        angles = rng.vonmises(angle, _KAPPA, _N_POINTS)
        return np.column_stack([np.cos(angles), np.sin(angles)])
    return vonmises_fisher(mean_direction, _KAPPA).rvs(_N_POINTS, random_state=rng)


def _with_coordinates(vectors: np.ndarray) -> pd.DataFrame:
    """Return vectors with columns x, y and z; z is missing on the circle."""
    frame = pd.DataFrame(vectors, columns=list(_COORDINATES[: vectors.shape[1]]))
    return frame.reindex(columns=list(_COORDINATES)).astype(float)
