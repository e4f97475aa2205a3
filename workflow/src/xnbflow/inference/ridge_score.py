"""The ridge statistic: how well all features together predict labels, for many orders of them.

*Idea.* Ridge regression of class indicators on all features has power where many features differ a
little, which ten features per class cannot show. In its dual form it needs only the products of
samples with each other (n x n), and what it predicts is linear in the labels: one matrix A, which
does not depend on the labels, predicts the left-out samples of every order by one product.

*Steps*, for standardised features Z (n_samples, n_features), centred over all samples:

1. ``K = Z Z'``, ``lambda = trace(K) / n_samples``, ``H = K (K + lambda I)^-1``;
2. the prediction of a group of samples g (one sample without groups) by the others, for indicators
   Y of the classes that are centred over all samples::

       F_g = Y_g - (I - H_gg)^-1 (Y - H Y)_g

   which is the ridge regression without intercept, fitted without the group (the deletion formula
   of linear smoothers);
3. the score of labels: the area under the ROC curve of the predictions F_c of each class c, as the
   mean over classes.

C. Saunders, A. Gammerman and V. Vovk, "Ridge regression learning algorithm in dual variables",
ICML 1998, 515-521; R. D. Cook and S. Weisberg, *Residuals and Influence in Regression*, Chapman and
Hall, 1982, section 3.4 and appendix A.2: the deletion of cases.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from xnbflow.inference.preselection import standardised

#: The scores of several orders of labels, of shape (n_orders, n_samples), of shape (n_orders,).
OrdersScore = Callable[[np.ndarray], np.ndarray]
#: Values of a block of orders (orders times samples).
_MOST_BLOCK_VALUES = 4_000_000
#: Features whose products are summed at once, which bounds the memory of their copy.
_BLOCK_FEATURES = 2_000
#: Predictions that differ by rounding are tied in the area.
_DECIMALS = 9


def _left_out_predictor(values: np.ndarray, groups: np.ndarray | None = None) -> np.ndarray:
    """Return the matrix that predicts left-out samples from centred indicators of a class.

    ``values`` (n_features, n_samples) have none missing. The result A has the shape (n_samples,
    n_samples): ``A @ y`` are the predictions of ridge regression without intercept, of each sample
    by the samples of other ``groups``, or by all others without groups.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=(5, 4))
    >>> A = _left_out_predictor(values)
    >>> A.shape, bool(np.allclose(np.diag(A), 0))
    ((4, 4), True)
    """
    standard = standardised(values)
    n_samples = standard.shape[1]
    # Products in double precision: sums in single precision depend on the order of the features.
    kernel = np.zeros((n_samples, n_samples))
    for start in range(0, len(standard), _BLOCK_FEATURES):
        block = standard[start : start + _BLOCK_FEATURES].astype(float)
        kernel += block.T @ block
    # features without any variance predict nothing; a positive penalty keeps the system regular
    penalty = max(float(np.trace(kernel)) / n_samples, np.finfo(float).tiny)
    # I - H = lambda (K + lambda I)^-1
    factor = cho_factor(kernel + penalty * np.eye(n_samples))
    residual = penalty * cho_solve(factor, np.eye(n_samples))
    if groups is None:
        return np.asarray(np.eye(n_samples) - residual / np.diag(residual)[:, None])
    predictor = np.eye(n_samples)
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        block = residual[np.ix_(members, members)]
        predictor[members] -= np.linalg.solve(block, residual[members])
    return predictor


def ridge_scores(values: np.ndarray, groups: np.ndarray | None = None) -> OrdersScore:
    """Return a function for the mean area under the ROC curve of left-out samples.

    It is called with codes of classes (n_orders, n_samples), each order with the same classes.

    Examples
    --------
    >>> values, codes = np.random.default_rng(0).normal(size=(50, 40)), np.repeat([[0, 1]], 20, 1)
    >>> round(float(ridge_scores(values)(codes)[0]), 2)
    0.41
    >>> values[:, 20:] += 0.7
    >>> round(float(ridge_scores(values)(codes)[0]), 2)
    0.99
    """
    predictor = _left_out_predictor(values, groups)

    def scores(codes: np.ndarray) -> np.ndarray:
        n_orders, n_samples = codes.shape
        n_classes = int(codes[0].max()) + 1
        # With two classes the predictions of one are those of the other with the sign changed.
        scored_classes = range(n_classes) if n_classes > 2 else [1]
        total = np.zeros(n_orders)
        step = max(1, _MOST_BLOCK_VALUES // n_samples)
        for start in range(0, n_orders, step):
            block = codes[start : start + step]
            for c in scored_classes:
                in_class = block == c
                total[start : start + step] += _areas(predictor, in_class)
        return total / len(scored_classes)

    return scores


def _areas(predictor: np.ndarray, in_class: np.ndarray) -> np.ndarray:
    """Return the area under the ROC curve of a class, for orders (n_orders, n_samples).

    It is the Mann-Whitney statistic over the number of pairs; ties have the mean of their ranks.
    """
    indicators = in_class - in_class.mean(axis=1, keepdims=True)
    predicted = np.round(indicators @ predictor.T, _DECIMALS)

    # Ranks of the sorted predictions: the mean of the first and last position of equal ones.
    ascending = np.argsort(predicted, axis=1)
    sorted_values = np.take_along_axis(predicted, ascending, axis=1)
    n_orders, n_samples = predicted.shape
    positions = np.broadcast_to(np.arange(n_samples), predicted.shape)
    differs = sorted_values[:, 1:] != sorted_values[:, :-1]
    edge = np.ones((n_orders, 1), dtype=bool)
    starts = np.where(np.hstack([edge, differs]), positions, 0)
    first = np.maximum.accumulate(starts, axis=1)
    stops = np.where(np.hstack([differs, edge]), positions, n_samples)
    last = np.minimum.accumulate(stops[:, ::-1], axis=1)[:, ::-1]
    ranks = (first + last) / 2 + 1

    n_in_class = in_class.sum(axis=1)
    n_other = n_samples - n_in_class
    rank_sums = np.sum(ranks * np.take_along_axis(in_class, ascending, axis=1), axis=1)
    wins = rank_sums - n_in_class * (n_in_class + 1) / 2
    return np.asarray(wins / (n_in_class * n_other))
