# Analyse and report: what a study computes beyond the common tables, and the page that shows it all.
from xnbflow.data.plugins import plugin_modules
from xnbflow.report.navigation import figure_labels
from xnbflow.report.outline import section_modules
from xnbflow.studies.registry import known_analyses


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


def results_of(wildcards):
    """What makes a `xnbflow.report.results.StudyResults`; no object of the library, whose module a job
    would import before it knows where the library is.
    """
    study = study_of(wildcards)
    labels, settings = about(study)["labels"], configuration(study)
    return {"labels": labels, "configuration": settings, "root": Path(prefix())}


def sections_of(wildcards):
    """Param: digests of what makes the page of a study."""
    study = study_of(wildcards)
    tables = [known_analyses()[name].contract for name in study.analyses]
    return source_digests("report", *section_modules(study, known_analyses()), *tables, *plugin_modules())


def shown_in(wildcards):
    """What a figure shows: its data set, by which Snakemake's own report is read, and more."""
    study = study_of(wildcards)
    analysed = [name for each in study.analyses.values() for name in each.get("datasets", [])]
    datasets = [*study.datasets, *analysed]
    return figure_labels(wildcards.figure, datasets, study.folds, study.classifiers)


def labels_of(wildcards):
    """The columns of a figure's row in Snakemake's own report."""
    return {key: text for key, text in shown_in(wildcards).items() if key != "data set"}


rule analyse:
    input:
        series=lambda wildcards: [
            SERIES.of(dataset=name) for name in analysis_of(wildcards).get("datasets", [])
        ],
        folds=analysed_folds,
        study=lambda wildcards: [
            STUDY_TABLE.of(study=wildcards.study, table=table)
            for table in known_analyses()[wildcards.analysis].needs
        ],
        paper=lambda wildcards: printed(*known_analyses()[wildcards.analysis].printed)(wildcards),
    output:
        directory(ANALYSIS),
    log:
        log_of("analyse"),
    benchmark:
        benchmark_of("analyse")
    wildcard_constraints:
        analysis=exactly({name for study in CONFIG.studies.values() for name in study.analyses}),
    conda:
        "../../envs/xnbflow.yaml"
    threads: NEEDS["analyse"].cpus
    resources:
        mem_mb=memory_of("analyse"),
        runtime=minutes_of("analyse"),
    params:
        params=lambda wildcards: analysis_of(wildcards).get("params", {}),
        about=lambda wildcards: {
            "parts": study_of(wildcards).paper,
            "folds": study_of(wildcards).folds,
        },
        sources=lambda wildcards: source_digests(
            "analyse", *known_analyses()[wildcards.analysis].modules
        ),
    script:
        "../scripts/analyse.py"


rule report:
    input:
        tables=[STUDY_TABLE.fill(table=table) for table in STUDY_TABLES],
        description=[DESCRIPTION_TABLE.fill(table=table) for table in DESCRIPTION_TABLES],
        truth=of_datasets(TRUTH),
        models=lambda wildcards: model_files(study_of(wildcards)),
        validation=lambda wildcards: validation_tables(study_of(wildcards)),
        correlations=diagnosed("correlations"),
        predictions=trained("predictions"),
        analyses=lambda wildcards: [
            ANALYSIS.of(study=wildcards.study, analysis=name)
            for name in study_of(wildcards).analyses
        ],
        paper=printed(*(f"directional_table{number}" for number in range(1, 7))),
    output:
        page=REPORT,
        figures=report(
            directory(FIGURES),
            patterns=["{section}/{figure}.svg"],
            category=lambda wildcards: f"{wildcards.study}: {shown_in(wildcards)['data set']}",
            subcategory="{section}",
            labels=lambda wildcards: labels_of(wildcards),
            caption="../report/figure.rst",
        ),
    log:
        log_of("report"),
    benchmark:
        benchmark_of("report")
    conda:
        "../../envs/xnbflow.yaml"
    threads: lambda wildcards: NEEDS["report"].threads(len(study_of(wildcards).trained))
    resources:
        mem_mb=memory_of("report"),
        runtime=minutes_of("report"),
    params:
        results=results_of,
        sources=sections_of,
    script:
        "../scripts/report.py"


# On demand, `snakemake results/studies/{study}/pictures`: a page saves any of its figures as PNG itself.
rule pictures:
    input:
        rules.report.input,
    output:
        directory(PICTURES),
    log:
        log_of("pictures"),
    benchmark:
        benchmark_of("pictures")
    conda:
        "../../envs/xnbflow.yaml"
    threads: NEEDS["pictures"].cpus
    resources:
        mem_mb=memory_of("pictures"),
        runtime=minutes_of("pictures"),
    params:
        results=results_of,
        sources=sections_of,
    script:
        "../scripts/pictures.py"
