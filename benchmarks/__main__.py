"""Run benchmarks and write their table: `python -m benchmarks [--small] [name ...]`.

A module bench_<name>.py has functions of these:

* ``rows()`` returns rows of the table of times (`benchmarks.rows.row`);
* ``details()`` returns further tables by name;
* ``pages()`` returns pairs of a text and the page that contains it.

Rows and tables are printed and written to results/benchmarks, where rows that are not measured now
stay as they are. Without names the benchmarks in `PEERS` are run, whose rows
docs/performance.md has. A benchmark that computes neither a row nor a table with rows fails.

``--small`` sets the names in a module's mapping ``SMALL`` to its values, so that it runs in
seconds, and writes nothing. Without names it runs all benchmarks and `PROGRAMS`.
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
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType

import pandas as pd

HERE = Path(__file__).parent
RESULTS = HERE.parent / "results" / "benchmarks"
#: The benchmarks beside other programs, in the order of docs/performance.md.
PEERS = ("xnb", "gaussian", "flexible", "normality", "dependence", "linear_models", "cumida")
#: Programs of their own with small settings: `python -m benchmarks.<name>`.
PROGRAMS = ("one_series", "verdicts")


def main(words: list[str]) -> None:
    """Run the benchmarks named; end with 1 where one failed, after all others."""
    benchmark_names = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    arguments = parse_arguments(words, [*benchmark_names, *PROGRAMS])
    if arguments.small:
        names = arguments.names or [*benchmark_names, *PROGRAMS]
        failed = [name for name in names if not runs_small(name)]
        if failed:
            sys.exit(f"failed: {', '.join(failed)}")
        return
    if programs := sorted(set(arguments.names) & set(PROGRAMS)):
        sys.exit(f"run it by itself: python -m benchmarks.{programs[0]}")
    RESULTS.mkdir(parents=True, exist_ok=True)
    names = arguments.names or PEERS
    failed = [name for name in names if not measured(name)]
    table = stored_rows()
    if len(table):
        print(f"\n{table.to_string(index=False, float_format='{:.4g}'.format)}")
    if not arguments.keep_page:
        write_pages(names, table)
    if failed:
        sys.exit(f"failed, and not in the tables: {', '.join(failed)}")


def parse_arguments(words: list[str], names: list[str]) -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("names", nargs="*", help=f"of {', '.join(names)}")
    parser.add_argument("--small", action="store_true", help="in seconds; write nothing")
    parser.add_argument("--keep-page", action="store_true", help="do not write the page")
    arguments = parser.parse_args(words)
    if unknown := sorted(set(arguments.names) - set(names)):
        parser.error(f"no benchmark {unknown[0]!r}; there are {', '.join(names)}")
    return arguments


def computed(module: ModuleType) -> tuple[list[dict], dict[str, pd.DataFrame]]:
    """Return the rows and tables of a benchmark.

    A benchmark that computes nothing, or a table without rows, is a `ValueError`.
    """
    rows = module.rows() if hasattr(module, "rows") else []
    tables = module.details() if hasattr(module, "details") else {}
    empty = [key for key, table in tables.items() if not len(table)]
    if empty or not (rows or tables):
        msg = f"computed nothing: no rows{' of ' + ', '.join(empty) if empty else ''}"
        raise ValueError(msg)
    return rows, tables


def measured(name: str) -> bool:
    """Run a benchmark and keep its rows and tables; return whether it ran."""
    print(f"benchmark: {name}", file=sys.stderr, end=" ", flush=True)
    start = time.perf_counter()
    try:
        rows, tables = computed(importlib.import_module(f"benchmarks.bench_{name}"))
    except Exception:  # noqa: BLE001  the others are measured all the same
        traceback.print_exc()
        return False
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
    if rows:
        keep(pd.DataFrame(rows).assign(benchmark=name, measured=str(datetime.date.today())))
    for key, table in tables.items():
        print(f"\n{key}\n{table.to_string(index=False, float_format='{:.4g}'.format)}")
        write(table, key)
    return True


def runs_small(name: str) -> bool:
    """Run a benchmark or program with its small settings; return whether it computed something."""
    is_program = name in PROGRAMS
    module = importlib.import_module(f"benchmarks.{name if is_program else 'bench_' + name}")
    for setting, value in module.SMALL.items():
        setattr(module, setting, value)
    start = time.perf_counter()
    try:
        with tempfile.TemporaryDirectory() as folder:
            if hasattr(module, "RESULTS"):  # the results of a small run are not kept
                module.RESULTS = Path(folder)
            report = run_program(module.main, module.SMALL_WORDS) if is_program else sizes(module)
    except Exception:  # noqa: BLE001  the others are run all the same
        traceback.print_exc()
        return False
    print(f"{name}: {time.perf_counter() - start:.0f} s, {report}", flush=True)
    return True


def run_program(program: Callable[[list[str]], None], words: Iterable[str]) -> str:
    """Run the main function of a program; one that prints no number is a `ValueError`."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        program(list(words))
    text = printed.getvalue()
    if not re.search(r"\d", text):
        raise ValueError("printed no number")
    return f"{text.count(chr(10))} lines"


def sizes(module: ModuleType) -> str:
    """Run a benchmark, and return the numbers of its rows."""
    rows, tables = computed(module)
    n_rows = {"rows": len(rows)} | {key: len(table) for key, table in tables.items()}
    return ", ".join(f"{key}: {n}" for key, n in n_rows.items() if n)


def write_pages(names: Iterable[str], table: pd.DataFrame) -> None:
    """Write the table of times, and the pages of those benchmarks that have one."""
    from benchmarks.performance_page import block, write_block  # noqa: PLC0415

    if set(names) & set(PEERS):
        write_block(block(in_order(table)))
    for name in names:
        module = importlib.import_module(f"benchmarks.bench_{name}")
        for text, path in module.pages() if hasattr(module, "pages") else []:
            write_block(text, path)


def keep(fresh: pd.DataFrame) -> None:
    """Put rows in place of earlier ones of the same work and peer."""
    table = pd.concat([stored_rows(), fresh], ignore_index=True)
    table = table.drop_duplicates(["benchmark", "work", "peer"], keep="last", ignore_index=True)
    write(table, "benchmarks")


def stored_rows() -> pd.DataFrame:
    """Return the rows of earlier runs."""
    path = RESULTS / "benchmarks.parquet"
    return pd.read_parquet(path) if path.is_file() else pd.DataFrame()


def in_order(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the page in its order."""
    if not len(table):
        sys.exit("no benchmark has been measured")
    place = {name: i for i, name in enumerate(PEERS)}
    table = table[table["benchmark"].isin(PEERS)]
    return table.loc[table["benchmark"].map(place).sort_values(kind="stable").index]


def write(table: pd.DataFrame, name: str) -> None:
    """Write a table as text and as Parquet."""
    table.to_csv(RESULTS / f"{name}.tsv", sep="\t", index=False)
    table.to_parquet(RESULTS / f"{name}.parquet", index=False)


if __name__ == "__main__":
    main(sys.argv[1:])
