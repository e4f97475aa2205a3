# What a study is made of, what it leaves behind, and which studies a call makes.
import os
from pathlib import Path

from snakemake.common import SNAKEFILE_CHOICES
from snakemake.exceptions import WorkflowError

from xnbflow.report.navigation import figure_labels
from xnbflow.workflow.standing import check_standing


def study_of(wildcards):
    return CONFIG.studies[wildcards.study]


def owners_of(study):
    """What the input files of a study's tables belong to, in the order of the files."""
    return {
        "datasets": study.datasets,
        "simulated": [name for name in study.datasets if name in SIMULATED],
        "diagnosed": study.datasets if study.diagnostics else (),
        "trained": study.trained,
        "permuted": study.permuted,
    }


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


def analysis_of(wildcards):
    return study_of(wildcards).analyses.get(wildcards.analysis, {})


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
    results["analyses"] = {name: known_analyses()[name] for name in study.analyses}
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


def options_of_call():
    """The options that a call of Snakemake in this folder needs, with the files of this call."""
    options = ["--cores", "all"]
    found_by_itself = next((path for path in SNAKEFILE_CHOICES if path.exists()), None)
    if not found_by_itself or not found_by_itself.samefile(workflow.main_snakefile):
        options += ["--snakefile", workflow.main_snakefile]
    files = [os.path.relpath(path) for path in workflow.overwrite_configfiles]
    return options + ["--configfile", *files] if files else options
