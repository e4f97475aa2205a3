"""Descriptions of a model with its verdict, for programs and for people; its signature as text."""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted, listed
from xnbflow.models.pipelines import explainer
from xnbflow.models.signature import gene_sets
from xnbflow.models.trained import TrainedModel, core_performance
from xnbflow.naive_bayes.conformal import ERROR_RATE
from xnbflow.report.findings import verdict_in_words
from xnbflow.report.numbers import capitalized, format_number
from xnbflow.report.sentences import limiting_rows
from xnbflow.tables.contract import GROUPS, MODEL
from xnbflow.tables.storage import read_parquet, tsv

#: Features of a signature that are listed for each class.
_SHOWN = 20
#: Width of the lines of a text.
_WIDTH = 100


def model_summary(model: TrainedModel, path: str | Path | None = None) -> dict[str, Any]:
    """Return the description of a model for programs.

    ``verdict`` is that of the study in whose folder the file is, if ``path`` is given. A
    `ClassSpecificNBCV` with a core set also has ``core``, its accuracy in inner folds, and
    ``coverage``, the share of each class whose set of classes contains it.
    """
    description: dict[str, Any] = {}
    core = core_performance(model)
    if core is not None:
        classifier: Any = explainer(model.estimator)
        description["core"] = core
        description["coverage"] = {
            "error_rate": ERROR_RATE,
            "held_out": classifier.coverage(ERROR_RATE),
        }
    if path is not None:
        noun = "gene" if model.symbols else "feature"
        description["verdict"] = vars(verdict_of_model(path, noun))
    return {
        **description,
        "method": model.entry,
        "estimator": repr(model.estimator),
        "series": model.series,
        "features_used": len(model.used),
        "figures": model.figures,
        "versions": model.versions,
    }


def summary_text(result: Mapping[str, Any], path: Path) -> str:
    """Return the description of a model, a result of `model_summary`, as text for people."""
    series = result["series"]
    classes = ", ".join(f"{label} {n}" for label, n in series["classes"].items())
    samples = counted(series["samples"], "sample")
    features = counted(series["features"], "feature")
    lines = [
        f"{path}: {result['estimator'].splitlines()[0]}",
        (
            f"fitted on {series['name']}: {samples} ({classes}), {features}, of which it uses "
            f"{result['features_used']}"
        ),
    ]
    if result["figures"]:
        lines += _figures_as_lines(result["figures"])
    else:
        lines.append("not cross-validated: its accuracy is unknown")
    lines += _verdict_as_lines(result.get("verdict", {}), has_figures=bool(result["figures"]))
    if "core" in result:
        lines += _core_as_lines(result["core"], result["coverage"])
    lines.append(", ".join(f"{name} {number}" for name, number in result["versions"].items()))
    return "\n".join(lines)


def _figures_as_lines(figures: Mapping[str, Any]) -> list[str]:
    """Return the cross-validated accuracies and recalls of a model, with their intervals."""
    groups = figures.get("groups")
    counting = "" if groups is None else f"; intervals count {counted(groups, 'group')}"
    draws = ""
    if figures["repeats"] > 1:
        draws = f", means of {figures['repeats']} draws"
    measures = {"accuracy": figures["accuracy"]}
    if "balanced_accuracy" in figures:  # earlier model files have none
        measures["balanced accuracy"] = figures["balanced_accuracy"]
    for label, recall in figures["recall"].items():
        measures[f"recall of {label}"] = recall
    width = max(map(len, measures))

    lines = [f"cross-validated ({counted(figures['folds'], 'fold')}{draws}{counting}):"]
    for name, measure in measures.items():
        facts = f"95% interval {_three(measure['lower'])} to {_three(measure['upper'])}"
        if "of" in measure:
            facts = f"{_number_right(measure['right'])} of {measure['of']}; {facts}"
        lines.append(f"  {name:{width}}  {_three(measure['value'])} ({facts})")
    majority = figures["majority"]
    lines.append(
        f"  majority-class baseline (always {majority['class']}): {_three(majority['share'])}"
    )
    return lines


def _number_right(number: float) -> str:
    """Return a number of samples; a mean of draws with one decimal, others without."""
    return f"{number:.0f}" if number == round(number) else format_number(number, ".1f")


def _three(number: float) -> str:
    """Return a share with three decimals, as the page has it."""
    return format_number(number, ".3f")


def _verdict_as_lines(verdict: Mapping[str, Any], *, has_figures: bool) -> list[str]:
    """Return the verdict of the model’s study, or what the figures alone do not show."""
    if verdict.get("level"):
        return [f"verdict of the study {verdict['study']}: {verdict['text']}"]
    lines = [verdict["text"]] if verdict else []
    if has_figures:
        lines.append(
            "these figures rest on intervals alone: no label test was run, and the stability "
            "of its features is unknown; the page of a study has both"
        )
    return lines


