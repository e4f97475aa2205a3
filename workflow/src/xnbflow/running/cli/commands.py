"""The work of the commands: thin functions over `xnbflow.models`, which programs can call."""

import json
import os
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import yaml

from xnbflow.core.atomic import write_atomically
from xnbflow.core.errors import InputError, printable, require_choice
from xnbflow.core.nouns import counted, listed
from xnbflow.core.plugins import known_analyses
from xnbflow.data.dataset import DataSet
from xnbflow.data.series_file import DataSetHeader
from xnbflow.evaluation.fitting import frame_for, sample_columns
from xnbflow.evaluation.folds import class_counts, folds_of_repeat
from xnbflow.evaluation.method_checks import check_estimator
from xnbflow.evaluation.methods import known_methods
from xnbflow.inference.halves import MOST_SAMPLES
from xnbflow.models.agreement import Agreement, agreement
from xnbflow.models.explanation import explain_sample
from xnbflow.models.model_file import read_model, write_model
from xnbflow.models.panel import Panel, design_panel
from xnbflow.models.prediction import Prediction, fitted_log_posterior, predict_table
from xnbflow.models.reading import (
    Samples,
    complete_training,
    described,
    read_labelled_samples,
    read_training,
    symbols_of,
)
from xnbflow.models.recalibration import RECALIBRATION, recalibrate_model, shift_is_shown
from xnbflow.models.signature import gene_sets
from xnbflow.models.steps import explainer
from xnbflow.models.trained import (
    TrainedModel,
    core_figures,
    cross_validate,
    fit_model,
    series_digest,
)
from xnbflow.naive_bayes.conformal import ERROR_RATE
from xnbflow.report.manuscript.references import in_words
from xnbflow.running.config import RULES
from xnbflow.running.project import default_configuration, default_sheets
from xnbflow.sources.count_folder import default_name, merge_counts, write_counts
from xnbflow.sources.downloads import Downloads
from xnbflow.sources.genepattern import write_gct_and_cls
from xnbflow.sources.geo_summary import summarise
from xnbflow.sources.program_exports import read_export, write_export
from xnbflow.sources.retries import RetryPolicy
from xnbflow.sources.sheet import SheetRow, read_sheet
from xnbflow.sources.summary import Summary, summarise_table
from xnbflow.tables.contract import DOWNLOADS, MODEL, REPORT, SERIES
from xnbflow.tables.storage import tsv

if TYPE_CHECKING:
    from xnbflow.report.results import StudyResults

__all__ = [
    "RECALIBRATION",
    "agreement_of",
    "as_text",
    "check_study_name",
    "classifier",
    "complete_training",
    "convert",
    "counted",
    "cross_validate",
    "deliver",
    "described",
    "design_panel",
    "explain_sample",
    "find_configuration",
    "fit_model",
    "fold_remark",
    "least_certain",
    "methods_text",
    "new_files",
    "parameters",
    "predict_table",
    "prepared",
    "print_figures",
    "print_genes",
    "read_model",
    "read_samples_of",
    "read_study",
    "read_training",
    "recalibrate",
    "recalibration_in_words",
    "score_sheet",
    "signature_lines",
    "signature_text",
    "summary",
    "summary_of",
    "symbols_of",
    "training_series",
    "tsv",
    "workflow_extra",
    "write_gct_and_cls",
    "write_model",
    "write_paper",
    "write_study",
]

