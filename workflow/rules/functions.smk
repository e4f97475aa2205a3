# Functions of rules: their inputs and parameters.
from xnbflow.core.plugins import known_analyses, plugin_modules
from xnbflow.sources.sheet import local_path
from xnbflow.sources.registry import known_sources
from xnbflow.report.outline import figure_labels
from xnbflow.report.outline import section_modules

# acquire


def given(wildcards):
    """A user's own files by the naming field, so that an edit repeats the acquisition of the data set."""
    files = DATASETS[wildcards.dataset].local_files
    where = f"data set {wildcards.dataset}"
    return {key: own_file(path, f"{where}, {key}") for key, path in files.items()}


def state_of_given(wildcards):
    """Size and time of a user's own files, since a file that replaces another one may be older."""
    states = {key: Path(path).stat() for key, path in given(wildcards).items()}
    return {key: [state.st_size, state.st_mtime_ns] for key, state in states.items()}


def reader(wildcards):
    """The module that loads a data set."""
    return known_sources()[DATASETS[wildcards.dataset].source].module


def sheet_mb(wildcards, samples=300):
    """MB of a data set as text: by the shape in the sheet, else of a large one."""
    row = DATASETS[wildcards.dataset]
    return (row.samples or samples) * (row.features or 54_675) * 20e-6


def acquired_mb(wildcards, input):
    """MB of a data set as text: by its files, else by the sheet."""
    packed = (".gz", ".xlsx", ".parquet", ".h5ad")
    files = [
        mb * (4 if path.endswith(packed) else 1) for path, mb in zip(input, input.size_files_mb)
    ]
    return sum(files) or sheet_mb(wildcards)


# diagnose


def tests_of(wildcards):
    """Param: settings of the tests of a data set, if a study has their section."""
    asked = any(
        study.diagnostics and wildcards.dataset in study.datasets
        for study in CONFIG.studies.values()
    )
    settings = {
        key: CONFIG.diagnostics[name]
        for key, name in (("min_abs_r", "min_abs_r"), ("alpha", "dependence_alpha"), ("dof", "dof"))
    }
    return settings if asked else None


# classify


def given_folds(folds):
    """Input function: a file of predefined folds; none where folds are drawn, or the file is a URL."""
    file = CONFIG.folds[folds].file
    path = local_path(file) if file else None

    def given(wildcards):
        return own_file(path, f"configuration, folds.{folds}.file") if path else []

    return given


def tables(job, table):
    """A table of each classifier of a job."""
    return [
        TRAINED.fill(folds=job.folds, classifier=classifier, table=table)
        for classifier in job.classifiers
    ]


def entries(classifiers):
    """Param: configurations of the classifiers of a job, for its data set."""
    return lambda wildcards: {
        name: CONFIG.classifier(name, wildcards.dataset) for name in classifiers
    }


def sources_with(script, classifiers):
    """Param: digests of a script with the classes of the classifiers of a job."""
    return lambda wildcards: source_digests(
        script, *classes((name, wildcards.dataset) for name in classifiers)
    )


def times(job):
    """Run-time factor of a job: one per ten classifiers, and the repeats."""
    return 1 + len(job.classifiers) * CONFIG.folds[job.folds].repeats // 10


def model_parts():
    """The files of a model of all samples, by their kind."""
    tables = GROUPS["model"].files
    texts = {f"{table}_text": text_of(path) for table, path in tables.items()}
    return {"model": MODEL, "gene_sets": GENE_SETS, **tables, **texts}


def model_paths(classifiers):
    """The files of the models of all samples of some classifiers, as outputs of a rule."""
    return {
        key: [path.fill(classifier=name) for name in classifiers]
        for key, path in model_parts().items()
    }


# compare


def of_datasets(path):
    """Input function: a file of every data set of a study."""
    return lambda wildcards: [path.of(dataset=name) for name in study_of(wildcards).datasets]


def diagnosed(table):
    """Input function: a table of the diagnostics of every data set of a study."""
    path = DIAGNOSTIC.fill(table=table)
    return lambda wildcards: of_datasets(path)(wildcards) if study_of(wildcards).diagnostics else []


def trained(table):
    """Input function: a table of every classifier of a study on every data set and scheme."""
    return lambda wildcards: [
        TRAINED.of(dataset=dataset, folds=folds, classifier=classifier, table=table)
        for dataset, folds, classifier in study_of(wildcards).trained
    ]


def permuted(wildcards):
    """The permutation tests of a study."""
    return [
        PERMUTED.of(study=wildcards.study, dataset=dataset, classifier=name, table="permutation")
        for dataset, name in study_of(wildcards).permuted
    ]


def checked(table, which):
    """Input function: a check of every classifier for which a study requests it."""
    return lambda wildcards: [
        TRAINED.of(dataset=dataset, folds=folds, classifier=name, table=table)
        for dataset, folds, name in which(study_of(wildcards))
    ]


def gene_sets(wildcards):
    """Input function: the files of a study's gene sets; none without."""
    study = study_of(wildcards)
    where = f"configuration, studies.{study.id}.gene_sets"
    return [own_file(path, where) for path in study.gene_sets]


def signatures(wildcards):
    """Input function: the signatures of the models of all samples of a study."""
    return [
        MODEL_TABLE.of(dataset=dataset, classifier=name, table="signature")
        for dataset, name in study_of(wildcards).models
    ]


