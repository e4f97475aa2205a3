"""The plan of a workflow: inputs, parameters and resources of the rules' jobs.

A rule calls these methods with its wildcards. The Snakefile imports this module in every cluster
job: nothing numerical is imported here.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from snakemake.exceptions import WorkflowError

from xnbflow.core.study import Study
from xnbflow.evaluation.methods import known_methods
from xnbflow.running.config import (
    Config,
    check_designs,
    check_schema,
    read_config,
    read_sheets,
)
from xnbflow.running.declared_files import refuse_outputs
from xnbflow.running.project import default_sheets
from xnbflow.running.provenance import method_code
from xnbflow.sources.sheet import SheetRow, local_path

#: Features of a series of unknown size: those of the array HG-U133 Plus 2.0.
_USUAL_FEATURES = 54_675
#: MB of a value as text.
_MB_PER_VALUE = 20e-6


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The configuration and the data sets of a workflow, with a method for each question of a rule.

    A rule names a method as an input or a parameter. Snakemake calls it with the wildcards of a
    job, for example ``dataset="wine"``, ``study="demo"`` in *check*.

    Attributes
    ----------
    root : Path
        The folder of the project.
    raw : mapping
        The configuration as it was read; ``config`` is the same, checked.
    datasets : dict of str to SheetRow
        The data sets of all sheets by id; ``sheets`` are the names of the sheet of each.
    mark_local : callable
        Snakemake's ``local``, for files that are never in a storage.
    availability : callable
        Returns the file of *seek* of an optional data set. Before it exists it raises Snakemake's
        exception of an unfinished checkpoint, after which Snakemake asks again.
    """

    root: Path
    raw: Mapping[str, Any]
    config: Config
    datasets: dict[str, SheetRow]
    sheets: dict[str, str]
    mark_local: Callable[[str], str]
    availability: Callable[[str], Any] | None = None

    @classmethod
    def read(
        cls,
        raw: Mapping[str, Any],
        root: Path,
        mark_local: Callable[[str], str] = str,
        availability: Callable[[str], Any] | None = None,
    ) -> "Plan":
        """Return the plan of a configuration; an `InputError` names what is wrong in it.

        Sheets of the project and of the papers come first; the configuration's sheets may define
        their data sets anew.
        """
        schema = root / "workflow/schemas/config.schema.json"
        check_schema(raw, schema)
        configured = {sheet: _existing_path(sheet, root) for sheet in raw["sheets"]}
        configured_paths = {path.resolve() for path in configured.values()}
        shipped = {
            sheet: path
            for sheet, path in default_sheets(root).items()
            if path.resolve() not in configured_paths
        }
        datasets, sheets = read_sheets(shipped | configured, defaults=shipped)
        config = read_config(raw, schema, list(datasets))
        check_designs(config.studies.values(), datasets)
        refuse_outputs(config, datasets, sheets)
        return cls(
            root=root,
            raw=raw,
            config=config,
            datasets=datasets,
            sheets=sheets,
            mark_local=mark_local,
            availability=availability,
        )

    def study(self, wildcards: Any) -> Study:
        """Return the study of a job, without optional data sets that cannot be had."""
        return self.available(wildcards.study)

    def available(self, study: str) -> Study:
        """Return a study without its optional data sets that cannot be had."""
        configured = self.config.studies[study]
        if self.availability is None:
            return configured
        missing = {}
        for name in configured.optional:
            with self.availability(name).open() as stream:
                sought = json.load(stream)
            if not sought["available"]:
                missing[name] = sought["reason"]
        return configured.without(missing)

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

    def existing_path(self, path: str | Path) -> Path:
        """Return a path of the configuration: in the working directory, else in the project."""
        return _existing_path(path, self.root)

    def local_file(self, path: str | Path, place: str) -> str:
        """Return a file of the project, or one that a sheet or the configuration names."""
        file = _existing_path(path, self.root)
        if not file.is_file():
            candidates = [str(Path(path).absolute()), str(self.root / path)]
            paths = " or ".join(dict.fromkeys(candidates))
            msg = f"{place}: no such file: {paths}; correct the path"
            raise WorkflowError(msg)
        return self.mark_local(str(file))

    def sheet_mb(self, wildcards: Any, samples: int = 300) -> float:
        """Return the MB of a data set as text by its shape in the sheet, else of a large one."""
        return self._mb_of(wildcards.dataset, samples)

    def sheets_mb(self, datasets: Iterable[Mapping[str, str]]) -> float:
        """Return the MB of several data sets as text, see `sheet_mb`; of 100 samples by default."""
        return sum(self._mb_of(values["dataset"], 100) for values in datasets)

    def _mb_of(self, dataset: str, samples: int) -> float:
        """Return the MB of a data set as text, of ``samples`` if the sheet has no number."""
        row = self.datasets[dataset]
        return (row.samples or samples) * (row.features or _USUAL_FEATURES) * _MB_PER_VALUE

    def file_of_scheme(self, folds: str) -> list[str]:
        """Return the user's file of predefined folds of a scheme, else none."""
        location = self.config.folds[folds].file
        path = local_path(location) if location else None
        if path is None:
            return []
        return [self.local_file(path, f"configuration, folds.{folds}.file")]

    def entries_on(self, dataset: str, names: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return the configurations of classifiers for a data set by id."""
        return {name: self.config.classifier(name, dataset) for name in names}

    def code_on(self, dataset: str, names: Iterable[str]) -> dict[str, str]:
        """Return the digests of the methods of classifiers on a data set."""
        return self.code_of((dataset, name) for name in names)

    def code_of(self, pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
        """Return the digests of the methods of classifiers, each with its data set."""
        methods: set[str] = set()
        for dataset, name in pairs:
            methods.update(self.config.methods(name, dataset))
        registry = known_methods()
        paths = [registry[name].estimator if name in registry else name for name in methods]
        return method_code(paths)

    def design_of(self, study: Study, dataset: str) -> dict[str, Any]:
        """Return the design of a data set in a study as plain values.

        Logarithms of counts per million have variances that depend on their means, as limma's trend
        models it.
        """
        design = vars(study.design_of(dataset))
        if design["trend"] is None:
            is_log_cpm = self.datasets[dataset].options.get("transform") == "log_cpm"
            return design | {"trend": is_log_cpm}
        return design

    def datasets_of(self, study: Study) -> list[str]:
        """Return the data sets of a study and of its analyses."""
        datasets = list(study.datasets)
        for settings in study.analyses.values():
            datasets += settings.get("datasets", ())
        return datasets


def _existing_path(path: str | Path, root: Path) -> Path:
    """Return a path of the configuration: in the working directory, else in the project."""
    return Path(path) if Path(path).exists() else root / path


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
