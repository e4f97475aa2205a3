"""Parts of rules: input functions and outputs from paths, and the resources of jobs."""

import math
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

    A path that ends in ``.tsv`` is that of the tables that are also written as text.

    Examples
    --------
    >>> tables_of("results/{dataset}/diagnostics/{table}.parquet", "audit")["components"]
    'results/{dataset}/diagnostics/components.parquet'
    >>> list(tables_of("results/studies/{study}/genes/{dataset}/{table}.tsv", "genes"))
    ['genes', 'contrasts']
    """
    tables = [table for group in groups for table in GROUPS[group].tables.values()]
    if path.endswith(".tsv"):
        tables = [table for table in tables if table.text]
    return {table.name: path.replace("{table}", table.name) for table in tables}


def requested(base: float, per_mb: float, size_mb: float, attempt: int) -> int:
    """Return the MB, or minutes, to request: ``base``, and more for each MB of input.

    Each attempt gets twice as much as the attempt before.

    Examples
    --------
    >>> [requested(1300, 6, 50, attempt) for attempt in (1, 2, 3)]
    [1600, 3200, 6400]
    """
    return math.ceil((base + per_mb * size_mb) * 2 ** (attempt - 1))


def requests(
    *,
    mem_mb: float,
    mem_per_mb: float,
    minutes: float,
    minutes_per_mb: float,
    size_mb: Callable[[Any, Any], float] | None = None,
    factor: Callable[[Any], int] | None = None,
) -> dict[str, Callable[[Any, Any, int], int]]:
    """Return the ``resources`` of a rule, by the size of its input (`requested`).

    Parameters
    ----------
    mem_mb, mem_per_mb : float
        MB, and more for each MB of input.
    minutes, minutes_per_mb : float
        Minutes, and more for each MB of input.
    size_mb : callable, optional
        The size by the wildcards and the input of a job, where it is not that of the input.
    factor : callable, optional
        By the wildcards, how often the minutes are needed.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> of_rule = requests(mem_mb=1300, mem_per_mb=6, minutes=120, minutes_per_mb=3)
    >>> of_rule["mem_mb"](None, SimpleNamespace(size_mb=50), 1)
    1600
    """

    def size_of(wildcards: Any, files: Any) -> float:
        return float(files.size_mb if size_mb is None else size_mb(wildcards, files))

    # Snakemake passes arguments by the names of the parameters.
    def memory(wildcards: Any, input: Any, attempt: int) -> int:  # noqa: A002
        return requested(mem_mb, mem_per_mb, size_of(wildcards, input), attempt)

    def runtime(wildcards: Any, input: Any, attempt: int) -> int:  # noqa: A002
        once = requested(minutes, minutes_per_mb, size_of(wildcards, input), attempt)
        return once if factor is None else factor(wildcards) * once

    return {"mem_mb": memory, "runtime": runtime}


def cpus_for(work: float, most: int, per_cpu: float) -> int:
    """Return the CPUs to request: 1, and 1 more for each ``per_cpu`` of the work, ``most`` at most.

    A job with all CPUs of a machine waits until no other job runs, which delays small work.

    Examples
    --------
    >>> [cpus_for(mb, most=4, per_cpu=300) for mb in (0.1, 299, 300, 10_000)]
    [1, 1, 2, 4]
    """
    return min(most, 1 + int(work / per_cpu))
