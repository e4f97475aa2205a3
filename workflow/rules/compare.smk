# Compare: the tables of a study, from what its data sets and classifiers left behind.
rule compare:
    input:
        series=series,
        truth=truth,
        normality=diagnosed("normality"),
        normality_within=diagnosed("normality_within"),
        dependence=diagnosed("dependence"),
        dependence_test=diagnosed("dependence_test"),
        predictions=trained("predictions"),
        selected=trained("selected"),
        fits=trained("fits"),
        paper=published("xnb_table1", "xnb_table2"),
    output:
        **{table: STUDY_TABLE.fill(table=table) for table in STUDY_TABLES},
        text=[text_of(STUDY_TABLE.fill(table=table)) for table in STUDY_TABLES],
    log:
        log_of("compare"),
    benchmark:
        benchmark_of("compare")
    conda:
        "../../envs/xnbflow.yaml"
    threads: 1
    resources:
        mem_mb=4000,
    params:
        owners=lambda wildcards: owners_of(study_of(wildcards)),
        alpha=CONFIG.diagnostics["normality_alpha"],
        sources=source_digest("xnbflow.evaluation.study"),
    script:
        "../scripts/compare.py"
