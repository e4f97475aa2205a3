"""Methods in words: every clause comes from the configuration and the tables of a study."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import Any

import jinja2
import pandas as pd

from xnbflow.core.yaml_text import flow_yaml, parse_yaml
from xnbflow.evaluation.methods import entries_in, known_methods, resolved
from xnbflow.inference.intervals import BELOW, CROSS_VALIDATED, TUNED_INFLATION, inflation_of
from xnbflow.report.manuscript.references import references
from xnbflow.report.numbers import format_count
from xnbflow.report.results import StudyResults
from xnbflow.report.sentences import RULE
from xnbflow.sources.dataset_entry import read_entry

#: The tables that the template reads unchanged.
_TABLES = (
    "calibration",
    "ranks",
    "comparison",
    "label_tests",
    "random_genes",
    "recognition",
)


def methods_in_words(results: StudyResults) -> str:
    """Return the methods as Markdown with keys of references, see `references`."""
    return _as_paragraphs(_environment().get_template("methods.md").render(facts(results)))


def sections_of_text(text: str) -> dict[str, str]:
    """Return the paragraphs below each heading.

    Examples
    --------
    >>> sections_of_text("## Data" + 2 * chr(10) + "Ten samples.")
    {'Data': 'Ten samples.'}
    """
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)[1:]
    return {title: body.strip() for title, body in zip(parts[::2], parts[1::2], strict=True)}


def escape_markdown(text: str) -> str:
    """Return a text with Markdown's marks escaped."""
    return re.sub(r"([\\`*_<>|])", r"\\\1", text)


