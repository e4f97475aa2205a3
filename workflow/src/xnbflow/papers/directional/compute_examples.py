"""The artificial examples of Directional naive Bayes classifiers: Figures 3 to 12.

Two classes are drawn as in the paper; the decision regions of a classifier fitted to the sample are
compared with the theorem's boundary between the true distributions.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import vonmises_fisher

from xnbflow.core.seeds import derive_seed
from xnbflow.data.dataset import DataSet
from xnbflow.papers.directional.boundaries import (
    hybrid_boundary,
    torus_boundary,
    von_mises_boundary,
    von_mises_fisher_boundary,
)
from xnbflow.papers.directional.hybrid_nb import HybridNB
from xnbflow.papers.directional.von_mises_nb import VonMisesFisherNB, VonMisesNB

_CLASSES = np.array(["1", "2"])
_TURN = np.linspace(-np.pi, np.pi, 361)
_CELLS = np.linspace(-np.pi, np.pi, 91)


class Example(NamedTuple):
    """An artificial example, whose samples are half of each class.

    The ``space`` is ``circle`` (one angle), ``torus`` (two), ``sphere`` (a unit vector, given by
    longitude and latitude), ``cylinder`` (an angle and a real number) or ``circles`` (an angle and
    a category). ``mu`` and ``kappa`` are mean direction and concentration of each class: angles, or
    vectors on sphere, cylinder and circles. ``second`` is of each class (mean, variance) on the
    cylinder, the probability of category 1 on circles.
    """

    figure: int
    space: str
    n_samples: int
    mu: tuple[Any, ...]
    kappa: tuple[Any, ...]
    second: tuple[Any, ...] = ()


_WEST, _SOUTH_WEST = (0.2, -0.8), (-0.8, -0.5)
_HALF = np.pi / 2

EXAMPLES = (
    Example(3, "circle", 100, (_HALF, np.pi), (2, 5)),
    Example(4, "circle", 100, (0.0, _HALF), (5, 5)),
    Example(5, "circle", 100, (_HALF, _HALF), (2, 10)),
    Example(6, "torus", 1000, ((np.pi, -2 * np.pi / 3), (_HALF, np.pi)), ((2, 6), (5, 3))),
    Example(7, "sphere", 1000, ((-1, 0, -0.2), (-0.5, -0.5, 1)), (10, 20)),
    Example(8, "sphere", 1000, ((0, 0, 1), (0, 1, 0)), (7, 7)),
    Example(9, "sphere", 1000, ((-1, 0, 0), (-1, 0, 0)), (20, 5)),
    Example(10, "cylinder", 1000, (_WEST, _SOUTH_WEST), (5, 10), ((0, 1), (2, 1))),
    Example(11, "cylinder", 1000, (_WEST, _SOUTH_WEST), (5, 10), ((0, 0.25), (2, 4))),
    Example(12, "circles", 50, (_WEST, _SOUTH_WEST), (5, 10), (0.15, 0.6)),
)


def example_tables() -> dict[str, pd.DataFrame]:
    """Return the tables ``samples``, ``regions`` and ``boundaries`` of the examples.

    Boundaries are those between the true distributions.
    """
    parts: dict[str, list[pd.DataFrame]] = {"samples": [], "regions": [], "boundaries": []}
    for example in EXAMPLES:
        name = {"example": f"figure {example.figure}", "space": example.space}
        samples = _draw(example)
        second = {"cylinder": "gaussian", "circles": "categorical"}.get(example.space)
        direction = ("direction", "von_mises_fisher", [0, 1])
        classifier: VonMisesNB | VonMisesFisherNB | HybridNB = VonMisesNB()
        if second:
            classifier = HybridNB([direction, ("second", second, [2])])
        elif example.space == "sphere":
            classifier = VonMisesFisherNB()
        X = _features(example.space, samples)
        samples["predicted"] = classifier.fit(X, samples["class"]).predict(X)
        regions = _grid(example.space, samples["second"])
        regions["predicted"] = classifier.predict(_features(example.space, regions))
        boundary = _boundary(example)
        for table, frame in zip(parts, (samples, regions, boundary), strict=True):
            parts[table].append(frame.assign(**name))
    return {table: pd.concat(frames, ignore_index=True) for table, frames in parts.items()}


def printed_values() -> pd.DataFrame:
    """Return the paper's numbers for its examples with the computed ones.

    As in the paper, the directions of Figure 7 are not of length 1.
    """
    angles = {e.figure: von_mises_boundary(e.mu, e.kappa) for e in EXAMPLES if e.space == "circle"}
    planes = {
        e.figure: von_mises_fisher_boundary(np.array(e.mu, dtype=float), e.kappa)
        for e in EXAMPLES
        if e.space == "sphere"
    }
    (normal7, offset7), (normal8, offset8), (normal9, offset9) = (planes[f] for f in (7, 8, 9))
    rows = [
        ("figure 3", "first boundary angle", 2.43, angles[3][0]),
        ("figure 3", "second boundary angle", -1.67, angles[3][1]),
        ("figure 4", "boundary angle", np.pi / 4, angles[4].max()),
        ("figure 5", "first boundary angle", 2.04, angles[5].max()),
        ("figure 5", "second boundary angle", 1.10, angles[5].min()),
        ("figure 7", "coefficient of x1", 0.0, normal7[0]),
        ("figure 7", "coefficient of x2", 10.0, normal7[1]),
        ("figure 7", "coefficient of x3", -22.0, normal7[2]),
        ("figure 7", "right-hand side", -9.3069, -offset7),
        ("figure 7", "x3 where x1 = x2 = 0", 0.4230, -offset7 / normal7[2]),
        ("figure 8", "coefficient of x2 over that of x3", -1.0, normal8[1] / normal8[2]),
        ("figure 8", "right-hand side", 0.0, -offset8),
        ("figure 9", "x1", -0.9076, -offset9 / normal9[0]),
    ]
    return pd.DataFrame(rows, columns=["example", "quantity", "paper", "computed"])


def figure_14() -> DataSet:
    """Return the artificial data of Figure 14: 2,000 angles of two equally concentrated classes."""
    rng = np.random.default_rng(derive_seed("directional example", 14))
    angles = np.concatenate([rng.vonmises(np.pi, 2.5, 1000), rng.vonmises(_HALF, 2.5, 1000)])
    samples = [f"s{i}" for i in range(len(angles))]
    labels = np.repeat(_CLASSES, 1000)
    return DataSet("figure 14", angles[None], ["angle"], samples, labels, ["angular"])


def torus_regions(name: str, X: np.ndarray, y: np.ndarray) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the decision regions, and for two classes the boundary, of a pair of angles.

    X, of shape (n_samples, 2), is in radians. The boundary is Theorem 2's with the fitted
    parameters.
    """
    classifier = VonMisesNB().fit(X, y)
    regions = _grid("torus", pd.Series(dtype=float))
    regions["predicted"] = classifier.predict(_features("torus", regions))
    boundary = _curve(np.empty(0), np.empty(0))
    if len(classifier.classes_) == 2:
        family = classifier.groups_[0].distribution
        priors = np.exp(classifier.class_log_prior_)
        boundary = _torus_curves(family.mean_direction_.T, family.concentration_.T, priors)
    label = {"example": name, "space": "torus"}
    return regions.assign(**label), boundary.assign(**label)


