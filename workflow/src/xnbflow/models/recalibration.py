"""Slope and intercepts of a fitted model's log posteriors, from samples that it was not fitted to.

They are kept in a model's ``series`` under `RECALIBRATION`, and `xnbflow.models.prediction` applies
them.
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

#: The key of slope and intercepts among what a model keeps of its series.
RECALIBRATION = "recalibration"
#: Standard deviation of the Gaussian prior of the slope for log odds with standard deviation 1/2.
_PRIOR = 2.5
#: Bound of log odds.
_MOST = 1e6
#: Least samples of a class for a new threshold.
_LEAST = 5
#: AUC above which samples that are not ranked significantly are called too few.
_RANKED = 0.6
_FIGURES = ("accuracy", "balanced_accuracy", "log_loss")


def recalibrated(series: Mapping[str, Any], log_posterior: np.ndarray) -> np.ndarray:
    """Return log posteriors (n_samples, n_classes) after a model's slope and intercepts, if any.

    Examples
    --------
    >>> known = {"recalibration": {"slope": 0.5, "intercept": [0.0, 1.0]}}
    >>> np.exp(recalibrated(known, np.log([[0.9, 0.1]]))).round(3).tolist()
    [[0.525, 0.475]]
    """
    found = series.get(RECALIBRATION)
    if found is None:
        return log_posterior
    joint = np.maximum(log_posterior, -_MOST)
    return np.asarray(log_softmax(joint * found["slope"] + found["intercept"], axis=1))


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
    >>> found = fit_recalibration(np.stack([0 * odds, odds], axis=1), codes)
    >>> round(found["slope"], 2), round(found["intercept"][1], 1)
    (0.25, -2.5)
    """
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  a third of a second

    odds = np.clip(np.maximum(log_posterior, -_MOST) @ [-1.0, 1.0], -_MOST, _MOST)
    centre, scale = odds.mean(), 2.0 * odds.std()
    scaled = (odds - centre) / scale
    fitted = LogisticRegression(C=_PRIOR**2, tol=1e-8, max_iter=1000).fit(scaled[:, None], codes)
    slope, level = float(fitted.coef_[0, 0]), float(fitted.intercept_[0])
    share = expit(level + slope * scaled)
    design = np.stack([scaled, np.ones(len(scaled))])
    precision = design * (share * (1 - share)) @ design.T + np.diag([_PRIOR**-2, 0.0])
    # of the slope in units of the log odds, and of the intercept that belongs to it
    units = np.array([[1 / scale, 0.0], [-centre / scale, 1.0]])
    values = units @ [slope, level]
    errors = np.sqrt(np.diag(units @ np.linalg.inv(precision) @ units.T))
    limits = values[:, None] + errors[:, None] * ndtri([0.025, 0.975])
    return {
        "slope": float(values[0]),
        "intercept": [0.0, float(values[1])],
        "slope_interval": limits[0].tolist(),
        "intercept_interval": limits[1].tolist(),
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
        or these samples are too few to tell.
    """
    classes, name = np.asarray(model.classes), series.name
    problem = ""
    if len(classes) != 2:
        problem = f"the model has {len(classes)} classes; models of two can be recalibrated"
    elif strange := sorted({*series.labels} - {*classes}):
        problem = f"{name}: {listed(strange)} is not a class of the model ({', '.join(classes)})"
    elif series_digest(series) == model.series["digest"]:
        problem = f"{name}: the model was fitted to these samples; give those of another cohort"
    codes = np.searchsorted(classes, series.labels)
    counts = np.bincount(codes, minlength=2)
    if not problem and counts.min() < _LEAST:
        problem = (
            f"{name}: {counts.min()} samples of {str(classes[counts.argmin()])!r}; give at least 5"
        )
    if problem:
        raise InputError(problem)
    _refuse_without_ranking(name, log_posterior, codes, series.groups)
    found = fit_recalibration(log_posterior, codes)
    units = series.samples if series.groups is None else series.groups
    after = np.empty(log_posterior.shape)
    for unit in np.unique(units):
        out = units == unit
        known = {RECALIBRATION: fit_recalibration(log_posterior[~out], codes[~out])}
        after[out] = recalibrated(known, log_posterior[out])
    figures = {}
    for when, logs in (("before", log_posterior), ("after", after)):
        metrics = fold_metrics(codes, logs.argmax(axis=1), logs, np.arange(2))
        figures[when] = {name: metrics[name] for name in _FIGURES}
    found |= {"cohort": name, "samples": dict(zip(model.classes, counts.tolist(), strict=True))}
    return replace(model, series={**model.series, RECALIBRATION: found}, figures={}), figures


def _refuse_without_ranking(
    name: str, log_posterior: np.ndarray, codes: np.ndarray, groups: np.ndarray | None
) -> None:
    """Raise an InputError if it is not shown that a model ranks the samples of a cohort.

    The AUC decides and not the slope, whose normal interval is wide for few samples that are ranked
    perfectly.
    """
    odds = np.clip(np.maximum(log_posterior, -_MOST) @ [-1.0, 1.0], -_MOST, _MOST)
    area = ranking(codes, odds, groups)
    if area.lower > 1 / 2:
        return
    shown = f"AUC {area.value:.2f}, 95% interval {area.lower:.2f} to {area.upper:.2f}"
    if area.value > _RANKED:
        msg = (
            f"{name}: these samples are too few to tell whether the model ranks them ({shown}); "
            "give more samples"
        )
    else:
        msg = (
            f"{name}: the model does not rank these samples ({shown}), so that another threshold "
            "does not help; fit a new model"
        )
    raise InputError(msg)


def shift_is_shown(recalibration: Mapping[str, Any]) -> bool:
    """Return whether slope or intercept differ from those of a model that fits the cohort.

    If the interval of the slope contains 1 and that of the intercept 0, the model as it was fitted
    is recommended: without a shift a recalibration by few samples increases the log loss.

    Examples
    --------
    >>> shift_is_shown({"slope_interval": [0.4, 1.6], "intercept_interval": [-1.0, 2.0]})
    False
    >>> shift_is_shown({"slope_interval": [0.4, 1.6], "intercept_interval": [0.5, 2.0]})
    True
    """
    slope, intercept = recalibration["slope_interval"], recalibration["intercept_interval"]
    return not (slope[0] <= 1 <= slope[1] and intercept[0] <= 0 <= intercept[1])
