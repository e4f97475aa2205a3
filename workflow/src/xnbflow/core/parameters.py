"""Parameters of estimators: each class declares their valid values, which are checked here.

As in scikit-learn, ``_parameter_constraints`` of a class maps the name of each parameter to a list
of constraints; a value must satisfy one of them.
"""

import reprlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from xnbflow.core.errors import InputError

_LARGEST = 2**63 - 1

_SHOWN = reprlib.Repr()
_SHOWN.maxstring = _SHOWN.maxother = 60


class Declared(BaseEstimator):
    """Base class of all estimators with parameters; `fit` calls `_validate_params` first.

    Examples
    --------
    >>> class Ridge(Declared):
    ...     _parameter_constraints = {"alpha": [number(0, closed="left")]}
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
        for name, constraints in self._parameter_constraints.items():
            value = getattr(self, name)
            if not any(satisfies(value, each) for each in constraints):
                msg = (
                    f"{name} is {_SHOWN.repr(value)}; use {allowed(constraints)} "
                    f"({type(self).__name__})"
                )
                raise InputError(msg, key=name)


@dataclass(frozen=True)
class Constraint:
    """A constraint on a parameter, in words and as a function of its value."""

    words: str
    allows: Callable[[Any], bool]


def satisfies(value: Any, declared: Any) -> bool:
    """Return whether a value satisfies a constraint of a declaration."""
    return _constraint(declared).allows(value)


def allowed(constraints: Iterable[Any]) -> str:
    """Describe the valid values of a parameter by its entry in ``_parameter_constraints``.

    Examples
    --------
    >>> allowed([one_of("cv", "paper"), number(0), None])
    'one of cv, paper, a float in the range (0.0, inf) or None'
    """
    *others, last = [_constraint(each).words for each in constraints]
    return f"{', '.join(others)} or {last}" if others else last


def one_of(*choices: str) -> Constraint:
    """Return the constraint to one of several strings, in the order in which errors name them."""
    known = list(dict.fromkeys(choices))
    return Constraint(
        f"one of {', '.join(known)}", lambda value: isinstance(value, str) and value in known
    )


def number(
    left: float | None = None, right: float | None = None, *, closed: str = "neither"
) -> Constraint:
    """Return the constraint to a finite number between two bounds; None means unbounded."""
    low, high = float("-inf" if left is None else left), float("inf" if right is None else right)
    with_low, with_high = closed in ("left", "both"), closed in ("right", "both")

    def allows(value: Any) -> bool:
        above = _is_number(value) and (value >= low if with_low else value > low)
        return bool(above and (value <= high if with_high else value < high))

    opening, closing = "[" if with_low else "(", "]" if with_high else ")"
    return Constraint(f"a float in the range {opening}{low}, {high}{closing}", allows)


def whole(left: int, right: int | None = None) -> Constraint:
    """Return the constraint to a whole number of at least ``left`` and at most ``right``."""
    within = number(left, right, closed="left" if right is None else "both")
    end = "inf)" if right is None else f"{right}]"
    return Constraint(
        f"an int in the range [{left}, {end}",
        lambda value: isinstance(value, Integral) and within.allows(value),
    )


def Columns() -> Constraint:  # noqa: N802
    """Return the constraint to names of columns, see `xnbflow.data.columns.column_positions`.

    Whether these columns exist is checked in `fit`.
    """
    return Constraint("columns (positions, names, a slice or a mask)", _may_name_columns)


def Instance(*methods: str) -> Constraint:  # noqa: N802
    """Return the constraint to an object, not a class, that has certain methods."""
    return Constraint(
        f"an instance with {' and '.join(map(repr, methods))}",
        lambda value: (
            not isinstance(value, type)
            and all(callable(getattr(value, name, None)) for name in methods)
        ),
    )


def ListOf(item: Any) -> Constraint:  # noqa: N802
    """Return the constraint to a list or tuple, each item of which satisfies a constraint."""
    return Constraint(
        f"a list of {_constraint(item).words}",
        lambda value: isinstance(value, (list, tuple)) and all(satisfies(x, item) for x in value),
    )


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


#: Constraints that are declared by name, as in scikit-learn.
_PLAIN: dict[Any, Constraint] = {
    None: Constraint("None", lambda value: value is None),
    "boolean": Constraint("True or False", lambda value: isinstance(value, (bool, np.bool_))),
    "array-like": Constraint("an array-like", _is_array_like),
    "random_state": Constraint(
        "an int from 0 to 2**32 - 1, a RandomState or None",
        lambda value: (
            value is None
            or isinstance(value, np.random.RandomState)
            or whole(0, 2**32 - 1).allows(value)
        ),
    ),
    callable: Constraint("a callable", callable),
    str: Constraint("a text", lambda value: isinstance(value, str) and bool(value)),
    list: Constraint("a list", lambda value: isinstance(value, list)),
    tuple: Constraint("a tuple", lambda value: isinstance(value, tuple)),
}
