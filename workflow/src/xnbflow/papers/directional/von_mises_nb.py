"""Naive Bayes for angles and for unit vectors (Directional naive Bayes classifiers, section 3)."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from xnbflow.core.parameters import columns_constraint
from xnbflow.density.families.gaussian import Gaussian
from xnbflow.papers.directional.categorical import Categorical
from xnbflow.papers.directional.grouped import GroupedNB
from xnbflow.papers.directional.von_mises import VonMises
from xnbflow.papers.directional.von_mises_fisher import VonMisesFisher


class VonMisesNB(GroupedNB):
    """The paper's vMNB: angles von Mises, other numbers Gaussian, categories discrete.

    Parameters
    ----------
    angular : columns, default=None
        The columns that hold angles, in any form that a group of `HybridNB` takes. None means every
        column that is not categorical.
    categorical : columns, default=()
        The columns that hold categories, coded 0, 1, ...
    period : float, default=2*pi
        A full turn in the unit of the angles: 2 pi for radians, 360 for degrees. `fit` warns of
        angles that differ by more than two turns, as degrees taken for radians do.
    alpha : float, default=1
        Lidstone smoothing of the categories.
    var_smoothing : float, default=1e-9
        As in scikit-learn's GaussianNB.

    Attributes
    ----------
    groups_ : list of ColumnGroup
        The groups "angular", "categorical" and "linear", as far as they have columns.

    See Also
    --------
    VonMisesFisherNB : A sample is one unit vector.
    HybridNB : Any families of densities.
    SelectiveNB : Selects among the angles.

    References
    ----------
    P. L. Lopez-Cruz, C. Bielza and P. Larranaga, Directional naive Bayes classifiers, section 3.2.

    Examples
    --------
    >>> X = np.array([[350.0], [10.0], [170.0], [200.0]])
    >>> VonMisesNB(period=360).fit(X, [0, 0, 1, 1]).predict([[355.0], [181.0]]).tolist()
    [0, 1]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "angular": [columns_constraint(), None],
        "categorical": [columns_constraint()],
        **VonMises._parameter_constraints,
        **Categorical._parameter_constraints,
        **Gaussian._parameter_constraints,
    }

    def __init__(
        self,
        *,
        angular: Any = None,
        categorical: Any = (),
        period: float = 2 * np.pi,
        alpha: float = 1.0,
        var_smoothing: float = 1e-9,
    ) -> None:
        self.angular = angular
        self.categorical = categorical
        self.period = period
        self.alpha = alpha
        self.var_smoothing = var_smoothing

    def _groups(self) -> Sequence[tuple[str, Any, Any]]:
        categorical = self._columns(self.categorical)
        continuous = np.setdiff1d(np.arange(self.n_features_in_), categorical)
        angular = continuous if self.angular is None else self._columns(self.angular)
        linear = np.setdiff1d(continuous, angular)
        return [
            ("angular", VonMises(period=self.period), angular),
            ("categorical", Categorical(alpha=self.alpha), categorical),
            ("linear", Gaussian(var_smoothing=self.var_smoothing), linear),
        ]


class VonMisesFisherNB(GroupedNB):
    """The paper's vMFNB: each sample is one unit vector, von Mises-Fisher in each class.

    Parameters
    ----------
    normalize : bool, default=False
        Divide each vector by its length instead of refusing lengths other than 1.

    Attributes
    ----------
    groups_ : list of ColumnGroup
        The one group "direction".

    See Also
    --------
    VonMisesNB : Each column an angle of its own.
    HybridNB : Several vectors, or other columns beside them.

    References
    ----------
    P. L. Lopez-Cruz, C. Bielza and P. Larranaga, Directional naive Bayes classifiers, section 3.3.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0], [0.0, 0.6, 0.8]])
    >>> VonMisesFisherNB().fit(X, [0, 0, 1, 1]).predict([[0.6, 0.8, 0.0]]).tolist()
    [0]
    """

    _parameter_constraints = VonMisesFisher._parameter_constraints

    def __init__(self, *, normalize: bool = False) -> None:
        self.normalize = normalize

    def _groups(self) -> Sequence[tuple[str, Any, Any]]:
        return [("direction", VonMisesFisher(normalize=self.normalize), slice(None))]
