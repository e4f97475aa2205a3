"""What a page shows stands in tables: no section computes a number of its own.

The modules of sections may select, order, count, reshape and join rows, take the least and the
greatest, and write a share as per cent. Whatever else makes a number of others is told by the
syntax: names of functions, methods called on groups, arithmetic on columns, imports.
"""

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "workflow" / "src" / "xnbflow"
#: What reads tables for a page. Drawings are given arrays, `page` blocks: neither reads a table.
MODULES = sorted(
    [
        *SOURCE.glob("report/*.py"),
        *SOURCE.glob("report/sections/*.py"),
        *SOURCE.glob("studies/*/section*.py"),
    ]
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
}
#: By module, function and what it calls: what it may compute, as no table is written after it.
ALLOWED = {
    ("report/sections/overview.py", "_job_seconds", "sum"),  # over the files of jobs
    ("report/sections/overview.py", "_facts", "sum"),  # the total of these seconds
    ("report/sections/accuracy.py", "confusion_figure", "sum"),  # shades of a picture of counts
}


def faults(text, module=""):
    """Return what computes in a module, as (function, name)."""
    found = {
        (function, name)
        for function, node in _nodes(ast.parse(text), "")
        for name in [*_imported(node), *_called(node), *_arithmetic(node)]
    }
    return {each for each in found if (module, *each) not in ALLOWED}


def _nodes(tree, function):
    """Yield every node with the name of the outermost function or class around it."""
    for node in ast.iter_child_nodes(tree):
        named = isinstance(node, ast.FunctionDef | ast.ClassDef) and not function
        inside = node.name if named else function
        yield inside, node
        yield from _nodes(node, inside)


def _imported(node):
    if isinstance(node, ast.Import | ast.ImportFrom):
        package = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
        names = [f"{package}{alias.name}" for alias in node.names]
        computing = [name for name in names if name.startswith(COMPUTING) or ".compute" in name]
        yield from (name for name in computing if name not in NAMES)


def _called(node):
    if not isinstance(node, ast.Call):
        return
    of = node.func.value if isinstance(node.func, ast.Attribute) else None
    name = getattr(node.func, "id", "") if of is None else node.func.attr
    if name in COMPUTES:
        yield name
    if isinstance(of, ast.Subscript):  # groups["column"].size()
        of = of.value
    grouped = isinstance(of, ast.Call) and getattr(of.func, "attr", "") == "groupby"
    if grouped and name not in {"size", "idxmax", "idxmin"}:  # what counts rows, or picks one
        yield f"groupby().{name}"


def _arithmetic(node):
    """Yield arithmetic on columns; texts may be joined, and shares written as per cent."""
    sign = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
    if not isinstance(node, ast.BinOp) or type(node.op) not in sign:
        return
    parts = list(_operands(node))
    constants = [part.value for part in parts if isinstance(part, ast.Constant)]
    joined = isinstance(node.op, ast.Add) and any(isinstance(each, str) for each in constants)
    per_cent = isinstance(node.op, ast.Mult) and constants == [100] and len(parts) == 2
    if any(map(_is_column, parts)) and not (joined or per_cent):
        yield sign[type(node.op)]


def _operands(node):
    if isinstance(node, ast.BinOp):
        yield from _operands(node.left)
        yield from _operands(node.right)
    else:
        yield node


def _is_column(node):
    """Return whether something is a column of a table, or made of one by methods."""
    while isinstance(node, ast.Call | ast.Attribute):
        node = node.func if isinstance(node, ast.Call) else node.value
    if isinstance(node, ast.BinOp):
        return any(map(_is_column, _operands(node)))
    return isinstance(node, ast.Subscript) and (
        (isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str))
        or _is_column(node.value)
    )


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_section_computes(path):
    module = path.relative_to(SOURCE).as_posix()
    assert faults(path.read_text(encoding="utf-8"), module) == set()


def test_drawings_read_no_tables():
    drawings = [*SOURCE.glob("report/drawings/*.py"), *SOURCE.glob("studies/*/drawings.py")]
    assert len(drawings) > 10
    readers = r"import (pandas|scipy)|from (pandas|pyarrow|scipy|sklearn|xnbflow.report.results"
    readers += r"|xnbflow.data.tables)\b"
    for path in drawings:
        assert not re.search(readers, path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("np.sqrt(share * (1 - share) / n)", {"sqrt"}),
        ("back = strengths['taken_back'].dropna(); back.median()", {"median"}),
        ("rows.groupby('method')['median'].mean()", {"mean", "groupby().mean"}),
        ("rows.groupby('class').first()", {"groupby().first"}),
        ("gain = fit['gain'].to_numpy() / fit['samples'].clip(lower=1)", {"/"}),
        ("2 * rows['wrong']", {"*"}),
        ("from scipy.stats import norm", {"scipy.stats.norm"}),
        ("from xnbflow.studies.x.compute import f", {"xnbflow.studies.x.compute.f"}),
        ("at = frame.loc[frame['gain'].idxmin()]", set()),
        ("percent = 100 * frame['gain']", set()),
        ("pairs = rows['first'] + ' – ' + rows['second']", set()),
        ("sizes = table.groupby('class').size(); n = len(rows[rows['p'] < 0.05])", set()),
        ("wide = table.set_index(['a', 'b'])['value'].unstack()", set()),
    ],
)
def test_what_computes_is_found_and_reading_is_not(line, found):
    assert {name for _, name in faults(line)} == found
