"""Metrics of one test fold, and calibration curves over pooled predictions.

The definitions are scikit-learn's. They are computed here from one confusion matrix and one table
of ranks, because a study calls them thousands of times, and because scikit-learn's ROC AUC fails
where a fold lacks a class.
"""

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from xnbflow.errors import InputError

__all__ = ["FOLD_METRICS", "calibration_curve", "fold_metrics"]

#: The metrics of `fold_metrics`; higher is better in all but the last two.
FOLD_METRICS = (
    "accuracy",
    "balanced_accuracy",
    "f1_macro",
    "mcc",
    "roc_auc",
    "log_loss",
    "brier",
)

#: Probabilities below this count as this much in the log loss, as in scikit-learn.
_SMALLEST_PROBABILITY = np.finfo(np.float64).eps


def fold_metrics(
    true: np.ndarray,
    predicted: np.ndarray,
    log_posterior: np.ndarray | None,
    classes: np.ndarray,
) -> dict[str, float]:
    """Return how good the predictions of one fold are.

    Parameters
    ----------
    true, predicted : ndarray of str, shape (n_samples,)
        True and predicted labels of the test samples.
    log_posterior : ndarray of shape (n_samples, n_classes) or None
        Log-posterior of each class, minus infinity where a class was absent from training; None
        where the classifier gives no probabilities.
    classes : ndarray of str, shape (n_classes,)
        The data set's classes, in the order of ``log_posterior``'s columns.

    Returns
    -------
    dict of str to float
        The `FOLD_METRICS`:

        accuracy
            Share of samples whose label is right.
        balanced_accuracy
            Mean recall over the classes that the fold tests.
        f1_macro
            Mean F1 over the classes that the fold tests or that were predicted.
        mcc
            Matthews' correlation coefficient; 0 if all true or all predicted labels are equal.
        roc_auc
            Area under the ROC curve, each class against the rest, mean over the classes that the
            fold tests; missing if it tests a single one. Samples are ordered by the log odds of
            the class, so that posteriors near 1 are told apart where probabilities are not.
        log_loss
            Mean negative log-posterior of the true class, in nats; a posterior below 2.2e-16
            counts as that, so that a class absent from training costs 36.04 and not infinity.
        brier
            Mean over samples of the squared error summed over classes, between 0 and 2 (for two
            classes twice what scikit-learn gives).

        The last three are missing without probabilities, or if any sample has none.

    Raises
    ------
    InputError
        If there is no sample, shapes disagree, or a label is none of the classes.

    References
    ----------
    T. Fawcett, "An introduction to ROC analysis", Pattern Recognition Letters 27 (2006), 861-874,
    section 8 (here without weights); J. Gorodkin, "Comparing two K-category assignments by a
    K-category correlation coefficient", Computational Biology and Chemistry 28 (2004), 367-374;
    G. W. Brier, "Verification of forecasts expressed in terms of probability", Monthly Weather
    Review 78 (1950), 1-3.

    Examples
    --------
    >>> true, predicted = np.array(["a", "a", "b"]), np.array(["a", "b", "b"])
    >>> posterior = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]])
    >>> metrics = fold_metrics(true, predicted, np.log(posterior), np.array(["a", "b"]))
    >>> {name: round(value, 3) for name, value in metrics.items()}  # doctest: +NORMALIZE_WHITESPACE
    {'accuracy': 0.667, 'balanced_accuracy': 0.75, 'f1_macro': 0.667, 'mcc': 0.5, 'roc_auc': 1.0,
     'log_loss': 0.415, 'brier': 0.273}
    """
    codes = _codes(true, classes)
    k = len(classes)
    confusion = np.bincount(codes * k + _codes(predicted, classes), minlength=k * k).reshape(k, k)
    metrics = _label_metrics(confusion.astype(np.float64))
    if log_posterior is None or not _is_known(log_posterior).all():
        return metrics | dict.fromkeys(("roc_auc", "log_loss", "brier"), np.nan)
    _check_shape(log_posterior, len(codes), k)
    return metrics | {
        "roc_auc": _roc_auc(codes, log_posterior),
        "log_loss": _log_loss(codes, log_posterior),
        "brier": _brier(codes, log_posterior),
    }


