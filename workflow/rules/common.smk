# What all rules share: the library, the checked configuration, and where things are.
import gc
import os
import sys
import time
from functools import cache
from pathlib import Path

from snakemake.common.configfile import load_configfile
from snakemake.exceptions import WorkflowError
from snakemake.logging import logger
from snakemake.utils import update_config

ROOT = Path(os.path.normpath(Path(workflow.current_basedir) / ".." / ".."))
SCHEMA = ROOT / "workflow/schemas/config.schema.json"
LIBRARY = str(ROOT / "workflow/src")
if not os.path.isdir(LIBRARY):  # a Snakefile by URL brings the rules alone
    raise WorkflowError(
        f"{LIBRARY} is not there: the library stands beside the Snakefile. Clone the whole repository, and name its Snakefile by a path"
    )
sys.path.insert(0, LIBRARY)
gc.set_threshold(100_000)  # a graph of many thousand jobs is no garbage

#: Of another workflow that imports this one (`module`), else of this one: what changes paths and names.
MODIFIER = workflow.modifier
#: The `prefix` of that module, before every path of a rule.
PREFIX = MODIFIER.path_modifier.replace_prefix("")
if not MODIFIER.is_main_snakefile():
    # Snakemake hands a module the caller's configuration alone: lay it over ours, as --configfile
    # is, its sheets beside our own.
    defaults = load_configfile(str(ROOT / "config/config.yaml"))
    sheets = [str(ROOT / sheet) for sheet in defaults["sheets"]] + config.get("sheets", [])
    update_config(defaults, config)
    config = {**defaults, "sheets": sheets}  # the caller's own may serve other modules

import xnbflow
from xnbflow import forkserver
from xnbflow.analyses.registry import analysis_modules, known_analyses
from xnbflow.config import Batch, check_schema, read_config, read_sheets
from xnbflow.contract import (
    ANALYSIS,
    BATCH,
    COMPILED,
    DESCRIPTION_TABLE,
    DESCRIPTION_TABLES,
    DIAGNOSTIC,
    DIAGNOSTIC_TABLES,
    FIGURES,
    FOLDS,
    GATHERED_TABLES,
    GENE_SETS,
    INDEX,
    LOCK,
    MODEL,
    MODEL_TABLE,
    MODEL_TABLES,
    NOTES,
    PAPER,
    PERMUTATION_TABLES,
    PERMUTED,
    PICTURES,
    REPORT,
    SERIES,
    STUDY_TABLE,
    STUDY_TABLES,
    TRAINED,
    TRAINING_TABLES,
    TRUTH,
    VALIDATION_TABLE,
    VALIDATION_TABLES,
    benchmark_of,
    log_of,
    text_of,
)
from xnbflow.errors import InputError
from xnbflow.jobs import import_from
from xnbflow.methods import known_methods
from xnbflow.needs import NEEDS, fitting
from xnbflow.partition import read_partition
from xnbflow.plugins import plugin_modules
from xnbflow.provenance import source_digest
from xnbflow.report.navigation import figure_labels
from xnbflow.report.outline import benchmarks, section_modules
from xnbflow.slurm_logs import reasons
from xnbflow.sources.files import local_path
from xnbflow.sources.registry import known_sources
from xnbflow.standing import check_standing

import_from(LIBRARY)
if not Path(xnbflow.__file__).is_relative_to(ROOT):
    raise WorkflowError(
        f"the workflow in {ROOT} found xnbflow in {Path(xnbflow.__file__).parent}: two modules of one "
        "workflow must be the same checkout of xnbflow"
    )


def found(path):
    """A path of the configuration: in the working directory, else beside the Snakefile."""
    if not Path(path).exists():
        return str(ROOT / path)
    return str(Path(path).absolute()) if PREFIX else str(path)


