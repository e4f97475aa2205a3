"""Parameters of estimators: what each may be is declared once per class and checked in one place.

A class declares as scikit-learn does, with the same words: ``_parameter_constraints`` maps the name
of each parameter to a list of constraints, of which its value must satisfy one.
"""

import reprlib
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions, make_constraint

from xnbflow.data.errors import InputError

__all__ = [
    "Columns",
    "Declared",
    "HasMethods",
    "Instance",
    "ListOf",
    "allowed",
    "number",
    "one_of",
    "whole",
]

_LARGEST = 2**63 - 1

_SHOWN = reprlib.Repr()
_SHOWN.maxstring = _SHOWN.maxother = 60


class Declared(BaseEstimator):
    """Base class of everything with parameters; `fit` calls `_validate_params` first.

    Examples
    --------
    >>> class Ridge(Declared):
    ...     _parameter_constraints = {"alpha": [number(0, closed="left")]}
    ...
    ...     def __init__(self, alpha=1.0):
    ...         self.alpha = alpha
    >>> Ridge("much")._validate_params()
    Traceback (most recent call last):
    xnbflow.data.errors.InputError: alpha is 'much'; use a float in the range [0.0, inf) (Ridge)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def _validate_params(self) -> None:
        """Raise an `InputError` that names the first parameter outside its declaration."""
        for name, value in self.get_params(deep=False).items():
            constraints = self._parameter_constraints.get(name)
            if constraints and not any(_satisfies(value, each) for each in constraints):
                msg = (
                    f"{name} is {_SHOWN.repr(value)}; use {allowed(constraints)} "
                    f"({type(self).__name__})"
                )
                raise InputError(msg)


def allowed(constraints: Iterable[Any]) -> str:
    """Return what a parameter may be, in words.

    Parameters
    ----------
    constraints : iterable
        The parameter's entry in ``_parameter_constraints``.

    Examples
    --------
    >>> allowed([one_of("cv", "paper"), number(0), None])
    'one of cv, paper, a float in the range (0.0, inf) or None'
    """
    *others, last = [str(_constraint(each)) for each in constraints]
    return f"{', '.join(others)} or {last}" if others else last


def one_of(*choices: str) -> StrOptions:
    """Return the constraint to one of several strings, in the order in which errors name them."""
    return _OneOf(dict.fromkeys(choices).keys())


def number(
    left: float | None = None, right: float | None = None, *, closed: str = "neither"
) -> Any:
    """Return the constraint to a finite number between two bounds, None for unbounded."""
    return Interval(Real, left, right, closed=closed)


def whole(left: int, right: int | None = None) -> Interval:
    """Return the constraint to a whole number of at least ``left`` and at most ``right``."""
    return Interval(Integral, left, right, closed="left" if right is None else "both")


class _Constraint:
    """A constraint that scikit-learn does not have."""


class Columns(_Constraint):
    """The constraint to what names columns, see `xnbflow.data.columns.column_positions`.

    Whether there are such columns shows in `fit` only.
    """

    def is_satisfied_by(self, value: Any) -> bool:
        """Return whether columns could be named so."""
        if isinstance(value, (bool, np.bool_)):
            return False
        if isinstance(value, slice):
            bounds = [value.start, value.stop]
            return all(each is None or _is_column(each) for each in bounds) and (
                value.step is None or (isinstance(value.step, Integral) and value.step != 0)
            )
        if _is_column(value):
            return True
        listed = isinstance(value, Sequence) or getattr(value, "ndim", None) == 1
        return listed and all(_is_column(each) for each in value)

    def __str__(self) -> str:
        return "columns (positions, names, a slice or a mask)"


class Instance(_Constraint):
    """The constraint to an object, not a class, that has certain methods."""

    def __init__(self, *methods: str) -> None:
        self.methods = methods
        self._constraint = HasMethods(list(methods))

    def is_satisfied_by(self, value: Any) -> bool:
        """Return whether the value is such an object."""
        return not isinstance(value, type) and self._constraint.is_satisfied_by(value)

    def __str__(self) -> str:
        return f"an instance with {' and '.join(map(repr, self.methods))}"


class ListOf(_Constraint):
    """The constraint to a list or tuple, each item of which satisfies a constraint."""

    def __init__(self, item: Any) -> None:
        self.item = item

    def is_satisfied_by(self, value: Any) -> bool:
        """Return whether the value is such a list."""
        return isinstance(value, (list, tuple)) and all(_satisfies(x, self.item) for x in value)

    def __str__(self) -> str:
        return f"a list of {_constraint(self.item)}"


class _OneOf(StrOptions):
    def __str__(self) -> str:
        return f"one of {', '.join(self.options)}"


def _is_column(value: Any) -> bool:
    if isinstance(value, Integral):
        return -_LARGEST <= int(value) <= _LARGEST
    return isinstance(value, (str, np.bool_))


def _constraint(declared: Any) -> Any:
    return declared if isinstance(declared, _Constraint) else make_constraint(declared)


def _satisfies(value: Any, declared: Any) -> bool:
    constraint = _constraint(declared)
    if isinstance(constraint, Interval):
        return _is_number(value) and constraint.is_satisfied_by(value)
    return constraint.is_satisfied_by(value)


def _is_number(value: Any) -> bool:
    """Return whether a value is a number that the kernels take; a truth value is none."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return bool(-_LARGEST <= value <= _LARGEST)
    return isinstance(value, (float, np.floating)) and not isinstance(value, np.longdouble)
