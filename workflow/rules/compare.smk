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
        paper=expand(f"{PAPER}/xnb_table{{number}}.tsv", number=[1, 2]),
    output:
        **{table: f"results/studies/{{study}}/{table}.parquet" for table in STUDY_TABLES},
        text=[f"results/studies/{{study}}/{table}.tsv" for table in STUDY_TABLES],
    log:
        "results/logs/compare/{study}.log",
    benchmark:
        "results/benchmarks/compare/{study}.tsv"
    conda:
        "../../envs/xnbflow.yaml"
    threads: 1
    resources:
        mem_mb=4000,
    params:
        diagnosed=lambda wildcards: (
            study_of(wildcards).datasets if study_of(wildcards).diagnostics else []
        ),
        alpha=CONFIG.diagnostics["normality_alpha"],
        paper=lambda wildcards: study_of(wildcards).paper,
        sources=sources("compare.py"),
    script:
        "../scripts/compare.py"
