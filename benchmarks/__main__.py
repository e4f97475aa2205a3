"""Run benchmarks and write their table: `python -m benchmarks [--all] [--small] [name ...]`.

Every module bench_<name>.py has a function ``rows()`` that returns rows of the one table; it may
have a function ``shown()`` that returns those of them that the page shows, ``details()`` that
returns further tables by name, ``page()`` that returns a text and the page that holds it, and
``pages()`` that returns several such pairs. All
rows are printed and written to results/benchmarks, where those that are not measured now stay as
they are. Without names the benchmarks in `SHOWN` are run. Where one has rows on the page only these
are measured, but for ``--all``: every row and the details. The details of a benchmark without any
row of times are computed in either case. One that returns neither a row nor a table with rows
fails.

``--small`` sets the names in the module's mapping ``SMALL`` to its values, so that it runs in
seconds, and writes nothing; ``--cited`` takes the benchmarks that a document names and that have
such a mapping, and the programs beside them that a document names.
"""

import argparse
import contextlib
import datetime
import importlib
import io
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

#: Cited programs without settings for a run of seconds, and the reason.
WITHOUT_SMALL = {
    "arrhythmia": "36 readings of a file of XNBFLOW_DATA, four minutes",
    "default_peers": "all series of XNBFLOW_DATA, with a forest",
    "grouping": "a series of XNBFLOW_DATA",
    "mutants": "hours; it runs the tests",
    "paper_scale": "a study of 18 series, minutes; `make paper-scale`",
    "series_verdicts": "all series of XNBFLOW_DATA",
    "processors": "`make test-processors` runs it",
}
#: Cited benchmarks without such settings, and the reason.
WITHOUT_SMALL_SETTINGS = {
    "accuracy": "all series of XNBFLOW_DATA",
    "draws": "five series of XNBFLOW_DATA",
    "exchanged": "all series of XNBFLOW_DATA",
    "neighbours": "a series of XNBFLOW_DATA, and R",
}
HERE = Path(__file__).parent
RESULTS = HERE.parent / "results" / "benchmarks"
#: The benchmarks with rows on the page, in its order.
SHOWN = (
    "xnb",
    "gaussian",
    "flexible",
    "samples",
    "normality",
    "dependence",
    "linear_models",
    "cumida",
)


def main(words: list[str]) -> None:
    """Run the benchmarks named; end with 1 where one failed, after all others."""
    sys.path.insert(0, str(HERE))
    benchmark_names = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    arguments = parse_arguments(words, benchmark_names)
    names = arguments.names or (benchmark_names if arguments.all else SHOWN)
    if arguments.cited:
        names = [name for name in cited_names() if has_small(name)]
    if arguments.small:
        failed = [name for name in names if not runs_small(name)]
        if arguments.cited:
            failed += [name for name in cited_programs() if not program_runs_small(name)]
        if failed:
            sys.exit(f"failed: {', '.join(failed)}")
        return
    RESULTS.mkdir(parents=True, exist_ok=True)
    failed = [name for name in names if not measured(name, details=arguments.all)]
    table = known_rows()
    if len(table):
        print(f"\n{table.to_string(index=False, float_format='{:.4g}'.format)}")
    if not arguments.keep_page:
        write_pages(names, table)
    if failed:
        sys.exit(f"failed, and not in the tables: {', '.join(failed)}")


def write_pages(names: Iterable[str], table: pd.DataFrame) -> None:
    """Write the table of times, and the pages of those benchmarks that have one."""
    from performance_page import block, write_block  # noqa: PLC0415  found beside this file

    if set(names) & set(SHOWN):
        write_block(block(in_order(table)))
    for name in names:
        module = importlib.import_module(f"bench_{name}")
        blocks = module.pages() if hasattr(module, "pages") else []
        if hasattr(module, "page"):
            blocks.append(module.page())
        for text, path in blocks:
            write_block(text, path)


