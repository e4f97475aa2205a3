"""Methods and results in words: every clause comes from the configuration and tables of a study."""

import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import PurePath
from typing import Any

import jinja2
import pandas as pd

from xnbflow.data.sources.sheet import is_accession
from xnbflow.evaluation.intervals import CROSS_VALIDATED, TUNED, inflation_of
from xnbflow.evaluation.methods import entries_in, known_methods, resolved
from xnbflow.report.manuscript.references import references
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.answer import RULE

__all__ = ["escaped", "facts", "filled", "paragraphs", "render"]


def escaped(text: str) -> str:
    """Return a text whose marks Markdown does not take for markup."""
    return re.sub(r"([\\`*_<>|])", r"\\\1", text)


_METRICS = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "f1_macro": "macro F1",
    "mcc": "Matthews' correlation [@gorodkin2004]",
    "roc_auc": "the area under the ROC curve, each class against the rest [@fawcett2006]",
    "brier": "the Brier score, summed over the classes [@brier1950]",
    "log_loss": "log loss",
}
_FORMATS = {
    "pct": lambda value: f"{100 * value:.1f}%",
    "p": lambda value: f"p = {value:.2g}" if value > 1e-300 else "p < 1e-300",
    "n": lambda value: f"{value:,.0f}",
    "count": lambda value: f"{value:.1f}" if value < 1000 else f"{value:,.0f}",
    "two": lambda value: f"{value:z.2f}",
    "three": lambda value: f"{value:.3f}",
    "short": lambda value: f"{value:g}",
    "md": escaped,
    "signed": lambda value: f"{value:+.3f}",
}
#: What templates leave behind: two full stops, a space before a mark or a sign of per cent.
_TIDIED = {r"\.\.(?=\s|$)": ".", r" ([.,;:])(?= |$)": r"\1", r"(\d) %": r"\1%"}
_SOURCES = {
    "geo": "was taken from the Gene Expression Omnibus [@geo]",
    "cumida": "was taken from the curated microarray database CuMiDa [@cumida]",
    "bundled": "is distributed with scikit-learn [@scikit-learn]",
    "uci": "was taken from the UCI Machine Learning Repository",
    "simulate": "was simulated by xnbflow",
    "table": "was read from a table",
}


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


def _tidied(text: str) -> str:
    parts = (" ".join(part.split()) for part in re.split(r"\n\s*\n|\n(?=## )", text))
    joined = "\n\n".join(filter(None, parts))
    for pattern, instead in (
        (r"\.\.(?=\s|$)", "."),
        (r" ([.,;:])(?= |$)", r"\1"),
        (r"(\d) %", r"\1%"),
    ):
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
    made.filters.update(_FORMATS)
    return made


def facts(results: StudyResults) -> dict[str, Any]:
    """Return what templates fill in: tables as lists of rows, missing numbers None."""
    study, configuration, tables = results.study, results.configuration, results.tables

    def rows(table: str) -> list[dict[str, Any]]:
        return _rows(tables[table]) if study.datasets else []

    summary = {row["metric"] for row in rows("summary")}
    stability = [row for row in rows("stability") if row["class"] == ""]
    within, permuted = rows("pairwise_within"), rows("permutation_tests")
    for row in permuted:
        row["where"] = f"{row['dataset']}, {results.labels[row['classifier']]}"
    tuned = [
        results.labels[name]
        for name, entry in configuration.get("classifiers", {}).items()
        if inflation_of(resolved(entry)) == TUNED
    ]
    datasets = list(_datasets(results, rows))
    return {
        "study": study,
        "labels": results.labels,
        "software": results.software,
        "packages": list(_packages(results.software)),
        "diagnostics": configuration.get("diagnostics", {}),
        "datasets": datasets,
        "grouped": [row["dataset"] for row in datasets if row["groups"] is not None],
        "steps": list(_steps(results)),
        "folds": [
            {"file": "", "splits": None, "repeats": 1, **configuration["folds"][name], "id": name}
            for name in study.folds
        ],
        "classifiers": list(_classifiers(results)),
        "metrics": [words for name, words in _METRICS.items() if name in summary],
        "inflation": f"{CROSS_VALIDATED:g}",
        "tuned": tuned,
        "tuned_inflation": f"{TUNED:g}",
        "choices": max((row["choices"] for row in rows("verdicts")), default=1),
        "calibration": bool(rows("calibration")),
        "permutations": permuted,
        "quick": study.permutations is None,
        "stability": any(row["stability"] is not None for row in stability),
        "halves": _named(results, (row for row in stability if row["halves"] is not None)),
        "within": within,
        "within_found": [row for row in within if (row["corrected_t_holm"] or 1.0) <= 0.05],
        "omnibus": list(dict.fromkeys(row["test"] for row in rows("omnibus"))),
        "omnibus_rows": rows("omnibus"),
        "pairwise": bool(rows("pairwise")),
        "bayesian": any(row["first_better"] is not None for row in rows("pairwise")),
        "genes": study.diagnostics and bool(study.datasets),
        "audited": any(row["fdr"] is not None for row in rows("audit")),
        "enriched": bool(rows("enrichment")),
        "pairs": study.validate,
        "validated": _rows(results.validation["verdicts"]) if study.validate else [],
        "rule": RULE,
        "headline": tables["headline"]["text"].iloc[0],
        "places": [_place(results, *place) for place in results.places],
    }


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    known = frame.astype(object).where(frame.notna(), None)
    return [{str(name): value for name, value in row.items()} for row in known.to_dict("records")]


