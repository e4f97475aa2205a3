"""Entries that other packages add, found by their entry points; a broken one is refused loudly."""

import re
from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Protocol, TypeVar

from xnbflow.core.errors import InputError, quoted

__all__ = ["plugin_modules", "with_plugins"]

_GROUPS = ("xnbflow.analyses", "xnbflow.methods", "xnbflow.sources")


class _Named(Protocol):
    @property
    def name(self) -> str: ...


_Entry = TypeVar("_Entry", bound=_Named)


def with_plugins(group: str, kind: type[_Entry], own: Mapping[str, _Entry]) -> dict[str, _Entry]:
    """Return our own entries and those that installed packages add to a group.

    A package adds one, say, by these lines of its pyproject.toml, where ``toy.entries`` is a module
    that imports nothing heavy and ``NEAREST`` an `xnbflow.core.entries.Method`::

        [project.entry-points."xnbflow.methods"]
        nearest = "toy.entries:NEAREST"

    Raises
    ------
    InputError
        If an entry cannot be loaded, is of another kind or name, or its name is taken.
    """
    entries = dict(own)
    for point in sorted(entry_points(group=group), key=lambda each: (each.name, each.value)):
        package = point.dist.name if point.dist else "an unknown package"
        where = f"entry point {point.name!r} of {group} in {package}"
        try:
            entry = point.load()
        except Exception as error:  # whatever a foreign module raises
            reason = f"({type(error).__name__}: {quoted(str(error), 120)})"
            msg = (
                f"{where}: {point.value} cannot be loaded {reason}; mend or uninstall that package"
            )
            raise InputError(msg) from error
        if not isinstance(entry, kind):
            msg = (
                f"{where}: {point.value} is no xnbflow.core.entries.{kind.__name__} but "
                f"{quoted(entry)}; mend or uninstall that package"
            )
            raise InputError(msg)
        if entry.name != point.name or not re.fullmatch(r"[a-z][a-z0-9_-]{0,59}", entry.name):
            msg = f"{where}: the entry calls itself {quoted(entry.name)}; give both the same name"
            raise InputError(msg)
        if entry.name in entries:
            raise InputError(f"{where}: the name is taken; rename the entry")
        entries[entry.name] = entry
    return entries


def plugin_modules() -> list[str]:
    """Return the modules with the entries that other packages add."""
    return sorted({point.module for group in _GROUPS for point in entry_points(group=group)})
