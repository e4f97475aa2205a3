"""Methods and results in words: every clause comes from the configuration and tables of a study."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import Any

import jinja2
import pandas as pd
import yaml

from xnbflow.evaluation.methods import entries_in, known_methods, resolved
from xnbflow.inference.intervals import CROSS_VALIDATED, TUNED, inflation_of
from xnbflow.report.manuscript.references import references
from xnbflow.report.results import StudyResults
from xnbflow.report.sentences import RULE, cohort_verdict, headline, overlap, reasons
from xnbflow.sources.geo_head import PLATFORM, PROCESSING

_PLACE = ["dataset", "folds", "classifier"]
#: False discovery rate of genes and gene sets that are named, and how many of each class.
_LEVEL, _MOST_GENES, _MOST_SETS = 0.05, 5, 3
#: Columns of the table of genes that count the features and name the first.
_OF_GENES = ["class", "feature", "symbol", "rank", "difference", "log_fold_change"]
_OF_GENES += ["auc", "p", "fdr"]


def paragraphs(results: StudyResults) -> str:
    """Return methods and results as Markdown with keys of references, see `references`."""
    known = facts(results)
    return f"{render('methods.md', known)}\n\n{render('results.md', known)}".strip()


def render(template: str, known: Mapping[str, Any], *, lines: bool = False) -> str:
    """Return a filled template: paragraphs between empty lines, or with its lines as they are."""
    text = _environment().get_template(template).render(known)
    return re.sub(r"\n{3,}", "\n\n", text) if lines else _tidied(text)


def filled(template: str, known: Mapping[str, Any]) -> str:
    """Return a template, given as text, filled."""
    return _tidied(_environment().from_string(template).render(known))


def escaped(text: str) -> str:
    """Return a text with Markdown's marks escaped."""
    return re.sub(r"([\\`*_<>|])", r"\\\1", text)


