"""The configuration: checked against its schema and across its fields, then plain dataclasses.

The Snakefile reads it in every cluster job: nothing numerical is imported here.
"""

import itertools
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from xnbflow.core.errors import InputError, known_names, quoted
from xnbflow.core.plugins import known_analyses
from xnbflow.core.schemas import check
from xnbflow.core.study import MAIN_JOB, Cohorts, Design, Study, Validation
from xnbflow.core.terms import column_of_term
from xnbflow.core.yaml_text import line_of_key, repeated_key
from xnbflow.evaluation.method_checks import check_analysis, check_estimator, columns_named
from xnbflow.evaluation.methods import entries_in, known_methods, resolved, unlabelled
from xnbflow.report.outline import OPTIONAL
from xnbflow.running.removed import refuse_removed
from xnbflow.sources.dataset_entry import DatasetEntry, read_entry, wrong_location
from xnbflow.sources.places.pinned import pinned_url
from xnbflow.sources.registry import known_sources
from xnbflow.tables.contract import JOBS, RESERVED_DATASETS

#: The end of a message about a data set that the configuration does not define.
_DATASETS_HINT = ". Data sets are the entries of `datasets:`"

#: The rules of the workflow; a study is a rule, too, and cannot have the name of one of them.
RULES = frozenset({"all", "default", "figures", *JOBS})


@dataclass(frozen=True)
class Folds:
    """A scheme of cross-validation: drawn (``file`` is None) or predefined.

    ``splits`` are the folds per repeat; None where each fold leaves one group of samples out, as
    many as the data set has. ``seed`` and ``shuffle`` are set where the folds are those that
    scikit-learn draws from the rows of the file in their order: shuffled with this seed, or, with
    ``shuffle`` False, without one.
    """

    splits: int | None
    repeats: int
    file: str | None = None
    seed: int | None = None
    shuffle: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Config:
    """The whole configuration; see ``config/README.md`` for the keys."""

    run: tuple[str, ...]
    datasets: dict[str, DatasetEntry]
    download: dict[str, Any]
    diagnostics: dict[str, Any]
    folds: dict[str, Folds]
    classifiers: dict[str, dict[str, Any]]
    studies: dict[str, Study]
    preprocessing: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    skip: tuple[str, ...] = ()

    def classifier(self, name: str, dataset: str = "") -> dict[str, Any]:
        """Return a classifier's configuration: paths of classes and their params, without labels.

        The preprocessing steps of the data set come before its own.
        """
        return resolved(_bare(self._entry(name, dataset)))

    def label_tests(self, study: Study) -> list[tuple[str, str]]:
        """Return the data sets and classifiers with a label test by default.

        These are the classifiers that may come first, in their order up to the first one that is
        fast and selects features; all if none is. Without permutations there is no test.
        """
        if not study.permutations:
            return []
        pairs = []
        for dataset in study.datasets:
            for name in study.priority:
                pairs.append((dataset, name))
                if self._is_quick(name, dataset):
                    break
        return pairs

    def halves(self, study: Study) -> list[tuple[str, str]]:
        """Return the data sets and classifiers that are fitted to halves of the samples.

        These are the first fast classifier of each data set, and the other fast classifiers that
        the study keeps as models. With a headline it is the only candidate, see `Study.priority`.
        """
        if not study.halves:
            return []
        pairs = []
        for dataset in study.datasets:
            fast = [name for name in study.priority if self._is_quick(name, dataset)]
            for i, name in enumerate(fast):
                if i == 0 or name in study.final:
                    pairs.append((dataset, name))
        return pairs

    def methods(self, name: str, dataset: str = "") -> list[str]:
        """Return every method that a classifier's entry names, nested ones included."""
        return [nested["method"] for nested in entries_in(self._entry(name, dataset))]

    def _is_quick(self, name: str, dataset: str) -> bool:
        """Return whether a classifier is fast and selects features; no pipeline is and does."""
        method = known_methods().get(self._entry(name, dataset).get("method", ""))
        return method is not None and method.quick

    def _entry(self, name: str, dataset: str) -> dict[str, Any]:
        """Return a classifier's entry behind the preprocessing steps of a data set."""
        entry = unlabelled(self.classifiers[name])
        steps = self.preprocessing.get(dataset)
        if not steps:
            return entry
        return {"steps": [*steps, *entry.get("steps", [entry])]}


