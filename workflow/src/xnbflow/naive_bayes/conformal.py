"""Sets of classes that a sample may belong to, by class-wise conformal prediction.

A class is in a sample's set unless the sample's posterior of it is among the lowest of the class's
own samples, each predicted by a model that was fitted without it (Vovk, Gammerman, Shafer,
"Algorithmic Learning in a Random World", 2005, section 4.5: Mondrian, or label-conditional,
predictors). The score is the posterior. If the accuracy of a classifier exceeds the level, the rule
leaves out every class of a sample between two classes. Such a sample gets its two most probable
classes, and the predicted class is in every set; both increase the coverage.
"""

from typing import Any

import numpy as np

#: Approximate share of samples whose set may lack their class.
ERROR_RATE = 0.1


def sets_of_classes(
    model: Any, posterior: np.ndarray, error_rate: float = ERROR_RATE
) -> np.ndarray | None:
    """Return the sets of classes of samples by their posterior, (n_samples, n_classes).

    None where the classifier has no held-out scores; see
    `xnbflow.naive_bayes.ClassSpecificNBCV.predict_set`.
    """
    if not hasattr(model, "held_out_scores_"):
        return None
    held_out = model.held_out_scores_, model.held_out_codes_
    return conformal_sets(posterior, *held_out, error_rate)


def conformal_sets(
    posterior: np.ndarray, scores: np.ndarray, codes: np.ndarray, error_rate: float
) -> np.ndarray:
    """Return the set of each sample, bool of shape (n_samples, n_classes); none is empty.

    It has every class with a p-value above the error rate (`_class_p_values`, also for ``scores``
    and ``codes``) and the most probable class; where no class has such a p-value, the two most
    probable classes.

    Examples
    --------
    >>> scores, codes = np.full(40, 0.95), np.repeat([0, 1], 20)
    >>> conformal_sets(np.array([[0.96, 0.04], [0.8, 0.2]]), scores, codes, 0.1).tolist()
    [[True, False], [True, True]]
    """
    within = _class_p_values(posterior, scores, codes, posterior.shape[1]) > error_rate
    empty = ~within.any(axis=1)
    order = np.argsort(-posterior, axis=1, kind="stable")
    rows = np.arange(len(posterior))
    within[rows, order[:, 0]] = True
    within[rows[empty], order[empty, :2][:, -1]] = True
    return within


def _class_p_values(
    posterior: np.ndarray, scores: np.ndarray, codes: np.ndarray, n_classes: int
) -> np.ndarray:
    """Return the conformal p-value of each sample and class, shape (n_samples, n_classes).

    The p-value is ``(1 + n) / (1 + n_c)``, with ``n_c`` the number of held-out samples of the
    class, and ``n`` the number of these whose posterior of the class is not above that of the
    sample. For samples that are exchangeable with the held-out ones of class ``c``, the p-value of
    ``c`` is at most ``a`` in at most a share ``a``.

    ``scores`` (n_held_out,) are the posteriors of the true class of the held-out samples, ``codes``
    their classes.
    """
    p_values = np.empty(posterior.shape)
    for code in range(n_classes):
        class_scores = np.sort(scores[codes == code])
        n_lower = np.searchsorted(class_scores, posterior[:, code], side="right")
        p_values[:, code] = (1.0 + n_lower) / (1.0 + len(class_scores))
    return p_values


def held_out_coverage(
    scores: np.ndarray, codes: np.ndarray, folds: np.ndarray, n_classes: int, error_rate: float
) -> np.ndarray:
    """Return the coverage of the sets of held-out samples for each class, (n_classes,).

    A class is in a set if its p-value is above the error rate, or its posterior above one half (see
    `conformal_sets`); a lower posterior may be the greatest one too, so that of several classes the
    share is a lower bound. The p-values of the samples of a fold (``folds``, n_held_out) rest on
    the other folds; a class without held-out samples has NaN.
    """
    covered = np.empty(len(codes))
    for fold in np.unique(folds):
        held_out = np.flatnonzero(folds == fold)
        others = folds != fold
        # Only the column of the true class is used below.
        posterior = np.repeat(scores[held_out, None], n_classes, axis=1)
        p = _class_p_values(posterior, scores[others], codes[others], n_classes)
        true_p = p[np.arange(len(held_out)), codes[held_out]]
        covered[held_out] = (true_p > error_rate) | (scores[held_out] > 0.5)
    class_counts = np.bincount(codes, minlength=n_classes)
    with np.errstate(invalid="ignore"):
        return np.bincount(codes, covered, n_classes) / class_counts
