"""The artificial examples of Directional naive Bayes classifiers: Figures 3 to 12 and 14.

Two classes are drawn as in the paper; the decision regions of a classifier fitted to the sample are
compared with the theorem's boundary between the true distributions.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any

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
from xnbflow.papers.directional.printed_tables import printed_boundaries
from xnbflow.papers.directional.von_mises_nb import VonMisesFisherNB, VonMisesNB

_CLASSES = np.array(["1", "2"])
#: One turn by degrees, and the same in the coarser steps of the grids of decision regions.
_TURN = np.linspace(-np.pi, np.pi, 361)
_GRID_ANGLES = np.linspace(-np.pi, np.pi, 91)
_QUARTER_TURN = np.pi / 2
#: Only samples have a class; a boundary has no predicted one either.
_NO_CLASS = {"class": ""}


@dataclass(frozen=True, kw_only=True)
class Example:
    """An artificial example, whose samples are half of each class.

    Attributes
    ----------
    figure : int
        Its number in the paper.
    space : str
        ``circle`` (one angle), ``torus`` (two), ``sphere`` (a unit vector, given by longitude and
        latitude), ``cylinder`` (an angle and a real number) or ``circles`` (an angle and a
        category).
    n_samples : int
    mu, kappa : tuple
        Mean direction and concentration of each class: angles, or vectors on sphere, cylinder and
        circles.
    second : tuple
        The second variable of each class: (mean, variance) on the cylinder, the probability of
        category 1 on circles.
    """

    figure: int
    space: str
    n_samples: int
    mu: tuple[Any, ...]
    kappa: tuple[Any, ...]
    second: tuple[Any, ...] = ()


#: Mean directions of Figures 10 to 12, as printed: they are not of length 1.
_FIRST_DIRECTION = (0.2, -0.8)
_SECOND_DIRECTION = (-0.8, -0.5)
_FIGURE_10 = Example(
    figure=10,
    space="cylinder",
    n_samples=1000,
    mu=(_FIRST_DIRECTION, _SECOND_DIRECTION),
    kappa=(5, 10),
    second=((0, 1), (2, 1)),
)

_EXAMPLES = (
    Example(figure=3, space="circle", n_samples=100, mu=(_QUARTER_TURN, np.pi), kappa=(2, 5)),
    Example(figure=4, space="circle", n_samples=100, mu=(0.0, _QUARTER_TURN), kappa=(5, 5)),
    Example(
        figure=5, space="circle", n_samples=100, mu=(_QUARTER_TURN, _QUARTER_TURN), kappa=(2, 10)
    ),
    Example(
        figure=6,
        space="torus",
        n_samples=1000,
        mu=((np.pi, -2 * np.pi / 3), (_QUARTER_TURN, np.pi)),
        kappa=((2, 6), (5, 3)),
    ),
    Example(
        figure=7,
        space="sphere",
        n_samples=1000,
        mu=((-1, 0, -0.2), (-0.5, -0.5, 1)),
        kappa=(10, 20),
    ),
    Example(figure=8, space="sphere", n_samples=1000, mu=((0, 0, 1), (0, 1, 0)), kappa=(7, 7)),
    Example(figure=9, space="sphere", n_samples=1000, mu=((-1, 0, 0), (-1, 0, 0)), kappa=(20, 5)),
    _FIGURE_10,
    # Figure 11 differs in the variances only.
    replace(_FIGURE_10, figure=11, second=((0, 0.25), (2, 4))),
    Example(
        figure=12,
        space="circles",
        n_samples=50,
        mu=(_FIRST_DIRECTION, _SECOND_DIRECTION),
        kappa=(5, 10),
        second=(0.15, 0.6),
    ),
)


def example_points() -> pd.DataFrame:
    """Return the rows of the table ``examples`` for Figures 3 to 12.

    Boundaries are those between the true distributions.
    """
    parts = []
    for example in _EXAMPLES:
        classifier = _classifier(example.space)
        samples = _draw_samples(example)
        X = _features(example.space, samples)
        samples["predicted"] = classifier.fit(X, samples["class"]).predict(X)
        regions = _grid(example.space, samples["second"])
        regions["predicted"] = classifier.predict(_features(example.space, regions))
        points = [
            samples.assign(kind="sample"),
            regions.assign(kind="region", **_NO_CLASS),
            _decision_boundary(example).assign(kind="boundary", predicted="", **_NO_CLASS),
        ]
        of_example = pd.concat(points, ignore_index=True)
        parts.append(of_example.assign(example=f"figure {example.figure}", space=example.space))
    return pd.concat(parts, ignore_index=True)


def _classifier(space: str) -> VonMisesNB | VonMisesFisherNB | HybridNB:
    """Return the paper's classifier for a space."""
    if space in ("circle", "torus"):
        return VonMisesNB()
    if space == "sphere":
        return VonMisesFisherNB()
    direction = ("direction", "von_mises_fisher", [0, 1])
    second_family = "gaussian" if space == "cylinder" else "categorical"
    return HybridNB([direction, ("second", second_family, [2])])


