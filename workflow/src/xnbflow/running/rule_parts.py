"""Parts of rules: input functions and outputs from paths, parameters and resources of jobs."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from xnbflow.running.provenance import stage_code
from xnbflow.tables.contract import GROUPS, PathTemplate, text_of

#: The values of some wildcards of a path, for example ``{"dataset": "wine"}``.
Values = Mapping[str, str]


def over(choose: Callable[[Any], Iterable[Values]], *paths: str) -> Callable[[Any], list[str]]:
    """Return an input function with the file at each path for each of several values.

    ``choose`` returns values of wildcards of the paths by those of the job; all others of a path
    are wildcards of the job.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> both = over(lambda _: [{"dataset": "wine"}, {"dataset": "iris"}], "{study}/{dataset}.tsv")
    >>> both(SimpleNamespace(study="demo"))
    ['demo/wine.tsv', 'demo/iris.tsv']
    """
    return lambda wildcards: [
        _fill_path(path, wildcards, values) for path in paths for values in choose(wildcards)
    ]


def tables_over(
    choose: Callable[[Any], Iterable[Values]], *groups: str
) -> Callable[[Any], list[str]]:
    """Return an input function with every table of groups for each of several values.

    See `over`. The rule that writes the tables has their path.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> checks = tables_over(lambda _: [{"dataset": "wine"}], "check")
    >>> checks(SimpleNamespace(study="demo"))[0]
    'results/studies/demo/checks/wine/label_test.parquet'
    """
    return over(choose, *(path for group in groups for path in GROUPS[group].files.values()))


def _fill_path(path: str, wildcards: Any, values: Values) -> str:
    """Return a path with ``values``, and the wildcards of a job for all others."""
    template = PathTemplate(path)
    of_job = {name: getattr(wildcards, name) for name in template.wildcards - values.keys()}
    used = {name: value for name, value in values.items() if name in template.wildcards}
    return template.of(**of_job, **used)


def tables_of(path: str) -> dict[str, str]:
    """Return the file of each table that the contract has at a path, by the name of the table.

    A table that is also written as text has a second file, under its name and ``_text``.

    Examples
    --------
    >>> tables = tables_of("results/studies/{study}/genes/{dataset}/{table}.parquet")
    >>> tables["genes"]
    'results/studies/{study}/genes/{dataset}/genes.parquet'
    >>> tables["genes_text"]
    'results/studies/{study}/genes/{dataset}/genes.tsv'
    """
    files = {}
    for group in GROUPS.values():
        if group.path != path:
            continue
        for name, schema in group.tables.items():
            files[name] = path.replace("{table}", name)
            if schema.text:
                files[f"{name}_text"] = str(text_of(files[name]))
    return files


def parameters(
    stage: str,
    arguments: Callable[[Any], Any] | None = None,
    own_code: Callable[[Any], Mapping[str, str]] | None = None,
) -> dict[str, Any]:
    """Return the ``params`` of a rule, of which a change repeats its jobs.

    Parameters
    ----------
    stage : str
        The stage of the rule, whose code has a digest (`xnbflow.running.provenance.STAGES`).
    arguments : callable, optional
        By the wildcards, what the script of the rule reads of the configuration.
    own_code : callable, optional
        By the wildcards, the digests of modules of the user and of plugins.

    Examples
    --------
    >>> list(parameters("judging", own_code=lambda wildcards: {}))
    ['code', 'own_code']
    """
    chosen: dict[str, Any] = {"code": stage_code(stage)}
    if arguments is not None:
        chosen["arguments"] = arguments
    if own_code is not None:
        chosen["own_code"] = own_code
    return chosen


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