_SHOWN = 20
#: Number of samples that are explained where none is named.
_EXPLAINED = 3
#: With this many samples of the smallest class every fold tests one.
_LEAST_SAMPLES = 3
#: Folds of a study, at least, if its classes have as many samples.
_FEW_FOLDS = 5
#: Series with fewer samples have five folds, others ten.
_FEW_SAMPLES = 50
#: How often folds are drawn in series of at most `MOST_SAMPLES` samples: verdicts near their limit
#: depend less on the draw (`python -m benchmarks draws`).
_REPEATS = 3
#: The classifier of a study that a command writes, by its id in the project's configuration.
_RECOMMENDED = "csnb-cv"
#: What it is compared with: the chosen genes' densities without the choice, and the classic method
#: that chooses genes. On the development series shrunken centroids are more accurate than a forest
#: and need a third of its time, see docs/methods/shrunken-centroids.md.
_PEERS = ("nb", "shrunken")
_ABOUT = """\
# A study, laid over the configuration of the project. The classifier in `headline` is tested by
# permuted labels and in halves of the samples; that in `final` is fitted to all samples and kept.
# `xnbflow methods` lists the classifiers.
"""
#: The limit of a download that no option changes.
MOST_GIGABYTES = RetryPolicy().most_gigabytes
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}")


def parameters(assignments: Iterable[str]) -> dict[str, Any]:
    """Return parameters from ``key=value``; values are read as YAML reads them.

    Examples
    --------
    >>> parameters(["n_features=5", "distance=hellinger"])
    {'n_features': 5, 'distance': 'hellinger'}
    """
    params = {}
    for part in assignments:
        key, equals, value = part.partition("=")
        if not equals or not key:
            msg = f"--param {part!r} is not of the form key=value"
            raise InputError(msg)
        try:
            params[key] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            msg = f"--param {part!r} cannot be read; quote the value"
            raise InputError(msg) from error
    return params


