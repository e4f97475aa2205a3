"""Estimators from entries of the configuration."""

import importlib
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from xnbflow.core.errors import InputError, known_names, quoted
from xnbflow.data.dataset import COUNTS, KINDS, DataSet
from xnbflow.data.stratified import INNER_FOLDS
from xnbflow.evaluation.fitting import is_pipeline
from xnbflow.preprocessing.counts import CountNormalizer, ReadFilter

#: The columns of each feature kind.
Columns = Mapping[str, Sequence[int] | np.ndarray]


def build_estimator(
    entry: Mapping[str, Any], columns: Columns, random_state: int | None = None
) -> BaseEstimator:
    """Make the estimator that a configuration entry describes.

    ``entry`` has ``method`` (the import path of any scikit-learn estimator, see
    `xnbflow.evaluation.methods.resolved`) with ``params``; or ``steps``, a list of such entries
    that become a pipeline. A parameter that is such a mapping is built the same way; a parameter
    ``"@kind"`` becomes the list of ``columns`` of that kind. ``random_state`` is given to every
    estimator that has one and for which none is set. A method that cannot be imported or does not
    take a parameter is an `InputError`.

    Examples
    --------
    >>> build_estimator({"method": "sklearn.svm.LinearSVC", "params": {"C": 2.0}}, {})
    LinearSVC(C=2.0)
    """
    if "steps" in entry:
        steps = [build_estimator(step, columns, random_state) for step in entry["steps"]]
        return _pipeline([(f"step{i}", step) for i, step in enumerate(steps)])
    estimator = import_estimator(entry["method"])
    params = {
        key: _build_value(value, columns, random_state)
        for key, value in entry.get("params", {}).items()
    }
    accepted = inspect.signature(estimator).parameters
    if unknown := [key for key in params if key not in accepted]:
        msg = (
            f"{entry['method']} has no parameter {unknown[0]!r}; it has {', '.join(accepted)}. "
            "Correct the classifier's params in the configuration"
        )
        raise InputError(msg)
    # A study has its samples in the canonical order of the whole series already. Our estimators
    # would compute the order of each training set anew.
    is_ours = estimator.__module__.startswith("xnbflow.")
    if is_ours and "cv" in accepted and accepted["cv"].default is None:
        params.setdefault("cv", INNER_FOLDS)
    if "random_state" in accepted:
        params.setdefault("random_state", random_state)
    return estimator(**params)


def estimator_for(
    series: DataSet, entry: Mapping[str, Any], random_state: int | None = None
) -> BaseEstimator:
    """Make the estimator that a configuration entry describes for a series.

    Of counts of reads the first steps select features with enough reads and normalise them
    (`_normalising`), so that both are fitted on the training samples of each fold. Other arguments
    are those of `build_estimator`.
    """
    estimator = build_estimator(entry, series.columns_by_kind, random_state)
    if series.scale != COUNTS:
        return estimator
    if any(_names_columns(value) for value in entry.values()):
        msg = (
            f"{series.name}: the classifier names columns by @kind, and the features of counts "
            "are selected in each fold; use transform: log_cpm"
        )
        raise InputError(msg, key="transform")
    return _normalising(estimator)


def _normalising(estimator: BaseEstimator) -> BaseEstimator:
    """Return a classifier of counts that begins with a filter and with TMM, if it has neither.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> list(_normalising(GaussianNB()).named_steps.values())
    [ReadFilter(), CountNormalizer(), GaussianNB()]
    """
    steps = [step for _, step in estimator.steps] if is_pipeline(estimator) else []
    if any(isinstance(step, CountNormalizer) for step in steps):
        return estimator
    # the classifier needs the names of features, since it may break ties by them
    reads = ReadFilter().set_output(transform="pandas")
    counts = CountNormalizer().set_output(transform="pandas")
    return _pipeline([("reads", reads), ("counts", counts), ("classify", estimator)])


def _pipeline(steps: list[tuple[str, BaseEstimator]]) -> BaseEstimator:
    from sklearn.pipeline import Pipeline  # noqa: PLC0415  a tenth of a second

    return Pipeline(steps)


def _names_columns(value: Any) -> bool:
    """Return whether a part of an entry names the columns of a kind, as ``"@linear"``."""
    if isinstance(value, Mapping):
        return any(map(_names_columns, value.values()))
    if isinstance(value, list):
        return any(map(_names_columns, value))
    return isinstance(value, str) and value.startswith("@")


def import_estimator(path: str) -> type[BaseEstimator]:
    """Return the class at an import path; an `InputError` if it is not an estimator."""
    module, _, name = path.rpartition(".")
    try:
        estimator = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        msg = f"unknown method {quoted(path)} ({error}); give the import path of an estimator"
        raise InputError(msg) from error
    if not (isinstance(estimator, type) and issubclass(estimator, BaseEstimator)):
        msg = f"method {quoted(path)} is not a scikit-learn estimator; give the path of one"
        raise InputError(msg)
    return estimator


def _build_value(value: Any, columns: Columns, random_state: int | None) -> Any:
    """Return a value of a configuration: columns of a kind, an estimator, or itself."""
    if isinstance(value, str) and value.startswith("@"):
        if value[1:] not in KINDS:
            msg = f"there are no columns {value!r}; {known_names(value[1:], KINDS)}"
            raise InputError(msg)
        return [int(column) for column in np.asarray(columns.get(value[1:], []))]
    if isinstance(value, Mapping) and ("method" in value or "steps" in value):
        return build_estimator(value, columns, random_state)
    if isinstance(value, list):
        return [_build_value(item, columns, random_state) for item in value]
    return value
