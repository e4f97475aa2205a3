"""The study that a command proposes for a table or a GEO series: its folds and its file."""

import json
import re
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from xnbflow.core.errors import InputError, known_names, quoted
from xnbflow.core.nouns import counted, either
from xnbflow.core.schemas import check
from xnbflow.core.terms import column_of_term
from xnbflow.data.controls import control_class, level_zero, shown_classes
from xnbflow.data.dataset import DataSet
from xnbflow.data.note import NoteWarning
from xnbflow.evaluation.folds import MOST_REPEATED, class_counts, folds_of_repeat
from xnbflow.models.reading import described_entry
from xnbflow.running.cli.output_files import (
    deliver,
    has_content,
    is_proposed_configuration,
    refuse_to_replace,
)
from xnbflow.running.config import RULES
from xnbflow.running.project import ROOT, default_configuration
from xnbflow.sources.dataset_entry import KEYS_OF_DESIGN, DatasetEntry
from xnbflow.sources.formats.count_folder import counts_text, default_name, merge_counts
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.places.retries import RetryPolicy
from xnbflow.sources.proposal.geo_summary import summarise_series
from xnbflow.sources.proposal.summary import Summary
from xnbflow.sources.proposal.table_summary import summarise_table
from xnbflow.tables.contract import DOWNLOADS

#: The default limit of a download, in gigabytes.
MOST_GIGABYTES = RetryPolicy().most_gigabytes
#: Retries of a download while a person waits.
_RETRIES = 1
#: The names that a study can have: they are also names of files and folders.
_STUDY_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}")
#: Endings of the files that are written for a study.
_ENDINGS = {".tsv", ".yaml", ".yml"}

#: The classifier of a proposed study, by its id in the project's configuration.
_RECOMMENDED = "csnb-cv"
#: Classifiers for comparison: the densities of the recommended one without its choice of genes, and
#: the classic method that chooses genes. On the development series shrunken centroids are more
#: accurate than a forest and need a third of its time, see docs/methods/shrunken-centroids.md.
_PEERS = ("nb", "shrunken")

#: Folds of a study with few samples, or with groups.
_FEW_FOLDS = 5
#: Folds of other studies.
_FOLDS = 10
#: Series with fewer samples have few folds.
_FEW_SAMPLES = 50
#: From this size of the smallest class on, every fold tests one of its samples.
_LEAST_SAMPLES = 3
#: With fewer folds that keep groups together, an inner fold would train with one group of a class.
_LEAST_GROUP_FOLDS = 3
#: How often folds are drawn in series of at most `MOST_REPEATED` samples: verdicts near their limit
#: then depend less on the draw.
_REPEATS = 3

_ABOUT = """\
# A study, laid over the configuration of the project. The classifier in `headline` is tested by
# permuted labels and in halves of the samples; that in `final` is fitted to all samples and kept.
# `xnbflow methods` lists the classifiers.
"""


def _summary_of(
    dataset: DatasetEntry, mirrors: Sequence[str] = (), most_gigabytes: float = MOST_GIGABYTES
) -> Summary:
    """Summarise a GEO accession, a table, a workbook or an AnnData file.

    A file at a URL is refused above ``most_gigabytes``. Annotations of arrays are sought at the
    ``mirrors``, or at NCBI if there are none.
    """
    retry = RetryPolicy(most_gigabytes=most_gigabytes, retries=_RETRIES)
    # the folder of downloads is read only, to find earlier downloads and files of the user
    base_urls = {"geo": list(mirrors)} if mirrors else {}
    downloads = Downloads(Path(DOWNLOADS), base_urls, retry)
    if dataset.source == "table":
        with warnings.catch_warnings():
            # The summary has its own sentence on the annotation, and whether it can be had.
            warnings.filterwarnings("ignore", ".*without gene symbols", NoteWarning)
            return summarise_table(dataset, retry, downloads)
    return summarise_series(dataset, downloads)