def _named(results: StudyResults, rows: Iterator[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(results.labels[row["classifier"]] for row in rows))


def _packages(software: Mapping[str, str]) -> Iterator[str]:
    for name, number in software.items():
        if name not in {"xnbflow", "Python"}:
            cited = f" [@{name}]" if name in references() else ""
            yield f"{name} {number}{cited}"


def _datasets(results: StudyResults, rows: Any) -> Iterator[dict[str, Any]]:
    """Yield the data sets with where they come from and how they were read."""
    for row in rows("datasets"):
        name = row["dataset"]
        sheet = results.configuration.get("datasets", {}).get(name, {})
        place = str(sheet.get("location") or "")
        if place and "://" not in place and not is_accession(place) and os.sep in place:
            place = place if sheet.get("source") in {"cumida", "uci"} else PurePath(place).name
        source = sheet.get("source", "")
        origin = _SOURCES.get(source, f"was read by the source {source} of xnbflow")
        yield row | {
            "origin": f"{origin}, {place}" if place else origin,
            "label": sheet.get("label"),
            "options": [f"{key}={value}" for key, value in (sheet.get("options") or {}).items()],
            "notes": [
                each["note"].removeprefix(f"data set {name}: ").rstrip(".")
                for each in rows("notes")
                if each["dataset"] == name
            ],
            "sizes": [
                f"“{each['class']}” {each['samples']:,}"
                for each in rows("class_sizes")
                if each["dataset"] == name
            ],
        }


def _steps(results: StudyResults) -> Iterator[dict[str, Any]]:
    """Yield what is done to values before a classifier sees them."""
    owners = dict(results.configuration.get("preprocessing", {}))
    for name in results.study.classifiers:
        steps = results.configuration["classifiers"].get(name, {}).get("steps", [])
        owners[results.labels[name]] = steps[:-1]
    for owner, steps in owners.items():
        for step in steps:
            method = step.get("method", "a pipeline")
            yield {
                "owner": owner,
                "title": _title(method),
                "source": _source(method),
                "parameters": _set(step),
                "reason": str(step.get("reason", "")).rstrip("."),
            }


def _title(method: str) -> str:
    known = known_methods().get(method)
    return f"the estimator {method}" if known is None else known.title


def _source(method: str) -> str:
    if known := known_methods().get(method):
        return known.source
    return "@scikit-learn" if method.startswith("sklearn.") else ""


def _set(part: Mapping[str, Any]) -> list[str]:
    return [f"{key} = {value}" for key, value in part.get("params", {}).items()]


def _classifiers(results: StudyResults) -> Iterator[dict[str, Any]]:
    """Yield the classifiers: what they are, their parameters, and what these mean."""
    for name in results.study.classifiers:
        entry = results.configuration["classifiers"].get(name, {})
        parts = []
        for part in entries_in({**entry, "steps": entry.get("steps", [])[-1:]}):
            known, given = known_methods().get(part["method"]), _set(part)
            others = "default parameters"
            parts.append(
                {
                    "title": _title(part["method"]).removeprefix(f"{results.labels[name]}: "),
                    "source": _source(part["method"]),
                    "parameters": f"{', '.join(given)} and {others} otherwise" if given else others,
                    "rules": [
                        {"name": key, "value": value, "meaning": values[value]}
                        for key, values in (known.rules.items() if known else ())
                        for value in [part.get("params", {}).get(key, next(iter(values)))]
                    ],
                }
            )
        yield {"label": results.labels[name], "parts": parts}


def _place(results: StudyResults, dataset: str, folds: str) -> dict[str, Any]:
    """Return what was found on a data set and scheme of folds, classifier by classifier."""
    where = {"dataset": dataset, "folds": folds}
    verdicts = []
    for row in _rows(results.rows("verdicts", **where)):
        own = {**where, "classifier": row["classifier"]}
        summary = _rows(results.rows("summary", **own, metric="features_per_class"))
        stability = _rows(results.rows("stability", **own, **{"class": ""}))
        unknown = dict.fromkeys(results.tables["stability"].columns)
        verdicts.append(
            (stability[0] if stability else unknown)
            | row
            | {"features": summary[0]["mean"] if summary else None}
            | {"recall": _rows(results.rows("recall", **own))}
        )
    failed = results.rows("summary", **where).query("folds_failed > 0")
    audit = results.rows("audit", dataset=dataset).query("severity in ('severe', 'warning')")
    return {
        "name": results.place(dataset, folds),
        "verdicts": verdicts,
        "failed": [
            {"classifier": name, "fits": int(rows["folds_failed"].iloc[0])}
            for name, rows in failed.groupby("classifier", sort=False)
        ],
        "audit": [row | {"finding": row["finding"].rstrip(".")} for row in _rows(audit)],
    }