def classifier(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return a classifier's entry, as a configuration has it, before any data are read.

    ``method`` is a method's name, where hyphens stand for underscores, or an import path. Raises an
    `InputError` for an unknown method or parameter.

    Examples
    --------
    >>> classifier("csnb-cv", {"cv": 3})
    {'method': 'csnb_cv', 'params': {'cv': 3}}
    """
    name = method if "." in method else method.replace("-", "_")
    entry = {"method": name, "params": params}
    try:
        check_estimator(entry, "fit", "classifier")
    except InputError as error:
        result = str(error).replace("configuration, fit.method", "--method")
        raise InputError(result.replace("configuration, fit.params", "--param")) from error
    return entry


def methods_text() -> str:
    """Return the classifiers of the project's configuration, else the library's, for people."""
    known = known_methods()
    entries = default_configuration().get("classifiers") or {
        name: {"method": name} for name, method in known.items() if method.kind == "classifier"
    }
    lines = ["Ids for studies; `xnbflow fit --method` takes the names in brackets.", ""]
    for name, entry in entries.items():
        method = entry.get("steps", [entry])[-1]["method"]
        about = [known[method].title, in_words(known[method].source)] if method in known else []
        words = "; ".join(dict.fromkeys([entry.get("label", name), *about]))
        text = f"{name:<18}{words} [{method}]"
        lines += textwrap.wrap(text, 100, subsequent_indent=" " * 18, break_long_words=False)
    return "\n".join(lines)


def read_samples_of(
    model: TrainedModel, location: str, id_column: str, options: Sequence[str], orientation: str
) -> Samples:
    """Read samples to predict, with their labels where the table has them."""
    dataset = described(location, "", id_column, options, orientation)
    return read_labelled_samples(
        dataset,
        model.series,
        features=model.features,
        columns=list(sample_columns(model.estimator)),
        quartiles=model.quartiles,
    )


def agreement_of(
    model: TrainedModel, samples: Samples, prediction: Prediction, table: str
) -> tuple[Agreement | None, str]:
    """Return how predictions agree with the table's labels, and a text; None without labels."""
    if samples.labels is None:
        return None, ""
    options = dict(option.partition("=")[::2] for option in model.series.get("options", ()))
    found = agreement(model.classes, list(prediction.table["label"]), samples.labels, options)
    if found is None:
        return None, ""
    text = found.as_text()
    location = str(model.series.get("location", ""))
    if location and Path(location).resolve() == Path(table).resolve():
        text += (
            "\nThe model was fitted to this table: for its accuracy with new samples see "
            "`xnbflow show`."
        )
    return found, text


def least_certain(model: TrainedModel, samples: pd.DataFrame, missing: str) -> list[str]:
    """Return the names of the samples whose most probable class is least probable, least first."""
    table = predict_table(model, samples, missing).table
    probabilities = table.filter(regex=r"^probability\.").max(axis=1)
    order = probabilities.to_numpy().argsort(kind="stable")[:_EXPLAINED]
    return table["sample"].iloc[order].tolist()


def summary_of(
    dataset: SheetRow, mirrors: Sequence[str] = (), most_gigabytes: float = MOST_GIGABYTES
) -> Summary:
    """Summarise a GEO accession, a table, a workbook or an AnnData file.

    A file at a URL is refused above ``most_gigabytes``.
    """
    retry = RetryPolicy(most_gigabytes=most_gigabytes, retries=_RETRIES)
    if dataset.source == "table":
        return summarise_table(dataset, retry)
    # read only, to find earlier downloads and files of the user
    base_urls = {"geo": list(mirrors)} if mirrors else {}
    downloads = Downloads(Path(DOWNLOADS), base_urls, retry)
    return summarise(dataset.location, downloads, dataset.label or "", dataset.options)


#: Retries of a download while a person waits.
_RETRIES = 1


@dataclass(frozen=True, kw_only=True)
class Converted:
    """A table that was written of other files, options of the sheet for it, and remarks."""

    path: Path
    options: dict[str, str]
    remarks: list[str]


def convert(location: str, output: str) -> Converted | None:
    """Write a folder of one-sample files, or a program's export, as a table; None for other files.

    The table is beside the files of the study, ``<output>-counts.tsv`` or ``<output>-values.tsv``,
    else in this folder.
    """
    place = Path(location)
    if place.is_dir():
        merged = merge_counts(place)
        path = Path(f"{output}-counts.tsv" if output else default_name(place))
        write_counts(merged, path)
        remarks = [*merged.remarks, f"The table of all samples is {path}."]
        return Converted(path=path, options=merged.options, remarks=remarks)
    export = read_export(place)
    if export is None:
        return None
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", place.name.partition(".")[0])
    path = Path(f"{output or name}-values.tsv")
    write_export(export, path)
    remarks = [*export.remarks, f"The table is {path}."]
    return Converted(path=path, options=export.options, remarks=remarks)


def fold_remark(result: Summary, name: str) -> str:
    """Return a sentence where a small class decides the number of folds; empty where none does."""
    if result.labels is None:
        return ""
    splits = _splits(result, name)
    header = DataSetHeader(
        name=name,
        samples=np.arange(len(result.labels)),
        labels=result.labels,
        n_features=0,
        groups=result.groups,
    )
    counts = class_counts(header)
    units = "samples" if result.groups is None else "groups"
    if counts.min() >= _FEW_FOLDS:
        return ""
    smallest = f"class {str(counts.idxmin())!r} has {counts.min()} {units}"
    if splits > counts.min():
        return f"{smallest}: of {splits} folds {splits - counts.min()} test none of it"
    return f"{smallest}, so that {splits} folds are proposed"


def find_configuration(study: str, options: Sequence[str]) -> list[str]:
    """Return the option for the file ``<study>.yaml`` of this folder, if it is needed.

    It is where neither the project's configuration nor a rule has the study, and the user names no
    file.
    """
    given = {option.partition("=")[0] for option in options}
    path = Path(f"{study}.yaml")
    is_known = study in {*default_configuration().get("studies", {}), *RULES}
    if is_known or given & {"--configfile", "--configfiles"} or not path.is_file():
        return []
    return ["--configfile", str(path)]


def write_study(
    result: Summary,
    output: str,
    mirrors: Sequence[str] = (),
    *,
    force: bool = False,
    most_gigabytes: float = MOST_GIGABYTES,
) -> str:
    """Write the sheet ``<output>.tsv`` and configuration ``<output>.yaml`` of a study of a series.

    The last part of ``output`` names the study. It has the recommended classifier, kept as a model
    with its signature, two others, and a permutation test of the first. ``mirrors`` are where to
    download from instead of NCBI; earlier files are overwritten by ``force`` only. Returns the
    command that runs the study. Raises an `InputError` if no folds can be drawn.
    """
    name = Path(output).name
    check_study_name(name)
    if result.row is None:
        msg = f"{result.accession}: {result.reason} No files were written"
        raise InputError(msg)
    sheet, configuration = new_files(output, force=force)
    splits = _splits(result, name)
    repeats = repeats_of_folds(result.n_samples)
    scheme = f"{repeats}x{splits}-fold" if repeats > 1 else f"{splits}-fold"
    settings: dict[str, Any] = {
        "run": [name],
        "sheets": ["config/datasets.tsv", str(sheet)],
        "studies": {
            name: {
                "title": result.title or name,
                "datasets": [name],
                "classifiers": [_RECOMMENDED, *_PEERS],
                "folds": [scheme],
                "headline": _RECOMMENDED,
                "final": [_RECOMMENDED],
            }
        },
    }
    if scheme not in default_configuration().get("folds", {}):
        settings["folds"] = {scheme: {"splits": splits, "repeats": repeats}}
    download: dict[str, Any] = {}
    if mirrors:
        download["base_urls"] = {"geo": list(mirrors)}
    if most_gigabytes != MOST_GIGABYTES:
        download["most_gigabytes"] = most_gigabytes
    if download:
        settings["download"] = download
    sheet.parent.mkdir(parents=True, exist_ok=True)
    deliver(result.sheet, sheet)
    text = yaml.safe_dump(settings, sort_keys=False, allow_unicode=True)
    deliver(f"{_ABOUT}{text}", configuration)
    return f"xnbflow run {name} --configfile {configuration}"


def check_study_name(name: str) -> None:
    """Raise an `InputError` if a new study cannot have a name."""
    if not _NAME.fullmatch(name):
        msg = f"{name!r} cannot name a study; use letters, digits and . _ -, at most 60"
        raise InputError(msg)
    datasets = [row for path in default_sheets().values() for row in read_sheet(path)]
    if name in {*default_configuration().get("studies", {}), *datasets, *RULES}:
        msg = f"{name!r} is a study, data set or rule of the project; choose another name"
        raise InputError(msg)


def new_files(output: str, *, force: bool) -> tuple[Path, Path]:
    """Return the paths of a new study's sheet and configuration; existing ones need ``force``."""
    sheet, configuration = Path(f"{output}.tsv"), Path(f"{output}.yaml")
    for path in (sheet, configuration):
        if path.exists() and not force:
            raise InputError(f"{path} exists; overwrite it by --force, or choose another name")
    return sheet, configuration


def repeats_of_folds(n_samples: int) -> int:
    """Return how often the folds of a proposed study are drawn; once for large series.

    Examples
    --------
    >>> repeats_of_folds(60), repeats_of_folds(5000)
    (3, 1)
    """
    return _REPEATS if n_samples <= MOST_SAMPLES else 1


def _splits(result: Summary, name: str) -> int:
    """Return the number of folds: 10, 5 with few samples, fewer if a class needs it."""
    few = result.n_samples < _FEW_SAMPLES or result.groups is not None
    most = _FEW_FOLDS if few else 10
    if result.labels is None:
        return most
    samples = np.arange(len(result.labels))
    header = DataSetHeader(
        name=name, samples=samples, labels=result.labels, n_features=0, groups=result.groups
    )
    counts = class_counts(header)
    if result.groups is not None:
        least, size = 3, counts.min()  # of two groups in training, inner folds train with one
    elif counts.min() >= _LEAST_SAMPLES:
        least, size = 2, counts.min()  # every fold tests each class
    else:
        least, size = 2, counts.max()
    for splits in range(min(most, int(size)), least - 1, -1):
        with suppress(InputError):
            folds_of_repeat(header, splits, 0)
            return splits
    units = "samples" if result.groups is None else "groups"
    msg = (
        f"{result.accession}: class {counts.idxmin()!r} has {counts.min()} of the {units}, and no "
        "folds can be drawn that train and test each class; add samples, join or leave out classes "
        "by map=, or name another label. No files were written"
    )
    raise InputError(msg)


def prepared(dataset: str) -> DataSet:
    """Read a data set from the stage *acquire* in this folder."""
    path = Path(SERIES.of(dataset=dataset))
    if not path.is_file():
        msg = f"{path} does not exist; run a study that has the data set {dataset!r} in this folder"
        raise InputError(msg, file=str(path))
    return DataSet.read(path)


def read_study(study: str) -> "StudyResults":
    """Read a finished study."""
    with workflow_extra():
        from xnbflow.report.study_page import read_record  # noqa: PLC0415
    return read_record(study, known_analyses())


def page_of(study: str) -> Path:
    """Return the page of a finished study; it is an `InputError` if there is none."""
    path = Path(REPORT.of(study=study))
    if not path.is_file():
        msg = f"{path} does not exist; run the study in this folder: xnbflow run {study}"
        raise InputError(msg, file=str(path))
    return path


def write_workbook(results: "StudyResults", path: Path) -> Path:
    """Write the workbook of a study; it is an `InputError` without the package openpyxl."""
    from xnbflow.report import workbook  # noqa: PLC0415

    try:
        workbook.write_workbook(results, path)
    except ModuleNotFoundError as error:
        msg = f"the command needs {error.name}; install xnbflow with its extra `excel`"
        raise InputError(msg) from error
    return path


def print_figures(results: "StudyResults", folder: Path, width: float) -> dict[str, float]:
    """Draw the figures of a study for print, on all cores."""
    from xnbflow.report import study_page as study  # noqa: PLC0415

    return study.print_figures(results, folder, width, os.cpu_count() or 1)


def print_genes(
    results: "StudyResults", name: str, dataset: str, folder: Path, width: float
) -> pd.DataFrame:
    """Draw a gene of one data set of a study, or of all; return its rows of the tables."""
    from xnbflow.report.gene_figures import print_genes as print_all  # noqa: PLC0415

    datasets = results.study.datasets
    if dataset:
        require_choice("--data", dataset, datasets)
    return print_all(results, name, [dataset] if dataset else datasets, folder, width)


def write_paper(results: "StudyResults", folder: Path) -> list[str]:
    """Write the texts and tables for a paper; return the names of the files."""
    from xnbflow.report.manuscript import writer  # noqa: PLC0415

    written = writer.write_paper(results, folder)
    for dataset, classifier in results.study.models:
        path = results.root / MODEL.of(
            study=results.study.id, dataset=dataset, classifier=classifier
        )
        elsewhere = writer.reached_elsewhere(results, dataset, classifier)
        title = f"{results.labels[classifier]} on {dataset}"
        name = f"card-{dataset}-{classifier}.md"
        facts = summary(read_model(path))
        facts["figures"] = writer.reached(results, dataset, classifier, facts["figures"])
        deliver(writer.card(facts, title, elsewhere), folder / name)
        written.append(name)
    return written


@contextmanager
def workflow_extra() -> Iterator[None]:
    """Refuse commands whose packages are not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        msg = f"the command needs {error.name}; install xnbflow with its extra `workflow`"
        raise InputError(msg) from error


def summary(model: TrainedModel) -> dict[str, Any]:
    """Return the description of a model for programs."""
    last: Any = explainer(model.estimator)
    core, own = core_figures(model), {}
    if core is not None:
        own = {"core": core}
        own["coverage"] = {"error_rate": ERROR_RATE, "held_out": last.coverage(ERROR_RATE)}
    return {
        **own,
        "method": model.entry,
        "estimator": repr(model.estimator),
        "series": model.series,
        "features_used": len(model.used),
        "figures": model.figures,
        "versions": model.versions,
    }


def recalibrate(
    model: TrainedModel, dataset: SheetRow, missing: str
) -> tuple[TrainedModel, dict[str, dict[str, float]]]:
    """Recalibrate a model by the samples of another cohort, see `recalibrate_model`."""
    dataset = replace(dataset, label=dataset.label or model.series.get("label") or None)
    series = read_training(complete_training(dataset))
    log_posterior = fitted_log_posterior(model, frame_for(model.estimator, series), missing)
    return recalibrate_model(model, series, log_posterior)


def recalibration_in_words(model: TrainedModel, figures: dict[str, dict[str, float]]) -> str:
    """Return slope and intercept with their intervals, and their effects, as text."""
    found = model.series[RECALIBRATION]
    parts = {"slope": found["slope"], f"intercept of {model.classes[1]}": found["intercept"][1]}
    limits = (found["slope_interval"], found["intercept_interval"])
    lines = [
        f"{name}\t{value:.4g}\t95% interval {low:.4g} to {high:.4g}"
        for (name, value), (low, high) in zip(parts.items(), limits, strict=True)
    ]
    for name, before in figures["before"].items():
        after = figures["after"][name]
        lines.append(
            f"{name.replace('_', ' ')}\t{before:.3f}\t{after:.3f} with each sample left out"
        )
    if not shift_is_shown(found):
        lines.append(
            "No shift is shown: the interval of the slope contains 1 and that of the intercept 0. "
            "Use the model as it was."
        )
    return "\n".join(lines)


def training_series(
    model: TrainedModel, options: Sequence[str], orientation: str, table: str = ""
) -> DataSet:
    """Read the table that a model was fitted to; an `InputError` if it has changed."""
    origin = {name: model.series.get(name, "") for name in ("location", "label", "id_column")}
    origin["location"] = table or origin["location"]
    if not origin["location"]:
        msg = "the model does not name the table that it was fitted to; fit it with `xnbflow fit`"
        raise InputError(msg)
    origin["options"] = options or model.series.get("options", [])
    if orientation == "rows":
        orientation = model.series.get("orientation", orientation)
    dataset = described(**origin, orientation=orientation)
    series = read_training(complete_training(dataset))
    if series_digest(series) != model.series["digest"]:
        msg = (
            f"{origin['location']} is not the table that the model was fitted to, or is read "
            "otherwise; give the options (--option, --orientation) of `xnbflow fit`"
        )
        raise InputError(msg, file=str(origin["location"]))
    return series


def score_sheet(panel: Panel) -> str:
    """Return a page that computes the probabilities of a panel's model without a network."""
    fitted: Any = panel.model.estimator
    names = ("class_log_prior_", "theta_", "var_")
    numbers = {name.strip("_"): getattr(fitted, name).tolist() for name in names}
    symbols = [panel.model.symbols.get(name, "") for name in panel.genes["gene"]]
    content = {
        **numbers,
        **panel.model.series[RECALIBRATION],
        "name": panel.model.series["name"],
        "classes": panel.model.classes,
        "genes": panel.genes["gene"].tolist(),
        "symbols": symbols,
        "references": panel.references,
        "accuracy": panel.accuracy.iloc[-1].to_dict(),
    }
    text = json.dumps(content).replace("<", "\\u003c")  # names may hold "</script>"
    page = Path(__file__).with_name("score_sheet.html").read_text(encoding="utf-8")
    return page.replace("__PANEL__", text)


def as_text(result: dict[str, Any], path: Path) -> str:
    """Return the description of a model as text."""
    series, figures = result["series"], result["figures"]
    classes = ", ".join(f"{label} {n}" for label, n in series["classes"].items())
    lines = [
        f"{path}: {result['estimator'].splitlines()[0]}",
        (
            f"fitted on {series['name']}: {counted(series['samples'], 'sample')} ({classes}), "
            f"{counted(series['features'], 'feature')}, of which it uses {result['features_used']}"
        ),
    ]
    if cohort := series.get(RECALIBRATION, {}).get("cohort"):
        lines.append(f"recalibrated to {cohort}: slope {series[RECALIBRATION]['slope']:.3g}")
    if figures:
        majority, groups = figures["majority"], figures.get("groups")
        over = "" if groups is None else f"; intervals count {counted(groups, 'group')}"
        lines.append(f"cross-validated ({counted(figures['folds'], 'fold')}{over}):")
        named = {"accuracy": figures["accuracy"]}
        named |= {f"recall of {label}": value for label, value in figures["recall"].items()}
        width = max(map(len, named))
        lines += [
            f"  {name:{width}}  {value['value']:.3f} ({value['right']:g} of {value['of']}; "
            f"95% interval {value['lower']:.3f} to {value['upper']:.3f})"
            for name, value in named.items()
        ]
        lines.append(
            f"  majority-class baseline (always {majority['class']}): {majority['share']:.3f}"
        )
        lines.append(
            "these figures rest on intervals alone: no permutation test was run, and the stability "
            "of its features is unknown; the page of a study has both"
        )
    else:
        lines.append("not cross-validated: its accuracy is unknown")
    if "core" in result:
        core, held_out = result["core"], result["coverage"]["held_out"]
        lines.append(
            f"its core set of {counted(core['features'], 'feature')} alone has an accuracy of "
            f"{core['accuracy']:.3f} (balanced {core['balanced_accuracy']:.3f}) in "
            "inner folds, which differ from the folds above"
        )
        shares = ", ".join(f"{label} {share:.3f}" for label, share in held_out.items())
        aim = 1.0 - result["coverage"]["error_rate"]
        lines.append(f"sets of classes, meant to hold {aim:.0%} of each class, hold {shares}")
    lines.append(", ".join(f"{name} {number}" for name, number in result["versions"].items()))
    return "\n".join(lines)


def signature_text(model: TrainedModel) -> str:
    """Return a signature's first features per class, for people."""
    if model.signature.empty:
        return "no signature: it uses all features for every class"
    lines = []
    for label, rows in model.signature.groupby("class", sort=False):
        shares = ["" if pd.isna(n) else f", {n:.0%} of folds" for n in rows["share_of_folds"]]
        genes = rows["symbol"].where(rows["symbol"] != "", rows["feature"])
        cells = zip(genes, rows["direction"], shares, strict=True)
        named = [f"{gene} ({direction}{share})" for gene, direction, share in cells]
        text = f"{label}: {listed(named, _SHOWN)}"
        lines.append(textwrap.fill(text, 100, subsequent_indent="  ", break_long_words=False))
    return "\n".join(lines)


def signature_lines(model: TrainedModel, *, gmt: bool, top: int | None = None) -> str:
    """Return a signature, or its first features per class, as tab-separated text or gene sets."""
    if model.signature.empty:
        msg = f"{type(model.estimator).__name__} uses all features for every class"
        raise InputError(f"{msg}: it has no signature; fit csnb or xnb")
    if gmt:
        names = (model.series["name"], model.series["digest"])
        return "".join(f"{line}\n" for line in gene_sets(model.signature, *names, top))
    rows = model.signature
    return tsv(rows if top is None else rows[rows["rank"] <= top])


def deliver(text: str, path: Path | None) -> None:
    """Write text to a file, or to standard output."""
    if path is None:
        sys.stdout.write(printable(text))
        return
    write_atomically(path, lambda part: part.write_text(text, encoding="utf-8"))
