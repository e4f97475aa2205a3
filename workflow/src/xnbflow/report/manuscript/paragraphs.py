"""Methods and results in words: every clause comes from the configuration and tables of a study."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import Any

import jinja2
import pandas as pd

from xnbflow.core.significance import FDR_LEVEL
from xnbflow.core.yaml_text import flow_yaml, parse_yaml
from xnbflow.evaluation.methods import entries_in, known_methods, resolved
from xnbflow.inference.intervals import BELOW, CROSS_VALIDATED, TUNED_INFLATION, inflation_of
from xnbflow.report.manuscript.references import references
from xnbflow.report.numbers import format_count, format_number, p_equals
from xnbflow.report.reasons import finding_for_paper, subject_of
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.audit import words_on_levels
from xnbflow.report.sentences import (
    RULE,
    cohort_sentence,
    headline_sentence,
    overlap,
    reasons_against,
)
from xnbflow.sources.dataset_entry import read_entry

_PLACE = ["dataset", "folds", "classifier"]
#: Genes and gene sets of each class that are named.
_MOST_GENES = 5
_MOST_SETS = 3
#: Columns of the table of genes that count the features and name the first.
_GENE_COLUMNS = ["class", "feature", "symbol", "rank", "difference", "log_fold_change"]
_GENE_COLUMNS += ["auc", "p", "fdr"]
#: The tables that templates read unchanged.
_TABLES = (
    "audit",
    "calibration",
    "class_sizes",
    "concordance",
    "datasets",
    "gene_set_tests",
    "learning_curve",
    "notes",
    "omnibus",
    "pairwise",
    "pairwise_within",
    "permutation_tests",
    "prerank",
    "random_genes",
)


def paragraphs(results: StudyResults) -> str:
    """Return methods and results as Markdown with keys of references, see `references`."""
    variables = facts(results)
    methods = render_template("methods.md", variables)
    findings = render_template("results.md", variables)
    return f"{methods}\n\n{findings}".strip()


def render_template(template: str, variables: Mapping[str, Any], *, lines: bool = False) -> str:
    """Return a filled template: paragraphs between empty lines, or with its lines as they are."""
    text = _environment().get_template(template).render(variables)
    return re.sub(r"\n{3,}", "\n\n", text) if lines else _as_paragraphs(text)


def fill_in(template: str, variables: Mapping[str, Any]) -> str:
    """Return a filled template that is given as text."""
    return _as_paragraphs(_environment().from_string(template).render(variables))


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
    environment.filters.update({name: spec.format for name, spec in _words()["formats"].items()})
    environment.filters["three"] = lambda number: format_number(number, ".3f")
    environment.filters["p"] = p_equals
    environment.filters["count"] = format_count
    environment.filters["md"] = escape_markdown
    environment.filters["subjects"] = _subjects
    return environment


def _subjects(rows: Iterable[Mapping[str, Any]], labels: Mapping[str, str]) -> str:
    """Return the data sets and classifiers of rows, each pair once."""
    subjects = [f"{row['dataset']}, {labels[row['classifier']]}" for row in rows]
    return "; ".join(dict.fromkeys(subjects))


def facts(results: StudyResults) -> dict[str, Any]:
    """Return the variables of templates: tables as lists of rows, with None for missing numbers."""
    study = results.study
    names = (*_TABLES, "verdicts", "equal_priors", "estimates", "summary", "stability")
    tables = {name: rows_of(results.tables[name]) if study.datasets else [] for name in names}
    # random genes and learning curves are of the first scheme of folds
    without_checks = tables | {"random_genes": [], "learning_curve": []}
    first_scheme = study.folds[:1]
    evaluations = []
    for evaluation in results.evaluations:
        tables_of_evaluation = tables if evaluation[1] in first_scheme else without_checks
        evaluations.append(_evaluation(results, evaluation, tables_of_evaluation))

    # Whether a data set has several classes, each pair of which is compared.
    pairs = results.tables["class_pairs"][["dataset", "class", "other"]].drop_duplicates()
    has_pairs = bool((pairs["dataset"].value_counts() > 1).any())

    # The diagnostics of data sets whose dependence is that of a sample of the features.
    rows = results.tables["diagnostics"]
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
        "audit": [_finding(results, row) for row in tables["audit"]],
        "study": study,
        "labels": results.labels,
        "rule": RULE,
        "headline": headline_sentence(results),
        "diagnostics": results.configuration.get("diagnostics", {}),
        "samples_of_features": samples_of_features if study.datasets else [],
        "candidates": results.tables["headline"]["candidates"].iloc[0],
        "validated": _cohort_verdicts(results) if study.validate else [],
        "evaluations": evaluations,
        "class_pairs": bool(len(tables["class_sizes"])) and has_pairs,
        "priors_decide": any(row["priors_decide"] for row in tables["equal_priors"]),
        "cohorts": _cohort_facts(results),
        **software,
        **_dataset_facts(results, tables),
        **classifier_facts(results, tables),
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
        "genes": bool(len(results.cohorts["meta_genes"])),
    }


def _finding(results: StudyResults, row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of the audit with its subject and finding in words, without a remedy."""
    within = words_on_levels(results, row)
    return row | {"subject": subject_of(row), "finding": finding_for_paper(row, within)}


