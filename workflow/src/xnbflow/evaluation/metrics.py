"""Metrics of predictions: of one test fold, and of classes over all folds of a repeat.

The definitions are scikit-learn's, computed from one confusion matrix and one table of ranks: a
study calls them thousands of times, and scikit-learn's ROC AUC fails where a fold lacks a class.
"""

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError

#: Metrics that are means over classes: undefined in a fold that lacks a class.
CLASS_METRICS = ("balanced_accuracy", "f1_macro", "mcc", "roc_auc")

#: The metrics of `fold_metrics`; higher is better in all but the last two.
FOLD_METRICS = ("accuracy", *CLASS_METRICS, "log_loss", "brier")

#: Lower bound of probabilities in the log loss, as in scikit-learn.
_SMALLEST_PROBABILITY = np.finfo(np.float64).eps
#: Least pairs within folds (a sample of the class, one of the rest) of an AUC, or a third of all.
_LEAST_PAIRS = 20
#: Least share of a class, and of the rest, in folds that have both, for ranks pooled over folds.
_LEAST_POOLED = 0.5


def fold_metrics(
    true: np.ndarray, predicted: np.ndarray, log_posterior: np.ndarray | None, classes: np.ndarray
) -> dict[str, float]:
    """Return the metrics of the predictions of one test set.

    ``log_posterior``, of shape (n_samples, n_classes), is minus infinity where a class was absent
    from training; None where the classifier gives no probabilities. The result are the
    `FOLD_METRICS` as scikit-learn defines them, with these additions. ``roc_auc`` is the mean, each
    class against the rest, over the classes that are tested, missing if a single one is;
    probabilities that round to exactly 0 or 1, as those of naive Bayes often do, are compared by
    their logarithms. ``log_loss``, in nats, is at most 36.04 for a sample (a posterior of 2.2e-16).
    ``brier`` sums the squared error over classes, and lies between 0 and 2. These three are missing
    without probabilities, or if any sample has none.

    T. Fawcett, "An introduction to ROC analysis", Pattern Recognition Letters 27 (2006), 861-874,
    section 8 (here without weights); J. Gorodkin, "Comparing two K-category assignments by a
    K-category correlation coefficient", Computational Biology and Chemistry 28 (2004), 367-374;
    G. W. Brier, "Verification of forecasts expressed in terms of probability", Monthly Weather
    Review 78 (1950), 1-3.
    """
    codes = class_positions(true, classes)
    is_right = codes == class_positions(predicted, classes)
    log_loss = np.nan
    brier = np.nan
    if log_posterior is not None and _has_probabilities(log_posterior).all():
        of_true = np.take_along_axis(log_posterior, codes[:, None], axis=1)
        error = np.exp(log_posterior) - np.eye(len(classes))[codes]
        log_loss = float(-np.mean(np.maximum(of_true, np.log(_SMALLEST_PROBABILITY))))
        brier = float(np.mean(np.sum(error**2, axis=1)))
    return {
        "accuracy": float(np.mean(is_right)),
        **class_metrics(true, predicted, log_posterior, classes),
        "log_loss": log_loss,
        "brier": brier,
    }


def class_metrics(
    true: np.ndarray,
    predicted: np.ndarray,
    log_posterior: np.ndarray | None,
    classes: np.ndarray,
    folds: np.ndarray | None = None,
) -> dict[str, float]:
    """Return the metrics that are means over classes, from the predictions of all folds together.

    They are the `CLASS_METRICS` of all samples of a repeat, given as in `fold_metrics`. ``folds``
    has the fold in which each was tested, by default all in one. ``roc_auc`` is missing without
    probabilities, or if no fold holds two classes.

    The mean over folds of a balanced accuracy is biased upwards, since small classes are absent
    from some folds. One confusion matrix counts every class once.

    Scores of different folds come from different fits and have no common scale; comparing them is
    pessimistic (Parker and others). So pairs, a sample of the class and one of the rest, are
    compared within folds and counted over all of them: per class, the number in the right order
    over the number of pairs, then the mean over classes. Where small folds leave no class 20 pairs,
    nor a third of all, too few are counted, and the ranks of samples within their folds are
    compared over all folds (`_areas_of_pooled_ranks`). It is missing where folds are so small that
    few have samples of several classes.

    G. Forman and M. Scholz, "Apples-to-apples in cross-validation studies", SIGKDD Explorations
    12 (2010), 49-57; B. J. Parker, S. Günter and J. Bedo, "Stratification bias in low signal
    microarray studies", BMC Bioinformatics 8 (2007), 326.
    """
    codes = class_positions(true, classes)
    k = len(classes)
    confusion = np.zeros((k, k))
    np.add.at(confusion, (codes, class_positions(predicted, classes)), 1.0)
    metrics = _label_metrics(confusion)
    metrics["roc_auc"] = np.nan
    if log_posterior is not None and _has_probabilities(log_posterior).all():
        folds = np.zeros(len(codes)) if folds is None else folds
        areas = np.array(list(_areas(codes, log_posterior, folds).values()))
        defined = areas[~np.isnan(areas)]
        if len(defined):
            metrics["roc_auc"] = float(np.mean(defined))
    return metrics