def read_config(
    raw: Mapping[str, Any], schema: str | Path, files: Sequence[str | Path] = ()
) -> Config:
    """Check a configuration against the JSON schema and across its fields; return a `Config`.

    An `InputError` names the key, what was found and what to do; and the line, if the key is in one
    of the ``files`` of the configuration.
    """
    _refuse_repeated_keys(files)
    refuse_removed(raw)
    check_schema(raw, schema, files)
    datasets = read_datasets(raw, files)
    skip = raw.get("skip", ())  # a single name in --config skip=NAME
    config = Config(
        run=tuple(raw["run"]),
        skip=(skip,) if isinstance(skip, str) else tuple(skip),
        datasets=datasets,
        download=dict(raw["download"]),
        diagnostics=dict(raw["diagnostics"]),
        folds={name: _folds(entry) for name, entry in raw["folds"].items()},
        classifiers={name: dict(entry) for name, entry in raw["classifiers"].items()},
        studies=_read_studies(raw),
        preprocessing={name: list(steps) for name, steps in raw.get("preprocessing", {}).items()},
    )
    _check_names(config)
    for name, entry in config.classifiers.items():
        with _line_of_entry(files, ["classifiers", name], "params"):
            check_estimator(entry, f"classifiers.{name}", "classifier")
    for study in config.studies.values():
        with _line_of_entry(files, ["studies", study.id]):
            _check_study(study, config)

    # Check the steps of data sets, and that no classifier behind them names columns.
    _check_known("preprocessing", config.preprocessing, "data set", datasets, hint=_DATASETS_HINT)
    for name, steps in config.preprocessing.items():
        for i, step in enumerate(steps):
            with _line_of_entry(files, ["preprocessing", name, i], "params"):
                check_estimator(step, f"preprocessing.{name}.{i}", "transformer")
    for study in config.studies.values():
        for dataset, classifier in itertools.product(study.datasets, study.classifiers):
            columns = columns_named(config.classifiers[classifier])
            if columns and dataset in config.preprocessing:
                msg = (
                    f"configuration, preprocessing.{dataset}: the study {study.id} has the "
                    f"classifier {classifier} on it, which names columns ({columns[0]}) that these "
                    "steps may move; give the steps to those classifiers that name no columns"
                )
                raise InputError(msg)

    _check_designs(config.studies.values(), datasets)
    return config


def _folds(entry: Mapping[str, Any]) -> Folds:
    """Return the scheme of folds that an entry describes."""
    if entry.get("leave_one_group_out"):
        return Folds(splits=None, repeats=1)
    return Folds(
        splits=entry.get("splits", 1),
        repeats=entry.get("repeats", 1),
        file=entry.get("file"),
        seed=entry.get("seed"),
        shuffle=entry.get("shuffle", True if "seed" in entry else None),
    )


def study_of_job(job: Any) -> Study:
    """Return the study of a job of *report*, without its missing data sets.

    ``job`` is the object ``snakemake`` of a script.
    """
    study = _read_studies(job.config)[job.wildcards.study]
    return study.without(job.params.arguments["missing"])


def _read_studies(raw: Mapping[str, Any]) -> dict[str, Study]:
    """Return the studies of a configuration by their ids; see `read_config` for its checks."""
    classifiers = raw["classifiers"]
    references = {
        name: settings["reference"]
        for name, settings in raw["datasets"].items()
        if settings.get("reference")
    }
    return {
        name: _study(name, entry, classifiers, references) for name, entry in raw["studies"].items()
    }