def _dataset_facts(results: StudyResults, tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data sets, and what is true of some or of all of them."""
    datasets = [_dataset(results, row, tables) for row in tables["datasets"]]

    # The models of single features with their data sets; data sets of one model together.
    models: list[dict[str, Any]] = []
    for row in datasets:
        if not row["genes"]["tested"]:
            continue
        compared = results.gene_tables(row["dataset"])
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
        # Whether all processing of the values is known; measured data had some before.
        "traced": all(row["simulated"] or row["processing"] for row in datasets),
        "grouped": [row["dataset"] for row in datasets if row["groups"] is not None],
        "gene_models": models,
    }


def classifier_facts(results: StudyResults, tables: Mapping[str, Any]) -> dict[str, Any]:
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
        "steps": list(preparing_steps(results, entries)),
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


def _cohort_verdicts(results: StudyResults) -> list[dict[str, Any]]:
    """Return the verdicts in second cohorts, each with its sentence."""
    rows = rows_of(results.validation["verdicts"])
    pair = ("model", "train", "test", "match", "harmonise")
    for row in rows:
        signatures = results.validation.rows("signatures", **{key: row[key] for key in pair})
        sentence = cohort_sentence(row, results.labels[row["model"]])
        row["sentence"] = sentence + overlap(signatures)
    return rows


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

    # The notes on a data set: ``platform``, ``processing``, and other ``notes``. They are
    # without advice, which is not for a paper.
    notes: dict[str, list[str]] = {"platform": [], "processing": [], "notes": []}
    for note in tables["notes"]:
        if note["dataset"] == name:
            notes[note["code"] if note["code"] in notes else "notes"].append(note["note"])
    return row | {
        "origin": origin,
        "label": entry and entry.label,
        "options": _reader_keys(settings),
        **notes,
        "genes": gene_facts(results, name),
        "noun": results.noun(name),
        "biology": results.study.design_of(name).biology,
        "gene_sets": [
            gene_set
            for gene_set in tables["gene_set_tests"]
            if gene_set["dataset"] == name and is_named_set(gene_set)
        ],
        "simulated": settings.get("source") == "simulate",
        "sizes": [f"“{size['class']}” {size['samples']:,}" for size in sizes],
    }


def _reader_keys(settings: Mapping[str, Any]) -> list[str]:
    """Return the keys of a data set by which it was read, without its place and shape."""
    others = {"source", "file", "url", "accession", "name", "sha256", "shape"}
    keys = [key for key in settings if key not in others]
    if isinstance(settings.get("label"), str):  # a column, which has a sentence of its own
        keys.remove("label")
    return [f"{key}: {flow_yaml(settings[key])}" for key in keys]


def is_named_set(gene_set: Mapping[str, Any]) -> bool:
    """Return whether a gene set differs and is among the first; without variance it has no FDR."""
    differs = gene_set["fdr"] is not None and gene_set["fdr"] < FDR_LEVEL
    return bool(differs and gene_set["rank"] <= _MOST_SETS)


def gene_facts(results: StudyResults, dataset: str) -> dict[str, Any]:
    """Return the number of features that differ, and the first genes that are higher in each class.

    The numbers are from the table ``genes``; the result is empty if no feature was tested.
    """
    genes = results.genes(dataset, *_GENE_COLUMNS)
    tested = genes[genes["p"].notna()]
    differ = tested[tested["fdr"] < FDR_LEVEL].sort_values("rank", kind="stable")
    differ = differ.assign(name=differ["symbol"].where(differ["symbol"] != "", differ["feature"]))
    higher = []
    for label, rows in differ[differ["difference"] > 0].groupby("class"):
        first = rows_of(rows.drop_duplicates("name").head(_MOST_GENES))
        higher.append({"class": str(label), "found": len(rows), "first": first})
    return {
        "tested": tested["feature"].nunique(),
        "found": differ["feature"].nunique(),
        "higher": higher,
    }


def preparing_steps(results: StudyResults, entries: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
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

        # The values of parameters with their meaning; the first one is the default.
        rules = []
        for name, values in (method.rules if method else {}).items():
            value = parameters.get(name, next(iter(values)))
            rules.append({"name": name, "value": value, "meaning": values[value]})

        yield {
            "title": title.removeprefix(f"{label}: "),
            "source": source,
            "parameters": [f"{key} = {value}" for key, value in parameters.items()],
            "reason": item.get("reason", ""),
            "rules": rules,
        }


def _evaluation(
    results: StudyResults, evaluation: tuple[str, str], tables: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the results on a data set and scheme of folds, by classifier."""
    summaries = [row for row in tables["summary"] if (row["dataset"], row["folds"]) == evaluation]
    levels = {
        row["classifier"]: row["level"]
        for row in tables["verdicts"]
        if (row["dataset"], row["folds"]) == evaluation
    }
    failed = {}
    for row in summaries:
        if row["folds_failed"]:
            failed[row["classifier"]] = row | {"level": levels[row["classifier"]]}
    verdicts = [
        row
        for row in tables["verdicts"]
        if (row["dataset"], row["folds"]) == evaluation and row["classifier"] not in failed
    ]
    return {
        "name": results.evaluations[evaluation],
        "verdicts": [verdict_facts(results, row, tables) for row in verdicts],
        "failed": failed.values(),
    }


def verdict_facts(
    results: StudyResults, verdict: dict[str, Any], tables: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a verdict with its reasons, estimates by metric, features and checks."""
    key = {name: verdict[name] for name in _PLACE}
    estimates = _rows_with(tables["estimates"], key)
    features = _rows_with(tables["summary"], key | {"metric": "features_per_class"})
    stability = _rows_with(tables["stability"], key | {"class": ""})
    checked = {name: verdict[name] for name in ("dataset", "classifier")}
    curve = _rows_with(tables["learning_curve"], checked)
    return {
        **verdict,
        **{row["metric"]: row for row in estimates if not row["class"]},
        "recall": [row for row in estimates if row["metric"] == "recall"],
        "by_priors": _rows_with(tables["equal_priors"], key | {"priors_decide": True}),
        "reasons": reasons_against(results, key),
        "noun": results.noun(verdict["dataset"]),
        "features": features[0]["mean"] if features else None,
        "stability": stability[0] if stability else {},
        "random_genes": _rows_with(tables["random_genes"], checked),
        # a forecast of a simpler classifier is not one of this result
        "learning_curve": [row for row in curve if row["kind"] != "measured" and not row["fitted"]],
    }


def _rows_with(rows: Iterable[dict[str, Any]], key: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows that have these values."""
    return [row for row in rows if key.items() <= row.items()]
