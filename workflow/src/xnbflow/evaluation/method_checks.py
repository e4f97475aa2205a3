"""Classifiers and analyses as configured, checked against their entries before anything runs.

The checks run whenever the Snakefile is read. An import of scikit-learn would take longer than the
rest, so import paths are searched in source files; the job checks what these do not show.
"""

import ast
import sys
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from xnbflow.core.entries import Analysis, Method
from xnbflow.core.errors import InputError, known_names, quoted
from xnbflow.core.schemas import check
from xnbflow.evaluation.methods import known_methods

#: The kinds of features that ``@kind`` names in a configuration.
_KINDS = ("linear", "angular", "categorical")


def check_estimator(entry: Mapping[str, Any], place: str, kind: str) -> None:
    """Raise an `InputError` unless an estimator of a kind can be made of an entry.

    ``entry`` has ``method`` with ``params``, or ``steps``; ``place`` is where it is in the
    configuration, as ``classifiers.xnb``; ``kind`` is "classifier" or "transformer", empty for
    either.
    """
    if "steps" in entry:
        last = len(entry["steps"]) - 1
        for i, step in enumerate(entry["steps"]):
            check_estimator(step, f"{place}.steps.{i}", kind if i == last else "transformer")
        return
    name = entry["method"]
    params = entry.get("params", {})
    where = f"configuration, {place}.method"
    method = known_methods().get(name)
    if method is None:
        _check_path(name, where)
    elif kind not in ("", method.kind):
        msg = f"{where}: {method.name} is a {method.kind}; give a {kind}"
        raise InputError(msg)
    else:
        _check_params(method, params, f"{place}.params")
    for key, value in params.items():
        _check_nested(value, f"{place}.params.{key}")


def columns_named(entry: Any) -> list[str]:
    """Return the columns that an entry names by their kind, as ``@angular``.

    Examples
    --------
    >>> columns_named({"method": "by_kind", "params": {"angular": "@angular"}})
    ['@angular']
    """
    if isinstance(entry, Mapping | list):
        parts = entry.values() if isinstance(entry, Mapping) else entry
        return [column for value in parts for column in columns_named(value)]
    return [entry] if isinstance(entry, str) and entry[:1] == "@" and entry[1:] in _KINDS else []


def check_analysis(analysis: Analysis, params: Mapping[str, Any], place: str) -> None:
    """Raise an `InputError` unless an analysis takes the parameters."""
    schema = {"properties": dict(analysis.parameters), "additionalProperties": False}
    check(params, schema, f"configuration, {place}")
    for key, method in analysis.methods.items():
        _check_params(known_methods()[method], params.get(key, {}), f"{place}.{key}")
    for key, method in analysis.grids.items():
        for name, values in params.get(key, {}).items():
            for value in values:
                _check_params(known_methods()[method], {name: value}, f"{place}.{key}")


def _check_params(method: Method, params: Mapping[str, Any], place: str) -> None:
    schema = {"properties": dict(method.parameters), "additionalProperties": False}
    check(params, schema, f"configuration, {place}")


def _check_path(path: str, where: str) -> None:
    """Refuse a method that is neither a known name nor a valid import path."""
    if "." not in path:
        near = known_names(path, known_methods())
        stop = "" if near.endswith("?") else "."
        msg = (
            f"{where}: unknown method {quoted(path)}; {near}{stop} The import path of a "
            "scikit-learn estimator is a method as well"
        )
        raise InputError(msg)
    fault = "the path is too long" if len(path) > 200 else fault_of_path(path)
    if fault:
        raise InputError(f"{where}: unknown method {quoted(path)}: {quoted(fault)[1:-1]}")
    if path.partition(".")[0] in sys.stdlib_module_names:
        msg = f"{where}: {quoted(path)} is a name of Python's standard library, not an estimator"
        raise InputError(msg)


def _check_nested(value: Any, place: str) -> None:
    """Check estimators, and columns of a kind, at any depth of a parameter."""
    if isinstance(value, Mapping) and ("method" in value or "steps" in value):
        check(value, _ESTIMATOR, f"configuration, {place}")
        check_estimator(value, place, "")
    elif isinstance(value, Mapping | list):
        parts = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, nested in parts:
            _check_nested(nested, f"{place}.{key}")
    elif isinstance(value, str) and value.startswith("@") and value[1:] not in _KINDS:
        near = known_names(value, [f"@{kind}" for kind in _KINDS])
        msg = f"configuration, {place}: unknown columns {quoted(value)}; {near}"
        raise InputError(msg)


#: As in workflow/schemas/config.schema.json, where an estimator is a parameter.
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


def fault_of_path(path: str) -> str:
    """Return why an import path cannot lead to a class; empty if it may.

    Examples
    --------
    >>> fault_of_path("sklearn.svm.LinearSVC")
    ''
    >>> fault_of_path("sklearn.svm.LinearSVX")
    "sklearn.svm has no LinearSVX; did you mean 'LinearSVR'?"
    """
    module, _, name = path.rpartition(".")
    if not all(word.isidentifier() for word in path.split(".")):
        return f"{path} is not the import path of a class"
    if module.partition(".")[0] == "sklearn" and find_spec("sklearn") is None:
        return ""  # it is in the environments of jobs
    file = _file(module)
    if file is None:
        return f"there is no module {module}"
    names = _names(file)
    if names & {name, "__getattr__", "*"} or _file(f"{module}.{name}"):
        return ""
    near = known_names(name, sorted(public for public in names if public[0] != "_"))
    return f"{module} has no {name}" + (f"; {near}" if near.startswith("did") else "")


def _file(module: str) -> Path | None:
    """Return the file of a module's source; None where there is none."""
    package, _, rest = module.partition(".")
    spec = find_spec(package)  # of a package alone, so that nothing runs
    if spec is None or spec.origin is None:
        return None
    origin = Path(spec.origin)
    if origin.name != "__init__.py":
        return None if rest else origin
    place = origin.parent.joinpath(*rest.split(".")) if rest else origin.parent
    choices = [place / "__init__.py", place.with_suffix(".py")]
    return next((file for file in choices if file.is_file()), None)


@cache
def _names(file: Path) -> frozenset[str]:
    """Return every name that a file defines, assigns or imports, at any depth."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return frozenset(names)
