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
from xnbflow.data.study import Study, Validation
from xnbflow.evaluation.method_checks import check_analysis, check_estimator, columns_named
from xnbflow.evaluation.methods import entries_in, resolved, unlabelled
from xnbflow.studies.registry import known_analyses

_SHEETS = ". The files under `sheets:` define data sets: those of the studies here must be there"

__all__ = [
    "RULES",
    "Batch",
    "Config",
    "Folds",
    "Job",
    "Study",
    "Validation",
    "check_schema",
    "read_config",
    "read_sheets",
    "read_studies",
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
class Job:
    """What one job of the stage *classify* does on each of some data sets.

    Attributes
    ----------
    folds : str
        Id of the scheme of folds.
    classifiers : tuple of str
        Ids of those that it trains: the same studies ask for all of them. None where the folds
        alone are needed.
    final : tuple of str
        Ids of those that it also fits on all samples and keeps.
    draws : bool
        Whether it writes the file of the folds, as one job of each data set and scheme does.
    datasets : tuple of str
        Ids.
    """

    folds: str
    classifiers: tuple[str, ...]
    final: tuple[str, ...]
    draws: bool
    datasets: tuple[str, ...]

    @property
    def name(self) -> str:
        """Its first classifier, which no other job of the data set and scheme trains."""
        return self.classifiers[0] if self.classifiers else "folds-only"


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

    @property
    def all(self) -> Batch:
        """All folds of all repeats."""
        folds = None if self.splits is None else tuple(range(self.splits))
        return Batch(tuple(range(self.repeats)), folds)

    def batches(self, folds_per_job: int | None) -> list[Batch]:
        """Split the folds over training jobs.

        Parameters
        ----------
        folds_per_job : int or None
            None makes no batches: a classifier is trained on all folds where the others are. A
            number that holds several repeats makes batches of all folds of these.
        """
        if folds_per_job is None:
            return []
        if self.splits is None:
            return [self.all]
        together = max(1, folds_per_job // self.splits)
        return [
            Batch(
                tuple(range(start, min(start + together, self.repeats))),
                tuple(range(first, min(first + folds_per_job, self.splits))),
            )
            for start in range(0, self.repeats, together)
            for first in range(0, self.splits, folds_per_job)
        ]


@dataclass(frozen=True)
class Config:
    """The whole configuration; see ``config/README.md`` for the keys."""

    run: tuple[str, ...]
    sheets: tuple[str, ...]
    download: dict[str, Any]
    classifiers_per_job: int | None
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

    def jobs(self) -> list[Job]:
        """Return the jobs of the stage *classify*.

        One job of a data set and scheme of folds trains all classifiers that the same studies ask
        for, or `classifiers_per_job` of them. So no study trains what another one asks for alone.
        """
        studies: dict[tuple[str, str], dict[str, list[str]]] = {}
        for study in self.studies.values():
            for dataset, folds, classifier in study.trained:
                asked = studies.setdefault((dataset, folds), {})
                asked.setdefault(classifier, []).append(study.id)
            for analysis in study.analyses.values():
                for dataset in analysis.get("datasets", ()) if "folds" in analysis else ():
                    studies.setdefault((dataset, analysis["folds"]), {})
        alike: dict[tuple[str, tuple[str, ...], tuple[str, ...], bool], list[str]] = {}
        for (dataset, folds), asked in studies.items():
            for i, names in enumerate(self._parts(asked)):
                final = tuple(name for name in names if self._kept(dataset, folds, name))
                alike.setdefault((folds, names, final, i == 0), []).append(dataset)
        return [Job(*key, datasets=tuple(names)) for key, names in alike.items()]

    def _parts(self, asked: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
        """Return the classifiers of each job, by the studies that ask for each classifier."""
        together: dict[tuple[str, ...], list[str]] = {}
        for name, studies in asked.items():
            together.setdefault(tuple(studies), []).append(name)
        size = self.classifiers_per_job or len(asked)
        return [
            tuple(names[start : start + size])
            for names in together.values()
            for start in range(0, len(names), size)
        ] or [()]

    def _kept(self, dataset: str, folds: str, classifier: str) -> bool:
        """Whether a model of all samples belongs to these folds."""
        asked = any((dataset, classifier) in study.models for study in self.studies.values())
        return asked and self.scheme_of_model(dataset, classifier) == folds

    def methods(self, name: str, dataset: str = "") -> list[str]:
        """Return every method that a classifier's entry names, nested ones included."""
        return [part["method"] for part in entries_in(self._entry(name, dataset))]

    def _entry(self, name: str, dataset: str) -> dict[str, Any]:
        entry = unlabelled(self.classifiers[name])
        steps = self.preprocessing.get(dataset)
        return {"steps": [*steps, *entry.get("steps", [entry])]} if steps else entry


def read_config(
    raw: Mapping[str, Any],
    schema: str | Path,
    dataset_ids: Sequence[str],
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

    Raises
    ------
    InputError
        Naming the key, what was found and what to do.
    """
    check_schema(raw, schema)
    folds = {name: _folds(entry) for name, entry in raw["folds"].items()}
    studies = read_studies(raw)
    per_job = {
        key: None if raw[key] == "all" else raw[key]
        for key in ("classifiers_per_job", "folds_per_job")
    }
    config = Config(
        run=tuple(raw["run"]),
        sheets=tuple(raw["sheets"]),
        download=dict(raw["download"]),
        **per_job,
        diagnostics=dict(raw["diagnostics"]),
        folds=folds,
        classifiers={name: dict(entry) for name, entry in raw["classifiers"].items()},
        studies=studies,
        preprocessing={name: list(steps) for name, steps in raw.get("preprocessing", {}).items()},
    )
    _check_names(config, dataset_ids)
    for name, entry in config.classifiers.items():
        check_estimator(entry, f"classifiers.{name}", "classifier")
    for study in config.studies.values():
        _check_study(study, config, dataset_ids)
    _check_preprocessing(config, dataset_ids)
    return config


def read_studies(raw: Mapping[str, Any]) -> dict[str, Study]:
    """Return the studies of a configuration by their ids; see `read_config` for its checks."""
    return {name: _study(name, entry) for name, entry in raw["studies"].items()}


def check_schema(raw: object, schema: str | Path) -> None:
    """Raise an `InputError` unless the configuration has the form that its JSON schema says."""
    check(raw, json.loads(Path(schema).read_text(encoding="utf-8")), "configuration")


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
        headline=entry.get("headline", ""),
        validate=tuple(Validation(**each) for each in entry.get("validate", ())),
        gene_sets=entry.get("gene_sets", ""),
    )


def _check_names(config: Config, dataset_ids: Collection[str]) -> None:
    for name in sorted(FOLDERS_OF_RESULTS.intersection(dataset_ids)):
        msg = f"sheet of data sets: {name!r} is a folder of results/; use another id"
        raise InputError(msg)
    taken = [name for name in config.studies if name in RULES or name.startswith("classify_")]
    for name in sorted(taken):
        msg = f"configuration, studies: {name!r} is the name of a rule; give the study another id"
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


def _check_preprocessing(config: Config, dataset_ids: Collection[str]) -> None:
    """Check the steps of data sets, and that no classifier behind them names columns by kind."""
    _check_known("preprocessing", config.preprocessing, "data set", dataset_ids, _SHEETS)
    for name, steps in config.preprocessing.items():
        for i, step in enumerate(steps):
            check_estimator(step, f"preprocessing.{name}.{i}", "transformer")
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
    named = [study.headline] if study.headline else []
    _check_known(f"{place}.headline", named, "classifier", study.classifiers)
    _check_known(f"{place}.final", study.final, "classifier", study.classifiers)
    if study.gene_sets and not study.diagnostics:
        msg = f"configuration, {place}: gene_sets needs the tables of genes; set diagnostics: true"
        raise InputError(msg, key="gene_sets")
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
