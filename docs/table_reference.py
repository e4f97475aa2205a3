"""The page with every column of every table, from `tables.toml` of the core and of the papers.

`docs/conf.py` writes it when the site is built.
"""

from collections.abc import Iterable, Iterator

from xnbflow.core.plugins import shipped_analyses
from xnbflow.tables.contract import GROUPS, Column, TableSchema, analysis_tables

__all__ = ["table_reference"]

_HEAD = """\
# Tables: every column

[Results of a run](../../results/README.md) names the files that a person opens first.

* A `number` is a float64 and may be missing. `integer` (int64), `boolean` and `text` are never
  missing; `text or none` may be. A name with `{class}` or `{parameter}` means one column for each
  class or parameter.
* What does not exist is an empty text or a missing number: a second class, groups, probabilities,
  halves, a test, the standard deviation of one value.
* Shares, accuracies, recalls, AUC, probabilities and p-values are fractions from 0 to 1, `seconds`
  are seconds, log-likelihoods and posteriors are in nats. Other units are in parentheses. Values
  and differences of features are in the units of the data.
* `lower` and `upper`, and names that end so, are the limits of the 95% interval of the column that
  they name, or of the one before them. `risk_error` is the standard error of `risk`, and so with
  other names.
* `rank` begins at 1; `repeat`, `fold` and `bin` at 0. `fdr` is p after Benjamini and Hochberg's
  adjustment.
"""


def table_reference() -> str:
    """Return the page as Markdown: a section for each group of files, then one for each paper."""
    lines = [_HEAD]
    for group in GROUPS.values():
        if group.schemas:
            lines += [f"## {group.title}", "", f"`{group.path}`", "", group.note]
            lines += _group_lines(group.schemas.values())
    for analysis in shipped_analyses().values():
        path = GROUPS["analysis"].path.fill(analysis=analysis.name)
        lines += [f"## Analysis `{analysis.name}`", "", f"`{path}`", ""]
        lines += _group_lines(analysis_tables(analysis).values())
    return "\n".join(lines) + "\n"


def _group_lines(tables: Iterable[TableSchema]) -> Iterator[str]:
    """Yield, for each table, its heading, what a row is, and a line for each column."""
    for table in tables:
        yield f"### `{table.name}`: {table.title}"
        yield ""
        row = f"Row: {table.row}."
        if table.definitions:
            row += f" [Definitions](../methods/quantities.md#{table.definitions})."
        yield row
        yield ""
        yield "| column | type | meaning |"
        yield "|---|---|---|"
        for name, column in table.columns.items():
            yield f"| `{name}` | {_type(column)} | {column.meaning.replace('|', '&#124;')} |"
        yield ""


def _type(column: Column) -> str:
    """Return the type of a column, with the unit that a number has."""
    return f"{column.type} ({column.unit})" if column.unit else column.type