def _core_as_lines(core: Mapping[str, Any], coverage: Mapping[str, Any]) -> list[str]:
    """Return the accuracy of the core set of a model, and the coverage of its sets of classes."""
    shares = ", ".join(f"{label} {_three(share)}" for label, share in coverage["held_out"].items())
    return [
        (
            f"its core set of {counted(core['features'], 'feature')} alone has an accuracy of "
            f"{_three(core['accuracy'])} (balanced {_three(core['balanced_accuracy'])}) in "
            "inner folds of the training samples"
        ),
        (
            f"sets of classes, meant to hold {1.0 - coverage['error_rate']:.0%} of each class, "
            f"hold {shares}"
        ),
    ]


def signature_text(model: TrainedModel) -> str:
    """Return the first features of each class of a signature, for people."""
    if model.signature.empty:
        return "no signature: it uses all features for every class"
    lines = []
    for label, rows in model.signature.groupby("class", sort=False):
        features = []
        for row in rows.to_dict("records"):
            name = row["symbol"] or row["feature"]
            share = row["share_of_folds"]
            stability = "" if pd.isna(share) else f", {share:.0%} of folds"
            features.append(f"{name} ({row['direction']}{stability})")
        text = f"{label}: {listed(features, _SHOWN)}"
        lines.append(textwrap.fill(text, _WIDTH, subsequent_indent="  ", break_long_words=False))
    return "\n".join(lines)


def signature_lines(model: TrainedModel, *, gmt: bool, top: int | None = None) -> str:
    """Return a signature, or its first features per class, as tab-separated text or gene sets."""
    if model.signature.empty:
        msg = (
            f"{type(model.estimator).__name__} uses all features for every class: it has no "
            "signature; fit csnb or xnb"
        )
        raise InputError(msg)
    if gmt:
        sets = gene_sets(model.signature, model.series["name"], model.series["digest"], top)
        return "".join(f"{line}\n" for line in sets)
    rows = model.signature
    return tsv(rows if top is None else rows[rows["rank"] <= top])


@dataclass(frozen=True, kw_only=True)
class ModelVerdict:
    """The verdict of a study on the classifier of a model, or why there is none.

    ``level`` is empty without a verdict. ``findings`` are the rows of the table ``findings`` that
    limit it, and ``text`` is a sentence, as "Partly supported, because ...".
    """

    text: str
    level: str = ""
    study: str = ""
    findings: list[Mapping[str, Any]] = field(default_factory=list)


def verdict_of_model(path: str | Path, noun: str = "feature") -> ModelVerdict:
    """Return the verdict on a model by its file, which is in the folder of its study.

    It is that of the study’s first scheme of folds, from which a model has its figures. ``noun`` is
    what the model calls a feature: "gene" or "feature".
    """
    root, place = _parts_at_results(Path(path).absolute())
    values = MODEL.values_in(place)
    if values is None:
        return ModelVerdict(text="No verdict: the file is not in the folder of a study.")
    study = values["study"]
    paths = {}
    for name in ("verdicts", "findings"):
        paths[name] = root / GROUPS["study"].files[name].of(study=study)
        if not paths[name].is_file():
            text = f"No verdict: the study {study} has not compared its classifiers yet."
            return ModelVerdict(text=text, study=study)
    key = {name: values[name] for name in ("dataset", "classifier")}
    rows = _rows_of_key(paths["verdicts"], "verdicts", key)
    if rows.empty:
        text = f"No verdict: the study {study} did not cross-validate this model."
        return ModelVerdict(text=text, study=study)
    row = rows.iloc[0]
    table = read_parquet(paths["findings"], GROUPS["study"].tables["findings"])
    limiting = limiting_rows(table, key | {"folds": row["folds"]})
    sentence = verdict_in_words(row["level"], limiting, noun)
    return ModelVerdict(
        text=f"{capitalized(sentence)}.", level=row["level"], study=study, findings=limiting
    )


def _parts_at_results(path: Path) -> tuple[Path, str]:
    """Return the folder that has the last folder ``results`` of a path, and the path in it.

    The second part is empty for a path without such a folder.

    Examples
    --------
    >>> folder, place = _parts_at_results(Path("/data/results/studies/demo/report.html"))
    >>> folder.as_posix(), place
    ('/data', 'results/studies/demo/report.html')
    """
    for folder in path.parents:
        if folder.name == "results":
            return folder.parent, path.relative_to(folder.parent).as_posix()
    return path.parent, ""


def _rows_of_key(path: Path, name: str, key: dict[str, str]) -> pd.DataFrame:
    """Return the rows of a table of a study whose columns have the values of a key."""
    table = read_parquet(path, GROUPS["study"].tables[name])
    is_of_key = (table[list(key)] == pd.Series(key)).all(axis=1)
    return table[is_of_key]
