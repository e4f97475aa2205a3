"""Run benchmarks and write their table: `python -m benchmarks [--all] [name ...]`.

Every module bench_<name>.py has a function ``rows()`` that returns rows of the one table; it may
have a function ``shown()`` that returns those of them that the page shows, ``details()`` that
returns further tables by name, and ``page()`` that returns a text and the page that holds it. All
rows are printed and written to results/benchmarks, where those that are not measured now stay as
they are. Without names the benchmarks in `SHOWN` are run. Where one has rows on the page only these
are measured, but for ``--all``: every row and the details.
"""

import argparse
import datetime
import importlib
import sys
import time
import traceback
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

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
    RESULTS.mkdir(parents=True, exist_ok=True)
    failed = [name for name in names if not measured(name, details=arguments.all)]
    table = known_rows()
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
        if hasattr(module, "page"):
            write_block(*module.page())


def parse_arguments(words: list[str], benchmark_names: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument(
        "names", nargs="*", help=f"of {', '.join(benchmark_names)}; else those shown"
    )
    parser.add_argument("--all", action="store_true", help="every benchmark, with its details")
    parser.add_argument("--keep-page", action="store_true", help="do not write the page")
    arguments = parser.parse_args(words)
    if unknown := sorted(set(arguments.names) - set(benchmark_names)):
        parser.error(f"no benchmark {unknown[0]!r}; there are {', '.join(benchmark_names)}")
    return arguments


def measured(name: str, *, details: bool) -> bool:
    """Run one benchmark and keep its rows; say where it failed, so that the others go on."""
    print(f"benchmark: {name}", file=sys.stderr, end=" ", flush=True)
    start = time.perf_counter()
    try:
        module = importlib.import_module(f"bench_{name}")
        rows = module.rows() if details else getattr(module, "shown", module.rows)()
        more = getattr(module, "details", dict)() if details else {}
    except Exception:  # noqa: BLE001  the others are measured all the same
        traceback.print_exc()
        return False
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
    keep(pd.DataFrame(rows).assign(benchmark=name, measured=str(datetime.date.today())))
    for key, table in more.items():
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