def _study(
    name: str,
    entry: Mapping[str, Any],
    classifiers: Mapping[str, Any],
    references: Mapping[str, str],
) -> Study:
    """Return the study that an entry describes.

    ``classifiers`` are all of the configuration; ``references`` are the reference classes of data
    sets, which a design may replace.
    """
    gene_sets = entry.get("gene_sets", ())
    if isinstance(gene_sets, str):
        gene_sets = (gene_sets,)
    analyses = entry.get("analyses", {})

    # The designs of a study by data set: one for all of them, or a mapping by data set. The
    # values of the mapping are mappings, those of a design are not.
    declared = entry.get("design", {})
    if not all(isinstance(value, Mapping) for value in declared.values()):
        declared = dict.fromkeys(entry.get("datasets", ()), declared)
    designs = {dataset: Design.read(settings) for dataset, settings in declared.items()}
    for dataset in entry.get("datasets", ()):
        design = designs.get(dataset, Design())
        if dataset in references and not design.reference:
            designs[dataset] = replace(design, reference=references[dataset])

    # The jobs of those classifiers of a study whose entry names one.
    jobs = {}
    for classifier in entry.get("classifiers", ()):
        job = classifiers.get(classifier, {}).get("job", MAIN_JOB)
        if job != MAIN_JOB:
            jobs[classifier] = job

    return Study(
        id=name,
        title=entry["title"],
        summary=entry.get("summary", ""),
        datasets=tuple(entry.get("datasets", ())),
        classifiers=tuple(entry.get("classifiers", ())),
        folds=tuple(entry.get("folds", ())),
        diagnostics=entry.get("diagnostics", True),
        analyses={analysis: dict(settings or {}) for analysis, settings in analyses.items()},
        paper=dict(entry.get("paper", {})),
        permutations=entry.get("permutations", Study.permutations),
        halves=entry.get("halves", Study.halves),
        final=tuple(entry.get("final", ())),
        headline=entry.get("headline", ""),
        validate=tuple(Validation(**pair) for pair in entry.get("validate", ())),
        gene_sets=tuple(gene_sets),
        omit_sections=tuple(entry.get("omit_sections", ())),
        cohorts=_cohorts(entry),
        jobs=jobs,
        designs=designs,
        optional=tuple(entry.get("optional", ())),
    )


def _cohorts(entry: Mapping[str, Any]) -> Cohorts | None:
    """Return the cohorts of a study, whose entry is a list of series or has settings.

    Without the setting ``model`` their classifier is the classifier of the headline, the first
    that is kept, or the first of the study, in this order.
    """
    declared = entry.get("cohorts")
    if not declared:
        return None
    settings = dict(declared) if isinstance(declared, Mapping) else {"series": declared}
    settings["series"] = tuple(settings["series"])
    candidates = [entry.get("headline"), *entry.get("final", ()), *entry.get("classifiers", ())]
    settings.setdefault("model", next(filter(None, candidates), ""))
    return Cohorts(**settings)


def _refuse_repeated_keys(files: Sequence[str | Path]) -> None:
    """Refuse a file of the configuration with a key twice, of which YAML keeps the last."""
    for path in files:
        if repeated := repeated_key(Path(path).read_text(encoding="utf-8")):
            keys, first, second = repeated
            msg = (
                f"configuration, {'.'.join(keys)} ({path}, line {second}): the key is in line "
                f"{first}, too; remove one"
            )
            raise InputError(msg, file=str(path), key=keys[-1])


def check_schema(raw: object, schema: str | Path, files: Sequence[str | Path] = ()) -> None:
    """Raise an `InputError` unless the configuration conforms to its JSON schema."""
    content = json.loads(Path(schema).read_text(encoding="utf-8"))
    check(raw, content, "configuration", partial(place_in_files, files))


def read_datasets(
    raw: Mapping[str, Any], files: Sequence[str | Path] = ()
) -> dict[str, DatasetEntry]:
    """Return the data sets of a configuration by id; see `read_entry` for the checks of each."""
    datasets = {}
    for name, settings in raw["datasets"].items():
        place = ["datasets", name]
        datasets[name] = read_entry(name, settings, locate=partial(_place_below, files, place))
    return datasets


def _place_below(files: Sequence[str | Path], above: Sequence[Any], keys: Sequence[Any]) -> str:
    """Return the file and line of a key below other keys, see `place_in_files`."""
    return place_in_files(files, [*above, *keys])


def place_in_files(files: Sequence[str | Path], keys: Sequence[Any]) -> str:
    r"""Return the file and line of a key as a parenthesis; empty if no file has the key.

    Of several files the last one counts, as it is laid over the others. For a key of a flow mapping
    or of a list the line is that of its nearest key.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.yaml")
    ...     _ = path.write_text("datasets:\n  x:\n    labl: type\n")
    ...     place_in_files([path], ["datasets", "x", "labl"]).rpartition("/")[2]
    'mine.yaml, line 3)'
    """
    for path in reversed(files):
        line = line_of_key(Path(path).read_text(encoding="utf-8"), keys)
        if line is not None:
            return f" ({path}, line {line})"
    return ""


