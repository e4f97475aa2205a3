"""Conditionally independent component analysis (CICA paper, sections 3 to 5)."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.decomposition import FastICA
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import RidgeCV
from sklearn.preprocessing import SplineTransformer
from sklearn.utils import check_random_state

from xnbflow.core.errors import InputError
from xnbflow.core.parameters import number_constraint, one_of, whole_constraint
from xnbflow.papers.cica.joint import WIDTH_FACTORS
from xnbflow.papers.cica.natural_gradient import ConditionalEntropy, Descent, natural_gradient
from xnbflow.preprocessing.estimator import Estimator

#: Samples that random starts use at most.
_SCREENING_SAMPLES = 500
#: Folds for the choice of the width with few samples.
_FOLDS = 5
#: Samples per component from which on the width is chosen without folds.
_MANY_SAMPLES = 150
#: Most random starts, as a multiple of ``n_restarts``, while no two of them end equally low.
_GROWTH = 4
#: Ends that differ by less, in nats, count as one.
_SAME_END = 1e-3
#: Steps from each start before only the lowest continues.
_SCREENING = 30
#: Distance of class codes: no kernel reaches so far.
_CLASS_DISTANCE = 1e30
#: Splines whose residuals start a descent, and least standard deviation of a residual.
_RESIDUAL_SPLINES = 7
_LEAST_RESIDUAL = 1e-6
#: Splines of a cubic polynomial.
_FEWEST_SPLINES = 4
#: Ridges on the correlation matrix, to choose from.
_RIDGES = 10.0 ** np.arange(-6, 4)
#: Eigenvalues below this share of the largest one are 0.
_NEARLY_SINGULAR = 1e-10


class CICA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Linear components of the inputs that are independent given the target.

    CICA finds the linear map after which the features are as independent given the target as naive
    Bayes assumes: it minimises the sum of the components' entropies given the target by natural
    gradient, with kernel estimates of their densities.

    A y of floats is a real target. Anything else (integers, strings, booleans) is a class label:
    the components are then independent within the classes.

    Parameters
    ----------
    n_components : int, optional
        Number of components; as many as inputs by default. Fewer are sought in the canonical
        subspace, whose directions correlate most with functions of y (section 5).
    basis : int or callable, default=8
        Functions ``c(y)`` of a real target for the canonical subspace (section 5): so many cubic
        splines with knots at its quantiles, or a function from y, shape (n_samples,), to values of
        shape (n_samples, n_functions) or (n_samples,). Class labels have their indicators.
    canonical : {"ridge", "plain"}, default="ridge"
        Canonical correlation analysis of the inputs and the functions of y. "plain": as in the
        paper; it needs more samples than inputs, none of which is a sum of others. "ridge": ours,
        with a ridge on the covariance of the inputs that gives the best prediction of left-out
        samples; it permits fewer samples than inputs, and redundant inputs.
    width : {"cv", "paper"} or float, default="cv"
        Kernel widths in units of ``sigma * n_samples**(-1/6)``. "paper" is 1, which misses the
        sources. "cv" narrows the width from there while the likelihood of samples left out grows:
        those of five folds or, with 150 samples or more for each component, each by itself.
    n_restarts : int, default=5
        Descents from random rotations of the whitened inputs, besides those from the inputs as they
        are (with fewer components than inputs: the canonical ones) and from the independent
        components (FastICA) of the residuals given y; up to four times as many until two end
        equally low. They use 500 samples at most; the lowest of them continues with all.
    max_iter, tol : int, float, default=500, 1e-4
        A descent ends after so many steps, or where no entry of the relative gradient is larger.
    random_state : int, RandomState instance or None, default=None
        For the random rotations.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        W: ``transform(X) = (X - mean_) @ components_.T``. Components have unit variance in the
        training samples; the sign makes the entry of largest effect positive.
    mixing_ : ndarray of shape (n_features, n_components)
        Pseudo-inverse of W.
    mean_ : ndarray of shape (n_features,)
        Means of the inputs.
    width_ : float
        Kernel width used, in the same units as ``width``.
    objective_ : float
        Eq. 7 at W in nats, for the whitened inputs and less its constant ``n_components * H(y)``.
    n_iter_ : int
        Steps of the chosen descent.
    converged_ : bool
        Whether it ended at a gradient below ``tol``; otherwise `fit` warns.

    See Also
    --------
    xnbflow.naive_bayes.KernelNBRegressor : Naive Bayes for a real target, of the components.

    References
    ----------
    S. Akaho, Conditionally independent component extraction for naive Bayes inference, 2001.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.uniform(-3, 3, 200)
    >>> sources = np.column_stack([y, y**2]) + rng.uniform(-1, 1, (200, 2))
    >>> X = sources @ np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> components = CICA(random_state=0).fit_transform(X, y)
    >>> np.abs(np.corrcoef(components.T, sources.T)[:2, 2:]).max(axis=0).round(2)
    array([1., 1.])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [whole_constraint(1), None],
        "basis": [whole_constraint(_FEWEST_SPLINES, 1000), callable],
        "canonical": [one_of("ridge", "plain")],
        "width": [one_of("cv", "paper"), number_constraint(1e-6, 1e6, closed="both")],
        "n_restarts": [whole_constraint(0, 10_000)],
        "max_iter": [whole_constraint(0)],
        "tol": [number_constraint(0.0, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_components: int | None = None,
        basis: int | Callable[[np.ndarray], np.ndarray] = 8,
        canonical: str = "ridge",
        width: str | float = "cv",
        n_restarts: int = 5,
        max_iter: int = 500,
        tol: float = 1e-4,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.basis = basis
        self.canonical = canonical
        self.width = width
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: np.ndarray | pd.DataFrame, y: np.ndarray) -> "CICA":
        """Find the components.

        Raises an `InputError` if y is constant, or labels hardly any sample like another; if the
        inputs do not vary in ``n_components`` dimensions; if the target correlates with fewer.
        """
        X, y = self._validate_training(X, y, ensure_min_samples=2)
        target = _kernel_target(y)
        n_features = X.shape[1]
        n_components = n_features if self.n_components is None else self.n_components
        if n_components > n_features:
            msg = f"n_components is {n_components}; {n_features} inputs allow 1 to {n_features}"
            raise InputError(msg)
        self.mean_ = X.mean(axis=0)
        is_constant = np.ptp(X, axis=0) == 0.0
        if is_constant.all():
            msg = "all inputs are constant: there are no components; give inputs that vary"
            raise InputError(msg)
        scale = np.where(is_constant, 1.0, X.std(axis=0))
        inputs = np.where(is_constant, 0.0, (X - self.mean_) / scale)
        if n_components == n_features:
            whitening = _whitening(inputs, np.flatnonzero(is_constant))
            unmixed = np.linalg.inv(whitening)
        else:
            functions = _functions(y, self.basis)
            whitening = _canonical_directions(
                inputs, functions, n_components, has_ridge=self.canonical == "ridge"
            )
            unmixed = np.eye(n_components)
        descent = self._minimise(whitening @ inputs.T, y, target, unmixed)

        # Rows whose largest entry is positive: the sign of a component is arbitrary.
        components = descent.path[-1] @ whitening
        largest = np.abs(components).argmax(axis=1)
        signs = np.sign(components[np.arange(len(components)), largest])
        self.components_ = components * signs[:, np.newaxis] / scale
        self.mixing_ = np.linalg.pinv(self.components_)
        self.objective_ = descent.values[-1]
        self.n_iter_ = len(descent.path) - 1
        self.converged_ = descent.converged
        if not descent.converged:
            msg = (
                f"CICA has not converged after {self.n_iter_} steps: raise max_iter "
                f"({self.max_iter}) or tol ({self.tol:g})"
            )
            warnings.warn(msg, ConvergenceWarning, stacklevel=2)
        return self

    def transform(self, X: np.ndarray | pd.DataFrame) -> np.ndarray:
        """Return the components of X, shape (n_samples, n_components)."""
        X = self._validate_samples(X)
        return (X - self.mean_) @ self.components_.T

    def _minimise(
        self, inputs: np.ndarray, y: np.ndarray, target: np.ndarray, unmixed: np.ndarray
    ) -> Descent:
        """Choose the width, descend from every start, and return the lowest descent.

        ``inputs`` (n_components, n_samples) are whitened, or canonical; ``unmixed`` is the W of the
        inputs as they are.
        """
        random = check_random_state(self.random_state)
        starts = [_residual_components(inputs, y, unmixed, random)]
        if self.width == "cv":
            self.width_, narrowed = self._choose_width(inputs, target, starts[0], random)
            starts.append(narrowed)
        else:
            self.width_ = 1.0 if self.width == "paper" else float(self.width)
        objective = ConditionalEntropy(inputs, target, self.width_)
        lowest_restart = self._restart(inputs, target, unmixed, random)
        descents = [self._descend(objective, start, _SCREENING) for start in starts]
        descents.append(self._continue(objective, lowest_restart, _SCREENING))
        lowest = min(descents, key=_last_value)
        return lowest if lowest.converged else self._continue(objective, lowest, self.max_iter)

    def _choose_width(
        self,
        inputs: np.ndarray,
        target: np.ndarray,
        start: np.ndarray,
        random: np.random.RandomState,
    ) -> tuple[float, np.ndarray]:
        """Narrow the width while the likelihood of samples left out of the densities grows.

        With few samples for each component W would overfit, so folds are left out. With many each
        sample is left out only of its own density, which is the objective itself. W is updated from
        width to width. Returns the width, and W of the last fold there.
        """
        n_components, n_samples = inputs.shape
        every_sample = np.arange(n_samples)
        # Drawn in either case, so that later draws do not depend on the number of samples.
        left_out = np.array_split(random.permutation(n_samples), min(_FOLDS, n_samples))
        if n_samples >= _MANY_SAMPLES * n_components:
            folds = [_Fold(training=every_sample, test=None, ends=[start])]
        else:
            folds = [
                _Fold(training=np.setdiff1d(every_sample, test), test=test, ends=[start])
                for test in left_out
            ]
        losses: list[float] = []
        for factor in WIDTH_FACTORS:
            # Two widths in a row without a new least loss end the search.
            if len(losses) >= 3 and int(np.argmin(losses)) < len(losses) - 2:
                break
            losses.append(sum(self._descend_in(fold, inputs, target, factor) for fold in folds))
        best = int(np.argmin(losses))
        return float(WIDTH_FACTORS[best]), folds[-1].ends[best + 1]

    def _descend_in(
        self, fold: "_Fold", inputs: np.ndarray, target: np.ndarray, factor: float
    ) -> float:
        """Continue the fold's descent at a width; return the loss of its left-out samples.

        The loss is minus their log-likelihood, or the objective where no samples are left out.
        """
        training = fold.training
        objective = ConditionalEntropy(inputs[:, training], target[training], factor)
        descent = self._descend(objective, fold.ends[-1], _SCREENING)
        demixing = descent.path[-1]
        fold.ends.append(demixing)
        if fold.test is None:
            return descent.values[-1]
        mean_loss = objective.held_out(demixing, inputs[:, fold.test], target[fold.test])
        return mean_loss * len(fold.test)

    def _restart(
        self,
        inputs: np.ndarray,
        target: np.ndarray,
        unmixed: np.ndarray,
        random: np.random.RandomState,
    ) -> Descent:
        """Return the lowest descent from the inputs as they are and from random rotations of them.

        There are ``n_restarts`` of these, and then more, until the lowest end is reached twice.
        Restarts use a subset of many samples.
        """
        n_components, n_samples = inputs.shape
        subset = np.sort(random.permutation(n_samples)[:_SCREENING_SAMPLES])
        centred = inputs[:, subset] - inputs[:, subset].mean(axis=1, keepdims=True)
        objective = ConditionalEntropy(centred, target[subset], self.width_)
        descents = [self._descend(objective, unmixed, _SCREENING)]
        for n_rotations in range(_GROWTH * self.n_restarts):
            # Two descents that end equally low have found the minimum.
            lowest = sorted(map(_last_value, descents))[:2]
            is_found_twice = len(lowest) == 2 and lowest[1] - lowest[0] < _SAME_END
            if n_rotations >= self.n_restarts and is_found_twice:
                break
            rotation = np.linalg.qr(random.normal(size=(n_components, n_components)))[0]
            descents.append(self._descend(objective, rotation, _SCREENING))
        return min(descents, key=_last_value)

    def _descend(self, objective: ConditionalEntropy, start: np.ndarray, n_steps: int) -> Descent:
        """Descend from a start by ``n_steps`` at most, and no more than ``max_iter``."""
        n_steps = min(n_steps, self.max_iter)
        return natural_gradient(objective, start, max_iter=n_steps, tol=self.tol)

    def _continue(self, objective: ConditionalEntropy, begun: Descent, n_steps: int) -> Descent:
        """Continue from the end of a descent, by ``n_steps`` at most, ``max_iter`` with its own."""
        remaining = self.max_iter - (len(begun.path) - 1)
        return begun.then(self._descend(objective, begun.path[-1], min(n_steps, remaining)))

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


@dataclass(frozen=True, kw_only=True)
class _Fold:
    """Samples that a width is tried on, and W at the end of the descent with each width.

    ``test`` are the samples left out; None: each sample is left out of its own density only.
    ``ends`` begins with the start of the first descent.
    """

    training: np.ndarray
    test: np.ndarray | None
    ends: list[np.ndarray]


def _last_value(descent: Descent) -> float:
    """Return the objective at the end of a descent."""
    return descent.values[-1]


def _is_real(y: np.ndarray) -> bool:
    """Return whether a target is a number; anything but floats is a class label."""
    return np.issubdtype(y.dtype, np.floating)


def _functions(y: np.ndarray, basis: int | Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return functions of a real target, or indicators of classes, (n_samples, n_functions)."""
    if not _is_real(y):
        return (y[:, np.newaxis] == np.unique(y)).astype(np.float64)
    if callable(basis):
        values = np.asarray(basis(y), dtype=np.float64)
        if values.ndim not in (1, 2) or len(values) != len(y) or not np.isfinite(values).all():
            msg = (
                f"basis returns values of shape {values.shape} for {len(y)} samples; it must "
                "return finite values of shape (n_samples, n_functions)"
            )
            raise InputError(msg)
        return values.reshape(len(y), -1)
    splines = SplineTransformer(n_knots=basis - 2, degree=3, knots="quantile")
    return splines.fit_transform(y[:, np.newaxis])


