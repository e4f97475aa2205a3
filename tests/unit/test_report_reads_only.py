"""What a page shows stands in tables: no section computes a number of its own.

The modules of sections may select, order, count, reshape and join rows, take the least and the
greatest, and write a share as per cent. What makes a number of others is known by names of
functions and methods, and by imports.
"""

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "workflow" / "src" / "xnbflow"
#: What reads tables for a page. Drawings are given arrays, `page` blocks: neither reads a table.
MODULES = sorted(
    path
    for pattern in ("report/*", "report/manuscript/*", "report/sections/*", "studies/*/section*")
    for path in SOURCE.glob(f"{pattern}.py")
)
#: Functions and methods that make numbers of numbers.
COMPUTES = {
    *("mean", "median", "std", "var", "sem", "sum", "prod", "average", "mode", "ptp", "trace"),
    *("nansum", "nanmean", "nanmedian", "nanstd", "nanvar", "cumsum", "cumprod", "diff"),
    *("quantile", "percentile", "nanquantile", "nanpercentile", "rank"),
    *("corr", "corrcoef", "cov", "histogram", "bincount", "interp", "trapezoid", "polyfit"),
    *("sqrt", "hypot", "exp", "log", "log2", "log10", "log1p", "expm1", "dot", "matmul", "norm"),
    *("agg", "aggregate", "transform", "apply", "pivot_table", "crosstab", "rolling", "expanding"),
    *("pct_change", "describe", "mul", "div", "truediv", "divide", "subtract", "multiply"),
}
#: Packages and modules that compute.
COMPUTING = (
    *("scipy", "sklearn", "statistics", "numba"),
    *(f"xnbflow.{name}" for name in ("density", "diagnostics", "evaluation")),
    *(f"xnbflow.{name}" for name in ("models", "naive_bayes", "preprocessing")),
)
#: What of these only names or reads.
NAMES = {
    "xnbflow.evaluation.headlines.distinct_labels",
    "xnbflow.evaluation.gathering.read_benchmark",
    "xnbflow.evaluation.methods.entries_in",
    "xnbflow.evaluation.methods.known_methods",
    "xnbflow.evaluation.methods.resolved",
    *(f"xnbflow.evaluation.intervals.{name}" for name in ("CROSS_VALIDATED", "TUNED")),
    "xnbflow.evaluation.intervals.inflation_of",
    "xnbflow.evaluation.verdicts.SURE",
    "xnbflow.models.typicality.ATYPICAL",
}
#: By module, function and what it calls: what it may compute, as no table is written after it.
ALLOWED = {
    ("report/sections/overview.py", "_job_seconds", "sum"),  # over the files of jobs
    ("report/sections/overview.py", "_facts", "sum"),  # the total of these seconds
    ("report/sections/accuracy.py", "confusion_figure", "sum"),  # shades of a picture of counts
}


def faults(text, module=""):
    """Return what computes in a module, as (function, name)."""
    found = set()
    for top in ast.parse(text).body:
        for node in ast.walk(top):
            if isinstance(node, ast.Import | ast.ImportFrom):
                package = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
                names = {f"{package}{alias.name}" for alias in node.names} - NAMES
                found |= {("", name) for name in names if name.startswith(COMPUTING)}
                found |= {("", name) for name in names if ".compute" in name}
            elif isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                found |= {(getattr(top, "name", ""), name)} if name in COMPUTES else set()
    return {each for each in found if (module, *each) not in ALLOWED}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_section_computes(path):
    module = path.relative_to(SOURCE).as_posix()
    assert faults(path.read_text(encoding="utf-8"), module) == set()


def test_what_computes_is_found_and_reading_is_not():
    assert faults("def f(): return rows.groupby('method')['median'].mean()") == {("f", "mean")}
    assert faults("from scipy.stats import norm") == {("", "scipy.stats.norm")}
    assert faults("wide = table.set_index(['a', 'b'])['value'].unstack()") == set()


def test_drawings_read_no_tables():
    drawings = [*SOURCE.glob("report/drawings/*.py"), *SOURCE.glob("studies/*/drawings.py")]
    assert len(drawings) > 10
    readers = r"import (pandas|scipy)|from (pandas|pyarrow|scipy|sklearn|xnbflow.report.results"
    readers += r"|xnbflow.data.tables)\b"
    for path in drawings:
        assert not re.search(readers, path.read_text(encoding="utf-8")), path
