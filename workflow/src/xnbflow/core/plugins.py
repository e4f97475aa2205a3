"""Entries that are found by entry points: of the papers here and of other packages.

The core does not depend on papers. A folder of `xnbflow.papers` declares its entries in
``entry_points.txt``, in the format of an installed package; the same checks apply to both.
"""

import re
from collections.abc import Iterable, Mapping
from configparser import ConfigParser
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Protocol, TypeVar

from xnbflow.core.entries import Analysis, Method
from xnbflow.core.errors import InputError, quoted

#: The groups of entry points by which packages add entries.
_GROUPS = ("xnbflow.analyses", "xnbflow.methods", "xnbflow.sources")

#: The folder of the papers; each is a package.
PAPERS = Path(__file__).parents[1] / "papers"


class _HasName(Protocol):
    @property
    def name(self) -> str: ...


_Entry = TypeVar("_Entry", bound=_HasName)


def with_papers(
    group: str, kind: type[_Entry], core_entries: Mapping[str, _Entry]
) -> dict[str, _Entry]:
    """Return the entries of the core and of the papers in this installation, by name."""
    points = [point for point in _points_of_papers() if point.group == group]
    return _with_points(points, kind, core_entries)


def with_plugins(
    group: str, kind: type[_Entry], core_entries: Mapping[str, _Entry]
) -> dict[str, _Entry]:
    """Return the entries of core and papers, and those that installed packages add to a group.

    A package adds an entry by these lines of its pyproject.toml, where ``toy.entries`` is a module
    that imports nothing heavy and ``NEAREST`` is an `xnbflow.core.entries.Method`::

        [project.entry-points."xnbflow.methods"]
        nearest = "toy.entries:NEAREST"

    Raises
    ------
    InputError
        If an entry cannot be loaded, is of another kind or name, or its name is taken.
    """
    installed = sorted(entry_points(group=group), key=lambda point: (point.name, point.value))
    return _with_points(installed, kind, with_papers(group, kind, core_entries))


@cache
def shipped_analyses() -> Mapping[str, Analysis]:
    """Return the analyses of the papers, by name."""
    return with_papers("xnbflow.analyses", Analysis, {})


@cache
def known_analyses() -> Mapping[str, Analysis]:
    """Return every analysis by name: analyses of the papers, and of packages that add some."""
    return with_plugins("xnbflow.analyses", Analysis, {})


def shipped_estimator(package: str, name: str) -> Any:
    """Return an estimator of a paper by the name of its class, for ``__getattr__`` of a package.

    Raises
    ------
    AttributeError
        If no paper in this installation has an estimator of that name.
    """
    path = shipped_estimators().get(name)
    if path is None:
        msg = f"module {package!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(path.rpartition(".")[0]), name)


@cache
def shipped_estimators() -> Mapping[str, str]:
    """Return the import path of each estimator of the papers, by the name of its class."""
    papers = with_papers("xnbflow.methods", Method, {}).values()
    paths = {entry.estimator for entry in papers}.union(*(entry.related for entry in papers))
    return {path.rpartition(".")[2]: path for path in sorted(paths)}


@cache
def plugin_modules() -> tuple[str, ...]:
    """Return the modules with the entries that other packages add."""
    modules = {point.module for group in _GROUPS for point in entry_points(group=group)}
    return tuple(sorted(modules))


@cache
def _points_of_papers() -> list[EntryPoint]:
    """Return the entry points of the papers, in their order."""
    points = []
    for path in sorted(PAPERS.glob("*/entry_points.txt")):
        declared = ConfigParser(delimiters=("=",))
        declared.read_string(path.read_text(encoding="utf-8"), source=str(path))
        for group in declared.sections():
            points += [EntryPoint(name, value, group) for name, value in declared[group].items()]
    return points


def _with_points(
    points: Iterable[EntryPoint], kind: type[_Entry], entries: Mapping[str, _Entry]
) -> dict[str, _Entry]:
    """Return entries by name, with those of entry points, which are checked: see `with_plugins`."""
    entries = dict(entries)
    for point in points:
        package = point.dist.name if point.dist else point.module.partition(".")[0]
        where = f"entry point {point.name!r} of {point.group} in {package}"
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
                f"{where}: {point.value} is not an xnbflow.core.entries.{kind.__name__} but "
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
