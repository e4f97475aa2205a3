"""The configuration: checked against its schema and across its fields, then plain dataclasses.

It is read whenever the Snakefile is, in every cluster job: nothing numerical is imported here.
"""

import difflib
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xnbflow.errors import InputError
from xnbflow.sources.sheet import DataSet, read_sheet

__all__ = ["Batch", "Config", "Folds", "Study", "read_config", "read_sheets"]


@dataclass(frozen=True)
class Batch:
    """Folds of one repeat that one training job runs."""

    repeat: int
    folds: tuple[int, ...]

    @property
    def name(self) -> str:
        """The batch's file name, say ``repeat-0-folds-0-9``."""
        return f"repeat-{self.repeat}-folds-{self.folds[0]}-{self.folds[-1]}"

    @classmethod
    def named(cls, name: str) -> "Batch":
        """Return the batch of that name.

        Examples
        --------
        >>> Batch.named("repeat-2-folds-0-3")
        Batch(repeat=2, folds=(0, 1, 2, 3))
        """
        repeat, first, last = (int(number) for number in re.findall(r"\d+", name))
        return cls(repeat, tuple(range(first, last + 1)))


@dataclass(frozen=True)
class Folds:
    """A scheme of cross-validation: drawn (``file`` is None) or predefined.

    Attributes
    ----------
    splits, repeats : int
        Folds per repeat and number of repeats.
    file : str or None
        The file of predefined folds.
    """

    splits: int
    repeats: int
    file: str | None = None

    def batches(self, folds_per_job: int | None) -> list[Batch]:
        """Split the folds over jobs; None puts all folds of a repeat into one job."""
        size = folds_per_job or self.splits
        return [
            Batch(repeat, tuple(range(first, min(first + size, self.splits))))
            for repeat in range(self.repeats)
            for first in range(0, self.splits, size)
        ]


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
        Folder of `xnbflow.analyses` to ``{"datasets": [...], "params": {...}}``.
    """

    id: str
    title: str
    summary: str
    datasets: tuple[str, ...]
    classifiers: tuple[str, ...]
    folds: tuple[str, ...]
    diagnostics: bool
    analyses: dict[str, dict[str, Any]]

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

    def classifier(self, name: str) -> dict[str, Any]:
        """Return what makes a classifier: its method or steps and params, not its label."""
        return {key: value for key, value in self.classifiers[name].items() if key != "label"}

    def methods(self, name: str) -> list[str]:
        """Return every method that a classifier's entry names, nested ones included."""
        return list(_methods(self.classifiers[name]))


def read_config(raw: Mapping[str, Any], schema: str | Path, dataset_ids: Sequence[str]) -> Config:
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
    _check_schema(raw, json.loads(Path(schema).read_text(encoding="utf-8")))
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
    )
    _check_references(config, dataset_ids)
    return config


#: Folders of results/ that are not data sets.
_RESERVED = {"studies", "logs", "benchmarks"}


def read_sheets(paths: Sequence[str | Path]) -> dict[str, DataSet]:
    """Read several sheets of data sets as one.

    Raises
    ------
    InputError
        If a sheet is not valid or two define the same id.
    """
    datasets: dict[str, DataSet] = {}
    for path in paths:
        sheet = read_sheet(path)
        for name in sheet.keys() & datasets.keys():
            msg = f"{path}: data set {name!r} is defined in another sheet, too; rename one of them"
            raise InputError(msg)
        datasets |= sheet
    return datasets


def _folds(entry: Mapping[str, Any]) -> Folds:
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
    )


def _methods(entry: Any) -> Iterator[str]:
    if isinstance(entry, Mapping):
        if isinstance(entry.get("method"), str):
            yield entry["method"]
        for value in entry.values():
            yield from _methods(value)
    elif isinstance(entry, list):
        for value in entry:
            yield from _methods(value)


def _check_schema(raw: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    import jsonschema  # noqa: PLC0415  costs 0.1 s; not needed where a Config is only used

    error = jsonschema.exceptions.best_match(
        jsonschema.Draft202012Validator(schema).iter_errors(raw)
    )
    if error is None:
        return
    key = ".".join(str(part) for part in error.absolute_path) or "the top level"
    msg = f"configuration, {key}: {error.message}{_suggestion(error)}"
    raise InputError(msg)


def _suggestion(error: Any) -> str:
    if error.validator != "additionalProperties":
        return ". See config/README.md"
    known = list(error.schema.get("properties", {}))
    unexpected = [key for key in error.instance if key not in known]
    close = difflib.get_close_matches(unexpected[0], known, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return f"; {hint}Known keys: {', '.join(known)}"


def _check_references(config: Config, dataset_ids: Sequence[str]) -> None:
    for name in (*config.studies, *config.classifiers, *config.folds):
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", name):
            msg = (
                f"configuration: {name!r} cannot be a name of a folder; use letters, digits, . _ -"
            )
            raise InputError(msg)
    for name in _RESERVED.intersection(dataset_ids):
        msg = f"sheet of data sets: {name!r} is a folder of results/; use another id"
        raise InputError(msg)
    _check_known("run", config.run, "study", config.studies)
    for study in config.studies.values():
        place = f"studies.{study.id}"
        _check_known(f"{place}.datasets", study.datasets, "data set", dataset_ids)
        _check_known(f"{place}.classifiers", study.classifiers, "classifier", config.classifiers)
        _check_known(f"{place}.folds", study.folds, "scheme of folds", config.folds)
        for name, analysis in study.analyses.items():
            needed = analysis.get("datasets", ())
            _check_known(f"{place}.analyses.{name}.datasets", needed, "data set", dataset_ids)
            scheme = [analysis["folds"]] if "folds" in analysis else []
            _check_known(f"{place}.analyses.{name}.folds", scheme, "scheme of folds", config.folds)
        if bool(study.classifiers) != bool(study.folds) or (
            study.classifiers and not study.datasets
        ):
            msg = f"configuration, {place}: classifiers, folds and datasets belong together"
            raise InputError(msg)


def _check_known(key: str, names: Sequence[str], what: str, known: Any) -> None:
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, list(known), n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
            msg = f"configuration, {key}: unknown {what} {name!r}; {hint}"
            raise InputError(msg)
