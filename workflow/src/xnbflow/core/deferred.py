"""Imports at the first use: what few jobs need and what takes long to import.

scikit-learn imports `scipy.stats` for functions that none of our classifiers calls; it takes longer
than NumPy, pandas and numba together.
"""

import importlib
import sys
import threading
from types import ModuleType
from typing import Any

#: Held while a module is imported, so that two threads do not import it at once.
_LOCK = threading.Lock()


class DeferredModule(ModuleType):
    """A place in `sys.modules` that is taken by the module itself when an attribute is used.

    ``import name`` alone imports nothing; ``name.function`` and ``from name import function`` do.
    """

    def __getattr__(self, attribute: str) -> Any:
        # programs that list modules, such as `inspect` and `warnings`, look for these names
        if attribute.startswith("__") and attribute != "__path__":
            raise AttributeError(attribute)
        with _LOCK:
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), attribute)


def defer_import(name: str) -> None:
    """Import a module at its first use only, in this process; nothing if it has been imported.

    Call this where the process belongs to this package: at the start of a job or a command.
    """
    sys.modules.setdefault(name, DeferredModule(name))


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