def own_file(path, what):
    """A file that the user names in a sheet or in the configuration."""
    if not Path(found(path)).is_file():
        places = " or ".join(dict.fromkeys(map(str, (Path(path).absolute(), ROOT / path))))
        raise WorkflowError(f"{what}: no such file: {places}; correct the path")
    return found(path)


try:
    check_schema(config, SCHEMA)
    DATASETS, SHEETS = read_sheets({sheet: found(sheet) for sheet in config["sheets"]})
    CONFIG = read_config(
        config,
        SCHEMA,
        list(DATASETS),
        look_up_paths=workflow.is_main_process,
    )
except InputError as error:
    raise WorkflowError(str(error)) from error


#: The tables that the papers print.
PRINTED = Path(found(PAPER)) if MODIFIER.is_main_snakefile() else ROOT / PAPER


def published(*names):
    return [str(PRINTED / f"{name}.tsv") for name in names]


def names(values):
    """A wildcard constraint that matches exactly the given names."""
    return "|".join(re.escape(value) for value in values) or "(?!)"


def size_of(wildcards, input):
    """MB of a job's input; Snakemake's `size_mb` starts an event loop for each of many jobs."""
    if any(path.is_storage for path in input):
        return input.size_mb
    return sum(os.stat(path).st_size for path in input) / 2**20


@cache
def partition():
    """The SLURM partitions that jobs of this call go to; None of jobs that go elsewhere."""
    plugin = workflow.executor_plugin
    if not workflow.is_main_process or plugin is None or plugin.name != "slurm":
        return None
    if workflow.executor_settings.partition_config:  # then the plugin chooses one that fits
        return None
    settings = workflow.resource_settings
    asked = [settings._parsed_default_resources, *settings._parsed_overwrite_resources.values()]
    names = [str(each["slurm_partition"].raw) for each in asked if "slurm_partition" in each]
    return read_partition(list(dict.fromkeys(names)))


#: When this call began.
STARTED = time.time()
#: Rules and resources of which it was said that jobs cannot have what they ask.
TOO_LARGE = set()


def granted(kind, resource, asked):
    """What a job gets of what it asks: no more than the largest node of its partition has."""
    given = fitting(asked, resource, partition())
    if given < asked and (kind, resource) not in TOO_LARGE:
        TOO_LARGE.add((kind, resource))
        logger.warning(
            f"A job of {kind} asks {resource}={asked}; partition {partition().name} has no more than "
            f"{given}, which it gets. For another: --default-resources slurm_partition=NAME"
        )
    return given


def tell_reasons():
    """Say of failed jobs on SLURM why it ended them; of the others it is in their logs."""
    settings = workflow.executor_settings
    if workflow.executor_plugin and workflow.executor_plugin.name == "slurm":
        for line in reasons(
            settings.logdir or Path(".snakemake/slurm_logs").absolute(), since=STARTED
        ):
            logger.error(line)


def cpus_of(kind):
    """CPUs for a job; in the job itself, those that it got."""
    got = 0 if workflow.is_main_process else int(os.environ.get("SLURM_CPUS_ON_NODE", 0))
    asked = min(NEEDS[kind].cpus, got or NEEDS[kind].cpus)
    return lambda wildcards: granted(kind, "cpus", asked)


def memory_of(kind, size=size_of):
    """MB for a job by the size of its input; a job that failed gets twice as much."""
    return lambda wildcards, input, attempt: granted(
        kind, "mem_mb", NEEDS[kind].mem_mb(size(wildcards, input), attempt)
    )


def minutes_of(kind, size=size_of, times=lambda wildcards: 1):
    """Minutes for a job, likewise, and for how many times the same."""
    return lambda wildcards, input, attempt: granted(
        kind,
        "runtime",
        times(wildcards) * NEEDS[kind].runtime(size(wildcards, input), attempt),
    )


def repeats_of(wildcards):
    """How many repeats a batch of folds has."""
    return len(Batch.named(wildcards.batch).repeats)


