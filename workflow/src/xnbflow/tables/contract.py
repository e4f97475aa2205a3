"""The contract of files: every path of the workflow, and every table's columns.

Rules, scripts, evaluation and report take paths and schemas from here and from nowhere else. The
tables are declared in ``tables.toml`` beside this file; those of an analysis in its own folder. The
Snakefile reads it in every cluster job: only the standard library is imported.
"""

import re
import string
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from xnbflow.core.entries import Analysis
from xnbflow.core.errors import InputError, known_names
from xnbflow.core.study import Study

#: Types of columns. Only numbers and ``text or none`` may be missing; ``text or number`` is one of
#: the two in a whole file.
TYPES = ("text", "text or none", "integer", "number", "boolean", "text or number")
#: How a page formats numbers of a type if the column declares no format.
_FORMATS = {"integer": ",", "number": ".3f"}


class PathTemplate(str):
    """A path with wildcards, used unchanged in rules and filled with values in code.

    Examples
    --------
    >>> SERIES
    'results/{dataset}/series.parquet'
    >>> SERIES.of(dataset="wine")
    'results/wine/series.parquet'
    """

    __slots__ = ()

    @property
    def wildcards(self) -> frozenset[str]:
        """The names of the wildcards."""
        return frozenset(wildcards_of(self))

    @property
    def parent(self) -> "PathTemplate":
        """The folder of the file."""
        return PathTemplate(self.rpartition("/")[0])

    def of(self, **values: str) -> str:
        """Return the path of a file: every wildcard is replaced by its value.

        Raises
        ------
        TypeError
            If a wildcard has no value, or a value no wildcard.
        """
        if missing := sorted(self.wildcards - values.keys()):
            msg = f"{self} needs {', '.join(missing)}"
            raise TypeError(msg)
        if unknown := sorted(values.keys() - self.wildcards):
            msg = f"{self} has no {', '.join(unknown)}"
            raise TypeError(msg)
        return self.format(**values)

    def values_in(self, path: str) -> dict[str, str] | None:
        """Return the values of the wildcards in a path; None if the path is of another template.

        Examples
        --------
        >>> SERIES.values_in("results/wine/series.parquet")
        {'dataset': 'wine'}
        >>> SERIES.values_in("results/wine/genes.parquet") is None
        True
        """
        # A wildcard is a group of the pattern, results/(?P<dataset>[^/]+)/series\\.parquet; where
        # it occurs again, its value must be the same.
        pattern = re.escape(self)
        for name in wildcards_of(self):
            wildcard = re.escape(f"{{{name}}}")
            pattern = pattern.replace(wildcard, f"(?P<{name}>[^/]+)", 1)
            pattern = pattern.replace(wildcard, f"(?P={name})")
        match = re.fullmatch(pattern, path)
        return match.groupdict() if match else None

    def fill(self, **values: str) -> "PathTemplate":
        """Return the template with some wildcards replaced by values; the others remain.

        Examples
        --------
        >>> GROUPS["diagnostic"].path.fill(table="normality")
        'results/{dataset}/diagnostics/normality.parquet'
        """
        unchanged = {name: f"{{{name}}}" for name in self.wildcards}
        return PathTemplate(self.format(**unchanged | values))


@cache
def wildcards_of(template: str) -> tuple[str, ...]:
    """Return the wildcards of a template in order, cached because of frequent calls."""
    names = (name for _, name, _, _ in string.Formatter().parse(template) if name)
    return tuple(dict.fromkeys(names))


def text_of(path: str) -> PathTemplate:
    """Return the path of a table as tab-separated text, by its path as Parquet."""
    return PathTemplate(path.removesuffix(".parquet") + ".tsv")


@dataclass(frozen=True)
class Column:
    """A column of a table, as ``tables.toml`` declares it.

    Attributes
    ----------
    type : str
        One of `TYPES`.
    meaning : str
        The meaning of a value; empty where the name is clear.
    label, format : str
        The heading on a page and the number format, for example ``".3f"``; empty for defaults.
    names : {"", "classifier"}
        The kind of ids in the column: a page shows the label of a classifier instead of its id.
    unit : str
        The unit of the values, for documents; empty where there is none, or the name has it.
    """

    type: str
    meaning: str = ""
    _: KW_ONLY
    label: str = ""
    format: str = ""
    names: str = ""
    unit: str = ""

    def shown(self, name: str) -> "Column":
        """Return the column with the label and the format that a page shows, by its name."""
        label = self.label or name.replace("_", " ")
        return replace(self, label=label, format=self.format or _FORMATS.get(self.type, ""))


