"""Input functions and outputs of rules, from the paths that a rule contains."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from xnbflow.tables.contract import GROUPS, PathTemplate

#: The values of some wildcards of a path, for example ``{"dataset": "wine"}``.
Values = Mapping[str, str]


def at(choose: Callable[[Any], Values], path: str) -> Callable[[Any], str]:
    """Return an input function whose file is at a path.

    ``choose`` returns values of wildcards of the path by those of the job; all others of the path
    are wildcards of the job.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> first_scheme = at(lambda wildcards: {"folds": "10-fold"}, "{dataset}/{folds}/fits.parquet")
    >>> first_scheme(SimpleNamespace(dataset="wine"))
    'wine/10-fold/fits.parquet'
    """
    return lambda wildcards: _fill_path(path, wildcards, choose(wildcards))


def over(
    choose: Callable[[Any], Iterable[Values]], path: str, tables: Iterable[str] = ()
) -> Callable[[Any], list[str]]:
    """Return an input function with a file for each of several values, and each of ``tables``.

    See `at`; the wildcard ``table`` of the path has the names of ``tables``.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> both = over(lambda _: [{"dataset": "wine"}, {"dataset": "iris"}], "{study}/{dataset}.tsv")
    >>> both(SimpleNamespace(study="demo"))
    ['demo/wine.tsv', 'demo/iris.tsv']
    """
    paths = [path.replace("{table}", name) for name in tables] or [path]
    return lambda wildcards: [
        _fill_path(template, wildcards, values)
        for template in paths
        for values in choose(wildcards)
    ]


def together(*functions: Callable[[Any], list[str]]) -> Callable[[Any], list[str]]:
    """Return an input function with the files of several functions, one after the other."""
    return lambda wildcards: [path for function in functions for path in function(wildcards)]


def _fill_path(path: str, wildcards: Any, values: Values) -> str:
    """Return a path with ``values``, and the wildcards of a job for all others."""
    template = PathTemplate(path)
    of_job = {name: getattr(wildcards, name) for name in template.wildcards - values.keys()}
    used = {name: value for name, value in values.items() if name in template.wildcards}
    return template.of(**of_job, **used)


def tables_of(path: str, *groups: str) -> dict[str, str]:
    """Return the file of each table of groups of the contract by the name of the table.

    Examples
    --------
    >>> tables_of("results/{dataset}/diagnostics/{table}.parquet", "audit")["components"]
    'results/{dataset}/diagnostics/components.parquet'
    """
    names = [name for group in groups for name in GROUPS[group].tables]
    return {name: path.replace("{table}", name) for name in names}