def acquired_mb(wildcards, input):
    """MB of a data set as text: by its files, else by the shape in the sheet, else of a large one."""
    row = DATASETS[wildcards.dataset]
    packed = (".gz", ".xlsx", ".parquet", ".h5ad")
    files = [
        mb * (4 if path.endswith(packed) else 1) for path, mb in zip(input, input.size_files_mb)
    ]
    return sum(files) or (row.samples or 300) * (row.features or 54_675) * 20e-6


SIMULATED = [name for name, row in DATASETS.items() if row.source == "simulate"]
ACQUIRED = [name for name in DATASETS if name not in SIMULATED]


def reader(dataset):
    """The module that loads a data set."""
    return known_sources()[DATASETS[dataset].source].module


def given(wildcards):
    """A user's own files by what names them, so that editing one acquires the data set again."""
    files = DATASETS[wildcards.dataset].local_files
    where = f"data set {wildcards.dataset}"
    return {key: own_file(path, f"{where}, {key}") for key, path in files.items()}


def state_of_given(wildcards):
    """Size and time of a user's own files: one that is put in another's place may be the older of the two."""
    states = {key: Path(path).stat() for key, path in given(wildcards).items()}
    return {key: [state.st_size, state.st_mtime_ns] for key, state in states.items()}


def given_folds(wildcards):
    """A file of predefined folds; none where folds are drawn, or the file is a URL."""
    file = CONFIG.folds[wildcards.folds].file
    path = local_path(file) if file else None
    return own_file(path, f"configuration, folds.{wildcards.folds}.file") if path else []


def sources(script, *modules):
    """The digest of all that a script imports, and of what it finds by name."""
    return source_digest(ROOT / "workflow/scripts" / script, *modules)


def classes(classifier, dataset=""):
    """What a classifier's methods (for a data set) stand on: their classes, and what these import by name."""
    methods = [known_methods().get(name, name) for name in CONFIG.methods(classifier, dataset)]
    return [
        name
        for method in methods
        for name in ([method] if isinstance(method, str) else [method.estimator, *method.modules])
    ]


def compiler(unit):
    """The module that compiles ahead."""
    return "xnbflow.diagnostics.warmup" if unit == "diagnostics" else "xnbflow.evaluation.warmup"


def compiled(classifier):
    """The marker that a classifier's kernels are compiled; none if no method of it has an entry."""
    known = set(CONFIG.methods(classifier)) & known_methods().keys()
    return [COMPILED.of(unit=classifier)] if known else []


def study_of(wildcards):
    return CONFIG.studies[wildcards.study]


def predefined_folds(wildcards):
    """The folds of a scheme that are not drawn."""
    scheme = CONFIG.folds[wildcards.folds]
    return [FOLDS.of(dataset=wildcards.dataset, folds=wildcards.folds)] if scheme.file else []


def batches_of(folds):
    return CONFIG.folds[folds].batches(CONFIG.folds_per_job)


def trained_batches(path):
    """Input function: a path for every batch of folds of a classifier."""
    return lambda wildcards: [
        path.of(**dict(wildcards.items()), batch=batch.name)
        for batch in batches_of(wildcards.folds)
    ]


def owners_of(study):
    """What the input files of a study's tables belong to, in the order of the files."""
    return {
        "datasets": study.datasets,
        "simulated": [name for name in study.datasets if name in SIMULATED],
        "diagnosed": study.datasets if study.diagnostics else (),
        "trained": study.trained,
        "permuted": study.permuted,
    }


def trained(table):
    """Input function: a table of every classifier of a study on every data set and scheme."""
    return lambda wildcards: [
        TRAINED.of(dataset=dataset, folds=folds, classifier=classifier, table=table)
        for dataset, folds, classifier in owners_of(study_of(wildcards))["trained"]
    ]


