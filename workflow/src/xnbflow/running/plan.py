"""The plan of a workflow: its configuration and its data sets, and what follows for its jobs.

The planners (`data_set_jobs`, `study_jobs`) ask it for the inputs, parameters and resources of the
jobs of a rule. The Snakefile imports this module in every cluster job: nothing numerical is
imported here.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from snakemake.exceptions import WorkflowError

from xnbflow.core.errors import InputError
from xnbflow.core.study import Study
from xnbflow.evaluation.methods import known_methods
from xnbflow.running.config import Config, read_config
from xnbflow.running.declared_files import refuse_outputs
from xnbflow.running.left_out import data_sets_left_out, refuse_without_data
from xnbflow.running.project import existing_path
from xnbflow.sources.dataset_entry import DatasetEntry, local_path

#: Number of features of a series whose entry has none: as of the array HG-U133 Plus 2.
_USUAL_FEATURES = 54_675
#: Number of samples of a series whose entry has none. With too little memory a job is
#: killed, so that a single series counts as a large one, and each of several as one of usual size.
_SAMPLES_OF_LARGE_SERIES = 300
_SAMPLES_OF_USUAL_SERIES = 100
#: MB of a value as text: ``-0.123456789012345`` and a separator have 19 bytes.
_MB_PER_VALUE = 20e-6


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The configuration and the data sets of a workflow.

    Snakemake calls methods that have a parameter ``wildcards`` with those of a job, for example
    ``dataset="wine"``, ``study="demo"`` in *check*.

    Attributes
    ----------
    root : Path
        The folder of the project.
    raw : mapping
        The configuration as it was read.
    config : Config
        The configuration, checked.
    datasets : dict of str to DatasetEntry
        The data sets of the configuration by id.
    mark_local : callable
        Snakemake's ``local``, for files that are never in a storage.
    left_out : dict of str to dict
        The data sets that each study runs without, and why, see `data_sets_left_out`.
    planned : dict of str to Study
        The studies of the jobs that have been planned, in this order, see `study`.
    """

    root: Path
    raw: Mapping[str, Any]
    config: Config
    datasets: dict[str, DatasetEntry]
    mark_local: Callable[[str], str]
    left_out: dict[str, dict[str, str]] = field(default_factory=dict)
    planned: dict[str, Study] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        raw: Mapping[str, Any],
        root: Path,
        mark_local: Callable[[str], str] = str,
        files: Sequence[str | Path] = (),
    ) -> "Plan":
        """Return the plan of a configuration; an `InputError` names what is wrong in it.

        ``files`` are those of the configuration, in which a message names the line of a key.
        """
        schema = root / "workflow/schemas/config.schema.json"
        config = read_config(raw, schema, files)
        refuse_outputs(config)
        return cls(
            root=root,
            raw=raw,
            config=config,
            datasets=config.datasets,
            mark_local=mark_local,
            left_out=data_sets_left_out(config, root),
        )

    def study(self, wildcards: Any) -> Study:
        """Return the study of a job, see `study_of`."""
        return self.study_of(wildcards.study)

    def study_of(self, name: str) -> Study:
        """Return a study without the data sets that are left out.

        Raises
        ------
        WorkflowError
            If none of its data sets remains.
        """
        study = self.config.studies[name].without(self.left_out[name])
        try:
            refuse_without_data(study)
        except InputError as error:
            raise WorkflowError(str(error)) from error
        self.planned[name] = study
        return study

    @property
    def jobs(self) -> list[str]:
        """The jobs of training that classifiers name."""
        studies = self.config.studies.values()
        names = {job for study in studies for _, _, job in study.training_jobs}
        return sorted(names)

    @property
    def analyses(self) -> list[str]:
        """The analyses that studies name."""
        return sorted({name for study in self.config.studies.values() for name in study.analyses})

    def local_file(self, path: str | Path, place: str) -> str:
        """Return an existing file of the project, or one that the configuration names.

        ``place`` is where it is named, for the message if it does not exist.
        """
        file = existing_path(path, self.root)
        if not file.is_file():
            candidates = [str(Path(path).absolute()), str(self.root / path)]
            paths = " or ".join(dict.fromkeys(candidates))
            msg = f"{place}: no such file: {paths}; correct the path"
            raise WorkflowError(msg)
        return self.mark_local(str(file))

    def dataset_mb(self, wildcards: Any, samples: int = _SAMPLES_OF_LARGE_SERIES) -> float:
        """Return the MB of a data set as text by its ``shape`` in the configuration.

        ``samples`` is their number if that has none.
        """
        return self._text_mb(wildcards.dataset, samples)

    def datasets_mb(self, wildcard_values: Iterable[Mapping[str, str]]) -> float:
        """Return the MB of several data sets as text, see `dataset_mb`.

        ``wildcard_values`` are those of a file of each data set, ``{"dataset": "wine"}``.
        """
        datasets = [values["dataset"] for values in wildcard_values]
        return sum(self._text_mb(name, _SAMPLES_OF_USUAL_SERIES) for name in datasets)

    def _text_mb(self, dataset: str, samples: int) -> float:
        """Return the MB of a data set as text, of ``samples`` if its shape has no number."""
        shape = self.datasets[dataset].shape
        return (shape.samples or samples) * (shape.features or _USUAL_FEATURES) * _MB_PER_VALUE

    def file_of_scheme(self, folds: str) -> list[str]:
        """Return the user's file of predefined folds of a scheme; an empty list without one."""
        location = self.config.folds[folds].file
        path = local_path(location) if location else None
        if path is None:
            return []
        return [self.local_file(path, f"configuration, folds.{folds}.file")]

    def classifier_entries(self, dataset: str, names: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return the configurations of classifiers for a data set by id."""
        return {name: self.config.classifier(name, dataset) for name in names}

    def method_paths(self, study: Study) -> list[str]:
        """Return the import paths of the methods of a study: of its classifiers and their steps."""
        pairs = [(dataset, name) for dataset in study.datasets for name in study.classifiers]
        pairs += [(pair.train, pair.model) for pair in study.validate]
        if study.cohorts:
            pairs.append(("", study.cohorts.model))
        methods: set[str] = set()
        for dataset, name in pairs:
            methods.update(self.config.methods(name, dataset))
        registry = known_methods()
        return [registry[name].estimator if name in registry else name for name in sorted(methods)]

    def design_of(self, study: Study, dataset: str) -> dict[str, Any]:
        """Return the design of a data set in a study as plain values.

        By default a trend of the variances with the means is fitted to logarithms of counts per
        million only, as limma does (limma-trend).
        """
        design = vars(study.design_of(dataset))
        if design["trend"] is None:
            is_log_cpm = self.datasets[dataset].transform_name == "log_cpm"
            return design | {"trend": is_log_cpm}
        return design


def is_in_project(path: str | Path, root: Path) -> bool:
    """Return whether a relative path of the configuration is that of a file of the project."""
    shipped = root / path
    return (
        not Path(path).is_absolute()
        and shipped.is_file()
        and existing_path(path, root).samefile(shipped)
    )


def exactly(names: Sequence[str]) -> str:
    r"""Return a regular expression that matches the given names only.

    Examples
    --------
    >>> exactly(["a.b", "c"])
    'a\\.b|c'
    >>> exactly([])
    '(?!)'
    """
    return "|".join(map(re.escape, names)) or "(?!)"
