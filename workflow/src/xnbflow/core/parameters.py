"""Parameters of estimators: each class declares their valid values, which are checked here.

As in scikit-learn, ``_parameter_constraints`` of a class maps the name of each parameter to a list
of constraints; a value must satisfy one of them. A constraint also has the JSON schema of the
values that a configuration can give, from which `parameter_schemas` makes the schemas that planning
reads.
"""

import inspect
import reprlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from xnbflow.core import entries
from xnbflow.core.entries import Schema
from xnbflow.core.errors import InputError

#: Largest whole number of the kernels, which compute with 64 bits.
_LARGEST = 2**63 - 1

#: Cuts the value of a parameter in a message to 60 characters.
_SHORT = reprlib.Repr()
_SHORT.maxstring = 60
_SHORT.maxother = 60


class Declared(BaseEstimator):
    """Base class of all estimators with parameters; `fit` calls `_validate_params` first.

    Examples
    --------
    >>> class Ridge(Declared):
    ...     _parameter_constraints = {"alpha": [number_constraint(0, closed="left")]}
    ...
    ...     def __init__(self, alpha=1.0):
    ...         self.alpha = alpha
    >>> Ridge("much")._validate_params()
    Traceback (most recent call last):
    xnbflow.core.errors.InputError: alpha is 'much'; use a float in the range [0.0, inf) (Ridge)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def _validate_params(self) -> None:
        """Raise an `InputError` for the first parameter with an invalid value."""
        for name, constraints in _declared_constraints(type(self)).items():
            value = getattr(self, name)
            if not any(satisfies(value, constraint) for constraint in constraints):
                msg = (
                    f"{name} is {_SHORT.repr(value)}; use {allowed(constraints)} "
                    f"({type(self).__name__})"
                )
                raise InputError(msg, key=name)


@dataclass(frozen=True)
class Constraint:
    """A constraint on a parameter: in words, as a function of its value, and as a JSON schema.

    The ``schema`` is of the values that a configuration can give; None where only a program can.
    """

    words: str
    allows: Callable[[Any], bool]
    schema: Schema | None = None


def _declared_constraints(estimator: type) -> dict[str, list[Any]]:
    """Return the constraints of each parameter that a class declares; none of one that does not.

    Examples
    --------
    >>> _declared_constraints(Declared), _declared_constraints(object)
    ({}, {})
    """
    constraints: dict[str, list[Any]] = getattr(estimator, "_parameter_constraints", {})
    return constraints


def satisfies(value: Any, declared: Any) -> bool:
    """Return whether a value satisfies a constraint of a declaration."""
    return _constraint(declared).allows(value)


def allowed(constraints: Iterable[Any]) -> str:
    """Describe the valid values of a parameter by its entry in ``_parameter_constraints``.

    Examples
    --------
    >>> allowed([one_of("cv", "paper"), number_constraint(0), None])
    'one of cv, paper, a float in the range (0.0, inf) or None'
    """
    words = [_constraint(declared).words for declared in constraints]
    if len(words) == 1:
        return words[0]
    return f"{', '.join(words[:-1])} or {words[-1]}"


def parameter_schemas(estimator: type) -> dict[str, Schema]:
    """Return the JSON schema of each parameter of an estimator, in the order of its signature.

    A parameter without constraints is a `TypeError`.

    Examples
    --------
    >>> class Ridge(Declared):
    ...     _parameter_constraints = {"alpha": [number_constraint(0, closed="left"), None]}
    ...
    ...     def __init__(self, alpha=1.0):
    ...         self.alpha = alpha
    >>> parameter_schemas(Ridge)
    {'alpha': {'anyOf': [{'type': 'number', 'minimum': 0}, {'type': 'null'}]}}
    """
    declared = _declared_constraints(estimator)
    # The signature of ``object`` has the parameters args and kwargs, which are no parameters here.
    defines_init = any("__init__" in vars(base) for base in estimator.__mro__[:-1])
    names = list(inspect.signature(estimator).parameters) if defines_init else []
    if undeclared := [name for name in names if name not in declared]:
        msg = f"{estimator.__name__} declares no constraints of {undeclared[0]}"
        raise TypeError(msg)
    schemas = {}
    for name in names:
        constraints = [_constraint(constraint) for constraint in declared[name]]
        possible = [item.schema for item in constraints if item.schema is not None]
        schemas[name] = possible[0] if len(possible) == 1 else entries.any_of(*possible)
    return schemas


def one_of(*choices: str) -> Constraint:
    """Return the constraint to one of several strings, in the order in which errors name them."""
    names = list(dict.fromkeys(choices))
    return Constraint(
        f"one of {', '.join(names)}",
        lambda value: isinstance(value, str) and value in names,
        entries.choice(*names),
    )


def number_constraint(
    left: float | None = None, right: float | None = None, *, closed: str = "neither"
) -> Constraint:
    """Return the constraint to a finite number between two bounds; None means unbounded."""
    low = -np.inf if left is None else float(left)
    high = np.inf if right is None else float(right)
    with_low = closed in ("left", "both")
    with_high = closed in ("right", "both")

    def allows(value: Any) -> bool:
        if not _is_number(value):
            return False
        above = value >= low if with_low else value > low
        below = value <= high if with_high else value < high
        return bool(above and below)

    opening = "[" if with_low else "("
    closing = "]" if with_high else ")"
    schema = entries.number(
        above=None if with_low else left,
        least=left if with_low else None,
        below=None if with_high else right,
        most=right if with_high else None,
    )
    words = f"a float in the range {opening}{low}, {high}{closing}"
    return Constraint(words, allows, schema)


def whole_constraint(left: int, right: int | None = None) -> Constraint:
    """Return the constraint to a whole number of at least ``left`` and at most ``right``."""
    within = number_constraint(left, right, closed="left" if right is None else "both")
    end = "inf)" if right is None else f"{right}]"
    return Constraint(
        f"an int in the range [{left}, {end}",
        lambda value: isinstance(value, Integral) and within.allows(value),
        entries.whole(left, right),
    )


def columns_constraint() -> Constraint:
    """Return the constraint to names of columns, see `xnbflow.data.columns.column_positions`.

    Whether these columns exist is checked in `fit`.
    """
    words = "columns (positions, names, a slice or a mask)"
    return Constraint(words, _may_name_columns, entries.COLUMNS_SCHEMA)


def Instance(*methods: str) -> Constraint:  # noqa: N802
    """Return the constraint to an object, not a class, that has certain methods."""
    return Constraint(
        f"an instance with {' and '.join(map(repr, methods))}",
        lambda value: (
            not isinstance(value, type)
            and all(callable(getattr(value, name, None)) for name in methods)
        ),
        entries.estimator(),
    )


def ListOf(item: Any) -> Constraint:  # noqa: N802
    """Return the constraint to a list or tuple, each item of which satisfies a constraint."""
    return Constraint(
        f"a list of {_constraint(item).words}",
        lambda value: isinstance(value, (list, tuple)) and all(satisfies(x, item) for x in value),
        entries.list_of(_constraint(item).schema or {}),
    )


def Configured(declared: Any, schema: Schema) -> Constraint:  # noqa: N802
    """Return a constraint that is stricter for a configuration than for a program.

    A program may pass, for example, any array-like, which `fit` checks; a configuration may
    contain only what the ``schema`` allows.
    """
    constraint = _constraint(declared)
    return Constraint(constraint.words, constraint.allows, schema)


def _constraint(declared: Any) -> Constraint:
    return declared if isinstance(declared, Constraint) else _PLAIN[declared]


def _is_number(value: Any) -> bool:
    """Return whether a value is a number for the kernels; a truth value is not."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return bool(-_LARGEST <= value <= _LARGEST)
    return isinstance(value, (float, np.floating)) and not isinstance(value, np.longdouble)


