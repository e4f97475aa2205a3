"""XNB: naive Bayes in which every class has features of its own (XNB paper, section 5)."""

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted, column_or_1d

from xnbflow.data.labels import refuse_missing
from xnbflow.data.parameters import number, one_of, whole
from xnbflow.density.bandwidth import BANDWIDTHS, overall_spread
from xnbflow.density.distances import DISTANCES
from xnbflow.density.families.kernel import Kernel
from xnbflow.density.kernels import KERNELS
from xnbflow.density.matrices import dense_parts, is_sparse, some_rows
from xnbflow.naive_bayes.base import BaseNaiveBayes
from xnbflow.naive_bayes.sparse_input import checked_chunks, chunks_of, dense_chunks, rows_of
from xnbflow.preprocessing.selection.class_specific import (
    SELECTIONS,
    Candidates,
    class_pairs,
    distances_without_spikes,
    pair_distances,
)

__all__ = ["XNB", "distance_table", "warn_if_none"]

_UNDERFLOWS = ("as_published", "log")

#: Whole numbers of which none is greater are taken for grades or codes, not for raw counts.
_FEW_COUNTS = 20


class XNB(BaseNaiveBayes):
    """Explainable class-specific naive Bayes.

    Every class has kernel densities of those features only that tell it from the other classes.

    Units matter: a class is scored by the densities of its own features, and each density has a
    unit, one over the feature's. Classes with different numbers of features are thus compared with
    different powers of it, and **other units give other labels** (measured, at scales 1e-3, 1 and
    1e3: wine .775, .942 and .813 right). All features should share one scale, say log2 intensities
    or logarithms of counts per million; `fit` warns on raw counts.

    X may be sparse (CSR or CSC): the zeros of a class count as one value that occurs so many times.
    Distances, features and labels are those of the same X as a dense array, to rounding.

    Parameters
    ----------
    bandwidth : {"silverman", "scott", "sheather_jones", "cross_validation", "adaptive"}, \
            default="silverman"
        Rule for the bandwidth of each class and feature, see `FlexibleNB`.
    kernel : {"gaussian", "uniform", "epanechnikov", "biweight", "triweight", "cosine", \
            "triangular"}, default="gaussian"
        Kernel of the densities, see `FlexibleNB`.
    n_grid : int, default=50
        Points, over the range of a feature, at which densities are compared.
    distance : {"hellinger", "jeffreys", "jensen_shannon", "wasserstein"}, default="hellinger"
        Distance of two densities, each scaled to [0, 1]; see `xnbflow.density.distances`.
    threshold : float, default=0.999
        Features are taken until ``1 - prod(1 - distance)`` reaches this.
    min_distance : float or "mean", default=0.5
        Only greater distances count. 0.5 in the authors' program as of the paper; "mean", the mean
        distance over all features and pairs of classes, in their later releases.
    selection : {"greedy", "joint", "minimal"}, default="greedy"
        "greedy": for each pair of classes the features with the greatest distance until the
        threshold is reached; a class gets the union over its pairs. "joint": Eq. 11 as it is
        written, one product over all other classes. "minimal": Eq. 10, the smallest set that
        reaches the threshold against every other class, found by integer programming among the
        300 best features of each pair.
    underflow : {"as_published", "log"}, default="as_published"
        What becomes of a Gaussian kernel density that underflows at every grid point, as that of a
        class almost constant against the range of the feature: zero, so that its distances are 1,
        as in the authors' program; or normalised in log space, with the distance it deserves.
    min_bandwidth : float, default=0.0
        Floor of the bandwidths, in selection and in classification, see `FlexibleNB`; 0 is the
        published method.
    priors : array-like of shape (n_classes,), default=None
        Prior probabilities of the classes; None takes their shares of the training samples.
    exact : bool, default=False
        Sum over all training samples however many there are, see `FlexibleNB`.

    Attributes
    ----------
    selected_features_ : dict
        For each class label the list of its features in rank order: names where X has them, else
        column numbers. The rank is by the greatest distance to another class, ties by feature.
    selected_distances_ : dict
        For each class label those greatest distances.
    pair_distances_ : DataFrame
        One row per class, selected feature and other class, with their distance.
    columns_ : list of ndarray of int
        For each class the positions of its features, in rank order.
    distances_ : list of ndarray of shape (n_classes - 1, n_selected)
        For each class the distances of its features to each other class.
    densities_ : list of Kernel
        For each class the densities of its features.
    bandwidths_ : dict
        For each class label the bandwidths of its features, shape (n_selected,), or
        (n_selected, n_class_samples) for "adaptive".
    ties_ : DataFrame
        The features that are interchangeable where a selection stops: they have the very distance
        of the last one taken, and names decide which of them are taken. One row per class, other
        class (missing with ``selection="joint"``) and feature, with columns ``class``,
        ``other_class``, ``feature``, ``distance`` and ``taken``. Empty where no ranking is cut
        within a tie, and with ``selection="minimal"``, which takes no ranking.
    tied_features_ : dict
        For each class label these ties as a list of groups of features, taken or not.
    spike_features_ : dict
        For each class label the list of its features that are selected only because a class is
        (almost) constant in them, or has one sample: with bandwidths of at least half the feature's
        standard deviation, times ``n_c**-0.2``, their distances would not count, or halve.
    mean_distance_ : float
        Mean distance over all features and pairs of classes.
    optimality_gap_ : dict
        With ``selection="minimal"``: for each class label by how many features at most its set is
        larger than the smallest of all features (0: proven smallest).

    See Also
    --------
    ClassSpecificNB : What we recommend: the same idea, independent of units.
    FlexibleNB : Kernel densities of all features.

    References
    ----------
    .. [1] Aguilar-Ruiz, Romero, Cicconardi, "XNB: Explainable Class-Specific Naive-Bayes
       Classifier", 2024. Algorithm 1, Eqs. 9 to 12.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = XNB().fit(X, y)
    >>> model.selected_features_[0], model.selected_features_[1]
    (['petal length (cm)'], ['petal length (cm)', 'petal width (cm)'])
    >>> model.explain(X.iloc[:1]).round(2).head(2)
       sample  class            feature  log_likelihood
    0       0      0  petal length (cm)            0.87
    1       0      1  petal length (cm)          -41.33
    """

    _takes_sparse = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "bandwidth": [one_of(*BANDWIDTHS)],
        "kernel": [one_of(*KERNELS)],
        "n_grid": [whole(2, 10_000)],
        "distance": [one_of(*DISTANCES)],
        "threshold": [number(0.0, 1.0)],
        "min_distance": [one_of("mean"), number(0.0, 1.0, closed="left")],
        "selection": [one_of(*SELECTIONS)],
        "underflow": [one_of(*_UNDERFLOWS)],
        "min_bandwidth": [number(0.0, closed="left")],
        "exact": ["boolean"],
        "priors": ["array-like", None],
    }

    columns_: list[np.ndarray]

    def __init__(
        self,
        *,
        bandwidth: str = "silverman",
        kernel: str = "gaussian",
        n_grid: int = 50,
        distance: str = "hellinger",
        threshold: float = 0.999,
        min_distance: float | str = 0.5,
        selection: str = "greedy",
        underflow: str = "as_published",
        min_bandwidth: float = 0.0,
        priors: Sequence[float] | np.ndarray | None = None,
        exact: bool = False,
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.n_grid = n_grid
        self.distance = distance
        self.threshold = threshold
        self.min_distance = min_distance
        self.selection = selection
        self.underflow = underflow
        self.min_bandwidth = min_bandwidth
        self.priors = priors
        self.exact = exact

    def fit_stream(self, chunks: Iterable[tuple[np.ndarray, np.ndarray]], y: np.ndarray) -> "XNB":
        """Fit on a series that need not fit into memory.

        Afterwards the classifier knows the selected features only: ``feature_names_in_`` are
        their names, and `predict` takes samples of these (`xnbflow.data.dataset.read_features`).

        Parameters
        ----------
        chunks : iterable of (names, features)
            Feature names (n_chunk,) and samples (n_chunk, n_samples), as
            `xnbflow.data.dataset.iterate_features` yields them, or `xnbflow.data.cells.CellFile`
            the genes of an ``.h5ad`` file. Samples may be sparse, in any format of SciPy. Read
            once.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If a value is not finite or a chunk has another number of samples than ``y``.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> y = np.repeat(["a", "b"], 20)
        >>> chunks = (([f"g{i}"], rng.normal(size=(1, 40)) + 9 * i * (y == "b")) for i in range(2))
        >>> XNB().fit_stream(chunks, y).selected_features_
        {'a': ['g1'], 'b': ['g1']}
        """
        self._validate_params()
        refuse_missing(y)
        codes = self._learn_classes(column_or_1d(y))
        candidates = self._find_candidates(checked_chunks(chunks, len(codes)), codes)
        self._select(candidates, codes)
        used = np.unique(np.concatenate(self.columns_))
        self.columns_ = [np.searchsorted(used, columns) for columns in self.columns_]
        kept = np.isin(candidates.features.positions, used)
        self.feature_names_in_ = candidates.features.names[kept].astype(object)
        self.n_features_in_ = len(used)
        return self

    def _fit(self, features: np.ndarray, codes: np.ndarray) -> None:
        names = getattr(self, "feature_names_in_", None)
        self._select(self._find_candidates(chunks_of(features, names), codes), codes)

    def _find_candidates(
        self, chunks: Iterable[tuple[np.ndarray | None, np.ndarray]], codes: np.ndarray
    ) -> Candidates:
        candidates = Candidates(len(self.classes_), self.threshold, self.selection)
        greatest = 0.0
        for names, features in chunks:
            distances = pair_distances(
                features, codes, len(self.classes_), underflow=self.underflow, **self._options()
            )
            candidates.absorb(distances, features, names)
            greatest = max(greatest, _greatest_count(features))
        _warn_of_counts(greatest)
        return candidates

    def _options(self) -> dict[str, Any]:
        """Return what the distances depend on, besides the treatment of underflow."""
        return {
            "bandwidth": self.bandwidth,
            "kernel": self.kernel,
            "n_grid": self.n_grid,
            "distance": self.distance,
            "min_bandwidth": self.min_bandwidth,
        }

    def _select(self, candidates: Candidates, codes: np.ndarray) -> None:
        """Set what each class has selected, and fit densities to it."""
        chosen, gaps = candidates.select(self.min_distance)
        features, labels = candidates.features, self.classes_.tolist()
        self.mean_distance_ = candidates.mean_distance
        self.columns_, self.densities_, names, distances = [], [], [], []
        for code, label in enumerate(labels):
            ranked, to_others = candidates.ranked(chosen[code], code)
            self.columns_.append(features.positions[ranked])
            self.densities_.append(
                self._fit_density(some_rows(features.values, ranked), codes == code)
            )
            names.append(features.names[ranked])
            distances.append(to_others)
            warn_if_none(label, ranked)
        self.distances_ = distances
        self._ties = self._find_ties(candidates)
        self.spike_features_ = self._find_spikes(candidates, chosen, codes)
        greatest = [to_others.max(axis=0, initial=0.0) for to_others in distances]
        bandwidths = [density.bandwidths_[0] for density in self.densities_]
        self.selected_features_ = dict(zip(labels, map(np.ndarray.tolist, names), strict=True))
        self.selected_distances_ = dict(zip(labels, greatest, strict=True))
        self.bandwidths_ = dict(zip(labels, bandwidths, strict=True))
        if self.selection == "minimal":
            self.optimality_gap_ = dict(zip(labels, gaps, strict=True))

    def _find_ties(
        self, candidates: Candidates
    ) -> list[tuple[int, int | None, float, list[Any], int]]:
        """Return the ties at the cuts, each for the classes it concerns.

        They are class, other class, distance, features and how many of these are taken.
        """
        pairs, found = class_pairs(len(self.classes_)).tolist(), []
        for tie in candidates.ties(self.min_distance):
            joint = self.selection == "joint"
            concerned = [(tie.row, None)] if joint else [pairs[tie.row], pairs[tie.row][::-1]]
            what = (tie.distance, tie.names.tolist(), tie.n_taken)
            found += [(code, other, *what) for code, other in concerned]
        return sorted(found, key=lambda tie: tie[0])

    @property
    def pair_distances_(self) -> pd.DataFrame:
        """One row per class, selected feature and other class, with their distance."""
        check_is_fitted(self)
        names = [np.array(self.selected_features_[k]) for k in self.classes_.tolist()]
        return distance_table(self.classes_, names, self.distances_)

    @property
    def tied_features_(self) -> dict[Any, list[list[Any]]]:
        """For each class label the groups of features that tie at a cut."""
        check_is_fitted(self)
        groups: dict[Any, list[list[Any]]] = {label: [] for label in self.classes_.tolist()}
        for code, _, _, names, _ in self._ties:
            groups[self.classes_.tolist()[code]].append(names)
        return groups

    @property
    def ties_(self) -> pd.DataFrame:
        """One row per class, other class and feature of a tie at a cut."""
        check_is_fitted(self)
        rows = [
            (
                self.classes_[code],
                None if other is None else self.classes_[other],
                name,
                distance,
                place < n_taken,
            )
            for code, other, distance, names, n_taken in self._ties
            for place, name in enumerate(names)
        ]
        return pd.DataFrame(rows, columns=["class", "other_class", "feature", "distance", "taken"])

    def _find_spikes(
        self, candidates: Candidates, chosen: list[np.ndarray], codes: np.ndarray
    ) -> dict[Any, list[Any]]:
        """Return for each class the features that only an (almost) constant class selects."""
        features, found = candidates.features, {}
        for code, label in enumerate(self.classes_.tolist()):
            ranked, _ = candidates.ranked(chosen[code], code)
            left = distances_without_spikes(
                some_rows(features.values, ranked), codes, len(self.classes_), **self._options()
            )
            marked = candidates.only_by_spikes(ranked, code, self.min_distance, left)
            found[label] = features.names[ranked[marked]].tolist()
        return found

    def _fit_density(self, features: Any, mine: np.ndarray) -> Kernel:
        """Fit a class's densities of its features to its samples, ``mine`` (n_samples,)."""
        family = Kernel(
            bandwidth=self.bandwidth,
            kernel=self.kernel,
            min_bandwidth=self.min_bandwidth,
            exact=self.exact,
        )
        spreads = _overall_spreads(features) if self.min_bandwidth else None
        samples, one_class = np.flatnonzero(mine), np.zeros(mine.sum(), dtype=int)
        return family.fit(features, one_class, 1, spreads, samples)

    def _arrange(self, X: np.ndarray) -> np.ndarray:
        """Return the transpose as a view: tiles are gathered from any memory layout."""
        return X.T

    def _joint_log_likelihood(self, features: np.ndarray) -> np.ndarray:
        joint = np.empty((len(self.classes_), features.shape[1]))
        for code, (columns, density) in enumerate(zip(self.columns_, self.densities_, strict=True)):
            for part, values in dense_chunks(features, columns):
                joint[code, part] = density.log_likelihood(values)[0]
        return self.class_log_prior_ + joint.T

    def _class_terms(self, features: np.ndarray, code: int) -> tuple[np.ndarray, np.ndarray]:
        columns = self.columns_[code]
        return columns, self.densities_[code].log_density(rows_of(features, columns))[:, 0]


def distance_table(
    classes: np.ndarray, names: list[np.ndarray], distances: list[np.ndarray]
) -> pd.DataFrame:
    """Return one row per class, feature and other class.

    For each class ``names`` has shape (n_selected,) and ``distances`` (n_others, n_selected).
    """
    others = [np.delete(classes, code) for code in range(len(classes))]
    return pd.DataFrame(
        {
            "class": np.repeat(classes, [each.size for each in distances]),
            "feature": np.concatenate([np.repeat(each, len(classes) - 1) for each in names]),
            "other_class": np.concatenate(
                [np.tile(other, len(each)) for other, each in zip(others, names, strict=True)]
            ),
            "distance": np.concatenate([each.T.reshape(-1) for each in distances]),
        }
    )


def _overall_spreads(features: Any) -> np.ndarray:
    """Return the standard deviation of each feature over all samples, (n_features,)."""
    parts = [overall_spread(np.ascontiguousarray(part.T)) for part in dense_parts(features)]
    return np.concatenate(parts)


def _greatest_count(features: Any) -> float:
    """Return the greatest value of features that may be counts, infinity if they are not."""
    if is_sparse(features):
        return float(features.data.max(initial=0.0)) if _are_whole(features.data) else np.inf
    if not (_are_whole(features[:, 0]) and _are_whole(features)):
        return np.inf
    return float(features.max(initial=0.0))


def _are_whole(values: np.ndarray) -> bool:
    return bool((values >= 0.0).all() and (values == np.floor(values)).all())


def _warn_of_counts(greatest: float) -> None:
    if _FEW_COUNTS < greatest < np.inf:
        msg = (
            f"all features are whole numbers from 0 to {greatest:,.0f}, as raw counts are; XNB's "
            "labels depend on the unit of measurement, and its densities on the scale: take "
            "logarithms of normalised counts, say log1p of counts per 10,000"
        )
        warnings.warn(msg, UserWarning, stacklevel=5)


def warn_if_none(label: object, chosen: np.ndarray) -> None:
    """Warn of a class for which no feature was chosen."""
    if not len(chosen):
        msg = (
            f"class {label!r} has no feature that tells it from another class; "
            "it is decided by its prior"
        )
        warnings.warn(msg, UserWarning, stacklevel=5)
