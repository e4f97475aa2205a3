"""The plan of a workflow: inputs, parameters and resources of the rules' jobs.

A rule calls these methods with its wildcards. The Snakefile imports this module in every cluster
job: nothing numerical is imported here.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from snakemake.exceptions import WorkflowError

from xnbflow.core.entries import Analysis
from xnbflow.core.plugins import known_analyses, plugin_modules
from xnbflow.core.study import Cohorts, Study
from xnbflow.evaluation.methods import known_methods
from xnbflow.report.outline import figure_labels, section_modules
from xnbflow.running.config import (
    Config,
    check_designs,
    check_schema,
    read_config,
    read_sheets,
)
from xnbflow.running.project import default_sheets
from xnbflow.running.provenance import method_code
from xnbflow.sources.registry import known_sources
from xnbflow.sources.sheet import SheetRow, local_path
from xnbflow.tables.contract import (
    ALL_COHORTS,
    ANALYSIS,
    AVAILABILITY,
    CHECKED,
    DIAGNOSTIC,
    GENE_SETS,
    GENES,
    GROUPS,
    MODEL,
    MODEL_TABLE,
    PERMUTED,
    PLACES,
    REPORT,
    SERIES,
    STUDY_FILES,
    TRAINED,
    PathTemplate,
    text_of,
    usage_of,
)

#: Features of a series of unknown size: those of the array HG-U133 Plus 2.0.
_USUAL_FEATURES = 54_675
#: MB of a value as text.
_MB_PER_VALUE = 20e-6
#: Endings of compressed files.
_COMPRESSED = (".gz", ".xlsx", ".parquet", ".h5ad")
#: MB of text in a MB of a compressed file, about.
_COMPRESSION = 4

#: The files of a model of all samples by their kind: the model, its gene sets and its tables.
MODEL_FILES: dict[str, PathTemplate] = {
    "model": MODEL,
    "gene_sets": GENE_SETS,
    **GROUPS["model"].files,
    **{f"{table}_text": text_of(path) for table, path in GROUPS["model"].files.items()},
}
#: The files of the model of all cohorts of a study.
ALL_COHORTS_FILES = {key: path.fill(**ALL_COHORTS) for key, path in MODEL_FILES.items()}


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
                found = json.load(stream)
            if not found["available"]:
                missing[name] = found["reason"]
        return configured.without(missing)

    def sought(self, *studies: str) -> list[str]:
        """Return the files of *seek* of the optional data sets of studies."""
        names = [name for study in studies for name in self.config.studies[study].optional]
        return [AVAILABILITY.of(dataset=name) for name in dict.fromkeys(names)]

    def sought_places(self, wildcards: Any) -> list[str]:
        """Return the table of *seek* of a data set that is optional in a study."""
        studies = self.config.studies.values()
        is_optional = any(wildcards.dataset in study.optional for study in studies)
        return [PLACES.of(dataset=wildcards.dataset)] if is_optional else []

    def named_files(self, wildcards: Any) -> dict[str, str]:
        """Return the user's files of a data set, existing or not, by the field of the sheet."""
        files = self.datasets[wildcards.dataset].local_files
        return {key: str(_existing_path(path, self.root)) for key, path in files.items()}

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

    def targets(self, study: str, _wildcards: Any = None) -> list[str]:
        """Return the files that a run of a study writes."""
        configured = self.available(study)
        tables = [path for group in GROUPS.values() for path in group.targets(configured)]
        files = [*tables, *self._model_files(configured), *self._cohort_files(configured)]
        return list(dict.fromkeys(files))

    def all_targets(self, _wildcards: Any = None) -> list[str]:
        """Return the files of all studies under ``run:``."""
        return [path for study in self.config.run for path in self.targets(study)]

    def pages(self) -> list[Path]:
        """Return the existing pages of the studies under ``run:``."""
        pages = [Path(REPORT.of(study=study)).absolute() for study in self.config.run]
        return [page for page in pages if page.exists()]

    def _local_file(self, path: str | Path, place: str) -> str:
        """Return a file of the project, or one that a sheet or the configuration names."""
        file = _existing_path(path, self.root)
        if not file.is_file():
            candidates = [str(Path(path).absolute()), str(self.root / path)]
            paths = " or ".join(dict.fromkeys(candidates))
            msg = f"{place}: no such file: {paths}; correct the path"
            raise WorkflowError(msg)
        return self.mark_local(str(file))

    # acquire

    def sheet_row(self, wildcards: Any) -> dict[str, Any]:
        """Return the row of a data set."""
        return vars(self.datasets[wildcards.dataset])

    def user_files(self, wildcards: Any) -> dict[str, str]:
        """Return the user's files of a data set by the field of the sheet that names them."""
        place = f"data set {wildcards.dataset}"
        files = self.datasets[wildcards.dataset].local_files
        return {key: self._local_file(path, f"{place}, {key}") for key, path in files.items()}

    def user_file_states(self, wildcards: Any) -> dict[str, list[int]]:
        """Return size and time of the user's files of a data set.

        Snakemake compares times only: it would not read a file again that is replaced by an older
        one.
        """
        states = {}
        for key, path in self.user_files(wildcards).items():
            status = Path(path).stat()
            states[key] = [status.st_size, status.st_mtime_ns]
        return states

    def reader_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digest of the module that loads a data set, if it is not of the core."""
        source = self.datasets[wildcards.dataset].source
        return method_code([known_sources()[source].module])

    def sheet_mb(self, wildcards: Any, samples: int = 300) -> float:
        """Return the MB of a data set as text by its shape in the sheet, else of a large one."""
        row = self.datasets[wildcards.dataset]
        return (row.samples or samples) * (row.features or _USUAL_FEATURES) * _MB_PER_VALUE

    def acquired_mb(self, wildcards: Any, files: Any) -> float:
        """Return the MB of a data set as text by its files, a rule's inputs, else by the sheet."""
        size = 0.0
        places = PLACES.of(dataset=wildcards.dataset)
        for path, mb in zip(files, files.size_files_mb, strict=True):
            if path == places:  # of *seek*, no part of the data
                continue
            size += mb * _COMPRESSION if path.endswith(_COMPRESSED) else mb
        return size or self.sheet_mb(wildcards)

    # diagnose

    def diagnostic_settings(self, wildcards: Any) -> dict[str, Any] | None:
        """Return the settings of the tests of a data set; None if no study has their section."""
        studies = self.config.studies.values()
        if not any(study.diagnostics and wildcards.dataset in study.datasets for study in studies):
            return None
        settings = self.config.diagnostics
        return {
            "min_abs_r": settings["min_abs_r"],
            "alpha": settings["dependence_alpha"],
            "dof": settings["dof"],
        }

    # genes

    def design(self, wildcards: Any) -> dict[str, Any]:
        """Return the design of a data set in a study, with the trend that it has by default."""
        return self._design(self.study(wildcards), wildcards.dataset)

    def combined_designs(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return what the effects of genes in combined series depend on, of their designs."""
        study = self.study(wildcards)
        designs = {}
        for name in study.combined:
            design = self._design(study, name)
            designs[name] = {key: design[key] for key in ("adjust", "repeated", "trend")}
        return designs

    def compared(self, table: str, wildcards: Any) -> list[str]:
        """Return a table of *genes* for each data set of a study."""
        study = self.study(wildcards)
        place = GENES.fill(study=study.id, table=table)
        return [place.of(dataset=dataset) for dataset in study.datasets]

    def _design(self, study: Study, dataset: str) -> dict[str, Any]:
        """Return a design as plain values.

        Logarithms of counts per million have variances that depend on their means, as limma's trend
        models it.
        """
        design = vars(study.design_of(dataset))
        if design["trend"] is None:
            is_log_cpm = self.datasets[dataset].options.get("transform") == "log_cpm"
            return design | {"trend": is_log_cpm}
        return design

    # classify, check, models, permute

    def entry(self, wildcards: Any) -> dict[str, Any]:
        """Return the configuration of a classifier for a data set."""
        return self.config.classifier(wildcards.classifier, wildcards.dataset)

    def job_entries(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return the configurations of the classifiers of a job of training by id."""
        names = self.study(wildcards).classifiers_of(wildcards.job)
        return {name: self.config.classifier(name, wildcards.dataset) for name in names}

    def job_classifiers(self, wildcards: Any) -> str:
        """Return the classifiers of a job of training for a message."""
        return ", ".join(self.study(wildcards).classifiers_of(wildcards.job))

    def job_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digests of the methods of a job of training."""
        names = self.study(wildcards).classifiers_of(wildcards.job)
        return self._classifier_code((wildcards.dataset, name) for name in names)

    def job_repeats(self, wildcards: Any) -> int:
        """Return the run-time factor of a job of training: 1, and 1 more per ten fits of a fold.

        The fits of a fold are classifiers times repeats: 4 classifiers in 3 repeats have factor 2.
        """
        classifiers = self.study(wildcards).classifiers_of(wildcards.job)
        fits_per_fold = len(classifiers) * self.config.folds[wildcards.folds].repeats
        return 1 + fits_per_fold // 10

    def scheme(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of a scheme of folds."""
        return vars(self.config.folds[wildcards.folds])

    def folds_file(self, wildcards: Any) -> list[str]:
        """Return the file of predefined folds; none where folds are drawn, or the file is a URL."""
        return self._file_of_scheme(wildcards.folds)

    def _file_of_scheme(self, folds: str) -> list[str]:
        location = self.config.folds[folds].file
        path = local_path(location) if location else None
        if path is None:
            return []
        return [self._local_file(path, f"configuration, folds.{folds}.file")]

    def tested(self, wildcards: Any) -> list[str]:
        """Return the classifiers with a label test on a data set.

        A job of *classify* compares them with random genes; of several schemes of folds only the
        jobs of the first do so. The wildcards of *check* have no folds.
        """
        study = self.study(wildcards)
        folds = getattr(wildcards, "folds", study.folds[0])
        if folds != study.folds[0]:
            return []
        tested = self.config.tested(study)
        return [name for dataset, name in tested if dataset == wildcards.dataset]

    def tested_with(self, wildcards: Any) -> dict[str, str]:
        """Return, for the same classifiers, the class that is fitted for their learning curves."""
        names = self.tested(wildcards)
        return {name: self.config.quick(name, wildcards.dataset) for name in names}

    def halved(self, wildcards: Any) -> list[str]:
        """Return the classifiers that are fitted to halves of the samples of a data set."""
        halved = self.config.halved(self.study(wildcards))
        return [name for dataset, name in halved if dataset == wildcards.dataset]

    def checked_entries(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return the configurations of all classifiers that a job of *check* fits."""
        names = dict.fromkeys([*self.tested(wildcards), *self.halved(wildcards)])
        return {name: self.config.classifier(name, wildcards.dataset) for name in names}

    def checked_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digests of the methods of a job of *check*."""
        names = self.checked_entries(wildcards)
        return self._classifier_code((wildcards.dataset, name) for name in names)

    def classifier_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digests of the methods of a classifier."""
        return self._classifier_code([(wildcards.dataset, wildcards.classifier)])

    def n_permutations(self, wildcards: Any) -> int:
        """Return the number of permutations of a classifier's test."""
        permutations = self.study(wildcards).permutations or {}
        return permutations[wildcards.classifier]

    def training_of_model(self, wildcards: Any) -> dict[str, str]:
        """Return the tables from which a model of all samples gets its figures.

        These are tables of training with the first scheme of folds, and of the halves if the
        classifier is fitted to them.
        """
        study = self.study(wildcards)
        place = TRAINED.fill(
            study=study.id,
            dataset=wildcards.dataset,
            folds=study.folds[0],
            job=study.job_of(wildcards.classifier),
        )
        files = {table: place.of(table=table) for table in ("predictions", "selected")}
        if wildcards.classifier in self.halved(wildcards):
            files["halves"] = CHECKED.of(study=study.id, dataset=wildcards.dataset, table="halves")
        return files

    def trained_beside(self, wildcards: Any) -> list[str]:
        """Return the classifiers whose rows are in the tables of training of a model."""
        study = self.study(wildcards)
        return list(study.classifiers_of(study.job_of(wildcards.classifier)))

    def origin(self, wildcards: Any) -> dict[str, str]:
        """Return where a data set comes from, for the card of a model."""
        return self.datasets[wildcards.dataset].origin

    # compare

    def series(self, wildcards: Any) -> list[str]:
        """Return the series of a study's data sets."""
        return self.of_datasets(SERIES, wildcards)

    def of_datasets(self, path: PathTemplate, wildcards: Any) -> list[str]:
        """Return a file of every data set of a study."""
        return [path.of(dataset=name) for name in self.study(wildcards).datasets]

    def diagnosed(self, table: str, wildcards: Any) -> list[str]:
        """Return a table of the diagnostics of every data set, if the study has their section."""
        if not self.study(wildcards).diagnostics:
            return []
        return self.of_datasets(DIAGNOSTIC.fill(table=table), wildcards)

    def trained(self, table: str, wildcards: Any) -> list[str]:
        """Return a table of every job of training of a study."""
        return [
            TRAINED.of(study=wildcards.study, dataset=dataset, folds=folds, job=job, table=table)
            for dataset, folds, job in self.study(wildcards).training_jobs
        ]

    def permuted(self, wildcards: Any) -> list[str]:
        """Return the permutation tests of a study."""
        return [
            PERMUTED.of(
                study=wildcards.study, dataset=dataset, classifier=name, table="permutation"
            )
            for dataset, name in self.study(wildcards).permuted
        ]

    def checked_datasets(self, study: Study) -> list[str]:
        """Return the data sets of a study on which a job of *check* fits classifiers."""
        checked = [*self.config.tested(study), *self.config.halved(study)]
        return list(dict.fromkeys(dataset for dataset, _ in checked))

    def checked(self, table: str, wildcards: Any) -> list[str]:
        """Return a table of every job of *check* of a study."""
        datasets = self.checked_datasets(self.study(wildcards))
        return [CHECKED.of(study=wildcards.study, dataset=name, table=table) for name in datasets]

    def cohort_verdicts(self, wildcards: Any) -> list[str]:
        """Return the table of verdicts in second cohorts; none if a study tests none."""
        place = GROUPS["validation"].files["verdicts"]
        return [place.of(study=wildcards.study)] if self.study(wildcards).validate else []

    def cohort_matrix(self, wildcards: Any) -> list[str]:
        """Return the table of models of one series tested on the others; none without cohorts."""
        place = GROUPS["cohorts"].files["cohort_matrix"]
        return [place.of(study=wildcards.study)] if self.study(wildcards).combined else []

    def gene_set_files(self, wildcards: Any) -> list[str]:
        """Return the files of a study's gene sets."""
        study = self.study(wildcards)
        place = f"configuration, studies.{study.id}.gene_sets"
        return [self._local_file(path, place) for path in study.gene_sets]

    def series_with_gene_sets(self, wildcards: Any) -> list[str]:
        """Return the series whose values are compared between gene sets; none without sets."""
        return self.series(wildcards) if self.study(wildcards).gene_sets else []

    def signatures(self, wildcards: Any) -> list[str]:
        """Return the signatures of the models of all samples of a study."""
        place = MODEL_TABLE.fill(study=wildcards.study, table="signature")
        models = self.study(wildcards).models
        return [place.of(dataset=dataset, classifier=name) for dataset, name in models]

    def compared_study(self, wildcards: Any) -> dict[str, Any]:
        """Return the fields of a study on which its tables depend, see `study_fields`."""
        names = ("title", "summary", "datasets", "classifiers", "folds", "diagnostics")
        further = ("final", "headline", "jobs", "validate", "cohorts")
        return study_fields(self.study(wildcards), *names, *further)

    def listed_study(self, wildcards: Any) -> dict[str, Any]:
        """Return the fields of a study on which its lists of genes depend, see `study_fields`.

        Gene sets are tested in the comparisons of its designs.
        """
        study = self.study(wildcards)
        datasets = study.datasets if study.gene_sets else ()
        designs = {name: self._design(study, name) for name in datasets}
        return {**study_fields(study, "datasets", "final"), "designs": designs}

    def checks(self, wildcards: Any) -> dict[str, list[tuple[str, str]]]:
        """Return the fields of `xnbflow.studies.study_inputs.StudyChecks`."""
        study = self.study(wildcards)
        return {
            "tested": self.config.tested(study),
            "halved": self.config.halved(study),
            "permuted": study.permuted,
        }

    def study_labels(self, wildcards: Any) -> dict[str, str]:
        """Return the labels of the classifiers of a study by id."""
        return self.labels(self.study(wildcards))

    def labels(self, study: Study) -> dict[str, str]:
        """Return the labels of the classifiers of a study by id."""
        return {name: self.config.classifiers[name]["label"] for name in study.classifiers}

    def study_entries(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return the configurations of a study's classifiers by data set and id."""
        return self._entries(_pairs(self.study(wildcards)))

    def study_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digests of the methods of a study's classifiers."""
        return self._classifier_code(_pairs(self.study(wildcards)))

    # validate, combine

    def validated_series(self, wildcards: Any) -> list[str]:
        """Return the series of the cohorts on which models are fitted and tested."""
        return [SERIES.of(dataset=name) for name in self.study(wildcards).validated]

    def validated_entries(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return the configurations of the models that are tested on second cohorts."""
        return self._entries(_validated(self.study(wildcards)))

    def validated_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digests of the methods of the models that are tested on second cohorts."""
        return self._classifier_code(_validated(self.study(wildcards)))

    def combined_series(self, wildcards: Any) -> list[str]:
        """Return the series of one question that a study combines."""
        return [SERIES.of(dataset=name) for name in self.study(wildcards).combined]

    def combined_entry(self, wildcards: Any) -> dict[str, Any]:
        """Return the configuration of the classifier of all cohorts."""
        return self.config.classifier(self.cohorts(wildcards).model)

    def combined_label(self, wildcards: Any) -> str:
        """Return the label of the classifier of all cohorts."""
        label: str = self.config.classifiers[self.cohorts(wildcards).model]["label"]
        return label

    def combined_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digests of the methods of the classifier of all cohorts."""
        return self._classifier_code([("", self.cohorts(wildcards).model)])

    def cohorts(self, wildcards: Any) -> Cohorts:
        """Return the cohorts of a job of *combine*, which only studies with cohorts have."""
        cohorts = self.study(wildcards).cohorts
        if cohorts is None:
            msg = f"the study {wildcards.study} has no cohorts"
            raise ValueError(msg)
        return cohorts

    # analyse, report

    def analysis(self, wildcards: Any) -> Analysis:
        """Return the entry of an analysis."""
        return known_analyses()[wildcards.analysis]

    def analysis_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of an analysis in a study."""
        return self.study(wildcards).analyses.get(wildcards.analysis, {})

    def analysed_series(self, wildcards: Any) -> list[str]:
        """Return the series of an analysis; none of a simulation."""
        datasets = self.analysis_settings(wildcards).get("datasets", ())
        return [SERIES.of(dataset=name) for name in datasets]

    def analysed_folds_file(self, wildcards: Any) -> list[str]:
        """Return the file of predefined folds of an analysis; see `folds_file`."""
        settings = self.analysis_settings(wildcards)
        return self._file_of_scheme(settings["folds"]) if "folds" in settings else []

    def analysed_scheme(self, wildcards: Any) -> dict[str, Any] | None:
        """Return the scheme of folds of an analysis that divides its samples; else None."""
        settings = self.analysis_settings(wildcards)
        return vars(self.config.folds[settings["folds"]]) if "folds" in settings else None

    def needed_tables(self, wildcards: Any) -> list[str]:
        """Return the tables of the study that an analysis reads."""
        tables = self.analysis(wildcards).needs
        return [STUDY_FILES[table].of(study=wildcards.study) for table in tables]

    def analysis_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digests of the code of an analysis."""
        return method_code(self.analysis(wildcards).modules)

    def model_files(self, wildcards: Any) -> list[str]:
        """Return the models of all samples of a study, with their tables."""
        return self._model_files(self.study(wildcards))

    def _model_files(self, study: Study) -> list[str]:
        return [
            path.of(study=study.id, dataset=dataset, classifier=classifier)
            for dataset, classifier in study.models
            for path in (MODEL, GENE_SETS, *GROUPS["model"].files.values())
        ]

    def cohort_files(self, wildcards: Any) -> list[str]:
        """Return the tables of a study's cohorts and the model of all of them."""
        return self._cohort_files(self.study(wildcards))

    def _cohort_files(self, study: Study) -> list[str]:
        if not study.combined:
            return []
        model = [path.of(study=study.id) for path in ALL_COHORTS_FILES.values()]
        return [*GROUPS["cohorts"].targets(study), *model]

    def validation_tables(self, wildcards: Any) -> list[str]:
        """Return the tables of models in second cohorts."""
        return GROUPS["validation"].targets(self.study(wildcards))

    def analysis_folders(self, wildcards: Any) -> list[str]:
        """Return the folders of the analyses of a study."""
        names = self.study(wildcards).analyses
        return [ANALYSIS.of(study=wildcards.study, analysis=name) for name in names]

    def usage_of_jobs(self, wildcards: Any) -> list[str]:
        """Return the records of time and memory of the jobs of a study."""
        study = self.study(wildcards)
        records = [usage_of(rule).of(study=study.id) for rule in ("compare", "enrich")]
        for rule in ("acquire", "diagnose"):
            records += [usage_of(rule).of(dataset=dataset) for dataset in study.datasets]
        place = usage_of("genes").fill(study=study.id)
        records += [place.of(dataset=dataset) for dataset in study.datasets]
        for analysis in study.analyses:
            records.append(usage_of("analyse").of(study=study.id, analysis=analysis))
        if study.validate:
            records.append(usage_of("validate").of(study=study.id))
        if study.combined:
            records.append(usage_of("combine").of(study=study.id))
        return [*records, *self._usage_of_fits(study)]

    def _usage_of_fits(self, study: Study) -> list[str]:
        """Return the records of the jobs that fit classifiers of a study."""
        records = []
        for dataset, folds, job in study.training_jobs:
            place = usage_of("classify").fill(study=study.id, dataset=dataset)
            records.append(place.of(folds=folds, job=job))
        place = usage_of("check").fill(study=study.id)
        records += [place.of(dataset=dataset) for dataset in self.checked_datasets(study)]
        for rule, pairs in (("models", study.models), ("permute", study.permuted)):
            place = usage_of(rule).fill(study=study.id)
            records += [place.of(dataset=dataset, classifier=name) for dataset, name in pairs]
        return records

    def configuration(self, wildcards: Any) -> dict[str, Any]:
        """Return the complete configuration of a study, for the record and for repetition."""
        study = self.study(wildcards)
        names = list(study.datasets)
        folds = list(study.folds)
        for settings in study.analyses.values():
            names += settings.get("datasets", ())
            if "folds" in settings:
                folds.append(settings["folds"])
        datasets = {}
        preprocessing = {}
        for name in names:
            datasets[name] = {"sheet": self.sheets[name], **vars(self.datasets[name])}
            if name in self.config.preprocessing:
                preprocessing[name] = self.config.preprocessing[name]
        configuration = {
            "sheets": self.raw["sheets"],
            "studies": {study.id: self.raw["studies"][study.id]},
            "datasets": datasets,
            "classifiers": {name: self.raw["classifiers"][name] for name in study.classifiers},
            "folds": {name: self.raw["folds"][name] for name in folds},
            "diagnostics": self.raw["diagnostics"],
        }
        if preprocessing:
            configuration["preprocessing"] = preprocessing
        return configuration

    def section_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digests of the sections of a study's page that are not of the core."""
        study = self.study(wildcards)
        sections = section_modules(study, known_analyses())
        tables = [known_analyses()[name].compute for name in study.analyses]
        return method_code([*sections, *tables, *plugin_modules()], page=True)

    def figure_labels(self, wildcards: Any) -> dict[str, str]:
        """Return the labels of a figure in Snakemake's own report: its data set, and more."""
        study = self.study(wildcards)
        datasets = list(study.datasets)
        for settings in study.analyses.values():
            datasets += settings.get("datasets", [])
        labels = figure_labels(wildcards.figure, datasets, study.folds, study.classifiers)
        return {key: text for key, text in labels.items() if text}

    def _entries(self, pairs: Iterable[tuple[str, str]]) -> dict[str, dict[str, Any]]:
        """Return the configurations of classifiers, each with its data set, by both names."""
        entries: dict[str, dict[str, Any]] = {}
        for dataset, name in pairs:
            entries.setdefault(dataset, {})[name] = self.config.classifier(name, dataset)
        return entries

    def _classifier_code(self, pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
        """Return the digests of the methods of classifiers, each with its data set."""
        methods: set[str] = set()
        for dataset, name in pairs:
            methods.update(self.config.methods(name, dataset))
        registry = known_methods()
        paths = [registry[name].estimator if name in registry else name for name in methods]
        return method_code(paths)


def _existing_path(path: str | Path, root: Path) -> Path:
    """Return a path of the configuration: in the working directory, else in the project."""
    return Path(path) if Path(path).exists() else root / path


def study_fields(study: Study, *names: str) -> dict[str, Any]:
    """Return fields of a study for `xnbflow.core.study.study_of`; all others are empty.

    They are plain values, since unpickling an object would import its module before the job's
    script has set the path of the library. A job runs again if one of them has changed.
    """
    empty = {"title": "", "summary": "", "classifiers": (), "folds": (), "diagnostics": False}
    values = asdict(study)
    fields = {name: values[name] for name in ("id", *names)}
    return {**empty, "analyses": {}, **fields}


def _pairs(study: Study) -> list[tuple[str, str]]:
    """Return the data sets and classifiers of a study."""
    return list(dict.fromkeys((dataset, name) for dataset, _, name in study.trained))


def _validated(study: Study) -> list[tuple[str, str]]:
    """Return the data sets and classifiers of the models that are tested on second cohorts."""
    return list(dict.fromkeys((pair.train, pair.model) for pair in study.validate))


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