def _is_array_like(value: Any) -> bool:
    sized = any(hasattr(value, name) for name in ("__len__", "shape", "__array__"))
    return sized and not isinstance(value, (str, bytes, type)) and getattr(value, "ndim", 1) > 0


def _is_column(value: Any) -> bool:
    if isinstance(value, Integral):
        return -_LARGEST <= int(value) <= _LARGEST
    return isinstance(value, (str, np.bool_))


def _may_name_columns(value: Any) -> bool:
    """Return whether a value is a column, a list of columns, or a slice of them."""
    if isinstance(value, (bool, np.bool_)):
        return False
    if isinstance(value, slice):
        bounds = [bound for bound in (value.start, value.stop) if bound is not None]
        if value.step is not None and not (isinstance(value.step, Integral) and value.step != 0):
            return False
        return all(_is_column(bound) for bound in bounds)
    if _is_column(value):
        return True
    is_list = isinstance(value, Sequence) or getattr(value, "ndim", None) == 1
    return is_list and all(_is_column(column) for column in value)


#: Constraints that are declared by name, as in scikit-learn.
_PLAIN: dict[Any, Constraint] = {
    None: Constraint("None", lambda value: value is None, entries.nothing()),
    "boolean": Constraint(
        "True or False", lambda value: isinstance(value, (bool, np.bool_)), entries.flag()
    ),
    "array-like": Constraint("an array-like", _is_array_like, entries.list_of({})),
    "random_state": Constraint(
        "an int from 0 to 2**32 - 1, a RandomState or None",
        lambda value: (
            value is None
            or isinstance(value, np.random.RandomState)
            or whole_constraint(0, 2**32 - 1).allows(value)
        ),
        entries.any_of(entries.whole(0, 2**32 - 1), entries.nothing()),
    ),
    callable: Constraint("a callable", callable),
    str: Constraint("a text", lambda value: isinstance(value, str) and bool(value), entries.text()),
    list: Constraint("a list", lambda value: isinstance(value, list), entries.list_of({})),
    tuple: Constraint("a tuple", lambda value: isinstance(value, tuple)),
}

#: Constraints of prior probabilities: any array-like, in a configuration a list of numbers.
PRIORS_CONSTRAINT: list[Any] = [
    Configured("array-like", entries.list_of(entries.number(least=0))),
    None,
]