def rows_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table, None where a value is missing."""
    values = frame.astype(object).where(frame.notna(), None)
    rows: list[dict[str, Any]] = values.rename(columns=str).to_dict("records")
    return rows


@cache
def _words() -> Mapping[str, Mapping[str, str]]:
    text = files(__package__).joinpath("words.yaml").read_text(encoding="utf-8")
    words: Mapping[str, Mapping[str, str]] = parse_yaml(text)
    return words


def _as_paragraphs(text: str) -> str:
    """Return a text with each paragraph on a line, without what templates leave behind."""
    paragraphs = re.split(r"\n\s*\n|\n(?=## )", text)
    lines = [" ".join(paragraph.split()) for paragraph in paragraphs]
    tidied = "\n\n".join(filter(None, lines))
    for pattern, replacement in _words()["tidied"].items():
        tidied = re.sub(pattern, replacement, tidied, flags=re.MULTILINE)
    return tidied


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("xnbflow.report.manuscript"),
        autoescape=False,  # noqa: S701  text, no HTML
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["n"] = "{:,.0f}".format
    environment.filters["count"] = format_count
    environment.filters["md"] = escape_markdown
    environment.filters["subjects"] = _subjects
    return environment


def _subjects(rows: Iterable[Mapping[str, Any]], labels: Mapping[str, str]) -> str:
    """Return the data sets and classifiers of rows, each pair once."""
    subjects = [f"{row['dataset']}, {labels[row['classifier']]}" for row in rows]
    return "; ".join(dict.fromkeys(subjects))


def facts(results: StudyResults) -> dict[str, Any]:
    """Return the variables of the template.

    Tables are lists of rows, with None for missing numbers.
    """
    study = results.study
    names = (
        *_TABLES,
        "class_sizes",
        "datasets",
        "findings",
        "stability",
        "summary",
    )
    tables = {name: rows_of(results.tables[name]) if study.datasets else [] for name in names}

    # Whether a data set has several classes, each pair of which is compared.
    pairs = results.tables["class_pairs"][["dataset", "class", "other"]].drop_duplicates()
    has_pairs = bool((pairs["dataset"].value_counts() > 1).any())

    # The diagnostics of data sets whose dependence is that of a sample of the features.
    rows = results.tables["datasets"]
    samples_of_features = rows_of(rows[rows["compared"] < rows["tested"]])

    # The versions of packages, with citations of those that are cited.
    versions = {**results.software, **results.training_software}
    cited = references()
    packages = []
    for name, version in versions.items():
        if name not in {"xnbflow", "Python"}:
            packages.append(f"{name} {version}{f' [@{name}]' if name in cited else ''}")
    software = {
        "software": versions,
        "packages": packages,
        "recorded": bool(results.training_software),
        "reported_with": [f"{name} {number}" for name, number in results.reported_with.items()],
    }

    return {
        **{name: tables[name] for name in _TABLES},
        "associations": rows_of(results.tables_of("audit")["associations"]),
        "study": study,
        "labels": results.labels,
        "rule": RULE,
        "diagnostics": results.configuration.get("diagnostics", {}),
        "samples_of_features": samples_of_features if study.datasets else [],
        "candidates": results.tables["headline"]["candidates"].iloc[0],
        "evaluations": list(results.evaluations),
        "class_pairs": bool(len(tables["class_sizes"])) and has_pairs,
        "priors_decide": bool(results.tables["estimates"]["priors_decide"].any()),
        "cohorts": _cohort_facts(results),
        **software,
        **_dataset_facts(results, tables),
        **_classifier_facts(results, tables),
    }


def _cohort_facts(results: StudyResults) -> dict[str, Any]:
    """Return how models and genes of several series are compared; empty without such series."""
    cohorts = results.study.cohorts
    if cohorts is None:
        return {}
    name = cohorts.model or results.study.classifiers[0]
    return {
        "label": results.labels[name],
        "series": cohorts.series,
        "match": cohorts.match,
        "harmonise": cohorts.harmonise,
        "genes": bool(len(results.tables_of("cohorts")["meta_genes"])),
    }


def _dataset_facts(results: StudyResults, tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data sets, and what is true of some or of all of them."""
    datasets = [_dataset(results, row, tables) for row in tables["datasets"]]

    # The models of single features with their data sets; data sets of one model together.
    models: list[dict[str, Any]] = []
    for row in datasets:
        has_tests = results.genes(row["dataset"], "p")["p"].notna().any()
        if not has_tests:
            continue
        compared = results.tables_of("genes", dataset=row["dataset"])
        (design,) = rows_of(compared["design"])
        model = {name: design[name] for name in ("adjusted", "groups", "variance", "left_out")}
        model["counts"] = row["counts"]
        model["contrasts"] = compared["contrasts"]["contrast"].drop_duplicates().tolist()
        alike = [other for other in models if other | {"datasets": []} == model | {"datasets": []}]
        if alike:
            alike[0]["datasets"].append(row["dataset"])
        else:
            models.append({**model, "datasets": [row["dataset"]]})

    return {
        "datasets": datasets,
        "grouped": [row["dataset"] for row in datasets if row["groups"] is not None],
        "gene_models": models,
    }


