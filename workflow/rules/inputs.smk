# What jobs read, and the digests of the sources that they stand on.
from functools import cache
from pathlib import Path

from snakemake.exceptions import WorkflowError

from xnbflow.evaluation.methods import known_methods
from xnbflow.workflow.provenance import source_digest
from xnbflow.report.outline import benchmarks
from xnbflow.data.sources.sheet import local_path
from xnbflow.data.sources.registry import known_sources


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


@inspected
def entry_of(wildcards):
    """What makes the classifier of a job, for its data set."""
    return CONFIG.classifier(wildcards.classifier, wildcards.dataset)


def sources_with_entry(script):
    """Param: the digest of all that a script imports for the classifier of a job."""
    return inspected(
        lambda wildcards: sources(script, *classes(wildcards.classifier, wildcards.dataset))
    )


def compiler(unit):
    """The module that compiles ahead."""
    return "xnbflow.diagnostics.warmup" if unit == "diagnostics" else "xnbflow.evaluation.warmup"


def compiled(classifier):
    """The marker that a classifier's kernels are compiled; none if no method of it has an entry."""
    known = set(CONFIG.methods(classifier)) & known_methods().keys()
    return [COMPILED.of(unit=classifier)] if known else []


@inspected
def compiled_of(wildcards):
    """The marker of the classifier of a job."""
    return compiled(wildcards.classifier)


@inspected
def predefined_folds(wildcards):
    """The folds of a scheme that are not drawn."""
    scheme = CONFIG.folds[wildcards.folds]
    return [FOLDS.of(dataset=wildcards.dataset, folds=wildcards.folds)] if scheme.file else []


@inspected
def batch_of(wildcards):
    """The folds that a training job runs, and how many there are of each repeat."""
    named = Batch.named(wildcards.batch)
    return {"splits": CONFIG.folds[wildcards.folds].splits, **vars(named)}


@cache
def batches_of(folds):
    """The batches of a scheme of folds, a training job each."""
    return CONFIG.folds[folds].batches(CONFIG.folds_per_job)


def trained_batches(path):
    """Input function: a path for every batch of folds of a classifier."""
    return inspected(
        lambda wildcards: [
            path.of(**dict(wildcards.items()), batch=batch.name)
            for batch in batches_of(wildcards.folds)
        ]
    )


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


def analysed_folds(wildcards):
    """The folds of an analysis that splits its data set as the classifiers do."""
    analysis = analysis_of(wildcards)
    if "folds" not in analysis:
        return []
    return [FOLDS.of(dataset=name, folds=analysis["folds"]) for name in analysis["datasets"]]


def unasked_reports(wildcards):
    """Reports that this call leaves alone but that are there: the index lists them, too.

    They may stem from other configurations. As input they stand as they are, whether out of date
    or not: nothing is run for them.
    """
    there = Path(PREFIX).glob(REPORT.of(study="*"))
    reports = sorted(str(path.relative_to(PREFIX)) for path in there)
    asked = {REPORT.of(study=name) for name in asked_studies()}
    return [before_update(path) for path in reports if path not in asked]


def figures_of_model(table):
    """Input function: a table of the cross-validation whose figures belong to a model."""

    def path(wildcards):
        try:
            folds = CONFIG.scheme_of_model(wildcards.dataset, wildcards.classifier)
        except InputError as error:
            raise WorkflowError(str(error)) from error
        return TRAINED.of(**dict(wildcards.items()), folds=folds, table=table)

    return path