def diagnosed(table):
    """Input function: a table of the diagnostics of every data set of a study."""
    return lambda wildcards: [
        DIAGNOSTIC.of(dataset=name, table=table)
        for name in owners_of(study_of(wildcards))["diagnosed"]
    ]


def cohorts_of(study):
    """The data sets that models of a study are tested on, and trained for it."""
    return list(dict.fromkeys(name for pair in study.validate for name in (pair.train, pair.test)))


def validated_by(study):
    """The classifiers of these models."""
    return list(dict.fromkeys(pair.model for pair in study.validate))


def model_files(study):
    """The tables of the models of all samples of a study, and the models for people to take."""
    paths = [MODEL, GENE_SETS, *(MODEL_TABLE.fill(table=table) for table in MODEL_TABLES)]
    return [
        path.of(dataset=dataset, classifier=classifier)
        for dataset, classifier in study.models
        for path in paths
    ]


def validation_tables(study):
    """The tables of a study's second cohorts; none without."""
    paths = [VALIDATION_TABLE.of(study=study.id, table=table) for table in VALIDATION_TABLES]
    return paths if study.validate else []


def products(study):
    """The page of a study and what it links: not a target, a file that is lost would not be missed."""
    filled = dict(study=study.id)
    tables = [
        *(STUDY_TABLE.of(**filled, table=table) for table in STUDY_TABLES),
        *(DESCRIPTION_TABLE.of(**filled, table=table) for table in DESCRIPTION_TABLES),
        *validation_tables(study),
    ]
    models = model_files(study)
    texts = [text_of(path) for path in [*tables, *models] if path.endswith(".parquet")]
    return [REPORT.of(**filled), *tables, *models, *texts]


def series(wildcards):
    return [SERIES.of(dataset=name) for name in study_of(wildcards).datasets]


def truth(wildcards):
    return [TRUTH.of(dataset=name) for name in owners_of(study_of(wildcards))["simulated"]]


def permuted(wildcards):
    """The permutation tests of a study."""
    return [
        PERMUTED.of(
            study=wildcards.study, dataset=dataset, classifier=classifier, table="permutation"
        )
        for dataset, classifier in study_of(wildcards).permuted
    ]


def noted(wildcards):
    """What was noticed when the data sets of a study were acquired; nothing is of simulated ones."""
    return [NOTES.of(dataset=name) for name in study_of(wildcards).datasets if name in ACQUIRED]


def recorded(wildcards):
    """What the jobs of a study recorded of themselves, of all but the training."""
    study = study_of(wildcards)
    return [path for paths in benchmarks(study, SIMULATED).values() for path in paths]


def analysis_of(wildcards):
    return study_of(wildcards).analyses.get(wildcards.analysis, {})


def analysed_folds(wildcards):
    """The folds of an analysis that splits its data set as the classifiers do."""
    analysis = analysis_of(wildcards)
    if "folds" not in analysis:
        return []
    return [FOLDS.of(dataset=name, folds=analysis["folds"]) for name in analysis["datasets"]]


def configuration(study):
    """Everything that was configured for a study, as given, for the record and to give again."""
    analyses = study.analyses.values()
    datasets = [*study.datasets, *(d for a in analyses for d in a.get("datasets", ()))]
    folds = [*study.folds, *(a["folds"] for a in analyses if "folds" in a)]
    steps = {name: CONFIG.preprocessing[name] for name in datasets if name in CONFIG.preprocessing}
    return {
        "sheets": config["sheets"],
        "studies": {study.id: config["studies"][study.id]},
        "datasets": {name: {"sheet": SHEETS[name], **vars(DATASETS[name])} for name in datasets},
        "classifiers": {name: config["classifiers"][name] for name in study.classifiers},
        **({"preprocessing": steps} if steps else {}),
        "folds": {name: config["folds"][name] for name in folds},
        "diagnostics": config["diagnostics"],
    }


