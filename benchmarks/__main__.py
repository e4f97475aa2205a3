"""Run every benchmark: `python -m benchmarks [name ...]`, say `python -m benchmarks xnb gaussian`.

Every module bench_<name>.py has a function ``rows()`` that returns rows of the one table; it may
have a function ``details()`` that returns further tables by name. All are printed and written to
results/benchmarks.
"""

import importlib
import sys
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
RESULTS = HERE.parent / "results" / "benchmarks"


def main(names: list[str]) -> None:
    """Run the benchmarks named, or all."""
    sys.path.insert(0, str(HERE))
    known = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    unknown = sorted(set(names) - set(known))
    if unknown:
        sys.exit(f"no benchmark {unknown[0]!r}; there are {', '.join(known)}")
    RESULTS.mkdir(parents=True, exist_ok=True)
    rows, details = [], {}
    for name in names or known:
        print(f"benchmark: {name}", file=sys.stderr)
        module = importlib.import_module(f"bench_{name}")
        rows += module.rows()
        details |= getattr(module, "details", dict)()
    table = pd.DataFrame(rows)
    for name, each in {"benchmarks": table, **details}.items():
        each.to_csv(RESULTS / f"{name}.tsv", sep="\t", index=False)
        each.to_parquet(RESULTS / f"{name}.parquet", index=False)
        print(f"\n{name}\n{each.to_string(index=False, float_format='{:.4g}'.format)}")


if __name__ == "__main__":
    main(sys.argv[1:])
