"""The configuration: checked against its schema and across its fields, then plain dataclasses.

It is read whenever the Snakefile is, in every cluster job: nothing numerical is imported here.
"""

import itertools
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xnbflow.data.contract import FOLDERS_OF_DATASET, FOLDERS_OF_RESULTS, JOBS
from xnbflow.data.errors import InputError, known_names, quoted
from xnbflow.data.schemas import check
from xnbflow.data.sources.registry import known_sources
from xnbflow.data.sources.sheet import SheetRow, read_sheet, wrong_location
from xnbflow.evaluation.method_checks import (
    check_analysis,
    check_classifier,
    check_transformer,
    columns_named,
)
from xnbflow.evaluation.methods import methods_in, resolved, unlabelled
from xnbflow.studies.registry import known_analyses

_SHEETS = ". The files under `sheets:` define data sets: those of the studies here must be there"

__all__ = [
    "RULES",
    "Batch",
    "Config",
    "Folds",
    "Study",
    "Validation",
    "check_schema",
    "read_config",
    "read_sheets",
]

#: The rules of the workflow; a study is a rule, too, and cannot have the name of one of them.
RULES = frozenset({"all", *JOBS})


@dataclass(frozen=True)
class Batch:
    """Folds that one training job runs: those of one repeat, or all of several.

    Attributes
    ----------
    repeats : tuple of int
        From 0, one after the other.
    folds : tuple of int or None
        Of each repeat; None: all there are, where their number depends on the data set.
    """

    repeats: tuple[int, ...]
    folds: tuple[int, ...] | None

    @property
    def name(self) -> str:
        """The batch's file name, say ``repeat-0-folds-0-9`` or ``repeats-0-9-folds-all``."""
        first, last = self.repeats[0], self.repeats[-1]
        repeats = f"repeat-{first}" if first == last else f"repeats-{first}-{last}"
        folds = "all" if self.folds is None else f"{self.folds[0]}-{self.folds[-1]}"
        return f"{repeats}-folds-{folds}"

    @classmethod
    def named(cls, name: str) -> "Batch":
        """Return the batch of that name.

        Examples
        --------
        >>> Batch.named("repeat-2-folds-0-3")
        Batch(repeats=(2,), folds=(0, 1, 2, 3))
        """
        repeats, _, folds = name.partition("-folds-")
        return cls(_numbers(repeats), None if folds == "all" else _numbers(folds))


def _numbers(text: str) -> tuple[int, ...]:
    """Return the numbers from the first to the last that a text names."""
    ends = [int(number) for number in re.findall(r"\d+", text)]
    return tuple(range(ends[0], ends[-1] + 1))