def _classifier_facts(results: StudyResults, tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the classifiers with their steps, folds, metrics and the stability of features."""
    study = results.study
    configuration = results.configuration
    labels = results.labels
    entries = {name: configuration["classifiers"][name] for name in study.classifiers}
    metrics = {row["metric"] for row in tables["summary"]}
    of_any_class = [row for row in tables["stability"] if row["class"] == ""]
    halved = dict.fromkeys(row["classifier"] for row in of_any_class if row["halves"] is not None)
    tuned = [
        labels[name]
        for name, entry in entries.items()
        if inflation_of(resolved(entry)) == TUNED_INFLATION
    ]
    folds = []
    for name in study.folds:
        defaults = {"file": "", "splits": None, "repeats": 1}
        folds.append(defaults | configuration["folds"][name] | {"id": name})
    classifiers = []
    for name, entry in entries.items():
        label = labels[name]
        classifiers.append({"label": label, "parts": list(_methods(entry, label))})
    return {
        "steps": list(_preparing_steps(results, entries)),
        "folds": folds,
        "classifiers": classifiers,
        "metrics": [words for name, words in _words()["metrics"].items() if name in metrics],
        "inflation": f"{CROSS_VALIDATED:g}",
        "tuned_inflation": f"{TUNED_INFLATION:g}",
        "inflation_below": f"{BELOW:g}",
        "tuned": tuned,
        "stability": [row for row in of_any_class if row["stability"] is not None],
        "halves": [labels[name] for name in halved],
    }


def _dataset(results: StudyResults, row: dict[str, Any], tables: Any) -> dict[str, Any]:
    """Return a data set with its origin and the options of its reader."""
    name = row["dataset"]
    settings = results.configuration.get("datasets", {}).get(name, {})
    entry = read_entry(name, settings) if settings else None
    sizes = [size for size in tables["class_sizes"] if size["dataset"] == name]

    # Where a data set was read from; of a path only the name of the file.
    location = entry.location if entry else ""
    source = settings.get("source", "")
    if source != "cumida" and "://" not in location:
        location = PurePath(location).name  # folders exist on one machine only
    origin = _words()["sources"].get(source, f"was read by the source {source} of xnbflow")
    origin = f"{origin}, {location}" if location else origin

    # What the reader found: on the ``platform``, the ``processing``, and the ``file``. It is
    # without advice, which does not belong to the methods.
    reading: dict[str, list[str]] = {"platform": [], "processing": [], "file": []}
    for row_of_finding in tables["findings"]:
        if row_of_finding["dataset"] == name and row_of_finding["code"] == "reading":
            reading[row_of_finding["kind"]].append(row_of_finding["detail"])
    return row | {
        "origin": origin,
        "label": entry and entry.label,
        "options": _reader_keys(settings),
        **reading,
        "biology": results.study.design_of(name).biology,
        "gene_sets_tested": len(results.tables_of("genes", dataset=name)["gene_set_tests"]) > 0,
        "sizes": [f"“{size['class']}” {size['samples']:,}" for size in sizes],
    }


def _reader_keys(settings: Mapping[str, Any]) -> list[str]:
    """Return the keys of a data set by which it was read, without its place and shape."""
    others = {"source", "file", "url", "accession", "name", "sha256", "shape"}
    keys = [key for key in settings if key not in others]
    if isinstance(settings.get("label"), str):  # a column, which has a sentence of its own
        keys.remove("label")
    return [f"{key}: {flow_yaml(settings[key])}" for key in keys]


def _preparing_steps(results: StudyResults, entries: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the steps before a classifier, each with its owner: a data set or a classifier."""
    steps_by_owner = dict(results.configuration.get("preprocessing", {}))
    for name, entry in entries.items():
        steps_by_owner[results.labels[name]] = entry.get("steps", [])[:-1]
    for owner, steps in steps_by_owner.items():
        for step in steps:
            for method in _methods(step, owner):
                yield method | {"owner": owner}


def _methods(entry: Mapping[str, Any], label: str) -> Iterator[dict[str, Any]]:
    """Yield the methods of a step or classifier: title, source, parameters, and their meaning."""
    for item in entries_in({**entry, "steps": entry.get("steps", [])[-1:]}):
        name = item["method"]
        parameters = item.get("params", {})
        method = known_methods().get(name)
        if method is None:
            title = f"the estimator {name}"
            source = "@scikit-learn" if name.startswith("sklearn.") else ""
        else:
            title = method.title
            source = method.source

        # Values of parameters with their meaning, of which the first is the default, and choices
        # that no parameter changes.
        rules = []
        if method is not None:
            for choice, values in method.rules.items():
                value = parameters.get(choice, next(iter(values)))
                name = choice if choice in method.parameters else ""
                rules.append({"name": name, "value": value, "meaning": values[value]})

        yield {
            "title": title.removeprefix(f"{label}: "),
            "source": source,
            "parameters": [f"{key} = {value}" for key, value in parameters.items()],
            "reason": item.get("reason", ""),
            "rules": rules,
        }
