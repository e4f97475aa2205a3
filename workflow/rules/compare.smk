# Compare: the tables of a study, from what its data sets and classifiers left behind.
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


def owners_of(study):
    """What the input files of a study's tables belong to, in the order of the files."""
    return {
        "datasets": study.datasets,
        "diagnosed": study.datasets if study.diagnostics else (),
        "trained": study.trained,
        "permuted": study.permuted,
    }


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


def entries_of(pairs):
    """What makes classifiers, by data set and id."""
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


def sources_of(stage, pairs):
    """Param: digests of a stage with the classes of some classifiers of a study."""
    return lambda wildcards: source_digests(
        stage, *classes((name, dataset) for dataset, name in pairs(study_of(wildcards)))
    )


def printed(*names):
    """Input function: tables that the papers print."""
    return lambda wildcards: [own_file(f"{PAPER}/{name}.tsv", "printed table") for name in names]


rule compare:
    input:
        **{table: trained(table) for table in TRAINING_TABLES},
        series=of_datasets(SERIES),
        truth=of_datasets(TRUTH),
        notes=of_datasets(NOTES),
        permutation=permuted,
        normality=diagnosed("normality"),
        normality_within=diagnosed("normality_within"),
        dependence=diagnosed("dependence"),
        dependence_test=diagnosed("dependence_test"),
        paper=printed("xnb_table1", "xnb_table2"),
    output:
        **{table: STUDY_TABLE.fill(table=table) for table in STUDY_TABLES},
        text=[text_of(STUDY_TABLE.fill(table=table)) for table in STUDY_TABLES],
        described=[DESCRIPTION_TABLE.fill(table=table) for table in DESCRIPTION_TABLES],
        described_text=[
            text_of(DESCRIPTION_TABLE.fill(table=table)) for table in DESCRIPTION_TABLES
        ],
    log:
        log_of("compare"),
    benchmark:
        benchmark_of("compare")
    conda:
        "../../envs/xnbflow.yaml"
    resources:
        mem_mb=memory_of("compare"),
        runtime=minutes_of("compare"),
    params:
        about=lambda wildcards: about(study_of(wildcards)),
        owners=lambda wildcards: owners_of(study_of(wildcards)),
        entries=lambda wildcards: entries_of(described(study_of(wildcards))),
        alpha=CONFIG.diagnostics["normality_alpha"],
        paper=lambda wildcards: study_of(wildcards).paper,
        sources=sources_of("compare", described),
    script:
        "../scripts/compare.py"


# Validate: what models of one cohort are worth in another.
rule validate:
    input:
        series=lambda wildcards: [
            SERIES.of(dataset=name)
            for name in dict.fromkeys(
                name for pair in study_of(wildcards).validate for name in (pair.train, pair.test)
            )
        ],
    output:
        tables=[VALIDATION_TABLE.fill(table=table) for table in VALIDATION_TABLES],
        text=[text_of(VALIDATION_TABLE.fill(table=table)) for table in VALIDATION_TABLES],
    log:
        log_of("validate"),
    benchmark:
        benchmark_of("validate")
    conda:
        "../../envs/xnbflow.yaml"
    threads: NEEDS["validate"].cpus
    resources:
        mem_mb=memory_of("validate"),
        runtime=minutes_of("validate"),
    params:
        entries=lambda wildcards: entries_of(validated(study_of(wildcards))),
        pairs=lambda wildcards: [vars(pair) for pair in study_of(wildcards).validate],
        sources=sources_of("classify", validated),
    script:
        "../scripts/validate.py"