@contextmanager
def _line_of_entry(
    files: Sequence[str | Path], entry: Sequence[Any], below: str = ""
) -> Iterator[None]:
    """Add the file and line to an `InputError` about an entry of the configuration.

    It is the line of the key that the error is about, in the entry or in its mapping ``below``, or
    of the entry where the file has no such key.
    """
    try:
        yield
    except InputError as error:
        candidates = [[*entry, below, error.key], [*entry, error.key], entry]
        places = (place_in_files(files, keys) for keys in candidates)
        place = next(filter(None, places), "")
        msg = f"{error}{place}"
        raise InputError(msg, file=error.file, key=error.key, remedy=error.remedy) from error


def _check_designs(studies: Iterable[Study], entries: Mapping[str, DatasetEntry]) -> None:
    """Refuse to adjust for the class, or for groups, which are part of the model in any case.

    ``entries`` are the data sets by id. Other columns of samples are known only after a
    data set is read: the job *genes* checks them.
    """
    for study in studies:
        for dataset, design in study.designs.items():
            entry = entries[dataset]
            for column in map(column_of_term, design.adjust):
                if column == entry.label:
                    reason = "the class: no comparison of classes can be adjusted for it"
                elif column == entry.group:
                    reason = "its group: groups are part of the model without it"
                else:
                    continue
                msg = (
                    f"configuration, studies.{study.id}.design.adjust: {quoted(column)} of the "
                    f"data set {dataset} is {reason}; leave it out of adjust"
                )
                raise InputError(msg, key="adjust")


def _check_names(config: Config) -> None:
    """Check ids that are names of folders and rules, and the locations of downloads and folds."""
    for name in sorted(RESERVED_DATASETS.intersection(config.datasets)):
        msg = (
            f"configuration, datasets: {name!r} is the name of a folder of results/; give the data "
            "set another name"
        )
        raise InputError(msg)
    for name in sorted(RULES.intersection(config.studies)):
        msg = f"configuration, studies: {name!r} is the name of a rule; give the study another id"
        raise InputError(msg)
    _check_known("run", config.run, "study", config.studies)
    _check_known("skip", config.skip, "data set", config.datasets, hint=_DATASETS_HINT)
    sources = config.download["base_urls"]
    _check_known("download.base_urls", sources, "source", known_sources())
    for source, urls in sources.items():
        for url in urls:
            _check_location(f"download.base_urls.{source}", url)
    for name, scheme in config.folds.items():
        if scheme.file:
            _check_location(f"folds.{name}.file", scheme.file)

        # `seed` and `shuffle` of a scheme belong together, as in scikit-learn.
        key = f"folds.{name}"
        fault = ""
        if scheme.file and scheme.shuffle is not None:
            fault = "seed and shuffle are of folds that are drawn, not of a file; remove them"
        elif scheme.shuffle and scheme.seed is None:
            fault = "shuffle: true needs a seed; without both, folds have a seed of their data set"
        elif scheme.shuffle is False and scheme.seed is not None:
            fault = "a seed has no effect with shuffle: false; remove one of them"
        elif scheme.shuffle is False and scheme.repeats > 1:
            fault = "with shuffle: false all repeats are equal; use repeats: 1"
        if fault:
            msg = f"configuration, {key}: {fault}"
            raise InputError(msg)

    _refuse_alike("configuration, datasets", [*RESERVED_DATASETS, *config.datasets])
    _refuse_alike("configuration, studies", config.studies)
    _refuse_alike("configuration, classifiers", config.classifiers)
    _refuse_alike("configuration, folds", config.folds)
    jobs = [entry.get("job", MAIN_JOB) for entry in config.classifiers.values()]
    _refuse_alike("configuration, jobs of classifiers", jobs)


def _check_location(key: str, location: str) -> None:
    if fault := wrong_location(location):
        msg = (
            f"configuration, {key}: {quoted(location)} cannot be used: {fault.reason}; "
            f"{fault.remedy}"
        )
        raise InputError(msg)


def _refuse_alike(place: str, names: Iterable[str]) -> None:
    """Refuse names of folders that are equal on disks of macOS and Windows."""
    names_by_folder: dict[str, str] = {}
    for name in names:
        other = names_by_folder.setdefault(name.casefold(), name)
        if other != name:
            msg = (
                f"{place}: {other!r} and {name!r} differ only in small and capital letters, and "
                "their results would share a folder on some disks; rename one of them"
            )
            raise InputError(msg)