def summarise_location(
    location: str,
    output: str = "",
    *,
    mirrors: Sequence[str] = (),
    most_gigabytes: float = MOST_GIGABYTES,
    settings: Mapping[str, Any] | None = None,
    force: bool = False,
) -> Summary:
    """Summarise what a command names, and propose an entry for the study ``output``.

    A folder of one-sample files is first written as a table (`convert`). ``force`` replaces another
    table of its name. The ``settings`` are keys of the entry, or of the design of the study.
    """
    keys = dict(settings or {})
    design = {key: keys.pop(key) for key in KEYS_OF_DESIGN if key in keys}
    schema = json.loads((ROOT / "workflow/schemas/config.schema.json").read_text(encoding="utf-8"))
    check(design, {"$defs": schema["$defs"], "$ref": "#/$defs/design"}, "--set")
    adjusted = [column_of_term(term) for term in design.get("adjust", ())]
    converted = convert(location, output, force=force)
    if converted is None:
        request = _with_columns(described_entry(location, keys), adjusted)
        result = _summary_of(request, mirrors, most_gigabytes)
    else:
        request = _with_columns(described_entry(str(converted.path), keys), adjusted)
        request = replace(request.with_defaults(**converted.options), samples="columns")
        result = _summary_of(request, mirrors, most_gigabytes)
        result = replace(result, reason=" ".join([*converted.remarks, result.reason]))
    if output and result.entry:
        result = replace(result, entry=replace(result.entry, id=Path(output).name))
    return _with_reference(replace(result, design=design))


def _with_columns(entry: DatasetEntry, columns: Sequence[str]) -> DatasetEntry:
    """Return the entry with further columns of the samples, those of a design."""
    names = dict.fromkeys([*entry.phenotype_columns, *columns])
    return replace(entry, phenotype_columns=tuple(names))


def _with_reference(result: Summary) -> Summary:
    """Return a summary with the reference class, and a sentence that names it and how to change it.

    With more than two classes the control is proposed as the reference of the entry. Two classes
    are compared in the table of genes in any case, and only the sentence is added. If the control
    is the level 0 of a dose or a time, the entry names it in both cases.
    """
    if result.labels is None or result.entry is None:
        return result

    # The reference: the user's choice, the class with the name of a control, or a level 0.
    classes = sorted({str(label) for label in result.labels})
    chosen = result.entry.reference or ""
    reference = control_class(classes, chosen)
    by_whom = "as you chose" if chosen else "the control, by its name"
    named_reference = chosen
    if not reference:
        label = str(result.entry.label)
        reference = level_zero(classes, label.removeprefix("obs:"))
        by_whom = "the level 0"
        # its name alone does not make it the control, so that the entry names it
        named_reference = named_reference or reference

    # The sentence on it.
    change = "To change it, use --set reference=CLASS."
    if len(classes) == 2:
        shown = classes[shown_classes(classes, reference)[0]]
        other = next(label for label in classes if label != shown)
        reason = by_whom if reference else "no single class has the name of a control"
        sentence = (
            f"Reference: {quoted(other)} ({reason}); fold changes are those of {quoted(shown)} "
            f"against it. {change}"
        )
    elif reference:
        named_reference = reference
        sentence = (
            f"Reference: {quoted(reference)} ({by_whom}); each other class is compared with it, "
            f"and with the mean of the others. {change}"
        )
    else:
        sentence = (
            "Reference: none, because no class, or more than one, has the name of a control; each "
            "class is compared with the mean of the others. To compare the classes with one of "
            "them, use --set reference=CLASS."
        )
    entry = replace(result.entry, reference=named_reference or None)
    reasons = dict(result.reasons)
    if named_reference and not chosen:
        reasons["reference"] = by_whom
    return replace(result, entry=entry, reasons=reasons, reason=f"{result.reason} {sentence}")


def json_content(result: Summary) -> dict[str, Any]:
    """Return a summary as values of JSON: tables are lists of rows, the entry as configured."""
    return {
        **vars(result),
        "values": result.values.to_dict("records"),
        "numbers": result.numbers.to_dict("records"),
        "entry": result.entry.settings() if result.entry else None,
    }


