"""The configuration: checked against its schema and across its fields, then plain dataclasses.

The Snakefile reads it in every cluster job: nothing numerical is imported here.
"""

import itertools
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from xnbflow.core.errors import InputError, known_names, quoted
from xnbflow.core.plugins import known_analyses
from xnbflow.core.schemas import check
from xnbflow.core.study import Cohorts, Study, Validation
from xnbflow.evaluation.method_checks import check_analysis, check_estimator, columns_named
from xnbflow.evaluation.methods import entries_in, known_methods, resolved, unlabelled
from xnbflow.report.outline import OPTIONAL
from xnbflow.sources.registry import known_sources
from xnbflow.sources.sheet import SheetRow, read_sheet, wrong_location
from xnbflow.tables.contract import FOLDERS_OF_DATASET, FOLDERS_OF_RESULTS, JOBS

_SHEETS = ". The files under `sheets:` define data sets: those of the studies here must be there"

#: The rules of the workflow; a study is a rule, too, and cannot have the name of one of them.
RULES = frozenset({"all", *JOBS})


@dataclass(frozen=True)
class Job:
    """The work of one job of the stage *classify* on each of some data sets.

    It trains ``classifiers`` (none where the folds alone are needed) by the scheme ``folds``; those
    in ``final`` are also fitted on all samples and kept, those in ``tested`` have a label test and
    a learning curve, those in ``halved`` are fitted to this number of pairs of halves. One job of
    each data set and scheme ``draws`` the file of the folds.
    """

    folds: str
    classifiers: tuple[str, ...]
    final: tuple[str, ...]
    tested: tuple[str, ...]
    halved: tuple[tuple[str, int], ...]
    draws: bool
    datasets: tuple[str, ...]

    @property
    def name(self) -> str:
        """Its first classifier, which no other job of the data set and scheme trains."""
        return self.classifiers[0] if self.classifiers else "folds-only"


#: A job but for its data sets.
_Part = tuple[
    str, tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[tuple[str, int], ...], bool
]


@dataclass(frozen=True)
class Folds:
    """A scheme of cross-validation: drawn (``file`` is None) or predefined.

    ``splits`` are the folds per repeat; None where each fold leaves one group of samples out, as
    many as the data set has.
    """

    splits: int | None
    repeats: int
    file: str | None = None