def _bare(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry without the reasons of its steps, which do not change results."""
    bare = {key: value for key, value in entry.items() if key != "reason"}
    if "steps" in bare:
        bare["steps"] = [_bare(step) for step in bare["steps"]]
    return bare


def _check_study(study: Study, config: Config) -> None:
    """Check that the names in a study exist, and that its parts fit together."""
    place = f"studies.{study.id}"
    classifiers = study.classifiers
    _check_known(
        f"{place}.datasets", study.datasets, "data set", config.datasets, hint=_DATASETS_HINT
    )
    _check_known(f"{place}.classifiers", classifiers, "classifier", config.classifiers)
    _check_known(f"{place}.folds", study.folds, "scheme of folds", config.folds)
    _check_known(f"{place}.analyses", study.analyses, "analysis", known_analyses())
    _check_known(f"{place}.omit_sections", study.omit_sections, "section", OPTIONAL)
    named = study.all_datasets
    _check_known(f"{place}.optional", study.optional, "data set of the study", named)
    parts: list[str] = []
    for name in study.analyses:
        parts += known_analyses()[name].parts
    _check_known(f"{place}.paper", study.paper, "classifier of a paper", parts)
    for part, classifier in study.paper.items():
        _check_known(f"{place}.paper.{part}", [classifier], "classifier", classifiers)
    _check_known(f"{place}.final", study.final, "classifier", classifiers)
    _check_known(f"{place}.design", study.designs, "data set of the study", study.datasets)
    if study.headline:
        _check_known(f"{place}.headline", [study.headline], "classifier", classifiers)

    # Check that public files of gene sets have a checksum.
    for location in study.gene_sets:
        try:
            pinned_url(location)
        except InputError as error:
            msg = f"configuration, {place}.gene_sets: {error}"
            raise InputError(msg, key="gene_sets") from error

    # An analysis can have data sets alone; classifiers need folds and data sets.
    if classifiers or study.folds:
        parts_of_training = {
            "classifiers": classifiers, "folds": study.folds, "datasets": study.datasets
        }  # fmt: skip
        for key, names in parts_of_training.items():
            if not names:
                msg = (
                    f"configuration, {place}: {key} is missing; classifiers, folds and datasets "
                    "belong together"
                )
                raise InputError(msg, key=key)
    _check_cohorts(study, config, place)

    # The settings of its analyses.
    for name, settings in study.analyses.items():
        where = f"{place}.analyses.{name}"
        datasets = settings.get("datasets", ())
        _check_known(
            f"{where}.datasets", datasets, "data set", config.datasets, hint=_DATASETS_HINT
        )
        if "folds" in settings:
            _check_known(f"{where}.folds", [settings["folds"]], "scheme of folds", config.folds)
        check_analysis(known_analyses()[name], settings.get("params", {}), f"{where}.params")


def _check_cohorts(study: Study, config: Config, place: str) -> None:
    """Check the second cohorts of a study, and the series of one question."""
    for i, pair in enumerate(study.validate):
        where = f"{place}.validate[{i}]"
        _check_known(f"{where}.model", [pair.model], "classifier", study.classifiers)
        _check_known(f"{where}.train", [pair.train], "data set of the study", study.datasets)
        _check_known(f"{where}.test", [pair.test], "data set of the study", study.datasets)
        if pair.train == pair.test:
            msg = f"configuration, {where}: {pair.train!r} cannot be its own second cohort"
            raise InputError(msg)
        if study.validate.count(pair) > 1:
            msg = f"configuration, {where}: is listed twice; remove one"
            raise InputError(msg)
    if not study.cohorts:
        return
    where = f"{place}.cohorts"
    _check_known(where, study.cohorts.series, "data set of the study", study.datasets)
    _check_known(f"{where}.model", [study.cohorts.model], "classifier", study.classifiers)
    for name in study.cohorts.series:
        if name in config.preprocessing:
            msg = (
                f"configuration, {where}: preprocessing.{name} would change one series alone; give "
                f"the steps to the classifier {study.cohorts.model}"
            )
            raise InputError(msg)


def _check_known(
    key: str, names: Iterable[str], kind: str, choices: Collection[str], *, hint: str = ""
) -> None:
    """Raise an `InputError` if a name under a key is none of the choices."""
    for name in names:
        if name not in choices:
            msg = (
                f"configuration, {key}: unknown {kind} {quoted(name)}; "
                f"{known_names(name, choices)}{hint}"
            )
            raise InputError(msg, key=key.rpartition(".")[2])