@dataclass(frozen=True)
class Folds:
    """A scheme of cross-validation: drawn (``file`` is None) or predefined.

    Attributes
    ----------
    splits : int or None
        Folds per repeat; None where each fold leaves one group of samples out, as many as the data
        set has.
    repeats : int
        Number of repeats.
    file : str or None
        The file of predefined folds.
    """

    splits: int | None
    repeats: int
    file: str | None = None

    def batches(self, folds_per_job: int | None) -> list[Batch]:
        """Split the folds over jobs.

        Parameters
        ----------
        folds_per_job : int or None
            None puts all folds of a repeat into one job; a number that holds several repeats, all
            folds of these.
        """
        if self.splits is None:
            return [Batch((repeat,), None) for repeat in range(self.repeats)]
        size = folds_per_job or self.splits
        together = max(1, size // self.splits)
        return [
            Batch(
                tuple(range(start, min(start + together, self.repeats))),
                tuple(range(first, min(first + size, self.splits))),
            )
            for start in range(0, self.repeats, together)
            for first in range(0, self.splits, size)
        ]


@dataclass(frozen=True)
class Validation:
    """A model of one cohort that is tested on another.

    Attributes
    ----------
    model : str
        Id of the classifier.
    train, test : str
        Ids of the data sets.
    match : {"feature", "symbol"}
        How features are taken for the same.
    harmonise : {"none", "zscore", "rank", "quantile"}
        What is done to each sample first, inside the model.
    """

    model: str
    train: str
    test: str
    match: str = "feature"
    harmonise: str = "none"


@dataclass(frozen=True)
class Study:
    """What a study runs: data sets by classifiers by schemes of folds, and its analyses.

    Attributes
    ----------
    id, title, summary : str
        Its key in the configuration, its heading, and what it is about.
    datasets, classifiers, folds : tuple of str
        Ids; the classifiers' order is the order of the report's columns.
    diagnostics : bool
        Whether normality and dependence are tested.
    analyses : dict
        Name of an analysis to ``{"datasets": [...], "params": {...}}``.
    paper : dict of str to str
        Which classifier of the study plays the part of one that a paper prints numbers of:
        the paper's name for it (see config/README.md) to an id.
    permutations : dict of str to int
        Id of a classifier of the study to the number of permutations of its test.
    final : tuple of str
        Ids of the classifiers that are fitted on all samples of every data set and kept.
    validate : tuple of Validation
        Models that are tested on a second cohort.
    """

    id: str
    title: str
    summary: str
    datasets: tuple[str, ...]
    classifiers: tuple[str, ...]
    folds: tuple[str, ...]
    diagnostics: bool
    analyses: dict[str, dict[str, Any]]
    paper: dict[str, str] = field(default_factory=dict)
    permutations: dict[str, int] = field(default_factory=dict)
    final: tuple[str, ...] = ()
    validate: tuple[Validation, ...] = ()

    @property
    def permuted(self) -> list[tuple[str, str]]:
        """What is tested by permutations: every data set with every classifier named for it."""
        return list(itertools.product(self.datasets, self.permutations))

    @property
    def models(self) -> list[tuple[str, str]]:
        """The data sets and classifiers that are fitted on all samples, in this order."""
        return list(itertools.product(self.datasets, self.final))

    @property
    def trained(self) -> list[tuple[str, str, str]]:
        """What is trained: every data set, scheme of folds and classifier, in this order."""
        return list(itertools.product(self.datasets, self.folds, self.classifiers))


@dataclass(frozen=True)
class Config:
    """The whole configuration; see ``config/README.md`` for the keys."""

    run: tuple[str, ...]
    sheets: tuple[str, ...]
    download: dict[str, Any]
    folds_per_job: int | None
    diagnostics: dict[str, Any]
    folds: dict[str, Folds]
    classifiers: dict[str, dict[str, Any]]
    studies: dict[str, Study]
    preprocessing: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def classifier(self, name: str, dataset: str = "") -> dict[str, Any]:
        """Return what makes a classifier: paths of classes and their params, without any words.

        Parameters
        ----------
        name : str
            Its id.
        dataset : str
            The data set that it is for, whose steps of preprocessing then stand before its own.
        """
        return resolved(_bare(self._entry(name, dataset)))

    def scheme_of_model(self, dataset: str, classifier: str) -> str:
        """Return the scheme of folds whose figures belong to a model of all samples.

        It is the first scheme of the first study that asks for the model.

        Raises
        ------
        InputError
            If no study asks for it.
        """
        for study in self.studies.values():
            if (dataset, classifier) in study.models:
                return study.folds[0]
        msg = (
            f"no study asks for the model of {classifier} on {dataset}; name the classifier under "
            "`final:` of a study with this data set"
        )
        raise InputError(msg)

    def methods(self, name: str, dataset: str = "") -> list[str]:
        """Return every method that a classifier's entry names, nested ones included."""
        return list(methods_in(self._entry(name, dataset)))

    def _entry(self, name: str, dataset: str) -> dict[str, Any]:
        entry = unlabelled(self.classifiers[name])
        steps = self.preprocessing.get(dataset)
        return {"steps": [*steps, *entry.get("steps", [entry])]} if steps else entry


def read_config(
    raw: Mapping[str, Any],
    schema: str | Path,
    dataset_ids: Sequence[str],
    *,
    look_up_paths: bool = True,
) -> Config:
    """Check a configuration and make it a `Config`.

    Parameters
    ----------
    raw : mapping
        What Snakemake read.
    schema : path
        The JSON schema.
    dataset_ids : sequence of str
        Ids of all data sets in the sheets.
    look_up_paths : bool
        Whether import paths of classifiers are looked up, too. That takes .2 s, and a job of a
        cluster need not do it again.

    Raises
    ------
    InputError
        Naming the key, what was found and what to do.
    """
    check_schema(raw, schema)
    folds = {name: _folds(entry) for name, entry in raw["folds"].items()}
    studies = {name: _study(name, entry) for name, entry in raw["studies"].items()}
    per_job = raw["folds_per_job"]
    config = Config(
        run=tuple(raw["run"]),
        sheets=tuple(raw["sheets"]),
        download=dict(raw["download"]),
        folds_per_job=None if per_job == "all" else per_job,
        diagnostics=dict(raw["diagnostics"]),
        folds=folds,
        classifiers={name: dict(entry) for name, entry in raw["classifiers"].items()},
        studies=studies,
        preprocessing={name: list(steps) for name, steps in raw.get("preprocessing", {}).items()},
    )
    _check_names(config, dataset_ids)
    for name, entry in config.classifiers.items():
        check_classifier(entry, f"classifiers.{name}", look_up_paths=look_up_paths)
    for study in config.studies.values():
        _check_study(study, config, dataset_ids)
    _check_preprocessing(config, dataset_ids, look_up_paths=look_up_paths)
    return config


def check_schema(raw: object, schema: str | Path) -> None:
    """Raise an `InputError` unless the configuration has the form that its JSON schema says."""
    check(raw, json.loads(Path(schema).read_text(encoding="utf-8")), "configuration")


#: The unit of compilation that is no classifier.
_DIAGNOSTICS = "diagnostics"


def read_sheets(
    paths: Mapping[str, str | Path],
    defaults: Collection[str] = (),
) -> tuple[dict[str, SheetRow], dict[str, str]]:
    """Read several sheets of data sets as one.

    Parameters
    ----------
    paths : mapping of str to path
        Where each sheet is, by its name in the configuration.
    defaults : collection of str
        Names of those whose data sets give way to others of the same id in a later sheet.

    Returns
    -------
    datasets : dict of str to SheetRow
        By their ids.
    sheets : dict of str to str
        The sheet that each of them is in.

    Raises
    ------
    InputError
        If a sheet is not valid or two define the same id.
    """
    datasets: dict[str, SheetRow] = {}
    sheets: dict[str, str] = {}
    for sheet, path in paths.items():
        rows = read_sheet(path)
        for name in sorted(rows.keys() & datasets.keys()):
            if sheets[name] in defaults:
                continue
            msg = f"{path}: data set {name!r} is defined in another sheet, too; rename one of them"
            raise InputError(msg)
        datasets |= rows
        sheets |= dict.fromkeys(rows, sheet)
    return datasets, sheets


def _folds(entry: Mapping[str, Any]) -> Folds:
    if entry.get("leave_one_group_out"):
        return Folds(None, 1)
    return Folds(entry.get("splits", 1), entry.get("repeats", 1), entry.get("file"))


def _study(name: str, entry: Mapping[str, Any]) -> Study:
    return Study(
        id=name,
        title=entry["title"],
        summary=entry.get("summary", ""),
        datasets=tuple(entry.get("datasets", ())),
        classifiers=tuple(entry.get("classifiers", ())),
        folds=tuple(entry.get("folds", ())),
        diagnostics=entry.get("diagnostics", True),
        analyses={key: dict(value or {}) for key, value in entry.get("analyses", {}).items()},
        paper=dict(entry.get("paper", {})),
        permutations=dict(entry.get("permutations", {})),
        final=tuple(entry.get("final", ())),
        validate=tuple(Validation(**each) for each in entry.get("validate", ())),
    )


def _check_names(config: Config, dataset_ids: Collection[str]) -> None:
    for name in sorted(FOLDERS_OF_RESULTS.intersection(dataset_ids)):
        msg = f"sheet of data sets: {name!r} is a folder of results/; use another id"
        raise InputError(msg)
    for name in sorted(config.studies.keys() & RULES):
        msg = f"configuration, studies: {name!r} is the name of a rule; give the study another id"
        raise InputError(msg)
    if _DIAGNOSTICS in config.classifiers:
        msg = f"configuration, classifiers: {_DIAGNOSTICS!r} means the tests; use another id"
        raise InputError(msg)
    for name in sorted(FOLDERS_OF_DATASET.intersection(config.folds)):
        msg = f"configuration, folds: {name!r} is a folder of results/; use another id"
        raise InputError(msg)
    for name, scheme in config.folds.items():
        if scheme.file is not None and (wrong := wrong_location(scheme.file)):
            msg = f"configuration, folds.{name}.file: {quoted(scheme.file)} {wrong}"
            raise InputError(msg)
    for source, places in config.download["base_urls"].items():
        _check_known("download.base_urls", [source], "source", known_sources())
        for place in places:
            if wrong := wrong_location(place):
                msg = f"configuration, download.base_urls.{source}: {quoted(place)} {wrong}"
                raise InputError(msg)
    _check_known("run", config.run, "study", config.studies)
    _refuse_alike("sheet of data sets", [*FOLDERS_OF_RESULTS, *dataset_ids])
    _refuse_alike("configuration, studies", config.studies)
    _refuse_alike("configuration, classifiers", config.classifiers)
    _refuse_alike("configuration, folds", [*FOLDERS_OF_DATASET, *config.folds])


def _refuse_alike(where: str, names: Iterable[str]) -> None:
    """Refuse names of folders that some disks (of macOS and Windows) take for one."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.casefold(), name)
        if other != name:
            msg = (
                f"{where}: {other!r} and {name!r} differ in small and capital letters only, and "
                "their results would share a folder on some disks; rename one of them"
            )
            raise InputError(msg)


def _bare(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry without the reasons of its steps: another wording changes no result."""
    kept = {key: value for key, value in entry.items() if key != "reason"}
    if "steps" in kept:
        kept["steps"] = [_bare(step) for step in kept["steps"]]
    return kept


def _check_preprocessing(
    config: Config, dataset_ids: Collection[str], *, look_up_paths: bool
) -> None:
    """Check the steps of data sets, and that no classifier behind them names columns by kind."""
    _check_known("preprocessing", config.preprocessing, "data set", dataset_ids, _SHEETS)
    for name, steps in config.preprocessing.items():
        for i, step in enumerate(steps):
            check_transformer(step, f"preprocessing.{name}.{i}", look_up_paths=look_up_paths)
    for study in config.studies.values():
        for dataset, classifier in itertools.product(study.datasets, study.classifiers):
            named = columns_named(config.classifiers[classifier])
            if named and dataset in config.preprocessing:
                msg = (
                    f"configuration, preprocessing.{dataset}: the study {study.id} has the "
                    f"classifier {classifier} on it, which names columns ({named[0]}) that these "
                    "steps may move; give the steps to the classifiers that can do with them"
                )
                raise InputError(msg)


def _check_study(study: Study, config: Config, dataset_ids: Collection[str]) -> None:
    place = f"studies.{study.id}"
    _check_known(f"{place}.datasets", study.datasets, "data set", dataset_ids, _SHEETS)
    _check_known(f"{place}.classifiers", study.classifiers, "classifier", config.classifiers)
    _check_known(f"{place}.folds", study.folds, "scheme of folds", config.folds)
    for part, classifier in study.paper.items():
        _check_known(f"{place}.paper.{part}", [classifier], "classifier", study.classifiers)
    _check_known(f"{place}.permutations", study.permutations, "classifier", study.classifiers)
    _check_known(f"{place}.final", study.final, "classifier", study.classifiers)
    for i, pair in enumerate(study.validate):
        _check_pair(pair, study, f"{place}.validate[{i}]")
    for model in study.models if study.folds else ():
        _check_scheme(study, config, model)
    _check_known(f"{place}.analyses", study.analyses, "analysis", known_analyses())
    for name, analysis in study.analyses.items():
        here = f"{place}.analyses.{name}"
        _check_known(
            f"{here}.datasets", analysis.get("datasets", ()), "data set", dataset_ids, _SHEETS
        )
        scheme = [analysis["folds"]] if "folds" in analysis else []
        _check_known(f"{here}.folds", scheme, "scheme of folds", config.folds)
        check_analysis(known_analyses()[name], analysis.get("params", {}), f"{here}.params")
    if bool(study.classifiers) != bool(study.folds) or (study.classifiers and not study.datasets):
        msg = f"configuration, {place}: classifiers, folds and datasets belong together"
        raise InputError(msg)


def _check_pair(pair: Validation, study: Study, place: str) -> None:
    _check_known(f"{place}.model", [pair.model], "classifier", study.classifiers)
    _check_known(f"{place}.train", [pair.train], "data set", study.datasets)
    _check_known(f"{place}.test", [pair.test], "data set", study.datasets)
    if pair.train == pair.test:
        msg = f"configuration, {place}: {pair.train!r} is no second cohort of itself"
        raise InputError(msg)
    if study.validate.count(pair) > 1:
        msg = f"configuration, {place}: stands there twice; remove one"
        raise InputError(msg)


def _check_scheme(study: Study, config: Config, model: tuple[str, str]) -> None:
    """Refuse two studies that keep one model with the figures of different folds."""
    scheme = config.scheme_of_model(*model)
    if scheme != study.folds[0]:
        msg = (
            f"configuration, studies.{study.id}.final: the model of {model[1]} on {model[0]} is "
            f"another study's, too, which begins with the folds {scheme}; begin with the same"
        )
        raise InputError(msg)


def _check_known(
    key: str, names: Collection[str], what: str, known: Collection[str], hint: str = ""
) -> None:
    for name in names:
        if name not in known:
            msg = f"configuration, {key}: unknown {what} {quoted(name)}; {known_names(name, known)}"
            raise InputError(msg + hint)
