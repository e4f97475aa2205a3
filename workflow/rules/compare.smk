# Permute: is a classifier's accuracy more than labels dealt at random would give? Its whole cross-validation,
# selection of features and all, is run again on permuted labels.
rule permute:
    input:
        series=SERIES,
        compiled=compiled_of,
    output:
        **{table: PERMUTED.fill(table=table) for table in PERMUTATION_TABLES},
        record=benchmark_of("permute"),
    log:
        log_of("permute"),
    conda:
        "../../envs/xnbflow.yaml"
    threads: cpus_of("permute")
    resources:
        mem_mb=memory_of("permute"),
        runtime=minutes_of("permute"),
    params:
        entry=entry_of,
        permutation=lambda wildcards: {
            "n_permutations": study_of(wildcards).permutations[wildcards.classifier]
        },
        sources=sources_with_entry("permute.py"),
    script:
        "../scripts/permute.py"


# Compare: the tables of a study, from what its data sets and classifiers left behind.
rule compare:
    input:
        series=series,
        truth=truth,
        notes=noted,
        permutation=permuted,
        normality=diagnosed("normality"),
        normality_within=diagnosed("normality_within"),
        dependence=diagnosed("dependence"),
        dependence_test=diagnosed("dependence_test"),
        predictions=trained("predictions"),
        selected=trained("selected"),
        ties=trained("ties"),
        fits=trained("fits"),
        paper=published("xnb_table1", "xnb_table2"),
    output:
        **{table: STUDY_TABLE.fill(table=table) for table in STUDY_TABLES},
        text=[text_of(STUDY_TABLE.fill(table=table)) for table in STUDY_TABLES],
        record=benchmark_of("compare"),
    log:
        log_of("compare"),
    conda:
        "../../envs/xnbflow.yaml"
    threads: cpus_of("compare")
    resources:
        mem_mb=memory_of("compare"),
        runtime=minutes_of("compare"),
    params:
        about=lambda wildcards: about(study_of(wildcards)),
        owners=lambda wildcards: owners_of(study_of(wildcards)),
        alpha=CONFIG.diagnostics["normality_alpha"],
        paper=lambda wildcards: study_of(wildcards).paper,
        sources=sources("compare.py"),
    script:
        "../scripts/compare.py"


# Describe: what the study's classifiers make of single features and samples, for the page to draw.
rule describe:
    input:
        series=series,
        dependence_test=diagnosed("dependence_test"),
        predictions=trained("predictions"),
        selected=trained("selected"),
        distances=trained("distances"),
        explanations=trained("explanations"),
        priors=trained("priors"),
        compiled=lambda wildcards: [
            marker for name in study_of(wildcards).classifiers for marker in compiled(name)
        ],
    output:
        **{table: DESCRIPTION_TABLE.fill(table=table) for table in DESCRIPTION_TABLES},
        text=[text_of(DESCRIPTION_TABLE.fill(table=table)) for table in DESCRIPTION_TABLES],
        record=benchmark_of("describe"),
    log:
        log_of("describe"),
    conda:
        "../../envs/xnbflow.yaml"
    threads: cpus_of("describe")
    resources:
        mem_mb=memory_of("describe"),
        runtime=minutes_of("describe"),
    params:
        owners=lambda wildcards: owners_of(study_of(wildcards)),
        entries=lambda wildcards: {
            dataset: {
                name: CONFIG.classifier(name, dataset) for name in study_of(wildcards).classifiers
            }
            for dataset in study_of(wildcards).datasets
        },
        sources=lambda wildcards: sources(
            "describe.py",
            *(
                each
                for dataset in study_of(wildcards).datasets
                for name in study_of(wildcards).classifiers
                for each in classes(name, dataset)
            ),
        ),
    script:
        "../scripts/describe.py"
