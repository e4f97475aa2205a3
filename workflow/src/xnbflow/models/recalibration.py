"""Slope and intercepts of a fitted model's log posteriors, from samples that it was not fitted to.

A model stores them in ``series`` under `RECALIBRATION`; `xnbflow.models.prediction` applies them.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import expit, log_softmax, ndtri

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import listed
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.metrics import fold_metrics
from xnbflow.inference.second_cohort import ranking
from xnbflow.models.trained import TrainedModel, series_digest

#: The key of slope and intercepts in `TrainedModel.series`.
RECALIBRATION = "recalibration"
#: Standard deviation of the Gaussian prior of the slope for log odds with standard deviation 1/2.
_PRIOR = 2.5
#: Bound of log odds and log posteriors, which are infinite for an impossible class.
_LARGEST_LOG_ODDS = 1e6
#: Fewest samples of a class for a new threshold.
_FEWEST_SAMPLES = 5
#: AUC above which samples that are not ranked significantly are called too few.
_LEAST_AUC = 0.6
#: Figures that are reported before and after.
_FIGURES = ("accuracy", "balanced_accuracy", "log_loss")


def recalibrated(series: Mapping[str, Any], log_posterior: np.ndarray) -> np.ndarray:
    """Return log posteriors (n_samples, n_classes) after a model's slope and intercepts, if any.

    Examples
    --------
    >>> series = {"recalibration": {"slope": 0.5, "intercept": [0.0, 1.0]}}
    >>> np.exp(recalibrated(series, np.log([[0.9, 0.1]]))).round(3).tolist()
    [[0.525, 0.475]]
    """
    recalibration = series.get(RECALIBRATION)
    if recalibration is None:
        return log_posterior
    bounded = np.maximum(log_posterior, -_LARGEST_LOG_ODDS)
    joint = bounded * recalibration["slope"] + recalibration["intercept"]
    return np.asarray(log_softmax(joint, axis=1))


def log_odds(log_posterior: np.ndarray) -> np.ndarray:
    """Return bounded log odds (n_samples,) of the second of two classes."""
    bounded = np.maximum(log_posterior, -_LARGEST_LOG_ODDS)
    return np.clip(bounded[:, 1] - bounded[:, 0], -_LARGEST_LOG_ODDS, _LARGEST_LOG_ODDS)


def fit_recalibration(log_posterior: np.ndarray, codes: np.ndarray) -> dict[str, Any]:
    """Return slope and intercept of the log odds of two classes, with their 95% intervals.

    They are those of a logistic regression of the classes ``codes`` on the log odds that a model
    gives for samples that it was not fitted to, ``log_posterior`` of shape (n_samples, 2). The
    slope of the log odds, scaled to a standard deviation of 1/2, has a Gaussian prior with mean 0
    and standard deviation 2.5, so that separated classes have a finite one. Intervals are normal
    approximations at the mode.

    Returns
    -------
    dict
        ``slope``, ``intercept`` (of each class: the first has 0), ``slope_interval`` and
        ``intercept_interval`` (of the second class).

    References
    ----------
    D. R. Cox, "Two further applications of a model for binary regression", Biometrika 45 (1958),
    562-565. A. Gelman and others, "A weakly informative default prior distribution for logistic
    and other regression models", Annals of Applied Statistics 2 (2008), 1360-1383.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> true = rng.normal(0, 3, 4000)
    >>> codes = (rng.random(4000) < 1 / (1 + np.exp(-true))).astype(int)
    >>> odds = 4 * true + 10  # four times too sure, and shifted
    >>> fitted = fit_recalibration(np.stack([0 * odds, odds], axis=1), codes)
    >>> round(fitted["slope"], 2), round(fitted["intercept"][1], 1)
    (0.25, -2.5)
    """
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  a third of a second

    odds = log_odds(log_posterior)
    centre = odds.mean()
    scale = 2.0 * odds.std()
    scaled = (odds - centre) / scale
    regression = LogisticRegression(C=_PRIOR**2, tol=1e-8, max_iter=1000)
    regression.fit(scaled[:, None], codes)
    scaled_slope = float(regression.coef_[0, 0])
    scaled_intercept = float(regression.intercept_[0])
    # covariance of both at the mode: the inverse of the negative second derivatives
    share = expit(scaled_intercept + scaled_slope * scaled)
    design = np.stack([scaled, np.ones(len(scaled))])
    precision = design * (share * (1 - share)) @ design.T + np.diag([_PRIOR**-2, 0.0])
    covariance = np.linalg.inv(precision)
    # slope and intercept of the odds themselves: slope (odds - centre) / scale + intercept
    unscale = np.array([[1 / scale, 0.0], [-centre / scale, 1.0]])
    slope, intercept = unscale @ [scaled_slope, scaled_intercept]
    errors = np.sqrt(np.diag(unscale @ covariance @ unscale.T))
    quantiles = ndtri([0.025, 0.975])
    return {
        "slope": float(slope),
        "intercept": [0.0, float(intercept)],
        "slope_interval": (slope + errors[0] * quantiles).tolist(),
        "intercept_interval": (intercept + errors[1] * quantiles).tolist(),
    }


def recalibrate_model(
    model: TrainedModel, series: DataSet, log_posterior: np.ndarray
) -> tuple[TrainedModel, dict[str, dict[str, float]]]:
    """Return a model of two classes with slope and intercept from samples of another cohort.

    ``log_posterior`` (n_samples, 2) is that of the model, as it was fitted, for the ``series``. The
    second result are accuracy, balanced accuracy and log loss of these samples ``before`` and
    ``after``, the latter with each sample, or group, left out. The model has no cross-validated
    figures, because those of its own cohort do not hold for it.

    Raises
    ------
    InputError
        If there are not two classes, a class is not the model's or has fewer than five samples, the
        samples are those that the model was fitted to, or the 95% interval of the AUC is not above
        one half: then the model does not rank these samples, and another threshold does not help,
        or these samples are too few to decide this.
    """
    _refuse_unsuitable(model, series)
    codes = np.searchsorted(model.classes, series.labels)
    refuse_without_ranking(series.name, log_posterior, codes, series.groups)
    recalibration = fit_recalibration(log_posterior, codes)
    recalibration["cohort"] = series.name
    counts = np.bincount(codes, minlength=2).tolist()
    recalibration["samples"] = dict(zip(model.classes, counts, strict=True))
    held_out = recalibrated_without(log_posterior, codes, series)
    figures = {"before": _figures(codes, log_posterior), "after": _figures(codes, held_out)}
    items = {**model.series, RECALIBRATION: recalibration}
    return replace(model, series=items, figures={}), figures


def recalibrated_without(
    log_posterior: np.ndarray, codes: np.ndarray, series: DataSet
) -> np.ndarray:
    """Return recalibrated log posteriors of samples, or groups, by all others."""
    units = series.samples if series.groups is None else series.groups
    held_out = np.empty(log_posterior.shape)
    for unit in np.unique(units):
        test = units == unit
        others = {RECALIBRATION: fit_recalibration(log_posterior[~test], codes[~test])}
        held_out[test] = recalibrated(others, log_posterior[test])
    return held_out


def _figures(codes: np.ndarray, log_posterior: np.ndarray) -> dict[str, float]:
    """Return accuracy, balanced accuracy and log loss of two classes."""
    metrics = fold_metrics(codes, log_posterior.argmax(axis=1), log_posterior, np.arange(2))
    return {name: metrics[name] for name in _FIGURES}


def _refuse_unsuitable(model: TrainedModel, series: DataSet) -> None:
    """Raise an InputError if a model or a cohort cannot be recalibrated, whatever is predicted."""
    name = series.name
    n_classes = len(model.classes)
    if n_classes != 2:
        msg = f"the model has {n_classes} classes; models of two can be recalibrated"
        raise InputError(msg)
    other_labels = sorted(set(series.labels) - set(model.classes))
    if other_labels:
        classes = ", ".join(model.classes)
        msg = f"{name}: {listed(other_labels)} is not a class of the model ({classes})"
        raise InputError(msg)
    if series_digest(series) == model.series["digest"]:
        msg = f"{name}: the model was fitted to these samples; give those of another cohort"
        raise InputError(msg)
    counts = [int((series.labels == label).sum()) for label in model.classes]
    fewest = min(counts)
    if fewest < _FEWEST_SAMPLES:
        label = model.classes[counts.index(fewest)]
        msg = f"{name}: {fewest} samples of {label!r}; give at least {_FEWEST_SAMPLES}"
        raise InputError(msg)


def refuse_without_ranking(
    name: str, log_posterior: np.ndarray, codes: np.ndarray, groups: np.ndarray | None
) -> None:
    """Raise an InputError if it is not shown that a model ranks the samples of a cohort.

    The AUC decides and not the slope, whose normal interval is wide for few samples that are ranked
    perfectly.
    """
    area = ranking(codes, log_odds(log_posterior), groups)
    if area.lower > 1 / 2:
        return
    auc = f"AUC {area.value:.2f}, 95% interval {area.lower:.2f} to {area.upper:.2f}"
    if area.value > _LEAST_AUC:
        msg = (
            f"{name}: these samples are too few to decide whether the model ranks them ({auc}); "
            "give more samples"
        )
    else:
        msg = (
            f"{name}: the model does not rank these samples ({auc}), so that another threshold "
            "does not help; fit a new model"
        )
    raise InputError(msg)


def shift_is_shown(recalibration: Mapping[str, Any]) -> bool:
    """Return whether slope or intercept differ from a slope of 1 and intercepts of 0.

    If the interval of the slope contains 1 and that of the intercept 0, the model as it was fitted
    is recommended: without a shift a recalibration by few samples increases the log loss.

    Examples
    --------
    >>> shift_is_shown({"slope_interval": [0.4, 1.6], "intercept_interval": [-1.0, 2.0]})
    False
    >>> shift_is_shown({"slope_interval": [0.4, 1.6], "intercept_interval": [0.5, 2.0]})
    True
    """
    lower_slope, upper_slope = recalibration["slope_interval"]
    lower_intercept, upper_intercept = recalibration["intercept_interval"]
    slope_fits = lower_slope <= 1 <= upper_slope
    intercept_fits = lower_intercept <= 0 <= upper_intercept
    return not (slope_fits and intercept_fits)
