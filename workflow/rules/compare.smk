# Compare: the tables of a study, from the files of its data sets and classifiers.
rule compare:
    input:
        **{table: trained(table) for table in TRAINING_TABLES},
        gene_sets=gene_sets,
        genes=of_datasets(DIAGNOSTIC.fill(table="genes")),
        signature=signatures,
        series=of_datasets(SERIES),
        truth=of_datasets(TRUTH),
        notes=of_datasets(NOTES),
        audit=of_datasets(DIAGNOSTIC.fill(table="audit")),
        components=of_datasets(DIAGNOSTIC.fill(table="components")),
        permutation=permuted,
        label_test=checked("label_test", CONFIG.tested),
        random_genes=checked("random_genes", CONFIG.tested),
        learning_curve=checked("learning_curve", CONFIG.tested),
        halves=checked("halves", CONFIG.halved),
        normality=diagnosed("normality"),
        normality_within=diagnosed("normality_within"),
        dependence=diagnosed("dependence"),
        dependence_test=diagnosed("dependence_test"),
    output:
        **GROUPS["study"].files,
        text=GROUPS["study"].texts,
        described=GROUPS["description"].files.values(),
        described_text=GROUPS["description"].texts,
    log:
        log_of("compare"),
        usage=usage_of("compare"),
    conda:
        "../../envs/xnbflow.yaml"
    threads: lambda wildcards: 2 if study_of(wildcards).gene_sets else 1
    resources:
        mem_mb=memory(1500, per_mb=10),
        runtime=minutes(60, per_mb=0.5),
    params:
        about=lambda wildcards: about(study_of(wildcards)),
        owners=lambda wildcards: owners_of(study_of(wildcards)),
        entries=lambda wildcards: entries_of(described(study_of(wildcards))),
        alpha=CONFIG.diagnostics["normality_alpha"],
        sources=sources_of("compare.py", described),
    message:
        "Comparing the classifiers of {wildcards.study}"
    script:
        "../scripts/compare.py"


# Validate: performance of models of one cohort in another.
rule validate:
    input:
        series=lambda wildcards: [SERIES.of(dataset=name) for name in study_of(wildcards).validated],
    output:
        tables=GROUPS["validation"].files.values(),
        text=GROUPS["validation"].texts,
    log:
        log_of("validate"),
        usage=usage_of("validate"),
    conda:
        "../../envs/xnbflow.yaml"
    threads: 2
    resources:
        mem_mb=memory(1300, per_mb=6),
        runtime=minutes(60, per_mb=1),
    params:
        entries=lambda wildcards: entries_of(validated(study_of(wildcards))),
        pairs=lambda wildcards: [vars(pair) for pair in study_of(wildcards).validate],
        sources=sources_of("validate.py", validated),
    message:
        "Testing the models of {wildcards.study} on second cohorts"
    script:
        "../scripts/validate.py"


# Combine: the joint results of several series of one question.
rule combine:
    input:
        series=lambda wildcards: [SERIES.of(dataset=name) for name in study_of(wildcards).combined],
    output:
        **{key: path.fill(**META) for key, path in model_parts().items()},
        tables=GROUPS["cohorts"].files.values(),
        text=GROUPS["cohorts"].texts,
    log:
        log_of("combine"),
        usage=usage_of("combine"),
    conda:
        "../../envs/xnbflow.yaml"
    threads: 2
    resources:
        mem_mb=memory(1500, per_mb=12),
        runtime=minutes(120, per_mb=3),
    params:
        entry=lambda wildcards: CONFIG.classifier(study_of(wildcards).cohorts.model),
        settings=lambda wildcards: {
            "match": study_of(wildcards).cohorts.match,
            "harmonise": study_of(wildcards).cohorts.harmonise,
            "name": CONFIG.classifiers[study_of(wildcards).cohorts.model]["label"],
        },
        sources=sources_of("combine.py", lambda study: [("", study.cohorts.model)]),
    message:
        "Combining the series of {wildcards.study}"
    script:
        "../scripts/combine.py"