@dataclass(frozen=True)
class TableSchema:
    """The schema of a table.

    Attributes
    ----------
    name, title, row : str
        The file's name without suffix, a title, and what a row is, for example ``a feature``.
    columns : mapping of str to Column
        The columns in the order in which they are written; nothing else depends on the order. A
        name that ends in a wildcard, as ``log_posterior.{class}``, is any number of columns.
    definitions : str
        The section of ``docs/methods/quantities.md`` that defines some of them; empty without one.
    text : bool
        Whether the table is also written as tab-separated text, because people open it.
    """

    name: str
    title: str
    row: str
    columns: Mapping[str, Column]
    definitions: str = ""
    text: bool = False

    def column(self, name: str) -> Column | None:
        """Return the column of this name, or the column with a wildcard that matches; None without.

        Examples
        --------
        >>> GROUPS["model"].tables["signature"].column("distance_to.tumour").label
        'to tumour'
        >>> GROUPS["training"].tables["predictions"].column("posterior") is None
        True
        """
        if name in self.columns and "{" not in name:
            return self.columns[name]
        for pattern, column in self.columns.items():
            prefix, brace, wildcard = pattern.partition("{")
            if brace and name.startswith(prefix):
                label = column.label.replace(brace + wildcard, name.removeprefix(prefix))
                return replace(column, label=label)
        return None

    @property
    def fixed(self) -> list[str]:
        """The names of the columns that every such table has."""
        return [name for name in self.columns if "{" not in name]

    def ordered(self, names: Iterable[str]) -> list[str]:
        """Return names of columns in the order in which they are written.

        Columns of a wildcard keep their order.

        Examples
        --------
        >>> GROUPS["diagnostic"].tables["normality"].ordered(["p", "feature", "class"])
        ['class', 'feature', 'p']
        """
        positions = {name: position for position, name in enumerate(self.columns)}
        wildcard = next((position for name, position in positions.items() if "{" in name), 0)
        return sorted(names, key=lambda name: positions.get(name, wildcard))


def stacked_schema(table: TableSchema) -> TableSchema:
    """Return the schema of a file with the tables of several classifiers, one below the other.

    Its first column is the id of the classifier, a column that tables share (`SHARED_COLUMNS`).
    """
    columns = {"classifier": SHARED_COLUMNS["classifier"], **table.columns}
    return replace(table, columns=columns)


@dataclass(frozen=True, kw_only=True)
class TableGroup:
    """Tables of one kind, which a rule writes into one folder: ``[group]`` in ``tables.toml``.

    Attributes
    ----------
    path : PathTemplate
        Path of each table, with the wildcard ``table``; or of other files of a rule.
    rule, title, note : str
        The rule, and a heading and a note for the documentation.
    study_attribute : str
        The attribute of a `Study` that decides which of these tables its run writes. For example,
        ``"models"`` are pairs (data set, classifier), for each of which there are tables; other
        attributes are data sets, or a truth value (or ``"id"``, which is always true) for tables
        of the whole study. Empty for tables that are written because other rules read them.
    stacked : bool
        Whether a file has the tables of several classifiers one below the other, see
        `stacked_schema`.
    tables : mapping of str to TableSchema
        The schemas of the tables by name; for stacked tables, of a single classifier.
    """

    path: PathTemplate
    rule: str
    title: str
    study_attribute: str
    tables: Mapping[str, TableSchema]
    note: str = ""
    stacked: bool = False

    @property
    def schemas(self) -> Mapping[str, TableSchema]:
        """The schema of each file by the name of its table."""
        if not self.stacked:
            return self.tables
        return {name: stacked_schema(table) for name, table in self.tables.items()}

    @property
    def files(self) -> dict[str, PathTemplate]:
        """The path of each table by its name, as a rule takes it."""
        return {table: self.path.fill(table=table) for table in self.tables}

    @property
    def texts(self) -> list[PathTemplate]:
        """The paths of the tables that are written as text, too."""
        return [text_of(path) for name, path in self.files.items() if self.tables[name].text]

    def targets(self, study: Study) -> list[str]:
        """Return the files that a run of a study writes by its `study_attribute`.

        For example, ``study_attribute = "models"`` and a path with the wildcards ``dataset`` and
        ``classifier`` are all tables of the group for each pair in ``study.models``.
        """
        # The values of the wildcards of each job: ("wine", "csnb") for {dataset} and {classifier}.
        names = [name for name in wildcards_of(self.path) if name not in {"study", "table"}]
        jobs = getattr(study, self.study_attribute) if self.study_attribute else ()
        if not names:  # a job of the whole study, which has no values
            jobs = [()] if jobs else []
        study_id = {"study": study.id} if "study" in self.path.wildcards else {}
        files = [*self.files.values(), *self.texts] or [self.path]
        targets = []
        for job in jobs:
            job_values = (job,) if isinstance(job, str) else job
            wildcards = dict(zip(names, job_values, strict=True))
            targets += [path.of(**study_id, **wildcards) for path in files]
        return targets