@dataclass(frozen=True, kw_only=True)
class PrintedValue:
    """A number that the paper prints for an example, and ours.

    Two numbers agree if they round to the same ``decimals``.
    """

    example: str
    quantity: str
    paper: float
    computed: float
    decimals: int

    @property
    def agrees(self) -> bool:
        """Whether the computed number rounds to the printed one."""
        return round(self.computed, self.decimals) == round(self.paper, self.decimals)

    def row(self) -> dict[str, Any]:
        """Return the row of the table ``printed``."""
        return {**asdict(self), "agrees": self.agrees}


def printed_values() -> list[PrintedValue]:
    """Return the paper's numbers for Figures 3 to 9 with the computed ones."""
    computed = boundary_quantities()
    values = []
    for row in printed_boundaries().itertuples():
        value = PrintedValue(
            example=row.example,
            quantity=row.quantity,
            paper=row.value,
            computed=computed[row.example, row.quantity],
            decimals=row.decimals,
        )
        values.append(value)
    return values


def boundary_quantities() -> dict[tuple[str, str], float]:
    """Return what describes the boundaries of Figures 3 to 9, by example and quantity.

    On the circle these are angles (Theorem 1), on the sphere the coefficients of the plane
    ``normal @ x = -offset`` that cuts it (Theorem 3). As in the paper, the directions of Figure 7
    are not of length 1.

    Examples
    --------
    >>> round(boundary_quantities()["figure 9", "x1"], 4)
    -0.9076
    """
    angles = {}
    planes = {}
    for example in _EXAMPLES:
        if example.space == "circle":
            angles[example.figure] = von_mises_boundary(example.mu, example.kappa)
        if example.space == "sphere":
            mu = np.array(example.mu, dtype=float)
            planes[example.figure] = von_mises_fisher_boundary(mu, example.kappa)
    normal_7, offset_7 = planes[7]
    normal_8, offset_8 = planes[8]
    normal_9, offset_9 = planes[9]
    quantities = {
        ("figure 3", "first boundary angle"): angles[3][0],
        ("figure 3", "second boundary angle"): angles[3][1],
        ("figure 4", "boundary angle"): angles[4].max(),
        ("figure 5", "first boundary angle"): angles[5].max(),
        ("figure 5", "second boundary angle"): angles[5].min(),
        ("figure 7", "coefficient of x1"): normal_7[0],
        ("figure 7", "coefficient of x2"): normal_7[1],
        ("figure 7", "coefficient of x3"): normal_7[2],
        ("figure 7", "right-hand side"): -offset_7,
        ("figure 7", "x3 where x1 = x2 = 0"): -offset_7 / normal_7[2],
        ("figure 8", "coefficient of x2 over that of x3"): normal_8[1] / normal_8[2],
        ("figure 8", "right-hand side"): -offset_8,
        ("figure 9", "x1"): -offset_9 / normal_9[0],
    }
    return {key: float(value) for key, value in quantities.items()}


def figure_14() -> DataSet:
    """Return the artificial data of Figure 14: 2,000 angles of two equally concentrated classes."""
    rng = np.random.default_rng(derive_seed("directional example", 14))
    first_class = rng.vonmises(np.pi, 2.5, 1000)
    second_class = rng.vonmises(_QUARTER_TURN, 2.5, 1000)
    angles = np.concatenate([first_class, second_class])
    return DataSet(
        "figure 14",
        values=angles[None],
        features=["angle"],
        samples=[f"s{i}" for i in range(len(angles))],
        labels=np.repeat(_CLASSES, 1000),
        kinds=["angular"],
    )


def torus_points(name: str, X: np.ndarray, y: np.ndarray) -> pd.DataFrame:
    """Return the rows of the table ``examples`` for a data set of two angles.

    They are its decision regions, and for two classes the boundary, Theorem 2's with the fitted
    parameters. X, of shape (n_samples, 2), is in radians.
    """
    classifier = VonMisesNB().fit(X, y)
    regions = _grid("torus", pd.Series(dtype=float))
    regions["predicted"] = classifier.predict(_features("torus", regions))
    points = [regions.assign(kind="region", **_NO_CLASS)]
    if len(classifier.classes_) == 2:
        family = classifier.groups_[0].distribution
        priors = np.exp(classifier.class_log_prior_)
        boundary = _torus_curves(family.mean_direction_.T, family.concentration_.T, priors)
        points.append(boundary.assign(kind="boundary", predicted="", **_NO_CLASS))
    return pd.concat(points, ignore_index=True).assign(example=name, space="torus")