@dataclass(frozen=True)
class Config:
    """The whole configuration; see ``config/README.md`` for the keys."""

    run: tuple[str, ...]
    sheets: tuple[str, ...]
    download: dict[str, Any]
    classifiers_per_job: int | None
    diagnostics: dict[str, Any]
    folds: dict[str, Folds]
    classifiers: dict[str, dict[str, Any]]
    studies: dict[str, Study]
    preprocessing: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def classifier(self, name: str, dataset: str = "") -> dict[str, Any]:
        """Return a classifier's configuration: paths of classes and their params, without labels.

        The preprocessing steps of the data set come before its own.
        """
        return resolved(_bare(self._entry(name, dataset)))

    def scheme_of_model(self, dataset: str, classifier: str) -> str:
        """Return the scheme of folds whose figures belong to a model of all samples.

        It is the first scheme of the first study that asks for the model; an `InputError` if none
        does.
        """
        if scheme := self._scheme(dataset, classifier):
            return scheme
        msg = (
            f"no study asks for the model of {classifier} on {dataset}; name the classifier under "
            "`final:` of a study with this data set"
        )
        raise InputError(msg)

    def _scheme(self, dataset: str, classifier: str) -> str | None:
        asking = (s for s in self.studies.values() if (dataset, classifier) in s.models)
        return next((study.folds[0] for study in asking), None)

    @cached_property
    def jobs(self) -> list[Job]:
        """The jobs of the stage *classify*.

        One job of a data set and scheme of folds trains all classifiers that the same studies ask
        for, or `classifiers_per_job` of them. Thus no study trains classifiers that only another
        study needs.
        """
        studies: dict[tuple[str, str], dict[str, list[str]]] = {}
        for study in self.studies.values():
            for dataset, folds, classifier in study.trained:
                asked = studies.setdefault((dataset, folds), {})
                asked.setdefault(classifier, []).append(study.id)
            for analysis in study.analyses.values():
                for dataset in analysis.get("datasets", ()) if "folds" in analysis else ():
                    studies.setdefault((dataset, analysis["folds"]), {})
        alike: dict[_Part, list[str]] = {}
        for (dataset, folds), asked in studies.items():
            together: dict[tuple[str, ...], list[str]] = {}
            for name, asking in asked.items():
                together.setdefault(tuple(asking), []).append(name)
            size = self.classifiers_per_job or max(1, len(asked))
            parts = [
                tuple(names[start : start + size])
                for names in together.values()
                for start in range(0, len(names), size)
            ]
            for i, part in enumerate(parts or [()]):
                kept = tuple(name for name in part if self._scheme(dataset, name) == folds)
                checks = self._checks(dataset, folds, part)
                alike.setdefault((folds, part, kept, *checks, i == 0), []).append(dataset)
        return [Job(*key, datasets=tuple(names)) for key, names in alike.items()]

    def tested(self, study: Study) -> list[tuple[str, str, str]]:
        """Return the data sets, schemes of folds and classifiers with default permutation tests.

        These are all classifiers that may come first: up to the first one that surely selects
        features, or all.
        """
        if study.permutations is not None:
            return []
        found = []
        for dataset in study.datasets:
            for name in study.leading:
                found.append((dataset, study.folds[0], name))
                if self.quick(name, dataset):
                    break
        return found

    def halved(self, study: Study) -> list[tuple[str, str, str]]:
        """Return the data sets, schemes and classifiers that are fitted to halves for a study.

        These are the fast classifiers among those that are kept or in the headline, else the first
        one.
        """
        if not study.halves:
            return []
        kept = {*study.final, study.headline}
        return [
            key
            for dataset in study.datasets
            for i, key in enumerate(self._quick(study, dataset))
            if i == 0 or key[2] in kept
        ]

    def _quick(self, study: Study, dataset: str) -> list[tuple[str, str, str]]:
        return [(dataset, study.folds[0], n) for n in study.leading if self.quick(n, dataset)]

    def quick(self, name: str, dataset: str) -> str:
        """Return the path of the class that is fitted for learning curves; empty if none is."""
        method = self._entry(name, dataset).get("method", "")
        return known_methods()[method].quick if method in known_methods() else ""

    @cached_property
    def _tested(self) -> frozenset[tuple[str, str, str]]:
        return frozenset(key for study in self.studies.values() for key in self.tested(study))

    @cached_property
    def _halved(self) -> dict[tuple[str, str, str], int]:
        """The number of pairs of halves, by data set, scheme and classifier."""
        pairs: dict[tuple[str, str, str], int] = {}
        for study in self.studies.values():
            for key in self.halved(study):
                pairs[key] = max(study.halves, pairs.get(key, 0))
        return pairs

    def _checks(
        self, dataset: str, folds: str, names: Sequence[str]
    ) -> tuple[tuple[str, ...], tuple[tuple[str, int], ...]]:
        """Return the permutation tests and halves in the job of some classifiers."""
        keys = {name: (dataset, folds, name) for name in names}
        tested = tuple(name for name, key in keys.items() if key in self._tested)
        halved = {name: self._halved[key] for name, key in keys.items() if key in self._halved}
        return tested, tuple(halved.items())

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
    """Check a configuration against the JSON schema and across its fields; return a `Config`.

    ``dataset_ids`` are the ids of all data sets in the sheets. An `InputError` names the key, what
    was found and what to do.
    """
    check_schema(raw, schema)
    folds = {
        name: Folds(None, 1)
        if entry.get("leave_one_group_out")
        else Folds(entry.get("splits", 1), entry.get("repeats", 1), entry.get("file"))
        for name, entry in raw["folds"].items()
    }
    per_job = raw["classifiers_per_job"]
    config = Config(
        run=tuple(raw["run"]),
        sheets=tuple(raw["sheets"]),
        download=dict(raw["download"]),
        classifiers_per_job=None if per_job == "all" else per_job,
        diagnostics=dict(raw["diagnostics"]),
        folds=folds,
        classifiers={name: dict(entry) for name, entry in raw["classifiers"].items()},
        studies=read_studies(raw),
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
    return {
        name: Study(
            id=name,
            title=entry["title"],
            summary=entry.get("summary", ""),
            **{
                key: tuple(entry.get(key, ()))
                for key in ("datasets", "folds", "classifiers", "final", "omit_sections")
            },
            diagnostics=entry.get("diagnostics", True),
            analyses={key: dict(value or {}) for key, value in entry.get("analyses", {}).items()},
            paper=dict(entry.get("paper", {})),
            permutations=entry.get("permutations"),
            halves=entry.get("halves", Study.halves),
            headline=entry.get("headline", ""),
            validate=tuple(Validation(**each) for each in entry.get("validate", ())),
            gene_sets=_listed(entry.get("gene_sets", ())),
            cohorts=_cohorts(entry),
        )
        for name, entry in raw["studies"].items()
    }


def _listed(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _cohorts(entry: Mapping[str, Any]) -> Cohorts | None:
    """Return the cohorts of a study, given as a list of series or with settings."""
    given = entry.get("cohorts")
    if not given:
        return None
    settings = dict(given) if isinstance(given, Mapping) else {"series": given}
    first = [entry.get("headline"), *entry.get("final", ()), *entry.get("classifiers", ())]
    settings.setdefault("model", next(filter(None, first), ""))
    return Cohorts(**settings | {"series": tuple(settings["series"])})


def check_schema(raw: object, schema: str | Path) -> None:
    """Raise an `InputError` unless the configuration conforms to its JSON schema."""
    check(raw, json.loads(Path(schema).read_text(encoding="utf-8")), "configuration")


def read_sheets(
    paths: Mapping[str, str | Path],
    defaults: Collection[str] = (),
) -> tuple[dict[str, SheetRow], dict[str, str]]:
    """Read several sheets of data sets as one; return the data sets and the sheet of each, by id.

    ``paths`` are by the sheets' names in the configuration. Data sets of the sheets named in
    ``defaults`` are replaced by those of the same id in a later sheet.
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


def _check_names(config: Config, dataset_ids: Collection[str]) -> None:
    studies = [name for name in config.studies if name in RULES or name.startswith("classify_")]
    folder = "is a folder of results/; use another id"
    for where, wrong, why in (
        ("sheet of data sets", FOLDERS_OF_RESULTS.intersection(dataset_ids), folder),
        ("configuration, studies", studies, "is the name of a rule; give the study another id"),
        ("configuration, folds", FOLDERS_OF_DATASET.intersection(config.folds), folder),
    ):
        for name in sorted(wrong):
            raise InputError(f"{where}: {name!r} {why}")
    _check_known("run", config.run, "study", config.studies)
    sources = config.download["base_urls"]
    _check_known("download.base_urls", sources, "source", known_sources())
    places = [(f"download.base_urls.{key}", each) for key, urls in sources.items() for each in urls]
    places += [(f"folds.{key}.file", each.file) for key, each in config.folds.items() if each.file]
    for key, place in places:
        if wrong_place := wrong_location(place):
            raise InputError(f"configuration, {key}: {quoted(place)} {wrong_place}")
    _refuse_alike("sheet of data sets", [*FOLDERS_OF_RESULTS, *dataset_ids])
    _refuse_alike("configuration, studies", config.studies)
    _refuse_alike("configuration, classifiers", config.classifiers)
    _refuse_alike("configuration, folds", [*FOLDERS_OF_DATASET, *config.folds])


def _refuse_alike(where: str, names: Iterable[str]) -> None:
    """Refuse names of folders that are equal on some disks (of macOS and Windows)."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.casefold(), name)
        if other != name:
            msg = (
                f"{where}: {other!r} and {name!r} differ only in small and capital letters, and "
                "their results would share a folder on some disks; rename one of them"
            )
            raise InputError(msg)


def _bare(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry without the reasons of its steps, which do not change results."""
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
    place, own = f"studies.{study.id}", study.classifiers
    _check_known(f"{place}.datasets", study.datasets, "data set", dataset_ids, _SHEETS)
    _check_known(f"{place}.classifiers", own, "classifier", config.classifiers)
    _check_known(f"{place}.folds", study.folds, "scheme of folds", config.folds)
    _check_known(f"{place}.analyses", study.analyses, "analysis", known_analyses())
    _check_known(f"{place}.omit_sections", study.omit_sections, "section", OPTIONAL)
    parts = [part for name in study.analyses for part in known_analyses()[name].parts]
    _check_known(f"{place}.paper", study.paper, "classifier of a paper", parts)
    named = {f"paper.{part}": [classifier] for part, classifier in study.paper.items()}
    named |= {"permutations": list(study.permutations or {}), "final": list(study.final)}
    named["headline"] = [study.headline] if study.headline else []
    for key, names in named.items():
        _check_known(f"{place}.{key}", names, "classifier", own)
    for i, pair in enumerate(study.validate):
        _check_pair(pair, study, f"{place}.validate[{i}]")
    if study.cohorts:
        _check_cohorts(study.cohorts, study, config, f"{place}.cohorts")
    for name, analysis in study.analyses.items():
        here, datasets = f"{place}.analyses.{name}", analysis.get("datasets", ())
        scheme = [analysis["folds"]] if "folds" in analysis else []
        _check_known(f"{here}.datasets", datasets, "data set", dataset_ids, _SHEETS)
        _check_known(f"{here}.folds", scheme, "scheme of folds", config.folds)
        check_analysis(known_analyses()[name], analysis.get("params", {}), f"{here}.params")
    if bool(own) != bool(study.folds) or (own and not study.datasets):
        msg = f"configuration, {place}: classifiers, folds and datasets belong together"
        raise InputError(msg)
    for dataset, classifier in study.models:
        scheme_of_model = config.scheme_of_model(dataset, classifier)
        if scheme_of_model != study.folds[0]:
            msg = (
                f"configuration, {place}.final: the model of {classifier} on {dataset} is another "
                f"study's, too, which begins with the folds {scheme_of_model}; begin with the same"
            )
            raise InputError(msg)


def _check_pair(pair: Validation, study: Study, place: str) -> None:
    _check_known(f"{place}.model", [pair.model], "classifier", study.classifiers)
    _check_known(f"{place}.train", [pair.train], "data set", study.datasets)
    _check_known(f"{place}.test", [pair.test], "data set", study.datasets)
    if pair.train == pair.test:
        msg = f"configuration, {place}: {pair.train!r} cannot be its own second cohort"
        raise InputError(msg)
    if study.validate.count(pair) > 1:
        raise InputError(f"configuration, {place}: is listed twice; remove one")


def _check_cohorts(cohorts: Cohorts, study: Study, config: Config, place: str) -> None:
    _check_known(place, cohorts.series, "data set", study.datasets)
    _check_known(f"{place}.model", [cohorts.model], "classifier", study.classifiers)
    for name in cohorts.series:
        if name in config.preprocessing:
            msg = (
                f"configuration, {place}: preprocessing.{name} would be of one series alone; give "
                f"the steps to the classifier {cohorts.model}"
            )
            raise InputError(msg)


def _check_known(
    key: str, names: Collection[str], what: str, known: Collection[str], hint: str = ""
) -> None:
    for name in names:
        if name not in known:
            msg = f"configuration, {key}: unknown {what} {quoted(name)}; {known_names(name, known)}"
            raise InputError(msg + hint)