def _draw(example: Example) -> pd.DataFrame:
    """Draw half of the samples from each class."""
    rng = np.random.default_rng(derive_seed("directional example", example.figure))
    n = example.n_samples // 2
    parts = []
    for code, label in enumerate(_CLASSES):
        mu, kappa = np.asarray(example.mu[code], dtype=float), example.kappa[code]
        second = np.zeros(n)
        if example.space == "sphere":
            unit = vonmises_fisher(mu / np.linalg.norm(mu), kappa).rvs(n, random_state=rng)
            first, second = np.arctan2(unit[:, 1], unit[:, 0]), np.arcsin(unit[:, 2])
        elif example.space == "torus":
            first, second = rng.vonmises(mu, kappa, (n, 2)).T
        else:
            direction = mu if example.space == "circle" else np.arctan2(mu[1], mu[0])
            first = rng.vonmises(direction, kappa, n)
        if example.space == "cylinder":
            mean, variance = example.second[code]
            second = rng.normal(mean, np.sqrt(variance), n)
        elif example.space == "circles":
            second = np.where(rng.random(n) < example.second[code], 1.0, 2.0)
        parts.append(pd.DataFrame({"first": first, "second": second, "class": label}))
    return pd.concat(parts, ignore_index=True)


def _features(space: str, points: pd.DataFrame) -> np.ndarray:
    """Return the classifier's input for a space, shape (n_samples, n_features)."""
    first, second = points["first"].to_numpy(), points["second"].to_numpy()
    across, up = (np.cos(second), np.sin(second)) if space == "sphere" else (1.0, second)
    if space in ("circle", "torus"):
        return np.column_stack([first, second][: 1 if space == "circle" else 2])
    return np.column_stack([across * np.cos(first), across * np.sin(first), up])