def results_of(study):
    """What makes a `xnbflow.report.results.StudyResults`."""
    labels, settings = about(study)["labels"], configuration(study)
    results = {"study": study, "labels": labels, "configuration": settings, "paper": PRINTED}
    return {**results, "root": Path(PREFIX)} if PREFIX else results


def about(study):
    """What a study calls itself and its classifiers."""
    labels = {name: CONFIG.classifiers[name]["label"] for name in study.classifiers}
    return {
        "study": study.id,
        "title": study.title,
        "summary": study.summary,
        "labels": labels,
        "kept": list(study.final),
    }


def shown_in(wildcards):
    """What a figure shows: its data set, by which Snakemake's own report is read, and more."""
    study = study_of(wildcards)
    analysed = [name for each in study.analyses.values() for name in each.get("datasets", [])]
    datasets = [*study.datasets, *analysed]
    return figure_labels(wildcards.figure, datasets, study.folds, study.classifiers)


def labels_of(wildcards):
    """The columns of a figure's row in Snakemake's own report."""
    return {key: text for key, text in shown_in(wildcards).items() if key != "data set"}


def targets_of(study):
    """What one calls a study by: the name of its rule, or its report."""
    return MODIFIER.modify_rulename(study), PREFIX + REPORT.of(study=study)


def asked_studies():
    """The studies that this call makes: those named as targets, and without any, or with `all`, `run:`."""
    targets = set(workflow.dag_settings.targets)
    named = [name for name in CONFIG.studies if set(targets_of(name)) & targets]
    run = CONFIG.run if not named or MODIFIER.modify_rulename("all") in targets else ()
    return list(dict.fromkeys([*named, *run]))


if workflow.is_main_process and workflow.dag_settings:  # --lint has none
    try:
        check_standing(CONFIG, asked_studies(), PREFIX)
    except InputError as error:
        raise WorkflowError(str(error)) from error


def unasked_reports(wildcards):
    """Reports that this call leaves alone but that are there: the index lists them, too.

    They may stem from other configurations. As input they stand as they are, whether out of date
    or not: nothing is run for them.
    """
    there = Path(PREFIX).glob(REPORT.of(study="*"))
    reports = sorted(str(path.relative_to(PREFIX)) for path in there)
    asked = {REPORT.of(study=name) for name in asked_studies()}
    return [before_update(path) for path in reports if path not in asked]


def options_of_call():
    """The options that a call of Snakemake in this folder needs, with the files of this call."""
    options = ["--cores", "all"]
    if not Path("Snakefile").exists() or not Path("Snakefile").samefile(workflow.main_snakefile):
        options += ["--snakefile", workflow.main_snakefile]
    files = [os.path.relpath(path) for path in workflow.overwrite_configfiles]
    return options + ["--configfile", *files] if files else options


def figures_of_model(table):
    """Input function: a table of the cross-validation whose figures belong to a model."""

    def path(wildcards):
        try:
            folds = CONFIG.scheme_of_model(wildcards.dataset, wildcards.classifier)
        except InputError as error:
            raise WorkflowError(str(error)) from error
        return TRAINED.of(**dict(wildcards.items()), folds=folds, table=table)

    return path


def unlimit_submissions(scheduler):
    """Let Snakemake look for the next job when one has ended, and not also once a second ever after.

    With a limit of jobs per second, which a machine of its own never reaches, each look at jobs that
    wait orders one more a second later: thousands in a run of minutes, which take the jobs' processors.
    """
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    if (limit.max_jobs, limit.timespan) == (100, 1):  # what is so unless a user sets it
        scheduler.job_rate_limiter = None


onstart:
    if workflow.is_main_process and workflow.local_exec:
        forkserver.start()
        unlimit_submissions(workflow.scheduler)


wildcard_constraints:
    dataset=names(DATASETS),
    folds=names(CONFIG.folds),
    classifier=names(CONFIG.classifiers),
    study=names(CONFIG.studies),