def _kernel_target(y: np.ndarray) -> np.ndarray:
    """Return a real target scaled to unit variance, or codes of classes far apart.

    Examples
    --------
    >>> _kernel_target(np.array(["a", "b", "a", "b"])).tolist()
    [0.0, 1e+30, 0.0, 1e+30]
    """
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) == 1:
        msg = (
            f"y is constant ({classes[0]}): there is nothing to condition on; "
            "give another target, or use sklearn.decomposition.FastICA, which needs none"
        )
        raise InputError(msg)
    if _is_real(y):
        return y / y.std()
    if 2 * len(classes) > len(y):
        msg = (
            f"y has {len(classes)} different labels among {len(y)} samples, too many for classes; "
            "a real target must have a float type, as y.astype(float)"
        )
        raise InputError(msg)
    return codes * _CLASS_DISTANCE


def _residual_components(
    inputs: np.ndarray, y: np.ndarray, unmixed: np.ndarray, random: np.random.RandomState
) -> np.ndarray:
    """Return independent components of the residuals from smooth functions of y, or class means.

    Components that are independent given y have residuals that are independent as such, so that
    FastICA finds them where the residuals are not normal. Where there are no such residuals it
    is ``unmixed``.
    """
    functions = _functions(y, _RESIDUAL_SPLINES)
    n_components, n_samples = inputs.shape
    residuals = inputs.T - functions @ np.linalg.lstsq(functions, inputs.T)[0]
    strength = np.linalg.svd(residuals - residuals.mean(axis=0), compute_uv=False)
    too_few_samples = n_samples <= functions.shape[1] + n_components
    if too_few_samples or strength[-1] < _LEAST_RESIDUAL * np.sqrt(n_samples):
        return unmixed
    ica = FastICA(whiten="unit-variance", whiten_solver="eigh", random_state=random)
    with warnings.catch_warnings():
        # A start need not be an optimum.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return ica.fit(residuals).components_