def class_positions(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the position of each label among the classes."""
    labels = np.asarray(labels, dtype=str)
    classes = np.asarray(classes, dtype=str)
    order = np.argsort(classes)
    codes = order[np.searchsorted(classes, labels, sorter=order) % len(classes)]
    is_unknown = classes[codes] != labels
    if is_unknown.any() or not len(labels):
        fault = f"the label {str(labels[is_unknown][0])!r}" if len(labels) else "no sample"
        msg = f"found {fault}; the classes are {', '.join(classes)}"
        raise InputError(msg)
    return codes


def _has_probabilities(log_posterior: np.ndarray) -> np.ndarray:
    """Return a mask of samples with probabilities: none is missing, and some class is possible."""
    return np.isfinite(log_posterior.max(axis=1))


def known_predictions(
    true: np.ndarray, log_posterior: np.ndarray, classes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the class codes and log-posteriors of the samples that have probabilities."""
    codes = class_positions(true, classes)
    if log_posterior.shape != (len(codes), len(classes)):
        msg = (
            f"log_posterior has shape {log_posterior.shape}; its shape should be "
            f"{len(codes), len(classes)}, of samples and classes"
        )
        raise InputError(msg)
    has_probabilities = _has_probabilities(log_posterior)
    return codes[has_probabilities], log_posterior[has_probabilities]


def _label_metrics(confusion: np.ndarray) -> dict[str, float]:
    """Return the metrics that need no probabilities; rows of ``confusion`` are true classes."""
    n = confusion.sum()
    right = np.diag(confusion)
    true = confusion.sum(axis=1)
    predicted = confusion.sum(axis=0)
    is_tested = true > 0
    occurs = true + predicted > 0
    spread = (n * n - true @ true) * (n * n - predicted @ predicted)
    covariance = right.sum() * n - true @ predicted
    return {
        "balanced_accuracy": float(np.mean(right[is_tested] / true[is_tested])),
        "f1_macro": float(np.mean(2 * right[occurs] / (true + predicted)[occurs])),
        "mcc": float(covariance / np.sqrt(spread)) if spread > 0 else 0.0,
    }


def class_areas(
    true: np.ndarray, log_posterior: np.ndarray, classes: np.ndarray, folds: np.ndarray
) -> dict[str, float]:
    """Return the AUC of each class against the rest; with two classes, only that of the second.

    The parameters are those of `class_metrics`, whose ``roc_auc`` is the mean of these areas.
    Missing where `class_metrics` has none, or where a class shares no fold with another one.
    """
    codes, probabilities = known_predictions(true, log_posterior, classes)
    areas = {}
    if len(codes) == len(log_posterior):
        areas = _areas(codes, probabilities, folds)
    return {str(classes[code]): area for code, area in areas.items()}


def _areas(codes: np.ndarray, log_posterior: np.ndarray, folds: np.ndarray) -> dict[int, float]:
    """Return by class the share of pairs within folds in the right order.

    With too few pairs it is that of ranks pooled over folds (`class_metrics`).
    """
    k = log_posterior.shape[1]
    # with two classes both areas are equal: as scikit-learn, take that of the second class
    columns = np.array([1]) if k == 2 else np.arange(k)
    scores = _scores(log_posterior)[:, columns]
    # Mann and Whitney's statistic of each class, summed over folds
    ordered = np.zeros(len(columns))
    pairs = np.zeros(len(columns))
    for fold in np.unique(folds):
        in_fold = folds == fold
        in_class = codes[in_fold, None] == columns
        size = in_class.sum(axis=0)
        ranks = _average_ranks(scores[in_fold])
        ordered += np.where(in_class, ranks, 0.0).sum(axis=0) - size * (size + 1) / 2
        pairs += size * (len(in_class) - size)
    sizes = (codes[:, None] == columns).sum(axis=0)
    if pairs.max() < min(_LEAST_PAIRS, np.max(sizes * (len(codes) - sizes)) / 3):
        areas = _areas_of_pooled_ranks(codes, columns, scores, folds)
    else:
        areas = np.divide(ordered, pairs, out=np.full(len(columns), np.nan), where=pairs > 0)
    return dict(zip(columns.tolist(), areas.tolist(), strict=True))


def _areas_of_pooled_ranks(
    codes: np.ndarray, columns: np.ndarray, scores: np.ndarray, folds: np.ndarray
) -> np.ndarray:
    """Return the AUC of each class by the ranks of samples within their folds.

    Scores of different fits have no common scale; their ranks within a fold, divided by the size of
    the fold, have one. Only folds with samples of the class and of the rest are used, since the
    ranks of other folds contain nothing about the class. An area is missing where these folds have
    less than half of the class, or of the rest.

    Parameters
    ----------
    codes : ndarray of int, shape (n_samples,)
    columns : ndarray of int, shape (n_columns,)
        The classes, one per column of ``scores``.
    scores : ndarray of shape (n_samples, n_columns)
    folds : ndarray of shape (n_samples,)

    Examples
    --------
    Five folds of one sample of each class, four of which have both in the right order:

    >>> scores = np.array([[0.1], [0.9]] * 4 + [[0.9], [0.1]])
    >>> codes, folds = np.tile([0, 1], 5), np.repeat(np.arange(5), 2)
    >>> _areas_of_pooled_ranks(codes, np.array([1]), scores, folds)
    array([0.8])
    """
    areas = np.full(len(columns), np.nan)
    sizes = pd.Series(folds).groupby(folds).transform("size").to_numpy()
    ranks = pd.DataFrame(scores).groupby(folds).rank().to_numpy()
    pooled = (ranks - 0.5) / sizes[:, None]
    for column, label in enumerate(columns.tolist()):
        in_class = codes == label
        n_class = pd.Series(in_class).groupby(folds).transform("sum").to_numpy()
        has_both = (n_class > 0) & (n_class < sizes)
        of_class = pooled[in_class & has_both, column]
        of_others = pooled[~in_class & has_both, column]
        least = _LEAST_POOLED * np.array([in_class.sum(), (~in_class).sum()])
        if not len(of_class) or len(of_class) < least[0] or len(of_others) < least[1]:
            continue
        is_above = of_class[:, None] > of_others
        is_equal = of_class[:, None] == of_others
        areas[column] = (is_above + is_equal / 2).mean()
    return areas


def roc_curves(
    true: np.ndarray, log_posterior: np.ndarray, classes: np.ndarray, folds: np.ndarray
) -> pd.DataFrame:
    """Return the ROC curve of each class against the rest; with two, only that of the second.

    The parameters are those of `class_metrics`. The curves of the folds are averaged at equal false
    positive rates, weighted by their numbers of pairs: their mean area is the ``roc_auc`` of
    `class_metrics`, to half a step of the rate (0.005). A class that shares no fold with another
    one has no curve; none has one if a sample has no probabilities. T. Fawcett (2006), section 9.1.
    """
    empty = pd.DataFrame(columns=["class", "false_positive_rate", "true_positive_rate"])
    codes, probabilities = known_predictions(true, log_posterior, classes)
    if len(codes) < len(log_posterior):
        return empty
    ranks = _average_ranks(_scores(probabilities))
    # quotients: a rate of the grid equals a fold's on every processor; linspace rounds twice
    grid = np.arange(101) / 100
    tables = []
    first = 1 if len(classes) == 2 else 0
    for code in range(first, len(classes)):
        curves = []
        pairs = []
        for fold in np.unique(folds):
            in_fold = folds == fold
            in_class = codes[in_fold] == code
            if in_class.any() and not in_class.all():
                curves.append(np.interp(grid, *_roc_points(in_class, ranks[in_fold, code])))
                pairs.append(int(in_class.sum() * (~in_class).sum()))
        if pairs:
            curve = np.average(curves, axis=0, weights=pairs)
            rates = {"false_positive_rate": [0.0, *grid], "true_positive_rate": [0.0, *curve]}
            tables.append(pd.DataFrame({"class": str(classes[code]), **rates}))
    return pd.concat(tables, ignore_index=True) if tables else empty


def _roc_points(in_class: np.ndarray, ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return false and true positive rates where the curve of one fold turns, both from 0 to 1."""
    order = np.argsort(-ranks)
    last_of_ties = np.append(np.flatnonzero(np.diff(ranks[order])), len(ranks) - 1)
    true_positives = np.cumsum(in_class[order])[last_of_ties]
    false_positives = 1 + last_of_ties - true_positives
    is_corner = np.ones(len(last_of_ties), dtype=bool)
    if len(last_of_ties) > 2:
        turns = (np.diff(false_positives, 2) != 0) | (np.diff(true_positives, 2) != 0)
        is_corner[1:-1] = turns
    false_positive_rate = np.append(0, false_positives[is_corner]) / false_positives[-1]
    true_positive_rate = np.append(0, true_positives[is_corner]) / true_positives[-1]
    return false_positive_rate, true_positive_rate


def _average_ranks(scores: np.ndarray) -> np.ndarray:
    """Return the rank of each score in its column, the mean rank of equal ones."""
    return pd.DataFrame(scores).rank().to_numpy()  # scipy.stats takes half a second to import


def _scores(log_posterior: np.ndarray) -> np.ndarray:
    """Return the probabilities, and the order of those that round to 0 or 1."""
    probability = np.exp(log_posterior)
    scores = np.where(probability == 0, log_posterior, probability)
    rows, columns = np.nonzero(probability == 1)  # at most one of a row
    others = log_posterior[rows]
    others[np.arange(len(rows)), columns] = -np.inf
    from scipy.special import logsumexp  # noqa: PLC0415  a page needs only the names of metrics

    scores[rows, columns] = 1.0 - logsumexp(others, axis=1)
    return scores