def parse_arguments(words: list[str], benchmark_names: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument(
        "names", nargs="*", help=f"of {', '.join(benchmark_names)}; else those shown"
    )
    parser.add_argument("--all", action="store_true", help="every benchmark, with its details")
    parser.add_argument("--small", action="store_true", help="in seconds; write nothing")
    parser.add_argument("--cited", action="store_true", help="those that documents name")
    parser.add_argument("--keep-page", action="store_true", help="do not write the page")
    arguments = parser.parse_args(words)
    if unknown := sorted(set(arguments.names) - set(benchmark_names)):
        parser.error(f"no benchmark {unknown[0]!r}; there are {', '.join(benchmark_names)}")
    return arguments


def cited_names() -> list[str]:
    """Return the benchmarks that documents name as `python -m benchmarks <name>`."""
    return sorted(texts_of_documents(r"`python -m benchmarks (\w+)`"))


def cited_programs() -> list[str]:
    """Return the programs that documents name as `python -m benchmarks.<name>`, with settings.

    The others need minutes, or files that only this machine has; `WITHOUT_SMALL` has the reasons.
    """
    names = texts_of_documents(r"`python -m benchmarks\.(\w+)")
    return sorted(name for name in names if name not in WITHOUT_SMALL)


def texts_of_documents(pattern: str) -> set[str]:
    """Return what a pattern with one group finds in all documents."""
    texts: set[str] = set()
    root = HERE.parent
    for path in (*root.glob("*.md"), *root.glob("docs/**/*.md"), HERE / "README.md"):
        texts.update(re.findall(pattern, path.read_text(encoding="utf-8")))
    return texts


def program_runs_small(name: str) -> bool:
    """Run a program with its small settings; return whether it printed a number."""
    module = importlib.import_module(name)
    for setting, value in module.SMALL.items():
        setattr(module, setting, value)
    start = time.perf_counter()
    printed = io.StringIO()
    try:
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(printed):
            results = getattr(module, "RESULTS", HERE)  # a folder or a file
            module.RESULTS = Path(folder, results.name) if results.suffix else Path(folder)
            module.main(list(module.SMALL_WORDS))
    except Exception:  # noqa: BLE001  the others are run all the same
        traceback.print_exc()
        return False
    if not re.search(r"\d", printed.getvalue()):
        print(f"{name}: printed no number", file=sys.stderr)
        return False
    lines = printed.getvalue().count("\n")
    print(f"{name}: {time.perf_counter() - start:.0f} s, {lines} lines")
    return True


def has_small(name: str) -> bool:
    """Return whether a benchmark has settings for a run of seconds."""
    return hasattr(importlib.import_module(f"bench_{name}"), "SMALL")


def runs_small(name: str) -> bool:
    """Run one benchmark with its small settings; return whether it computed something."""
    module = importlib.import_module(f"bench_{name}")
    if not hasattr(module, "SMALL"):
        print(f"{name}: has no small settings", file=sys.stderr)
        return False
    for setting, value in module.SMALL.items():
        setattr(module, setting, value)
    start = time.perf_counter()
    try:
        with tempfile.TemporaryDirectory() as folder:
            if hasattr(module, "RESULTS"):  # what a small run finds is not kept
                module.RESULTS = Path(folder, module.RESULTS.name)
            rows, tables = computed(module, details=True)
    except Exception:  # noqa: BLE001  the others are run all the same
        traceback.print_exc()
        return False
    sizes = {"rows": len(rows)} | {key: len(table) for key, table in tables.items()}
    print(f"{name}: {time.perf_counter() - start:.0f} s, {sizes}")
    return True


def computed(module: Any, *, details: bool) -> tuple[list[dict], dict[str, pd.DataFrame]]:
    """Return the rows of a benchmark, and its tables where asked for or where it has no rows.

    A benchmark that computes nothing, or a table without rows, is a `ValueError`.
    """
    rows = module.rows() if details else getattr(module, "shown", module.rows)()
    tables = {}
    if hasattr(module, "details") and (details or not rows):
        tables = module.details()
    empty = [key for key, table in tables.items() if not len(table)]
    if empty or not (rows or tables):
        msg = f"computed nothing: no rows{' of ' + ', '.join(empty) if empty else ''}"
        raise ValueError(msg)
    return rows, tables


def measured(name: str, *, details: bool) -> bool:
    """Run one benchmark and keep its rows; say where it failed, so that the others go on."""
    print(f"benchmark: {name}", file=sys.stderr, end=" ", flush=True)
    start = time.perf_counter()
    try:
        module = importlib.import_module(f"bench_{name}")
        rows, more = computed(module, details=details)
    except Exception:  # noqa: BLE001  the others are measured all the same
        traceback.print_exc()
        return False
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
    if rows:
        keep(pd.DataFrame(rows).assign(benchmark=name, measured=str(datetime.date.today())))
    for key, table in more.items():
        print(f"\n{key}\n{table.to_string(index=False, float_format='{:.4g}'.format)}")
        write(table, key)
    return True


def keep(fresh: pd.DataFrame) -> None:
    """Put rows in place of earlier ones of the same work and peer."""
    table = pd.concat([known_rows(), fresh], ignore_index=True)
    table = table.drop_duplicates(["benchmark", "work", "peer"], keep="last", ignore_index=True)
    write(table, "benchmarks")


def known_rows() -> pd.DataFrame:
    """Return the rows that are there, those of earlier programs left out."""
    path = RESULTS / "benchmarks.parquet"
    table = pd.read_parquet(path) if path.is_file() else pd.DataFrame()
    return table if {"benchmark", "measured", "shown"} <= set(table) else pd.DataFrame()


def in_order(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows in the order of the page."""
    place = {name: i for i, name in enumerate(SHOWN)}
    if not len(table):
        sys.exit("no benchmark has been measured")
    order = table["benchmark"].map(lambda name: place.get(name, len(SHOWN)))
    return table.loc[order.sort_values(kind="stable").index]


def write(table: pd.DataFrame, name: str) -> None:
    table.to_csv(RESULTS / f"{name}.tsv", sep="\t", index=False)
    table.to_parquet(RESULTS / f"{name}.parquet", index=False)


if __name__ == "__main__":
    main(sys.argv[1:])