@dataclass(frozen=True)
class _Declaration:
    """The content of a ``tables.toml``.

    Attributes
    ----------
    shared : dict of str to Column
        The columns of ``[shared]`` and of the core, which a table takes by their names.
    groups : dict of str to dict
        The attributes of each group by its name; the attribute ``tables`` has the schemas by name.
    """

    shared: dict[str, Column]
    groups: dict[str, dict[str, Any]]


def _read_declaration(path: Path, core_columns: Mapping[str, Column]) -> _Declaration:
    """Return the declaration of a file, which may take columns of the core as shared ones."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        msg = f"{path} cannot be read as a declaration of tables ({error}); correct it"
        raise InputError(msg, file=str(path)) from error
    section = "shared"  # the section of the file that is read, for the error below
    groups = {}
    try:
        shared = {**core_columns, **_columns(document.pop("shared", {}), {})}
        for group, declared in document.items():
            attributes = {}
            tables = {}
            # In a group a mapping is a table, and every other value an attribute of the group.
            for name, value in declared.items():
                if not isinstance(value, dict):
                    attributes[name] = value
                    continue
                section = f"{group}.{name}"
                columns = _columns(value.pop("columns"), shared)
                tables[name] = TableSchema(name, columns=columns, **value)
            groups[group] = {**attributes, "tables": tables}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        msg = f"{path}, [{section}]: {error}; correct the declaration"
        raise InputError(msg, file=str(path), key=section) from error
    return _Declaration(shared, groups)


def _columns(declared: Mapping[str, Any], shared: Mapping[str, Column]) -> dict[str, Column]:
    """Return the columns of a table by name.

    A column is declared as ``recall = "number"``, as ``recall = { type = "number", ... }``, or with
    others that the tables share as ``"dataset classifier" = "shared"``.
    """
    columns: dict[str, Column] = {}
    for name, entry in declared.items():
        if entry == "shared":
            for shared_name in name.split():
                columns[shared_name] = shared[shared_name]
            continue
        column = Column(type=entry) if isinstance(entry, str) else Column(**entry)
        format(0.0, column.format)  # a ValueError if it is not a number format
        if column.type not in TYPES or column.names not in {"", "classifier"}:
            msg = f"{name} = {entry!r} has an unknown type, or names; types: {', '.join(TYPES)}"
            raise ValueError(msg)
        columns[name] = column
    return columns


def _groups(declared: Mapping[str, Mapping[str, Any]]) -> dict[str, TableGroup]:
    """Return the groups of tables by name; an error names the group with a wrong attribute."""
    groups = {}
    for name, attributes in declared.items():
        path = PathTemplate(attributes.get("path", ""))
        try:
            groups[name] = TableGroup(**{**attributes, "path": path})
        except TypeError as error:
            msg = f"tables.toml, [{name}]: {error}; correct the declaration"
            raise InputError(msg, key=name) from error
    return groups


_CORE = _read_declaration(Path(__file__).with_name("tables.toml"), {})
#: Columns of several tables, declared once.
SHARED_COLUMNS = _CORE.shared
#: All tables but those of analyses, by group.
GROUPS = _groups(_CORE.groups)


def _wildcards_of_rules() -> dict[str, str]:
    """Return the wildcards of the jobs of each rule, for example ``{dataset}/{folds}``.

    A rule has the wildcards of all its groups of tables, in the order of their first appearance.
    """
    names: dict[str, dict[str, None]] = {}
    for group in GROUPS.values():
        wildcards = [name for name in wildcards_of(group.path) if name != "table"]
        names.setdefault(group.rule, {}).update(dict.fromkeys(wildcards))
    wildcards_of_rules = {}
    for rule, used in names.items():
        wildcards_of_rules[rule] = "/".join(f"{{{name}}}" for name in used)
    return wildcards_of_rules


#: A rule and the wildcards of its jobs.
JOBS = _wildcards_of_rules()


def _log_of(rule: str) -> PathTemplate:
    """Return the path of the log of a rule's jobs.

    Examples
    --------
    >>> _log_of("diagnose")
    'results/logs/diagnose/{dataset}.log'
    """
    return PathTemplate(f"results/logs/{rule}/{JOBS[rule]}.log")


def benchmark_of(rule: str) -> PathTemplate:
    """Return the path of Snakemake's measurement of the time and memory of a rule's jobs."""
    return PathTemplate(f"results/benchmarks/{rule}/{JOBS[rule]}.tsv")


def _folders_of_results(*templates: str) -> frozenset[str]:
    """Return the names of the folders directly below ``results`` that templates fix."""
    second_parts = {template.split("/")[1] for template in templates}
    return frozenset(name for name in second_parts if "{" not in name)


# Paths

#: A data set in canonical form.
SERIES = PathTemplate("results/{dataset}/series.parquet")
#: Downloads, a folder per source.
DOWNLOADS = PathTemplate("resources/downloads")
#: Hosts whose names the jobs of a run could not resolve.
UNRESOLVED = PathTemplate(DOWNLOADS + "/unresolved-hosts.txt")

#: The script that repeats the comparisons of single features in R.
LIMMA_SCRIPT = PathTemplate(GROUPS["genes"].path.parent + "/limma.R")
#: Checksums of the downloads of a data set; a later run, also of another person, compares.
CHECKSUMS = PathTemplate("results/{dataset}/checksums.sha256")

#: A classifier fitted on all samples, and its signature as gene sets.
MODEL = PathTemplate("results/studies/{study}/models/{dataset}/{classifier}/{classifier}.skops")
GENE_SETS = PathTemplate("results/studies/{study}/models/{dataset}/{classifier}/{classifier}.gmt")

#: The folder of a study.
STUDY = PathTemplate("results/studies/{study}")
#: In the paths of models, the data set and classifier of the model of all cohorts of a study.
ALL_COHORTS = {"dataset": "all_cohorts", "classifier": "meta_signature"}
#: The folder of the tables of second cohorts and of several series.
COHORTS_FOLDER = GROUPS["cohorts"].path.parent
#: The folder of the model of all cohorts, with its tables.
ALL_COHORTS_FOLDER = PathTemplate(STUDY + f"/models/{ALL_COHORTS['dataset']}")
#: The page of a study.
REPORT = GROUPS["report"].path
#: The second page of a study.
DETAILS = PathTemplate(STUDY + "/details.html")
#: The folder of the charts of a study for print.
FIGURES_FOLDER = GROUPS["figures"].path
#: The record of a run, from which paragraphs and figures for print are made.
RECORD = PathTemplate(STUDY + "/run.json")
#: The curves of the page, for other tools; the shape is declared in ``workflow/schemas``.
CURVES = PathTemplate(STUDY + "/curves.json")
#: The folder of the tables of an analysis of a paper.
ANALYSIS_FOLDER = GROUPS["analysis"].path.parent
#: The list of all studies.
INDEX = PathTemplate("results/index.html")


#: Names that no data set can have: other folders of ``results``, and the model of all cohorts.
RESERVED_DATASETS = _folders_of_results(
    GROUPS["study"].path, _log_of("acquire"), benchmark_of("acquire")
) | {ALL_COHORTS["dataset"]}


def analysis_tables(analysis: Analysis) -> Mapping[str, TableSchema]:
    """Return the tables of an analysis, declared in ``tables.toml`` beside the module ``compute``.

    Raises
    ------
    InputError
        If that file is absent or wrong, or has no tables under the name of the analysis.
    """
    spec = None
    reason = f"No module named {analysis.compute!r}"
    try:
        spec = find_spec(analysis.compute)
    except ModuleNotFoundError as error:  # its package, or one of its imports
        reason = str(error)
    if spec is None or spec.origin is None:
        msg = f"analysis {analysis.name!r}: {reason}; correct its entry, or install what is absent"
        raise InputError(msg, key=analysis.name)
    path = Path(spec.origin).with_name("tables.toml")
    groups = _read_declaration(path, SHARED_COLUMNS).groups
    if analysis.name not in groups:
        msg = (
            f"{path} declares no table [{analysis.name}.name]; {known_names(analysis.name, groups)}"
        )
        raise InputError(msg, file=str(path), key=analysis.name)
    tables: Mapping[str, TableSchema] = groups[analysis.name]["tables"]
    return tables
