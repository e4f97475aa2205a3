"""The pages on the files of a run, made from the contract of tables.

``results/README.md`` answers which file has the answer to a question; ``docs/reference/results.md``
has every column of every table, and ``results-papers.md`` beside it those of the papers' analyses.
`xnbflow.running.manual` writes them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xnbflow.core.plugins import shipped_analyses
from xnbflow.tables import contract as c
from xnbflow.tables.contract import Column, TableGroup, TableSchema, analysis_tables

#: The page with every column, and that with the columns of the papers' analyses.
REFERENCE = "docs/reference/results.md"
PAPERS_REFERENCE = "docs/reference/results-papers.md"

_MANUAL_HEAD = """\
# Results of a run

Open `results/index.html` first: it leads to the page of each study,
`results/studies/{study}/report.html`. Every number of a page is in a table beside it, and each
figure of the page names its table. [Tables](../docs/reference/results.md) has every column. These
documents are generated (`make manual`).

## Which table answers which question?

Tables of a study, `results/studies/{study}/tables/{table}.parquet`:

| question | tables |
|---|---|
"""

_MANUAL_FOLDERS = """
## Where is which file?

| files | path | also as TSV |
|---|---|---|
"""

_MANUAL_RULES = """
## How to read them

* `pandas.read_parquet(path)`, or `polars`, R's `arrow`, DuckDB. Spreadsheets open the TSV.
* A table is tidy: a row is one observation, and columns such as `dataset` and `classifier` are its
  key. Units, types and missing values are in
  [Tables](../docs/reference/results.md#types-units-missing-values).
* Only files that the configuration declares are written and read. git does not track them.
* Files are written whole and contain checksums. A damaged file, or one of another version, is
  refused by its name: delete it and run the workflow again with it as a target
  (`snakemake --cores all results/...`), then without.
* All tables except `seconds`, and times in `averages` and `fits`, are identical for any number of
  cores.
* `results/studies/{study}/run.json` records configuration, versions and checksums of a run.
  `results/logs` has the log of each job, `results/usage` its time and memory.
"""

_REFERENCE_HEAD = """\
# Tables: every column

[Results of a run](../../results/README.md) answers which table has what. This page is generated
(`make manual`) from the files `tables.toml`, which define all paths and columns in the workflow.
The tables of the papers' analyses are on [their page](results-papers.md).

## Types, units, missing values

* A `number` is a float64 and may be missing. `integer` (int64), `boolean` and `text` are never
  missing; `text or none` may be. In a list the type is in parentheses; a column without one is a
  number, or a boolean if its description begins with "whether". A name with `{class}` or
  `{parameter}` means one column per class or parameter.
* What does not exist is an empty text or a missing number: a second class, groups, probabilities,
  halves, a test, the standard deviation of one value.
* Shares, accuracies, recalls, AUC, probabilities and p-values are fractions from 0 to 1, `seconds`
  are seconds, log-likelihoods and posteriors are in nats. Other units are in parentheses. Values
  and differences of features are in the units of the data.
* `lower` and `upper`, and names that end so, are the limits of the 95% interval of the column that
  they name, or of the one before them. `risk_error` goes with `risk`: it is its standard error; and
  so with other names. Exceptions are described.
* `rank` begins at 1; `repeat`, `fold` and `bin` at 0. `fdr` is p after Benjamini and Hochberg's
  adjustment.

## Columns that many tables have

A table only names these, unless they mean something else there.

"""

_PAPERS_HEAD = """\
# Tables of the papers

Tables of the analyses of papers, `results/studies/{study}/analyses/{analysis}/{table}.parquet`, as
Parquet and TSV. [Types, units and missing values](results.md#types-units-missing-values), and the
[columns that many tables have](results.md#columns-that-many-tables-have), are as in the other
tables. This page is generated (`make manual`) from the files `tables.toml` of the papers.
"""

_RESOURCES = f"""\
## Sources of the tables

Downloads are in `{c.DOWNLOADS}/`, a folder per source. A file `.snakemake_timestamp` in a folder
is Snakemake's.

## Logs and measurements

Each job has its log, `results/logs/{{rule}}/{{job}}.log`, and its processor time, wall time and
memory, `results/usage/{{rule}}/{{job}}.tsv`.

| rule | job |
|---|---|
"""

#: Questions about a study in the order of use, with the tables of the study that answer them. The
#: page has the tables in this order, then those that no question names.
QUESTIONS = {
    "How certain is each result, and what limits it?": ["verdicts", "reasons"],
    "How accurate is each classifier?": ["headline", "estimates", "averages", "equal_priors"],
    "Could something else explain it?": [
        *("audit", "concordance", "class_pairs", "concordance_pairs"),
        *("permutation_tests", "random_genes"),
    ],
    "Which features are selected, and how stably?": ["selection", "stability", "ties"],
    "Which samples are misclassified?": [
        *("confusion", "samples", "suspects", "misclassified", "hard_samples"),
    ],
    "Are probabilities right?": ["calibration", "confidence", "sets", "roc"],
    "Which classifier is better?": ["ranks", "omnibus", "pairwise", "pairwise_within"],
    "What was analysed?": [
        *("datasets", "class_sizes", "notes", "components", "likely_repeats"),
        *("diagnostics", "p_values", "recovery"),
    ],
    "Where are the numbers of each fold?": [
        *("summary", "repeats", "metrics", "seconds", "problems"),
    ],
}

#: Groups of files in the order of use; others follow.
_GROUP_ORDER = [
    *("report", "figures", "study", "genes", "model", "description"),
    *("validation", "cohorts", "analysis", "check", "permutation", "random_genes"),
    *("training", "folds", "audit", "diagnostic", "acquired", "sought"),
]
#: A column of at least so many tables, of two groups or more, is described once for all pages; of
#: so many tables of one group or analysis, once for these.
_MANY, _MANY_OF_GROUP = 4, 3
#: The head of the page describes columns with these meanings, whatever their names.
_IN_HEAD = {"of its 95% interval", "its standard error"}
#: A meaning of so many words is on a page once; a shorter one is no longer than a reference to it.
_LONG = 4


def results_manual() -> str:
    """Return the text of ``results/README.md``: questions, files, and how to read them."""
    tables = c.GROUPS["study"].schemas
    lines = []
    for question, names in QUESTIONS.items():
        links = [f"[`{name}`](../{REFERENCE}#{_anchor(_heading(tables[name]))})" for name in names]
        lines.append(f"| {question} | {', '.join(links)} |\n")
    folders = []
    for name in _in_order(c.GROUPS, _GROUP_ORDER):
        group = c.GROUPS[name]
        link = f"[{group.title}](../{REFERENCE}#{_anchor(_group_heading(group))})"
        folders.append(f"| {link} | `{group.path}` | {'yes' if group.text else ''} |\n")
    return "".join([_MANUAL_HEAD, *lines, _MANUAL_FOLDERS, *folders, _MANUAL_RULES])


def results_reference() -> str:
    """Return the text of the reference: every file with its columns, by order of use."""
    tables = _ReferenceTables()
    lines = [_REFERENCE_HEAD.rstrip("\n"), "", *_lines(_by_description(tables.common))]
    for name in _in_order(c.GROUPS, _GROUP_ORDER):
        lines += _group_lines(name, c.GROUPS[name], tables)
    lines.append(_RESOURCES.rstrip("\n"))
    lines += [f"| {rule} | `{wildcards}` |" for rule, wildcards in c.JOBS.items()]
    return "\n".join(lines) + "\n"


def results_of_papers() -> str:
    """Return the text of the reference of the tables of the papers' analyses."""
    tables = _ReferenceTables()
    lines = [_PAPERS_HEAD]
    for analysis in shipped_analyses().values():
        lines.append(f"## `{analysis.name}`\n")
        lines += tables.group_lines(analysis_tables(analysis).values())
    return "\n".join(lines).rstrip("\n") + "\n"


def _anchor(heading: str) -> str:
    """Return the anchor of a heading, as GitHub and Sphinx make it.

    Examples
    --------
    >>> _anchor("`verdicts`: verdict on each classifier")
    'verdicts-verdict-on-each-classifier'
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _heading(table: TableSchema) -> str:
    return f"`{table.name}`: {table.title}"


def _group_heading(group: TableGroup) -> str:
    return f"{group.title}: `{group.path}`"


def _in_order(names: Iterable[str], first: Sequence[str]) -> list[str]:
    """Return names in the order of ``first``; other names follow in their present order.

    Examples
    --------
    >>> _in_order(["a", "b", "c"], ["c", "a"])
    ['c', 'a', 'b']
    """
    positions = {name: position for position, name in enumerate(first)}
    return sorted(names, key=lambda name: positions.get(name, len(positions)))


def _group_lines(name: str, group: TableGroup, tables: "_ReferenceTables") -> Iterator[str]:
    """Yield the heading of a group, a note on its files, and its tables."""
    yield f"## {_group_heading(group)}\n"
    if group.note:
        yield group.note
    order = [table for answers in QUESTIONS.values() for table in answers]
    names = _in_order(group.schemas, order) if name == "study" else group.schemas
    yield from tables.group_lines([group.schemas[table] for table in names])
    if name == "analysis":
        yield "[Tables of the papers](results-papers.md) has their columns.\n"


@dataclass(frozen=True)
class _Described:
    """What the reference states about a column."""

    type: str
    unit: str
    meaning: str

    @classmethod
    def of(cls, column: Column) -> "_Described":
        """Return the description of a column."""
        return cls(column.type, column.unit, column.meaning)

    @property
    def kind(self) -> str:
        """The unit, which only numbers have, or the type."""
        return self.unit or self.type

    @property
    def has_plain_type(self) -> bool:
        """Whether the type is clear without a word: a number, or a boolean by its meaning."""
        return self.kind == "number" or self.meaning.startswith("whether ")


class _ReferenceTables:
    """The tables of a page, which refers to columns that it has described.

    Attributes
    ----------
    common : dict of str to _Described
        The columns that many tables have.
    """

    def __init__(self) -> None:
        groups = [group.schemas.values() for group in c.GROUPS.values()]
        groups += [analysis_tables(analysis).values() for analysis in shipped_analyses().values()]
        n_groups = Counter(key for tables in groups for key in _counts(tables))
        counts = _counts(table for tables in groups for table in tables)
        self.common = _frequent({key: n for key, n in counts.items() if n_groups[key] > 1}, _MANY)
        #: The link to the table with the description, and the kind there, by name and meaning.
        self._described_in: dict[tuple[str, str], tuple[str, str]] = {}

    def group_lines(self, schemas: Iterable[TableSchema]) -> Iterator[str]:
        """Yield the tables of a group or analysis, after the columns that several of them have."""
        schemas = list(schemas)
        counts = _counts(schemas)
        new = {key: n for key, n in counts.items() if not self._is_common(*key)}
        local = _frequent(new, _MANY_OF_GROUP)
        in_all = [
            name
            for (name, described), n in counts.items()
            if n == len(schemas) > 1
            and (described == local.get(name) or self._is_common(name, described))
        ]
        if in_all:
            yield f"Each table has {_quoted(in_all)}.\n"
        if local:
            yield "Columns of several of these tables:\n"
            yield from _lines(_by_description(local))
        for table in schemas:
            yield from self._table_lines(table, local, in_all)

    def _is_common(self, name: str, described: _Described) -> bool:
        """Return whether the page has described the column for all tables."""
        return self.common.get(name) == described or described.meaning in _IN_HEAD

    def _table_lines(
        self, table: TableSchema, local: Mapping[str, _Described], in_all: Sequence[str]
    ) -> Iterator[str]:
        """Yield the heading of a file, what a row is, and its columns.

        Columns that the page has described already, and those whose name is clear, are only named.
        """
        link = f"[`{table.name}`](#{_anchor(_heading(table))})"
        named: list[str] = []
        clear: dict[_Described, list[str]] = {}
        as_before: dict[str, list[str]] = {}
        # Neighbours of one description share a line.
        rows: list[tuple[_Described, list[str]]] = []
        for name, column in table.columns.items():
            described = _Described.of(column)
            if name in in_all:
                continue
            if described == local[name] if name in local else self._is_common(name, described):
                named.append(name)
            elif not described.meaning:
                clear.setdefault(described, []).append(name)
            elif (name, described.meaning) in self._described_in:
                source, kind = self._described_in[name, described.meaning]
                if described.kind != kind:
                    source = f"{source} but {described.kind}"
                as_before.setdefault(source, []).append(name)
            elif rows and rows[-1][0] == described:
                rows[-1][1].append(name)
            else:
                rows.append((described, [name]))
            if len(described.meaning.split()) >= _LONG:
                place = (link, described.kind)
                self._described_in.setdefault((name, described.meaning), place)

        lists = [_quoted(named)] if named else []
        lists += [f"{_quoted(names)} ({described.kind})" for described, names in clear.items()]
        lists += [f"{_quoted(names)} as in {source}" for source, names in as_before.items()]
        yield f"### {_heading(table)}\n"
        row = f"Row: {table.row}."
        if table.definitions:
            row += f" [Definitions](../methods/quantities.md#{table.definitions})."
        if lists:
            row += f" Columns: {'; '.join(lists)}."
        yield f"{row}\n"
        if rows:
            yield from _lines(rows)


def _counts(schemas: Iterable[TableSchema]) -> Counter[tuple[str, _Described]]:
    """Return the number of tables that have each column with each description."""
    counts: Counter[tuple[str, _Described]] = Counter()
    for table in schemas:
        counts.update((name, _Described.of(column)) for name, column in table.columns.items())
    return counts


def _frequent(counts: Mapping[tuple[str, _Described], int], least: int) -> dict[str, _Described]:
    """Return columns of at least so many tables; of several meanings the most frequent one."""
    frequent: dict[str, _Described] = {}
    for (name, described), count in Counter(counts).most_common():
        if count >= least:
            frequent.setdefault(name, described)
    return frequent


def _by_description(
    columns: Mapping[str, _Described],
) -> list[tuple[_Described, list[str]]]:
    """Return the names of the columns of each description."""
    names: dict[_Described, list[str]] = {}
    for name, described in columns.items():
        names.setdefault(described, []).append(name)
    return list(names.items())


def _quoted(names: Iterable[str]) -> str:
    """Return names as code, separated by commas.

    Examples
    --------
    >>> _quoted(["folds", "class"])
    '`folds`, `class`'
    """
    return ", ".join(f"`{name}`" for name in names)


def _lines(described: Iterable[tuple[_Described, list[str]]]) -> Iterator[str]:
    """Yield a list with an item for the columns of one description.

    Examples
    --------
    >>> share = _Described("number", "", "of the samples")
    >>> count = _Described("integer", "", "samples")
    >>> list(_lines([(share, ["low", "high"]), (count, ["n"])]))
    ['* `low`, `high`: of the samples', '* `n` (integer): samples', '']
    """
    for description, names in described:
        kind = "" if description.has_plain_type else f" ({description.kind})"
        meaning = f": {description.meaning}" if description.meaning else ""
        yield f"* {_quoted(names)}{kind}{meaning}"
    yield ""