def rows_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table, None where a value is missing."""
    known = frame.astype(object).where(frame.notna(), None)
    return [{str(name): value for name, value in row.items()} for row in known.to_dict("records")]


@cache
def _words() -> Mapping[str, Mapping[str, str]]:
    text = files(__package__).joinpath("words.yaml").read_text(encoding="utf-8")
    words: Mapping[str, Mapping[str, str]] = yaml.safe_load(text)
    return words


def _tidied(text: str) -> str:
    parts = (" ".join(part.split()) for part in re.split(r"\n\s*\n|\n(?=## )", text))
    joined = "\n\n".join(filter(None, parts))
    for pattern, instead in _words()["tidied"].items():
        joined = re.sub(pattern, instead, joined, flags=re.MULTILINE)
    return joined


@cache
def _environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("xnbflow.report.manuscript"),
        autoescape=False,  # noqa: S701  text, no HTML
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    made.filters.update({name: spec.format for name, spec in _words()["formats"].items()})
    made.filters["p"] = lambda value: f"p = {value:.2g}" if value > 1e-300 else "p < 1e-300"
    made.filters["count"] = lambda n: f"{n:,.0f}" if n >= 1000 or n == round(n) else f"{n:.1f}"
    made.filters["md"] = escaped
    made.filters["subjects"] = lambda rows, labels: "; ".join(
        dict.fromkeys(f"{row['dataset']}, {labels[row['classifier']]}" for row in rows)
    )
    return made


def facts(results: StudyResults) -> dict[str, Any]:
    """Return the variables of templates: tables as lists of rows, with None for missing numbers."""
    study, configuration = results.study, results.configuration
    entries = {name: configuration["classifiers"][name] for name in study.classifiers}
    tables = {
        name: rows_of(results.tables[name]) if study.datasets else []
        for name in (*_TABLES, "verdicts", "estimates", "summary", "stability")
    }
    metrics = {row["metric"] for row in tables["summary"]}
    checks: dict[str, Any] = {"random_genes": [], "learning_curve": []}
    datasets = [_dataset(results, row, tables) for row in tables["datasets"]]
    whole = [row for row in tables["stability"] if row["class"] == ""]
    halved = dict.fromkeys(row["classifier"] for row in whole if row["halves"] is not None)
    versions = {**results.software, **results.trained_with}
    cited = {name: f" [@{name}]" if name in references() else "" for name in versions}
    packages = [f"{n} {v}{cited[n]}" for n, v in versions.items() if n not in {"xnbflow", "Python"}]
    return {
        **{name: tables[name] for name in _TABLES},
        "study": study,
        "labels": results.labels,
        "software": versions,
        "packages": packages,
        "recorded": bool(results.trained_with),
        "reported_with": [f"{n} {v}" for n, v in results.reported_with.items()],
        "diagnostics": configuration.get("diagnostics", {}),
        "datasets": datasets,
        # Whether all processing of the values is known; measured data had some before.
        "traced": all(row["simulated"] or row["processing"] for row in datasets),
        "grouped": [row["dataset"] for row in datasets if row["groups"] is not None],
        "of_counts": any(row["counts"] for row in datasets),
        "steps": list(_steps(results, entries)),
        "folds": [
            {"file": "", "splits": None, "repeats": 1, **configuration["folds"][name], "id": name}
            for name in study.folds
        ],
        "classifiers": [
            {"label": results.labels[name], "parts": list(_parts(entry, results.labels[name]))}
            for name, entry in entries.items()
        ],
        "metrics": [words for name, words in _words()["metrics"].items() if name in metrics],
        "inflation": f"{CROSS_VALIDATED:g}",
        "tuned_inflation": f"{TUNED:g}",
        "tuned": [
            results.labels[n] for n, e in entries.items() if inflation_of(resolved(e)) == TUNED
        ],
        "candidates": results.tables["headline"]["candidates"].iloc[0],
        "stability": [row for row in whole if row["stability"] is not None],
        "halves": [results.labels[name] for name in halved],
        "rule": RULE,
        "validated": _validated(results) if study.validate else [],
        "headline": headline(results),
        "places": [
            _place(results, place, tables if place[1] == study.folds[0] else {**tables, **checks})
            for place in results.places
        ],
    }


def _validated(results: StudyResults) -> list[dict[str, Any]]:
    """Return the verdicts in second cohorts, each with its sentence."""
    rows = rows_of(results.validation["verdicts"])
    pair = ("model", "train", "test", "match", "harmonise")
    for row in rows:
        signatures = results.validation.rows("signatures", **{key: row[key] for key in pair})
        sentence = cohort_verdict(row, results.labels[row["model"]])
        row["sentence"] = sentence + overlap(signatures)
    return rows


#: Where a note turns from what was found to what the reader should do.
_ADVICE = re.compile(
    r"[;:,] (?:if|add|bring|check|compare|consider|correct|fill|give|is transform=|leave|make|name|"
    r"set|the option|write)\b.*$",
    re.DOTALL,
)
#: The tables that templates read unchanged.
_TABLES = (
    "concordance",
    *("permutation_tests", "pairwise_within", "omnibus", "pairwise", "audit", "gene_set_tests"),
    "prerank",
    *("calibration", "notes", "class_sizes", "datasets", "random_genes", "learning_curve"),
)


def _dataset(results: StudyResults, row: dict[str, Any], tables: Any) -> dict[str, Any]:
    """Return a data set with its origin and the options of its reader."""
    name = row["dataset"]
    sheet = results.configuration.get("datasets", {}).get(name, {})
    place, source = str(sheet.get("location") or ""), sheet.get("source", "")
    if source != "cumida" and "://" not in place:
        place = PurePath(place).name  # folders exist on one machine only
    origin = _words()["sources"].get(source, f"was read by the source {source} of xnbflow")
    return row | {
        "origin": f"{origin}, {place}" if place else origin,
        "label": sheet.get("label"),
        "options": [f"{key}={value}" for key, value in (sheet.get("options") or {}).items()],
        **_notes(tables["notes"], name),
        "genes": _genes(results, name),
        "noun": results.noun(name),
        "gene_sets": [
            each
            for each in tables["gene_set_tests"]
            if each["dataset"] == name
            and each["rank"] <= _MOST_SETS
            and each["fdr"] is not None  # a set whose values do not vary has none
            and each["fdr"] < _LEVEL
        ],
        "simulated": source == "simulate",
        "sizes": [
            f"“{each['class']}” {each['samples']:,}"
            for each in tables["class_sizes"]
            if each["dataset"] == name
        ],
    }


def _notes(notes: Iterable[dict[str, Any]], dataset: str) -> dict[str, Any]:
    """Return the notes on a data set: its ``platform``, its ``processing``, and other ``notes``."""
    own = [
        n["note"].removeprefix(f"data set {dataset}: ") for n in notes if n["dataset"] == dataset
    ]
    parts = {
        key: [note.removeprefix(start) for note in own if note.startswith(start)]
        for key, start in (("platform", PLATFORM), ("processing", PROCESSING))
    }
    others = [note for note in own if not note.startswith((PLATFORM, PROCESSING))]
    return parts | {"notes": list(map(without_advice, others))}


def without_advice(note: str) -> str:
    """Return a note on reading without what the reader should do, which is not for a paper.

    Examples
    --------
    >>> without_advice("1 feature is called NAN: name a gene, or leave it out by drop=")
    '1 feature is called NAN'
    >>> without_advice("3 probes were left out (AFFX-1); the option controls=keep keeps them")
    '3 probes were left out (AFFX-1)'
    """
    return _ADVICE.sub("", note)


def _genes(results: StudyResults, dataset: str) -> dict[str, Any]:
    """Return the number of features that differ, and the first genes that are higher in each class.

    The numbers are those of the table ``genes``; empty where no feature was tested.
    """
    genes = results.genes(dataset, *_OF_GENES)
    known = genes["p"].notna()
    found = genes[known & (genes["fdr"] < _LEVEL)].sort_values("rank", kind="stable")
    names = found["symbol"].where(found["symbol"] != "", found["feature"])
    higher = found.assign(name=names)[found["difference"] > 0]
    classes = {str(label): rows for label, rows in higher.groupby("class")}
    return {
        "tested": genes.loc[known, "feature"].nunique(),
        "found": found["feature"].nunique(),
        "higher": [
            {
                "class": label,
                "found": len(rows),
                "first": rows_of(rows.drop_duplicates("name").head(_MOST_GENES)),
            }
            for label, rows in classes.items()
        ],
    }


def _steps(results: StudyResults, entries: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the steps before a classifier."""
    owners = dict(results.configuration.get("preprocessing", {}))
    owners |= {results.labels[name]: e.get("steps", [])[:-1] for name, e in entries.items()}
    for owner, steps in owners.items():
        for step in steps:
            yield from (part | {"owner": owner} for part in _parts(step, owner))


