"""What of a paper is in this project: the lists ``coverage.toml`` in the folders of papers.

The list has an item for every algorithm, equation with a name, option, table, figure, experiment
and question for future work of the paper. An item that is in the project names its place and the
test that shows it, any other item the reason why it is left out:

.. code-block:: toml

    [[item]]
    kind = "table"
    name = "Table 2"                # as the paper calls it
    content = "Accuracy of naive Bayes and XNB on 18 series"
    place = "papers/xnb_paper/published.py::compare"   # below the package; the name is optional
    study = "xnb-paper"             # optional: a study that shows it ...
    section = "xnb_paper"           # ... and the section of its page
    test = "tests/papers/xnb_paper/test_published.py::test_mean_row"
    left_out = ""                   # or the reason, instead of place and test

A test checks that the places, studies, sections and tests exist. The documentation shows the list
as a table (`coverage_table`).
"""

import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from xnbflow.core.errors import InputError
from xnbflow.core.plugins import PAPERS

COVERAGE_FILE = "coverage.toml"

#: Kinds of items, and their plural.
KINDS = {
    "algorithm": "algorithms",
    "equation": "equations",
    "option": "options",
    "table": "tables",
    "figure": "figures",
    "experiment": "experiments",
    "future work": "questions for future work",
}


@dataclass(frozen=True, kw_only=True)
class CoverageItem:
    """An item of a paper; see the module's description for the fields."""

    kind: str
    name: str
    content: str
    place: str = ""
    study: str = ""
    section: str = ""
    test: str = ""
    left_out: str = ""


def covered_papers(papers: Path = PAPERS) -> list[str]:
    """Return the folders of papers that have a list, in alphabetical order."""
    return sorted(path.parent.name for path in papers.glob(f"*/{COVERAGE_FILE}"))


def read_coverage(paper: str, papers: Path = PAPERS) -> list[CoverageItem]:
    """Return the items of a paper in the order of its list.

    Parameters
    ----------
    paper : str
        The name of the paper's folder.
    papers : path
        The folder of the papers.

    Raises
    ------
    InputError
        If an item has an unknown key or kind, lacks its name or content, has neither a place with
        a test nor a reason, or has both; or if two items of a kind have the same name.
    """
    path = papers / paper / COVERAGE_FILE
    items = []
    for position, entry in enumerate(tomllib.loads(path.read_text(encoding="utf-8"))["item"], 1):
        where = f"{path}, item {position}"
        unknown = sorted(set(entry) - {field.name for field in fields(CoverageItem)})
        missing = sorted({"kind", "name", "content"} - {key for key in entry if entry[key]})
        if unknown or missing:
            msg = f"{where}: unknown keys {unknown}, missing keys {missing}"
            raise InputError(msg)
        item = CoverageItem(**entry)
        if item.kind not in KINDS:
            msg = f"{where}: {item.kind!r} is not a kind; use one of {', '.join(KINDS)}"
            raise InputError(msg)
        if item.left_out and (item.place or item.test):
            msg = f"{where}: {item.name} has a place or a test and is left out; remove one"
            raise InputError(msg)
        if not item.left_out and not (item.place and item.test):
            msg = f"{where}: {item.name} needs a place and a test, or the reason in `left_out`"
            raise InputError(msg)
        items.append(item)
    counts = Counter((item.kind, item.name) for item in items)
    repeated = [" ".join(key) for key, count in counts.items() if count > 1]
    if repeated:
        msg = f"{path}: there is more than one item {', '.join(repeated)}"
        raise InputError(msg)
    return items


def coverage_table(items: Sequence[CoverageItem]) -> str:
    """Return the items of a paper as a table in Markdown, with a sentence that counts them.

    Examples
    --------
    >>> item = CoverageItem(kind="table", name="Table 1", content="Sizes", left_out="no data")
    >>> print(coverage_table([item]))
    0 of 1 items are in the project: 0 of 1 tables.
    <BLANKLINE>
    | item | content | where | shown by |
    |---|---|---|---|
    | Table 1 | Sizes | left out: no data | |
    """
    shares = []
    for kind, plural in KINDS.items():
        of_kind = [item for item in items if item.kind == kind]
        if of_kind:
            covered = sum(not item.left_out for item in of_kind)
            shares.append(f"{covered} of {len(of_kind)} {plural}")
    covered = sum(not item.left_out for item in items)
    lines = [
        f"{covered} of {len(items)} items are in the project: {', '.join(shares)}.",
        "",
        "| item | content | where | shown by |",
        "|---|---|---|---|",
        *map(_row, items),
    ]
    return "\n".join(lines)


def _row(item: CoverageItem) -> str:
    if item.left_out:
        where = f"left out: {item.left_out}"
        shown = ""
    else:
        where = f"`{item.place}`"
        shown = f"`{item.test}`"
    if item.study:
        where += f"; study `{item.study}`"
    if item.section:
        where += f", section `{item.section}`"
    cells = [item.name, item.content, where, shown]
    escaped = [cell.replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(escaped)} |".replace("|  |", "| |")
