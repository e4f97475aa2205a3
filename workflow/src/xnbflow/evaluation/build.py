"""Estimators from entries of the configuration."""

import importlib
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from xnbflow.core.errors import InputError, known_names, quoted
from xnbflow.data.dataset import KINDS
from xnbflow.preprocessing.designs import OfSamples

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
        late = [i for i, step in enumerate(steps) if isinstance(step, OfSamples)]
        if late != list(range(len(late))):
            msg = (
                f"the step {type(steps[late[-1]]).__name__} reads columns of the samples, which no "
                "step before it has; put it first, and normalise the data set by the option "
                "transform of the sheet"
            )
            raise InputError(msg)
        return Pipeline([(f"step{i}", step) for i, step in enumerate(steps)])
    estimator = import_estimator(entry["method"])
    params = {
        key: _value(value, columns, random_state) for key, value in entry.get("params", {}).items()
    }
    known = inspect.signature(estimator).parameters
    if unknown := [key for key in params if key not in known]:
        what = f"{entry['method']} has no parameter {unknown[0]!r}; it has {', '.join(known)}"
        msg = f"{what}. Correct the classifier's params in the configuration"
        raise InputError(msg)
    if "random_state" in known:
        params.setdefault("random_state", random_state)
    return estimator(**params)


def import_estimator(path: str) -> type[BaseEstimator]:
    """Return the class at an import path; an `InputError` if it is not an estimator."""
    module, _, name = path.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        msg = f"unknown method {quoted(path)} ({error}); give the import path of an estimator"
        raise InputError(msg) from error
    if not (isinstance(found, type) and issubclass(found, BaseEstimator)):
        msg = f"method {quoted(path)} is not a scikit-learn estimator; give the path of one"
        raise InputError(msg)
    return found


def _value(value: Any, columns: Columns, random_state: int | None) -> Any:
    if isinstance(value, str) and value.startswith("@"):
        if value[1:] not in KINDS:
            msg = f"there are no columns {value!r}; {known_names(value[1:], KINDS)}"
            raise InputError(msg)
        return [int(column) for column in np.asarray(columns.get(value[1:], []))]
    if isinstance(value, Mapping) and ("method" in value or "steps" in value):
        return build_estimator(value, columns, random_state)
    if isinstance(value, list):
        return [_value(item, columns, random_state) for item in value]
    return value