def owners_of(study):
    """Data sets and classifiers of the input files of a study's tables, in the order of the files."""
    return {
        "datasets": study.datasets,
        "diagnosed": study.datasets if study.diagnostics else (),
        "trained": study.trained,
        "models": study.models,
        "permuted": study.permuted,
        "tested": [(dataset, name) for dataset, _, name in CONFIG.tested(study)],
        "halved": [(dataset, name) for dataset, _, name in CONFIG.halved(study)],
    }


def about(study):
    """The names of a study and of its classifiers."""
    labels = {name: CONFIG.classifiers[name]["label"] for name in study.classifiers}
    return {
        "study": study.id,
        "title": study.title,
        "summary": study.summary,
        "labels": labels,
        "kept": list(study.final),
        "headline": study.headline,
    }


def entries_of(pairs):
    """Configurations of classifiers, by data set and id."""
    made = {}
    for dataset, name in pairs:
        made.setdefault(dataset, {})[name] = CONFIG.classifier(name, dataset)
    return made


def described(study):
    """The data sets and classifiers of a study."""
    return list(dict.fromkeys((dataset, name) for dataset, _, name in study.trained))


def validated(study):
    """The data sets and classifiers of the models that a study tests on second cohorts."""
    return list(dict.fromkeys((pair.train, pair.model) for pair in study.validate))


def sources_of(script, pairs):
    """Param: digests of a script with the classes of some classifiers of a study."""
    return lambda wildcards: source_digests(
        script, *classes((name, dataset) for dataset, name in pairs(study_of(wildcards)))
    )


# report


def products(study):
    """The page of a study and linked files, which are not targets, so lost ones are not made again."""
    tables = [path for group in GROUPS.values() for path in group.targets(study)]
    return list(dict.fromkeys([*tables, *model_files(study), *cohort_files(study)]))


def pages_of(targets):
    """The existing pages of the studies of a run."""
    plain = not set(targets) - {"all", "default"}
    asked = CONFIG.run if plain else [name for name in targets if name in CONFIG.studies]
    pages = [Path(REPORT.of(study=name)).absolute() for name in asked]
    return [page for page in pages if page.exists()]


def model_files(study):
    """The tables of the models of all samples of a study, and the models for users."""
    paths = [MODEL, GENE_SETS, *GROUPS["model"].files.values()]
    return [
        path.of(dataset=dataset, classifier=classifier)
        for dataset, classifier in study.models
        for path in paths
    ]


def cohort_files(study):
    """The tables of a study's cohorts and the model of all of them; none without."""
    model = [path.fill(**META).of(study=study.id) for path in model_parts().values()]
    return [*GROUPS["cohorts"].targets(study), *(model if study.combined else [])]


def usage_of_jobs(wildcards):
    """Input function: records of time and memory of the jobs of a study."""
    study = study_of(wildcards)
    jobs = [
        (rule, {"dataset": name}) for rule in ("acquire", "diagnose") for name in study.datasets
    ]
    jobs += [
        ("classify", {"dataset": name, "folds": job.folds, "classifier": job.name})
        for job in CONFIG.jobs
        for name in job.datasets
        if any((name, job.folds, classifier) in study.trained for classifier in job.classifiers)
    ]
    own = [{"dataset": name, "classifier": classifier} for name, classifier in study.permuted]
    jobs += [("permute", {"study": study.id, **each}) for each in own]
    jobs += [("analyse", {"study": study.id, "analysis": name}) for name in study.analyses]
    wanted = {"compare": True, "validate": study.validate, "combine": study.combined}
    jobs += [(rule, {"study": study.id}) for rule in wanted if wanted[rule]]
    return [usage_of(rule).of(**values) for rule, values in jobs]


def analysis_of(wildcards):
    return study_of(wildcards).analyses.get(wildcards.analysis, {})


def analysed_folds(wildcards):
    """The folds of an analysis that splits its data set like the classifiers."""
    analysis = analysis_of(wildcards)
    if "folds" not in analysis:
        return []
    return [FOLDS.of(dataset=name, folds=analysis["folds"]) for name in analysis["datasets"]]


def configuration(study):
    """The complete configuration of a study, for the record and for repetition."""
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


def results_of(wildcards):
    """Arguments of `xnbflow.report.results.StudyResults`.

    They are plain values: a job would import an object's module before the library's path is set.
    """
    study = study_of(wildcards)
    labels, settings = about(study)["labels"], configuration(study)
    return {"labels": labels, "configuration": settings}


def sections_of(wildcards):
    """Param: digests of the sources of a study's page."""
    study = study_of(wildcards)
    tables = [known_analyses()[name].compute for name in study.analyses]
    return source_digests(
        "report.py", *section_modules(study, known_analyses()), *tables, *plugin_modules()
    )


def shown_in(wildcards):
    """Labels of a figure in Snakemake's own report: its data set, and more."""
    study = study_of(wildcards)
    analysed = [name for each in study.analyses.values() for name in each.get("datasets", [])]
    datasets = [*study.datasets, *analysed]
    return figure_labels(wildcards.figure, datasets, study.folds, study.classifiers)


def labels_of(wildcards):
    """The columns of a figure's row in Snakemake's own report."""
    return {key: text for key, text in shown_in(wildcards).items() if key != "data set"}