def _grid(space: str, second: pd.Series) -> pd.DataFrame:
    """Return points that cover a space; on a cylinder the range of its samples."""
    heights = {
        "circle": np.zeros(1),
        "torus": _CELLS,
        "sphere": _CELLS / 2,
        "cylinder": np.linspace(second.min(), second.max(), 61),
        "circles": np.array([1.0, 2.0]),
    }[space]
    first, height = np.meshgrid(_TURN if space in ("circle", "circles") else _CELLS, heights)
    return pd.DataFrame({"first": first.ravel(), "second": height.ravel()})


def _boundary(example: Example) -> pd.DataFrame:
    """Return points where the true classes are equally probable."""
    mu, kappa = np.array(example.mu, dtype=float), np.array(example.kappa, dtype=float)
    if example.space == "circle":
        return _curve(von_mises_boundary(mu, kappa), np.zeros(2))
    if example.space == "torus":
        return _torus_curves(mu, kappa, np.array([0.5, 0.5]))
    mu /= np.linalg.norm(mu, axis=1, keepdims=True)
    if example.space == "sphere":
        return _sphere_circle(*von_mises_fisher_boundary(mu, kappa))
    if example.space == "cylinder":
        return _cylinder_curves(mu, kappa, np.array(example.second, dtype=float))
    direction = np.arctan2(mu[:, 1], mu[:, 0])
    share = np.array(example.second)
    parts = [
        _curve(von_mises_boundary(direction, kappa, priors), np.full(2, i + 1.0), i + 1)
        for i, priors in enumerate((share, 1 - share))
    ]
    return pd.concat(parts, ignore_index=True)


def _torus_curves(mu: np.ndarray, kappa: np.ndarray, priors: np.ndarray) -> pd.DataFrame:
    """Solve for either angle in turn, so that steep parts of the curve have points as well."""
    fine = np.linspace(-np.pi, np.pi, 1441)
    upright = torus_boundary(fine, mu, kappa, priors)
    across = torus_boundary(fine, mu[:, ::-1], kappa[:, ::-1], priors)
    curves = [(fine, upright[0]), (fine, upright[1]), (across[0], fine), (across[1], fine)]
    return pd.concat([_curve(*xy, i) for i, xy in enumerate(curves)], ignore_index=True)


def _sphere_circle(normal: np.ndarray, offset: float) -> pd.DataFrame:
    """Return where the plane ``normal @ x + offset = 0`` cuts the unit sphere."""
    length = np.linalg.norm(normal)
    centre = -offset / length**2 * normal
    radius = np.sqrt(1 - centre @ centre)
    across = np.linalg.svd(normal[None])[2][1:]
    points = centre + radius * np.column_stack([np.cos(_TURN), np.sin(_TURN)]) @ across
    return _curve(np.arctan2(points[:, 1], points[:, 0]), np.arcsin(points[:, 2]))


def _cylinder_curves(mu: np.ndarray, kappa: np.ndarray, second: np.ndarray) -> pd.DataFrame:
    """Solve the surface for the real number at each angle: no, one or two solutions."""
    surface = hybrid_boundary(mu, kappa, second[:, 0], second[:, 1])
    a, b = surface.quadratic.item(), surface.linear.item()
    c = np.column_stack([np.cos(_TURN), np.sin(_TURN)]) @ surface.normal + surface.offset
    if a == 0:
        return _curve(_TURN, -c / b)
    root = np.sqrt(np.where(b**2 >= 4 * a * c, b**2 - 4 * a * c, np.nan))
    parts = [_curve(_TURN, (-b + sign * root) / (2 * a), i) for i, sign in enumerate((-1, 1))]
    return pd.concat(parts, ignore_index=True)


def _curve(first: np.ndarray, second: np.ndarray, curve: int = 0) -> pd.DataFrame:
    return pd.DataFrame({"first": first, "second": second, "curve": curve}).dropna()