def _whitening(inputs: np.ndarray, constant: np.ndarray) -> np.ndarray:
    """Return the map of standardised inputs to their principal components of unit variance."""
    n_samples, n_features = inputs.shape
    variances, axes = np.linalg.eigh(inputs.T @ inputs / n_samples)
    rank = int(np.sum(variances > _NEARLY_SINGULAR * variances[-1]))
    if rank < n_features:
        which = f" (constant columns: {constant.tolist()})" if len(constant) else ""
        msg = (
            f"{n_samples} samples of {n_features} inputs vary in {rank} dimensions only{which}; "
            f"drop inputs that repeat others, or set n_components to {rank} or fewer"
        )
        raise InputError(msg)
    return (axes / np.sqrt(variances)).T


def _canonical_directions(
    inputs: np.ndarray, functions: np.ndarray, n_components: int, *, has_ridge: bool
) -> np.ndarray:
    """Return the directions of inputs that correlate most with functions of the target.

    Canonical correlation analysis of section 5, plain or with a ridge. The ridge gives the best
    prediction of left-out samples by the inputs: first of all functions, then of those that
    correlate most. It permits fewer samples than inputs, and redundant inputs.
    """
    n_samples, n_features = inputs.shape
    left, strength, _ = np.linalg.svd(functions - functions.mean(axis=0), full_matrices=False)
    orthonormal = left[:, strength > n_samples * np.finfo(float).eps * strength[0]]
    predicted = orthonormal
    for _ in range(2 if has_ridge else 1):
        covariance = inputs.T @ inputs / n_samples
        if has_ridge:
            ridge = RidgeCV(n_samples * _RIDGES).fit(inputs, predicted).alpha_ / n_samples
            covariance += ridge * np.eye(n_features)
        variances, axes = np.linalg.eigh(covariance)
        if variances[0] < _NEARLY_SINGULAR * variances[-1]:
            msg = (
                f"{n_samples} samples of {n_features} inputs have a singular covariance, which "
                "plain canonical correlation cannot invert; use canonical='ridge', or leave out "
                "constant and redundant inputs"
            )
            raise InputError(msg)
        root = (axes / np.sqrt(variances)) @ axes.T
        directions, correlations, weights = np.linalg.svd(root @ inputs.T @ orthonormal)
        predicted = orthonormal @ weights[:n_components].T
    n_directions = int(np.sum(correlations > _NEARLY_SINGULAR * correlations[0]))
    if n_directions < n_components:
        msg = (
            f"the inputs have {n_directions} canonical directions with {orthonormal.shape[1]} "
            f"functions of the target, and n_components is {n_components}; lower it to "
            f"{n_directions} or raise basis (classes: no more than one less than there are)"
        )
        raise InputError(msg)
    return directions[:, :n_components].T @ root
