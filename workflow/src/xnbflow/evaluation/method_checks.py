"""Classifiers and analyses as configured, held against their entries before anything runs."""

import sys
from collections.abc import Mapping
from typing import Any

from xnbflow.data.entries import Analysis, Method
from xnbflow.data.errors import InputError, known_names, quoted
from xnbflow.data.schemas import check
from xnbflow.evaluation.import_paths import fault_of_path
from xnbflow.evaluation.methods import known_methods

__all__ = ["check_analysis", "check_classifier", "check_transformer", "columns_named"]

_KINDS = ("linear", "angular", "categorical")


def check_classifier(entry: Mapping[str, Any], place: str) -> None:
    """Raise an `InputError` unless an estimator that classifies can be made of an entry.

    Parameters
    ----------
    entry : mapping
        ``method`` with ``params``, or ``steps``.
    place : str
        Where it stands in the configuration, say ``classifiers.xnb``.
    """
    _Checker().estimator(entry, place, ["predict"])


def check_transformer(entry: Mapping[str, Any], place: str) -> None:
    """Raise an `InputError` unless an entry makes a transformer, as `check_classifier` does."""
    _Checker().estimator(entry, place, ["transform"])


def columns_named(entry: Any) -> list[str]:
    """Return the columns that an entry names by their kind, as ``@angular``.

    Examples
    --------
    >>> columns_named({"method": "von_mises_nb", "params": {"angular": "@angular"}})
    ['@angular']
    """
    if isinstance(entry, Mapping):
        return [found for value in entry.values() for found in columns_named(value)]
    if isinstance(entry, list):
        return [found for value in entry for found in columns_named(value)]
    return [entry] if isinstance(entry, str) and entry[:1] == "@" and entry[1:] in _KINDS else []


def check_analysis(analysis: Analysis, params: Mapping[str, Any], place: str) -> None:
    """Raise an `InputError` unless an analysis takes the parameters."""
    schema = {"properties": dict(analysis.parameters), "additionalProperties": False}
    check(params, schema, f"configuration, {place}")
    checker = _Checker()
    for key, method in analysis.methods.items():
        checker.params(known_methods()[method], params.get(key, {}), f"{place}.{key}")
    for key, method in analysis.grids.items():
        for name, values in params.get(key, {}).items():
            for value in values:
                checker.params(known_methods()[method], {name: value}, f"{place}.{key}")


class _Checker:
    def estimator(self, entry: Mapping[str, Any], place: str, able: list[str]) -> None:
        """Check an entry of an estimator that shall be able to do some things."""
        if "steps" in entry:
            *first, last = entry["steps"]
            for i, step in enumerate(first):
                self.estimator(step, f"{place}.steps.{i}", ["transform"])
            self.estimator(last, f"{place}.steps.{len(first)}", able)
            return
        name, params = entry["method"], entry.get("params", {})
        method = known_methods().get(name)
        if method is not None:
            self._kind(method, f"{place}.method", able)
            self.params(method, params, f"{place}.params")
        elif "." not in name:
            known = known_names(name, known_methods())
            msg = f"configuration, {place}.method: unknown method {quoted(name)}; {known}"
            raise InputError(f"{msg}. Or give the import path of a scikit-learn estimator")
        else:
            self._path(name, place)
        for key, value in params.items():
            self._nested(value, f"{place}.params.{key}")

    def params(self, method: Method, params: Mapping[str, Any], place: str) -> None:
        """Check the parameters of a method that has an entry."""
        schema = {"properties": dict(method.parameters), "additionalProperties": False}
        check(params, schema, f"configuration, {place}")

    def _kind(self, method: Method, place: str, able: list[str]) -> None:
        can = {"classifier": "predict", "transformer": "transform"}[method.kind]
        if able and can not in able:
            wanted = "classifier" if "predict" in able else "transformer"
            msg = f"configuration, {place}: {method.name} is a {method.kind}; give a {wanted}"
            raise InputError(msg)

    def _path(self, path: str, place: str) -> None:
        """Refuse an import path that leads to no class; what a source hides is left to the job."""
        where = f"configuration, {place}.method"
        fault = "the path is too long" if len(path) > 200 else fault_of_path(path)
        if fault:
            raise InputError(f"{where}: unknown method {quoted(path)}: {quoted(fault)[1:-1]}")
        if path.partition(".")[0] in sys.stdlib_module_names:
            msg = f"{where}: {quoted(path)} is no estimator, but of Python's own library"
            raise InputError(msg)

    def _nested(self, value: Any, place: str) -> None:
        """Check estimators, and columns of a kind, wherever in a parameter they are."""
        if isinstance(value, Mapping) and ("method" in value or "steps" in value):
            check(value, _ESTIMATOR, f"configuration, {place}")
            self.estimator(value, place, [])
        elif isinstance(value, Mapping | list):
            parts = value.items() if isinstance(value, Mapping) else enumerate(value)
            for key, each in parts:
                self._nested(each, f"{place}.{key}")
        elif isinstance(value, str) and value.startswith("@") and value[1:] not in _KINDS:
            near = known_names(value, [f"@{kind}" for kind in _KINDS])
            msg = f"configuration, {place}: unknown columns {quoted(value)}; {near}"
            raise InputError(msg)


#: As in workflow/schemas/config.schema.json, where an estimator stands as a parameter.
_ESTIMATOR = {
    "type": "object",
    "additionalProperties": False,
    "oneOf": [{"required": ["method"]}, {"required": ["steps"]}],
    "properties": {
        "method": {"type": "string", "minLength": 1},
        "params": {"type": "object"},
        "steps": {"type": "array", "minItems": 1, "items": {"$ref": "#"}},
    },
    "dependentRequired": {"params": ["method"]},
}