def calibration_curve(
    true: np.ndarray,
    log_posterior: np.ndarray,
    classes: np.ndarray,
    label: str | None = None,
    n_bins: int = 10,
) -> pd.DataFrame:
    """Return how often predictions of a given probability are right.

    Parameters
    ----------
    true : ndarray of str, shape (n_samples,)
        True labels, pooled over folds.
    log_posterior : ndarray of shape (n_samples, n_classes)
        Log-posterior of each class. Samples without probabilities are left out.
    classes : ndarray of str, shape (n_classes,)
        The classes, in the order of ``log_posterior``'s columns.
    label : str, optional
        The class whose probability is looked at. By default it is that of each sample's most
        probable class.
    n_bins : int
        Number of bins of equal width.

    Returns
    -------
    DataFrame
        One row per bin, with columns ``bin``, ``lower``, ``upper`` (its limits; a probability on a
        limit belongs above it), ``mean_predicted`` (mean probability), ``observed`` (share of
        samples of that class) and ``count``. The two means are missing where the bin is empty.

    Raises
    ------
    InputError
        If there is no sample, shapes disagree or a label is none of the classes.

    Examples
    --------
    >>> posterior = np.array([[0.9, 0.1], [0.8, 0.2], [0.4, 0.6]])
    >>> true, classes = np.array(["a", "b", "b"]), np.array(["a", "b"])
    >>> curve = calibration_curve(true, np.log(posterior), classes, n_bins=2)
    >>> curve[["lower", "mean_predicted", "observed", "count"]].round(3)
       lower  mean_predicted  observed  count
    0    0.0             NaN       NaN      0
    1    0.5           0.767     0.667      3
    """
    codes = _codes(true, classes)
    _check_shape(log_posterior, len(codes), len(classes))
    known = _is_known(log_posterior)
    codes, log_posterior = codes[known], log_posterior[known]
    column = np.argmax(log_posterior, axis=1) if label is None else _codes([label], classes)
    probability = np.exp(np.take_along_axis(log_posterior, column.reshape(-1, 1), axis=1)[:, 0])
    edges = np.linspace(0, 1, n_bins + 1)
    which = np.searchsorted(edges[1:-1], probability, side="right")
    count = np.bincount(which, minlength=n_bins)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(which, probability, n_bins) / count
        observed = np.bincount(which, codes == column, n_bins) / count
    return pd.DataFrame(
        {
            "bin": np.arange(n_bins),
            "lower": edges[:-1],
            "upper": edges[1:],
            "mean_predicted": mean,
            "observed": observed,
            "count": count,
        }
    )


def _codes(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the position of each label among the classes."""
    labels, classes = np.asarray(labels, dtype=str), np.asarray(classes, dtype=str)
    order = np.argsort(classes)
    codes = order[np.searchsorted(classes, labels, sorter=order) % len(classes)]
    strange = classes[codes] != labels
    if strange.any() or not len(labels):
        found = f"the label {str(labels[strange][0])!r}" if len(labels) else "no sample"
        msg = f"found {found}; the classes are {', '.join(classes)}"
        raise InputError(msg)
    return codes


def _is_known(log_posterior: np.ndarray) -> np.ndarray:
    """Return which samples have probabilities: none is missing, and some class is possible."""
    return np.isfinite(log_posterior.max(axis=1))


def _check_shape(log_posterior: np.ndarray, n_samples: int, n_classes: int) -> None:
    if log_posterior.shape != (n_samples, n_classes):
        msg = (
            f"log_posterior has shape {log_posterior.shape}; {n_samples} samples and {n_classes} "
            "classes are needed"
        )
        raise InputError(msg)


def _label_metrics(confusion: np.ndarray) -> dict[str, float]:
    """Return the metrics that need no probabilities; rows of ``confusion`` are true classes."""
    n = confusion.sum()
    right, true, predicted = np.diag(confusion), confusion.sum(axis=1), confusion.sum(axis=0)
    tested, named = true > 0, true + predicted > 0
    spread = (n * n - true @ true) * (n * n - predicted @ predicted)
    covariance = right.sum() * n - true @ predicted
    return {
        "accuracy": float(right.sum() / n),
        "balanced_accuracy": float(np.mean(right[tested] / true[tested])),
        "f1_macro": float(np.mean(2 * right[named] / (true + predicted)[named])),
        "mcc": float(covariance / np.sqrt(spread)) if spread > 0 else 0.0,
    }


def _roc_auc(codes: np.ndarray, log_posterior: np.ndarray) -> float:
    n, k = log_posterior.shape
    size = np.bincount(codes, minlength=k)
    tested = np.flatnonzero((size > 0) & (size < n))
    if not len(tested):
        return np.nan
    ranks = rankdata(_log_odds(log_posterior)[:, tested], axis=0)
    inside = np.where(codes[:, None] == tested, ranks, 0.0).sum(axis=0)
    size = size[tested]
    return float(np.mean((inside - size * (size + 1) / 2) / (size * (n - size))))


def _log_odds(log_posterior: np.ndarray) -> np.ndarray:
    """Return log(p / (1 - p)), where 1 - p is the sum over the other classes, not rounded to 0."""
    n = len(log_posterior)
    nothing = np.full((n, 1), -np.inf)
    before = np.logaddexp.accumulate(log_posterior[:, :-1], axis=1)
    after = np.logaddexp.accumulate(log_posterior[:, :0:-1], axis=1)[:, ::-1]
    others = np.logaddexp(np.hstack([nothing, before]), np.hstack([after, nothing]))
    return log_posterior - others


def _log_loss(codes: np.ndarray, log_posterior: np.ndarray) -> float:
    of_true = np.take_along_axis(log_posterior, codes[:, None], axis=1)
    return float(-np.mean(np.maximum(of_true, np.log(_SMALLEST_PROBABILITY))))


def _brier(codes: np.ndarray, log_posterior: np.ndarray) -> float:
    error = np.exp(log_posterior)
    error[np.arange(len(codes)), codes] -= 1
    return float(np.mean(np.sum(error**2, axis=1)))