def _parts(entry: Mapping[str, Any], label: str) -> Iterator[dict[str, Any]]:
    """Yield the methods of a step or classifier: title, source, parameters, and their meaning."""
    for part in entries_in({**entry, "steps": entry.get("steps", [])[-1:]}):
        method, given = part["method"], part.get("params", {})
        known = known_methods().get(method)
        ours = "@scikit-learn" if method.startswith("sklearn.") else ""
        title = f"the estimator {method}" if known is None else known.title
        rules = known.rules if known else {}
        yield {
            "title": title.removeprefix(f"{label}: "),
            "source": known.source if known else ours,
            "parameters": [f"{key} = {value}" for key, value in given.items()],
            "reason": part.get("reason", ""),
            "rules": [
                {"name": name, "value": value, "meaning": values[value]}
                for name, values in rules.items()
                for value in [given.get(name, next(iter(values)))]
            ],
        }


def _place(
    results: StudyResults, place: tuple[str, str], tables: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the results on a data set and scheme of folds, by classifier."""

    def of(table: str, classifier: str = "") -> list[dict[str, Any]]:
        key = (*place, classifier) if classifier else place
        return [r for r in tables[table] if tuple(r[n] for n in _PLACE[: len(key)]) == key]

    def checked(table: str, verdict: dict[str, Any]) -> list[dict[str, Any]]:
        own = (r for r in tables[table] if r.get("kind") != "measured")
        return [r for r in own if all(r[n] == verdict[n] for n in ("dataset", "classifier"))]

    def only(rows: Iterable[dict[str, Any]], column: str, value: str) -> dict[str, Any]:
        return next((row for row in rows if row[column] == value), {})

    verdicts = []
    for row in of("verdicts"):
        rows, found = of("summary", row["classifier"]), of("estimates", row["classifier"])
        verdicts.append(
            row
            | {each["metric"]: each for each in found if not each["class"]}
            | {"recall": [each for each in found if each["metric"] == "recall"]}
            | {"reasons": reasons(results, {name: row[name] for name in _PLACE})}
            | {"noun": results.noun(row["dataset"])}
            | {"features": only(rows, "metric", "features_per_class").get("mean")}
            | {"stability": only(of("stability", row["classifier"]), "class", "")}
            | {name: checked(name, row) for name in ("random_genes", "learning_curve")}
        )
    failed = {row["classifier"]: row for row in of("summary") if row["folds_failed"]}
    return {"name": results.places[place], "verdicts": verdicts, "failed": failed.values()}