def _draw_samples(example: Example) -> pd.DataFrame:
    """Draw half of the samples from each class."""
    rng = np.random.default_rng(derive_seed("directional example", example.figure))
    n = example.n_samples // 2
    parts = []
    for code, label in enumerate(_CLASSES):
        mu = np.asarray(example.mu[code], dtype=float)
        kappa = example.kappa[code]
        second = np.zeros(n)
        if example.space == "sphere":
            unit = vonmises_fisher(mu / np.linalg.norm(mu), kappa).rvs(n, random_state=rng)
            first = np.arctan2(unit[:, 1], unit[:, 0])  # longitude
            second = np.arcsin(unit[:, 2])  # latitude
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
    first = points["first"].to_numpy()
    second = points["second"].to_numpy()
    if space == "circle":
        return first[:, None]
    if space == "torus":
        return np.column_stack([first, second])
    if space == "sphere":  # from longitude and latitude
        x = np.cos(second) * np.cos(first)
        y = np.cos(second) * np.sin(first)
        return np.column_stack([x, y, np.sin(second)])
    return np.column_stack([np.cos(first), np.sin(first), second])


def _grid(space: str, second: pd.Series) -> pd.DataFrame:
    """Return points that cover a space; on a cylinder the range of its samples."""
    angles = _TURN if space in ("circle", "circles") else _GRID_ANGLES
    second_values = {
        "circle": np.zeros(1),
        "torus": _GRID_ANGLES,
        "sphere": _GRID_ANGLES / 2,
        "cylinder": np.linspace(second.min(), second.max(), 61),
        "circles": np.array([1.0, 2.0]),
    }[space]
    first, other = np.meshgrid(angles, second_values)
    return pd.DataFrame({"first": first.ravel(), "second": other.ravel()})


def _decision_boundary(example: Example) -> pd.DataFrame:
    """Return points where the true classes are equally probable."""
    mu = np.array(example.mu, dtype=float)
    kappa = np.array(example.kappa, dtype=float)
    if example.space == "circle":
        return _curve(von_mises_boundary(mu, kappa), np.zeros(2))
    if example.space == "torus":
        return _torus_curves(mu, kappa, np.array([0.5, 0.5]))
    mu /= np.linalg.norm(mu, axis=1, keepdims=True)
    if example.space == "sphere":
        return _sphere_circle(*von_mises_fisher_boundary(mu, kappa))
    if example.space == "cylinder":
        return _cylinder_curves(mu, kappa, np.array(example.second, dtype=float))
    # On circles a category's probabilities act as priors (section 3.5).
    direction = np.arctan2(mu[:, 1], mu[:, 0])
    probability_of_1 = np.array(example.second)
    on_first = von_mises_boundary(direction, kappa, probability_of_1)
    on_second = von_mises_boundary(direction, kappa, 1 - probability_of_1)
    curves = [_curve(on_first, np.full(2, 1.0), 1), _curve(on_second, np.full(2, 2.0), 2)]
    return pd.concat(curves, ignore_index=True)


def _torus_curves(mu: np.ndarray, kappa: np.ndarray, priors: np.ndarray) -> pd.DataFrame:
    """Solve for either angle in turn, so that steep parts of the curve have points as well."""
    angles = np.linspace(-np.pi, np.pi, 1441)
    psi = torus_boundary(angles, mu, kappa, priors)
    phi = torus_boundary(angles, mu[:, ::-1], kappa[:, ::-1], priors)
    curves = [
        _curve(angles, psi[0], 0),
        _curve(angles, psi[1], 1),
        _curve(phi[0], angles, 2),
        _curve(phi[1], angles, 3),
    ]
    return pd.concat(curves, ignore_index=True)


def _sphere_circle(normal: np.ndarray, offset: float) -> pd.DataFrame:
    """Return where the plane ``normal @ x + offset = 0`` cuts the unit sphere."""
    centre = -offset / (normal @ normal) * normal  # the plane's point next to the origin
    radius = np.sqrt(1 - centre @ centre)
    axes_in_plane = np.linalg.svd(normal[None])[2][1:]
    circle = np.column_stack([np.cos(_TURN), np.sin(_TURN)])
    points = centre + radius * circle @ axes_in_plane
    return _curve(np.arctan2(points[:, 1], points[:, 0]), np.arcsin(points[:, 2]))


def _cylinder_curves(mu: np.ndarray, kappa: np.ndarray, second: np.ndarray) -> pd.DataFrame:
    """Solve the surface for the real number y at each angle: no, one or two solutions.

    At an angle the surface is ``a y**2 + b y + c = 0``.
    """
    surface = hybrid_boundary(mu, kappa, second[:, 0], second[:, 1])
    a = surface.quadratic.item()
    b = surface.linear.item()
    c = np.column_stack([np.cos(_TURN), np.sin(_TURN)]) @ surface.normal + surface.offset
    if a == 0:
        return _curve(_TURN, -c / b)
    discriminant = b**2 - 4 * a * c
    root = np.sqrt(np.where(discriminant >= 0, discriminant, np.nan))
    lower = _curve(_TURN, (-b - root) / (2 * a), 0)
    upper = _curve(_TURN, (-b + root) / (2 * a), 1)
    return pd.concat([lower, upper], ignore_index=True)


def _curve(first: np.ndarray, second: np.ndarray, curve: int = 0) -> pd.DataFrame:
    """Return the points of a numbered curve, without points that do not exist (NaN)."""
    return pd.DataFrame({"first": first, "second": second, "curve": curve}).dropna()