@dataclass(frozen=True, kw_only=True)
class Converted:
    """A table that was written from other files, keys of its entry, and remarks."""

    path: Path
    options: dict[str, Any]
    remarks: list[str]


def convert(location: str, output: str, *, force: bool = False) -> Converted | None:
    """Write a folder of one-sample files as a table; None for other files.

    The table is beside the files of the study, ``<output>-counts.tsv``; without ``output`` it is in
    the working directory. Another table of this name is replaced by ``force`` only.
    """
    place = Path(location)
    if not place.is_dir():
        return None
    merged = merge_counts(place)
    path = Path(f"{output}-counts.tsv" if output else default_name(place))
    text = counts_text(merged)
    refuse_to_replace(path, inputs=[location], force=force, is_earlier_result=has_content(text))
    deliver(text, path)
    remarks = [*merged.remarks, f"The table of all samples is {path}."]
    return Converted(path=path, options=merged.options, remarks=remarks)


def write_study(
    result: Summary,
    output: str,
    mirrors: Sequence[str] = (),
    *,
    inputs: Sequence[str | Path] = (),
    force: bool = False,
    most_gigabytes: float = MOST_GIGABYTES,
) -> str:
    """Write the configuration ``<output>.yaml`` of a study of a series: data set, study and folds.

    The last part of ``output`` names the study. It has the recommended classifier, kept as a model
    with its signature, two others, and a label test. ``mirrors`` are where to
    download from instead of NCBI; an earlier file is overwritten by ``force`` only, ``inputs``
    never. Returns the command that runs the study. Raises an `InputError` if no folds can be drawn.
    """
    name = Path(output).name
    check_study_name(name)
    if result.entry is None:
        msg = f"{result.accession}: {result.reason.rstrip('.')}. No file was written"
        raise InputError(msg)

    # The reference is a class of the proposed entry.
    reference = result.entry.reference
    labels = result.labels
    if reference is not None and labels is not None and reference not in labels:
        classes = sorted({str(label) for label in labels})
        msg = (
            f"{result.accession}: reference names {quoted(reference)}, which is not a "
            f"class; {known_names(reference, classes)}"
        )
        raise InputError(msg, key="reference")

    refuse_to_replace_study(output, force=force, inputs=inputs)
    configuration = Path(f"{output}.yaml")
    settings = _settings(result, name)
    download: dict[str, Any] = {}
    if mirrors:
        download["base_urls"] = {"geo": list(mirrors)}
    if most_gigabytes != MOST_GIGABYTES:
        download["most_gigabytes"] = most_gigabytes
    if download:
        settings["download"] = download
    configuration.parent.mkdir(parents=True, exist_ok=True)
    text = configuration_text({"run": [name]}, result.entry_text, settings)
    deliver(f"{_ABOUT}{text}", configuration)
    return f"xnbflow run {name} --configfile {configuration}"


def configuration_text(first: Mapping[str, Any], datasets: str, settings: Mapping[str, Any]) -> str:
    """Return a configuration as text: its first keys, the text of its data sets, and other keys."""
    parts = []
    for values in (first, settings):
        for key, value in values.items():
            text = yaml.safe_dump(
                {key: value},
                sort_keys=False,
                allow_unicode=True,
                default_flow_style=None,
                width=100,
            )
            parts.append(text)
    parts.insert(len(first), f"datasets:\n{datasets}")
    return "".join(parts)


def _settings(result: Summary, name: str) -> dict[str, Any]:
    """Return the configuration of a proposed study, without its data set."""
    splits = _number_of_folds(result, name)
    repeats = _repeats_of_folds(result.n_samples)
    scheme = f"{repeats}x{splits}-fold" if repeats > 1 else f"{splits}-fold"
    design = {"design": dict(result.design)} if result.design else {}
    settings: dict[str, Any] = {
        "studies": {
            name: {
                "title": result.title or name,
                "datasets": [name],
                "classifiers": [_RECOMMENDED, *_PEERS],
                "folds": [scheme],
                "headline": _RECOMMENDED,
                "final": [_RECOMMENDED],
                **design,
            }
        },
    }
    if scheme not in default_configuration().get("folds", {}):
        settings["folds"] = {scheme: {"splits": splits, "repeats": repeats}}
    return settings


