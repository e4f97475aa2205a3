"""Entries by which a method, a source of data sets or an analysis is added to the workflow.

An entry names modules by import paths and declares parameters by JSON schemas. Every cluster job
reads the Snakefile and the entries, so this module imports only the standard library.
"""

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Schema = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Method:
    """An estimator that the configuration can name.

    Attributes
    ----------
    name, title, source : str
        Its name in the configuration, a description in a few words, and its publication.
    estimator : str
        Full path of the class.
    parameters : dict of str to dict
        Each parameter's JSON schema, in the order of the class's signature. Those of this package
        are generated from the constraints that the class declares, see `read_parameters`.
    kind : {"classifier", "transformer"}
        A transformer can be a step of a pipeline or a parameter, but not a classifier.
    rules : dict of str to dict of str to str
        The effect of each value of the parameters that define the method, the default first, and of
        fixed choices, which have one value. The Methods section uses these texts.
    quick : bool
        Whether a classifier selects features and is fast enough to be fitted to halves by default.
    related : tuple of str
        Full paths of further classes that are published with it but not used by configurations: a
        regressor, a discretizer.
    states : tuple of str
        Full paths of the classes of its fitted attributes, which its model file may contain.
    tunes_itself : bool
        Whether a fit tunes parameters by an inner cross-validation, which makes intervals wider.
    checks_not_met : dict of str to str
        Checks of scikit-learn's ``check_estimator`` that the method does not meet by its definition
        (for example an accuracy on a toy data set), each with the reason. The tests expect these
        failures.
    """

    name: str
    estimator: str
    title: str
    source: str
    parameters: Mapping[str, Schema] = field(default_factory=dict)
    kind: str = "classifier"
    rules: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    quick: bool = False
    related: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    tunes_itself: bool = False
    checks_not_met: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Source:
    """A place where data sets come from.

    Attributes
    ----------
    name, module : str
        Its name in the configuration, and the full path of the module with ``load(dataset:
        DatasetEntry, downloads: Downloads) -> DataSet``.
    keys : dict of str to dict
        The JSON schema of each further key of an entry of ``datasets``; its ``description`` is
        shown when a value is invalid. Keys that are no field of
        `xnbflow.sources.dataset_entry.DatasetEntry` are in its ``options``.
    places : tuple of str
        The keys of which an entry has one, for where the data are: ``file``, ``url``,
        ``accession`` or ``name``. Empty for a source that needs none.
    needs : tuple of str
        Further keys that an entry must have.
    files : dict of str to str
        The fields (``location`` for the place, or keys) that may name a user's file, so that the
        data set is acquired again when the file changes. Each has a regular expression of values
        that are not files, for example accessions; empty if every value is a file.
    served : bool
        Whether a public address serves data sets by their names; see `unserved`.
    unserved : dict of str to str
        The files of data sets that no public address serves and a user supplies: by a regular
        expression of the location, the name of the file, in which ``{location}`` is replaced.
    """

    name: str
    module: str
    keys: Mapping[str, Schema] = field(default_factory=dict)
    places: tuple[str, ...] = ("name",)
    needs: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    served: bool = False
    unserved: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """A computation of a study beyond the common tables.

    Attributes
    ----------
    name : str
        Its name in the configuration and of its folder of results.
    compute : str
        Full path of the module with
        ``analyse(series: dict[str, DataSet], params: dict, threads: int) -> dict[str, DataFrame]``.
        The file ``tables.toml`` beside it declares the tables that it returns, under the name of
        the analysis, as that of `xnbflow.tables` does those of the core.
    section : str or None
        Full path of the module with ``section(results: StudyResults) -> Section | None``.
    parameters : dict of str to dict
        Each parameter's JSON schema.
    methods, grids : dict of str to str
        The parameters that hold a method's parameters, or lists of values to try of each, and the
        name of the method.
    comparison : str or None
        Full path of the module with ``compare(about, study) -> dict[str, DataFrame]``, which
        computes further tables from the study's tables.
    needs : tuple of str
        The names of these tables.
    parts : tuple of str
        The paper's names of classifiers, which ``paper:`` of a study maps to its own.
    simulates : bool
        Whether it has results without data sets, by simulations.
    """

    name: str
    compute: str
    section: str | None = None
    parameters: Mapping[str, Schema] = field(default_factory=dict)
    methods: Mapping[str, str] = field(default_factory=dict)
    grids: Mapping[str, str] = field(default_factory=dict)
    comparison: str | None = None
    needs: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    simulates: bool = False

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that compute its tables."""
        return (self.compute, self.comparison) if self.comparison else (self.compute,)


def read_parameters(module_file: str) -> Mapping[str, Mapping[str, Schema]]:
    """Return the schemas of the parameters of each method, by its name.

    They are in ``parameters.json`` beside the module of the entries, which
    `xnbflow.running.parameter_files` writes from the constraints of the classes
    (`xnbflow.core.parameters.parameter_schemas`), so that planning imports no estimator. A method
    that is not in the file has no schemas.
    """
    path = Path(module_file).with_name("parameters.json")
    text = path.read_text(encoding="utf-8") if path.exists() else "{}"
    return defaultdict(dict, json.loads(text))


def number(
    *,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
) -> Schema:
    """Return the schema of a finite number between two bounds."""
    bounds = {
        "exclusiveMinimum": above, "minimum": least, "exclusiveMaximum": below, "maximum": most
    }  # fmt: skip
    schema: Schema = {"type": "number"}
    for key, value in bounds.items():
        if value is not None:  # a message has "at least 0", not "at least 0.0"
            schema[key] = int(value) if value == int(value) else value
    return schema


def whole(least: int, most: int | None = None) -> Schema:
    """Return the schema of a whole number."""
    return {**number(least=least, most=most), "type": "integer"}


def choice(*names: str) -> Schema:
    """Return the schema of a choice between words."""
    return {"enum": list(names)}


def text() -> Schema:
    """Return the schema of any text that is not empty."""
    return {"type": "string", "minLength": 1}


def flag() -> Schema:
    """Return the schema of true or false."""
    return {"type": "boolean"}


def nothing() -> Schema:
    """Return the schema of null."""
    return {"type": "null"}


def list_of(items: Schema, least: int = 0) -> Schema:
    """Return the schema of a list with a least number of items."""
    return {"type": "array", "items": items, "minItems": least}


def mapping(values: Schema | None = None) -> Schema:
    """Return the schema of a mapping from names to values, of any kind or of a schema."""
    return {"type": "object"} | ({"additionalProperties": values} if values else {})


def estimator() -> Schema:
    """Return the schema of an estimator: a mapping with ``method``, or with ``steps``."""
    return {"$comment": "an estimator", "type": "object", "anyOf": [
        {"required": ["method"]}, {"required": ["steps"]}
    ]}  # fmt: skip


def any_of(*schemas: Schema) -> Schema:
    """Return the schema of a value that satisfies at least one of several schemas."""
    return {"anyOf": list(schemas)}


_COLUMN = any_of({"type": "integer"}, {"type": "string"})
#: A column by its number or name, a list of these, or the columns of a kind (``"@angular"``).
COLUMNS_SCHEMA: Schema = {
    "$comment": "columns",
    **any_of(_COLUMN, list_of(_COLUMN)),
}
