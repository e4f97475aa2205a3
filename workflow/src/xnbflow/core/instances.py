"""Whether a value is an instance of a class whose package may not be imported."""

import sys


def is_instance(value: object, *classes: str) -> bool:
    """Return whether a value is an instance of a class, without an import of the class.

    ``classes`` are import paths. A class whose module has not been imported has no instances.

    Examples
    --------
    >>> from fractions import Fraction
    >>> is_instance(Fraction(1, 2), "fractions.Fraction", "no_such_package.Class")
    True
    """
    for path in classes:
        module, _, name = path.rpartition(".")
        kind = getattr(sys.modules.get(module), name, None)
        if kind is not None and isinstance(value, kind):
            return True
    return False