def check_study_name(name: str) -> None:
    """Raise an `InputError` if a new study cannot have a name."""
    if not _STUDY_NAME.fullmatch(name):
        msg = f"{name!r} cannot name a study; use letters, digits and . _ -, at most 60"
        raise InputError(msg)
    if Path(name).suffix in _ENDINGS:
        msg = f"{name!r} has the ending of a study's file; name the study {Path(name).stem!r}"
        raise InputError(msg)
    configuration = default_configuration()
    names = {*configuration.get("studies", {}), *configuration.get("datasets", {}), *RULES}
    if name in names:
        msg = f"{name!r} is a study, data set or rule of the project; choose another name"
        raise InputError(msg)


def refuse_to_replace_study(output: str, *, force: bool, inputs: Sequence[str | Path] = ()) -> None:
    """Refuse the name of a study whose configuration exists.

    Users edit it, so that an existing one is replaced by ``force`` only. A file that the command
    reads (``inputs``) is never replaced.
    """
    refuse_to_replace(
        Path(f"{output}.yaml"),
        inputs=inputs,
        force=force,
        is_earlier_result=is_proposed_configuration,
        is_edited=True,
    )


def _repeats_of_folds(n_samples: int) -> int:
    """Return how often the folds of a proposed study are drawn; once for large series.

    Examples
    --------
    >>> _repeats_of_folds(60), _repeats_of_folds(5000)
    (3, 1)
    """
    return _REPEATS if n_samples <= MOST_REPEATED else 1


def _number_of_folds(result: Summary, name: str) -> int:
    """Return the number of folds of a proposed study.

    It is 10, or 5 with few samples or with groups. A smaller class decides it, so that every fold
    tests the class: with 4 samples of the smallest class there are 4 folds. A class of one or two
    samples is not tested in every fold. With groups the least number is 3.
    """
    has_few = result.n_samples < _FEW_SAMPLES or result.groups is not None
    most_folds = _FEW_FOLDS if has_few else _FOLDS
    if result.labels is None:
        return most_folds
    header = _header(name, result.labels, result.groups)
    counts = class_counts(header)
    least_folds = 2
    deciding_size = counts.min()
    if result.groups is not None:
        least_folds = _LEAST_GROUP_FOLDS
    elif deciding_size < _LEAST_SAMPLES:
        deciding_size = counts.max()

    # The largest number of folds that can be drawn.
    for splits in range(min(most_folds, int(deciding_size)), least_folds - 1, -1):
        with suppress(InputError):
            folds_of_repeat(header, splits, 0)
            return splits
    units = "samples" if result.groups is None else "groups"
    msg = (
        f"{result.accession}: class {counts.idxmin()!r} has {counts.min()} of the {units}, and no "
        "folds can be drawn that train and test each class; add samples, join or leave out classes "
        "by map, or name another label. No file was written"
    )
    raise InputError(msg)


def fold_remark(result: Summary, name: str) -> str:
    """Return a sentence if a small class decides the number of folds; empty if none does."""
    if result.labels is None:
        return ""
    splits = _number_of_folds(result, name)
    counts = class_counts(_header(name, result.labels, result.groups))
    if counts.min() >= _FEW_FOLDS:
        return ""
    unit = "sample" if result.groups is None else "group"
    smallest = f"class {str(counts.idxmin())!r} has {counted(counts.min(), unit)}"
    if splits > counts.min():
        n_without = splits - counts.min()
        verb = either(n_without, "tests", "test")
        return f"{smallest}: of {splits} folds {n_without} {verb} none of it"
    return f"{smallest}, so that {splits} folds are proposed"


def _header(name: str, labels: np.ndarray, groups: np.ndarray | None) -> DataSet:
    """Return the classes and groups of a series, with which folds are drawn."""
    return DataSet(
        name=name,
        values=None,
        features=[],
        samples=np.arange(len(labels)),
        labels=labels,
        groups=groups,
    )
