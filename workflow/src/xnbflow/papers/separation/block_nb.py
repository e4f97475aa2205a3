"""Block naive Bayes: blocks of dependent normal features, selected by their separation score.

The augmented Bayesian network classifier of Pavlenko and von Rosen: features within a block may
depend on each other given the class, blocks may not (Eq. 8).
"""

import warnings
from collections.abc import Iterator, Sequence
from itertools import combinations
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted
from xnbflow.core.parameters import Instance, ListOf, columns_constraint, one_of, whole_constraint
from xnbflow.data.columns import column_positions
from xnbflow.density.families.multivariate_gaussian import COVARIANCES
from xnbflow.naive_bayes.base import BaseNaiveBayes
from xnbflow.papers.separation.gaussian_blocks import GaussianBlocks
from xnbflow.papers.separation.separation_scores import (
    CUTS,
    effective_class_size,
    null_mean,
    null_mean_per_class,
    select_blocks,
)

#: Lower log densities count as this one in the ratio of two classes: -inf has no ratio to -inf.
_LOWEST = -1e200


class BlockNB(BaseNaiveBayes):
    """Naive Bayes over blocks of features, each block multivariate normal.

    Two classes a and b are compared by ``sum_i w_i (log f_i(x | a) - log f_i(x | b))`` plus their
    log prior odds. Without selection all weights are 1. With selection the weights depend on the
    pair of classes; of more than two, the class that wins most pairwise comparisons is predicted.

    Parameters
    ----------
    blocks : int, list of lists of int, or estimator, default=1
        Features per block, taken in the order of the columns (the last block may be smaller); or
        the columns of each block; or an estimator with ``blocks_`` such as
        `xnbflow.preprocessing.CorrelationBlocks`, which is fitted to the training samples.
    covariance : {"pooled", "per_class"}, default="pooled"
        One covariance matrix per block for all classes, which makes linear discriminants, or one
        for each class, which makes quadratic ones (Eqs. 10 and 11 for any two normal densities).
    selection : {None, "threshold", "weights"}, default=None
        Keep all blocks, those whose separation score reaches a threshold (Eq. 18), or give all
        blocks their optimal weights (Eq. 17).
    cut : {"printed", "optimal"}, default="printed"
        The threshold: Eq. 22, or the one with the least estimated risk. Simulations advise
        "optimal", or `selection="weights"`; see `xnbflow.papers.separation.separation_scores`.

    Attributes
    ----------
    blocks_ : list of ndarray of int
        The features of each block.
    pairs_ : list of tuple of int
        The pairs of classes, as positions in `classes_`.
    scores_ : ndarray of shape (n_pairs, n_blocks)
        Separation scores: half the cross-entropy distance of the two classes in the block, times
        2 n1 n2 / (n1 + n2). Selection divides them by the factor by which the estimated covariances
        inflate them, see `xnbflow.papers.separation.separation_scores.null_mean`.
    null_scores_ : ndarray of shape (n_pairs, n_blocks)
        The mean score of a block in which both classes have the same density.
    threshold_ : ndarray of shape (n_pairs, n_blocks)
        The score below which a block is left out, inflated like the scores; 0 without a threshold.
    weights_, selected_blocks_ : ndarray of shape (n_pairs, n_blocks)
        The factor of each block's log-likelihood ratio, and where it is above 0.
    selected_features_ : dict
        For each class label the features of the blocks selected for a pair with that class, by
        falling score; only with ``selection="threshold"``.
    asymptotic_risk_ : ndarray of shape (n_pairs,)
        Estimated misclassification risk between two equally probable classes: Eq. 9 without
        selection, Theorem 1 (corrected) with a threshold, Eqs. 15 and 16 with weights. Too low
        where samples are few, see Notes.
    densities_ : list of GaussianBlocks
        The densities of the blocks, those of one size together.
    shrinkage_ : ndarray of shape (n_blocks,)
        Shrinkage of each correlation matrix towards independence (Ledoit-Wolf): above 0 only if it
        is singular or has fewer than ten degrees of freedom per feature. With a covariance per
        class the shape is (n_classes, n_blocks).

    See Also
    --------
    GaussianNB : Every feature a block of its own, with a variance per class; the same as
        ``BlockNB(covariance="per_class")`` but for variances over n instead of n - 1 samples.
    xnbflow.preprocessing.CorrelationBlocks : Finds blocks of correlated features.
    SelectiveNB : Selects features by mutual information.

    Notes
    -----
    With selection and more than two classes the score of a class is the mean of its log odds
    against all classes, posteriors are their softmax, and where another class has the most wins,
    the two exchange their scores; `explain` shows the scores before that. A covariance per class
    needs two samples of each class, and for blocks of several features many parameters. See
    ``docs/methods/separation.md``.

    References
    ----------
    T. Pavlenko and D. von Rosen, augmented Bayesian network classifiers.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> classifier = BlockNB(blocks=[[0, 1], [2, 3]]).fit(X, y)
    >>> round(float(classifier.score(X, y)), 2)
    0.96
    >>> classifier.scores_.round()
    array([[ 373., 1205.],
           [ 542., 2806.],
           [  40.,  352.]])
    >>> quadratic = BlockNB(blocks=[[0, 1], [2, 3]], covariance="per_class").fit(X, y)
    >>> round(float(quadratic.score(X, y)), 2)
    0.97
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "blocks": [whole_constraint(1), ListOf(columns_constraint()), Instance("fit")],
        "covariance": [one_of(*COVARIANCES)],
        "selection": [one_of("threshold", "weights"), None],
        "cut": [one_of(*CUTS)],
    }

    def __init__(
        self,
        *,
        blocks: Any = 1,
        covariance: str = "pooled",
        selection: str | None = None,
        cut: str = "printed",
    ) -> None:
        self.blocks = blocks
        self.covariance = covariance
        self.selection = selection
        self.cut = cut

    def _fit(self, features: np.ndarray, codes: np.ndarray) -> None:
        """Find the blocks, fit their densities, and select or weight them by their scores."""
        self._refuse_constant(features, codes)
        self.blocks_ = self._find_blocks(features, codes)
        self._check_blocks()
        sizes = np.array([len(block) for block in self.blocks_])
        # Blocks of one size are one array; `_members` has their positions among all blocks.
        self._members = [np.flatnonzero(sizes == size) for size in np.unique(sizes)]
        self.densities_ = [
            self._fit_densities(features, codes, members) for members in self._members
        ]
        self.shrinkage_ = self._in_order_of_blocks(
            [density.shrinkage_ for density in self.densities_]
        )
        singular = self._in_order_of_blocks([density.singular_ for density in self.densities_])
        is_singular = np.atleast_2d(singular).any(axis=0)  # in any class
        if is_singular.any():
            block = int(np.argmax(is_singular))
            names = ", ".join(map(repr, self._feature_names()[self.blocks_[block]][:4].tolist()))
            blocks = counted(is_singular.sum(), "block", "has", "have")
            msg = (
                f"{blocks} a singular covariance, the first is block "
                f"{block} ({names}): features depend on each other exactly. Such covariances are "
                "shrunk (Ledoit-Wolf)"
            )
            warnings.warn(msg, UserWarning, stacklevel=3)
        self._select(sizes)

    def _refuse_constant(self, features: np.ndarray, codes: np.ndarray) -> None:
        """Raise where the classes, or one with a covariance of its own, leave no variance."""
        n_classes = len(self.classes_)
        if len(codes) <= n_classes:
            msg = (
                f"{counted(len(codes), 'sample')} in {counted(n_classes, 'class')} leave no "
                "variance within classes; give more samples than classes"
            )
            raise InputError(msg)
        ranges = np.array([np.ptp(features[:, codes == code], axis=1) for code in range(n_classes)])
        names = self._feature_names().tolist()
        is_constant = (ranges == 0).all(axis=0)
        if is_constant.any():
            msg = (
                f"feature {names[np.argmax(is_constant)]!r} is constant "
                f"within each class ({is_constant.sum()} in all), so that no normal density fits "
                "it; remove such features"
            )
            raise InputError(msg)
        if self.covariance == "pooled":
            return
        labels = self.classes_.tolist()
        if (self.class_count_ == 1).any():
            msg = (
                f"class {labels[np.argmax(self.class_count_ == 1)]!r} has 1 sample, which has no "
                "covariance; use covariance='pooled', or at least 2 samples of each class"
            )
            raise InputError(msg)
        if (ranges == 0).any():
            code, column = np.argwhere(ranges == 0)[0]
            n_features = (ranges == 0).any(axis=0).sum()
            msg = (
                f"feature {names[column]!r} is constant within class {labels[code]!r} "
                f"({counted(n_features, 'feature')} within some class), so that no normal density "
                "fits it; remove such features, or use covariance='pooled'"
            )
            raise InputError(msg)

    def _find_blocks(self, features: np.ndarray, codes: np.ndarray) -> list[np.ndarray]:
        """Return the features of each block, as the parameter ``blocks`` describes them."""
        n_features = len(features)
        if isinstance(self.blocks, Integral):
            starts = range(self.blocks, n_features, self.blocks)
            return np.split(np.arange(n_features), starts)
        if isinstance(self.blocks, (list, tuple)):
            names = self._feature_names()
            listed = [column_positions(block, names, "blocks") for block in self.blocks]
            return [block for block in listed if len(block)]
        finder = clone(self.blocks).fit(features.T, codes)
        if not hasattr(finder, "blocks_"):
            msg = f"blocks is {self.blocks!r:.60}, which finds no blocks: it has no blocks_"
            raise InputError(msg)
        return [block for block in finder.blocks_ if len(block)]

    def _check_blocks(self) -> None:
        """Raise unless every feature is in one block, and no block is too large."""
        columns = np.concatenate([np.empty(0, dtype=np.intp), *self.blocks_])
        n_blocks_of_column = np.bincount(columns, minlength=self.n_features_in_)
        if (n_blocks_of_column != 1).any():
            column = int(np.argmax(n_blocks_of_column != 1))
            place = "more than one block" if n_blocks_of_column[column] else "no block"
            msg = (
                f"feature {self._feature_names().tolist()[column]!r} (column {column}) is in "
                f"{place}; put each feature in exactly one"
            )
            raise InputError(msg)
        sizes = [len(block) for block in self.blocks_]
        n_samples = self.class_count_.sum()
        if max(sizes) > n_samples:
            msg = (
                f"block {np.argmax(sizes)} has {max(sizes)} features but there are {n_samples} "
                "samples: its covariance cannot be estimated. Use smaller blocks"
            )
            raise InputError(msg)

    def _fit_densities(
        self, features: np.ndarray, codes: np.ndarray, members: np.ndarray
    ) -> GaussianBlocks:
        """Fit the densities of the blocks of one size, whose positions are ``members``."""
        columns = np.array([self.blocks_[i] for i in members])
        density = GaussianBlocks(columns=columns, covariance=self.covariance)
        try:
            return density.fit(features, codes, len(self.classes_))
        except np.linalg.LinAlgError as error:
            remedy = "Remove one of each such pair"
            if self.covariance == "per_class":
                remedy += ", or use covariance='pooled'"
            msg = (
                f"a covariance of a block of {columns.shape[1]} features is singular even when "
                "shrunk: there are too few samples, or features repeat each other. " + remedy
            )
            raise InputError(msg) from error

    def _select(self, sizes: np.ndarray) -> None:
        """Score every block for every pair of classes, and select."""
        n_blocks = len(sizes)
        self.pairs_ = list(combinations(range(len(self.classes_)), 2))
        n_pairs = len(self.pairs_)
        self.scores_ = np.empty((n_pairs, n_blocks))
        self.null_scores_ = np.empty((n_pairs, n_blocks))
        self.threshold_ = np.empty((n_pairs, n_blocks))
        self.weights_ = np.empty((n_pairs, n_blocks))
        self.asymptotic_risk_ = np.empty(n_pairs)
        degrees = self._degrees_of_freedom(sizes)
        for row, (first, second) in enumerate(self.pairs_):
            n = effective_class_size(self.class_count_[first], self.class_count_[second])
            distances = [density.distances(first, second) for density in self.densities_]
            self.scores_[row] = n / 2 * self._in_order_of_blocks(distances)
            # Scores without separation have this mean instead of their degrees of freedom.
            self.null_scores_[row] = self._null_mean(sizes, first, second)
            inflation = self.null_scores_[row] / degrees
            result = select_blocks(
                self.scores_[row] / inflation, degrees, n=n, selection=self.selection, cut=self.cut
            )
            self.weights_[row] = result.weights
            self.threshold_[row] = result.threshold * inflation
            self.asymptotic_risk_[row] = result.moments.risk
            if not result.weights.any():
                one, other = self.classes_[[first, second]].tolist()
                msg = (
                    f"no block separates class {one!r} from {other!r}; "
                    "the two are compared by their priors"
                )
                warnings.warn(msg, UserWarning, stacklevel=4)
        self.selected_blocks_ = self.weights_ > 0
        if self.selection == "threshold":
            labels = self.classes_.tolist()
            self.selected_features_ = {
                label: self._features_selected(code) for code, label in enumerate(labels)
            }

    def _degrees_of_freedom(self, sizes: np.ndarray) -> np.ndarray:
        """Return in how many parameters two classes may differ in each block: m of the paper."""
        if self.covariance == "pooled":
            return sizes
        return sizes * (sizes + 3) // 2  # means, and the half of a covariance with its diagonal

    def _null_mean(self, sizes: np.ndarray, first: int, second: int) -> np.ndarray:
        """Return the mean score of blocks in which two classes have the same density."""
        if self.covariance == "pooled":
            dof = self.class_count_.sum() - len(self.classes_)
            return null_mean(sizes, self.shrinkage_, dof)
        counts = self.class_count_
        return null_mean_per_class(
            sizes,
            (self.shrinkage_[first], self.shrinkage_[second]),
            (counts[first] - 1, counts[second] - 1),
            effective_class_size(counts[first], counts[second]),
        )

    def _features_selected(self, code: int) -> list[Any]:
        """Return the features selected for a class, by falling score against another class."""
        rows = [row for row, pair in enumerate(self.pairs_) if code in pair]
        selected_scores = np.where(self.selected_blocks_, self.scores_, -1.0)[rows]
        best = selected_scores.max(axis=0, initial=-1.0)  # -1 where no pair selects the block
        order = np.argsort(-best, kind="stable")[: (best >= 0).sum()]
        names = self._feature_names()
        features = []
        for block in order:
            features += names[self.blocks_[block]].tolist()
        return features

    def _in_order_of_blocks(self, values_by_size: list[np.ndarray]) -> np.ndarray:
        """Return values per block, the last axis, in the order of the blocks.

        They are given separately for the blocks of each size.
        """
        leading = values_by_size[0].shape[:-1]
        values = np.empty((*leading, len(self.blocks_)), dtype=values_by_size[0].dtype)
        for members, of_size in zip(self._members, values_by_size, strict=True):
            values[..., members] = of_size
        return values

    def _joint_log_likelihood(self, features: np.ndarray) -> np.ndarray:
        if self.selection is not None:
            return _couple_pairs(
                self._weighted_sums(features, self.weights_), self.pairs_, self.class_log_prior_
            )
        every_block = np.ones((1, len(self.blocks_)))
        return self.class_log_prior_ + self._weighted_sums(features, every_block)[:, 0].T

    def _weighted_sums(self, features: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return weighted sums of the blocks' log densities, (n_classes, n_weights, n_samples)."""
        sums = np.zeros((len(self.classes_), len(weights), features.shape[1]))
        for density, inside, blocks in self._blocks_by_size(np.any(weights, axis=0)):
            for code in range(len(self.classes_)):
                terms = self._log_density_terms(density, features, code, inside)
                sums[code] += weights[:, blocks] @ terms.sum(axis=1)
        return sums

    def _log_density_terms(
        self, density: GaussianBlocks, features: np.ndarray, code: int, inside: np.ndarray
    ) -> np.ndarray:
        """Return log densities of blocks in a class, finite where ratios are taken."""
        terms = density.log_density_terms(features, code, inside)
        if self.selection is not None and not terms.min(initial=0.0) >= _LOWEST:  # or NaN
            np.fmax(terms, _LOWEST, out=terms)
        return terms

    def _class_terms(self, features: np.ndarray, code: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the features that a class uses, and their contributions to its score."""
        n_samples = features.shape[1]
        pairs = [row for row, pair in enumerate(self.pairs_) if code in pair]
        is_used = np.any(self.selected_blocks_[pairs], axis=0)
        if self.selection is None:
            pairs = []
            is_used = np.ones(len(self.blocks_), dtype=bool)
        columns = [np.empty(0, dtype=np.intp)]
        terms = [np.empty((0, n_samples))]
        for density, inside, blocks in self._blocks_by_size(is_used):
            of_class = self._log_density_terms(density, features, code, inside)
            # With selection the score of a class is the mean of its weighted log odds.
            contribution = of_class if self.selection is None else np.zeros_like(of_class)
            for row in pairs:
                other = sum(self.pairs_[row]) - code
                ratio = of_class - self._log_density_terms(density, features, other, inside)
                weights = self.weights_[row, blocks][:, None, None] / len(self.classes_)
                contribution += weights * ratio
            columns.append(density.columns[inside].reshape(-1))
            terms.append(contribution.reshape(-1, n_samples))
        return np.concatenate(columns), np.concatenate(terms)

    def _blocks_by_size(
        self, is_used: np.ndarray
    ) -> Iterator[tuple[GaussianBlocks, np.ndarray, np.ndarray]]:
        """Yield the densities of each size, positions of used blocks in these, and among all."""
        for members, density in zip(self._members, self.densities_, strict=True):
            inside = np.flatnonzero(is_used[members])
            yield density, inside, members[inside]


def _couple_pairs(
    sums: np.ndarray, pairs: Sequence[tuple[int, int]], class_log_prior: np.ndarray
) -> np.ndarray:
    """Return one score per sample and class from the comparisons of pairs of classes.

    See the Notes of `BlockNB`.

    Parameters
    ----------
    sums : ndarray of shape (n_classes, n_pairs, n_samples)
        Log density of a sample in a class, with the weights of a pair.
    pairs : sequence of (int, int)
        The codes of the two classes of each pair.
    class_log_prior : ndarray of shape (n_classes,)

    Returns
    -------
    scores : ndarray of shape (n_samples, n_classes)
        The class of most wins has the greatest score.

    Examples
    --------
    The first of two classes is e times as likely as the second:

    >>> _couple_pairs(np.array([[[1.0]], [[0.0]]]), [(0, 1)], np.zeros(2))
    array([[ 0.5, -0.5]])
    """
    n_classes, _, n_samples = sums.shape
    joint = np.repeat(class_log_prior[None], n_samples, axis=0)
    wins = np.zeros((n_samples, n_classes))
    for row, (first, second) in enumerate(pairs):
        ratio = sums[first, row] - sums[second, row]
        joint[:, first] += ratio / n_classes
        joint[:, second] -= ratio / n_classes
        odds = ratio + class_log_prior[first] - class_log_prior[second]
        wins[:, first] += odds > 0
        wins[:, second] += odds < 0
    # The class of most wins, ties by score, gets the greatest score.
    rows = np.arange(n_samples)
    has_most_wins = wins == wins.max(axis=1, keepdims=True)
    winner = np.argmax(np.where(has_most_wins, joint, -np.inf), axis=1)
    highest = np.argmax(joint, axis=1)
    score_of_winner = joint[rows, winner]
    joint[rows, winner] = joint[rows, highest]
    joint[rows, highest] = score_of_winner
    return joint
