# Diagnose: are the features normal, and independent given the class? (Table 1 of the XNB paper.)


rule diagnose:
    input:
        series="resources/series/{dataset}.parquet",
        compiled="resources/compiled/diagnostics",
    output:
        normality="results/{dataset}/normality.parquet",
        normality_within="results/{dataset}/normality_within.parquet",
        dependence="results/{dataset}/dependence.parquet",
        dependence_test="results/{dataset}/dependence_test.parquet",
        correlations="results/{dataset}/correlations.parquet",
    log:
        "results/logs/diagnose/{dataset}.log",
    benchmark:
        "results/benchmarks/diagnose/{dataset}.tsv"
    conda:
        "../../envs/xnbflow.yaml"
    threads: 4
    resources:
        mem_mb=memory(1500, 3),
    params:
        settings={key: CONFIG.diagnostics[key] for key in ("min_abs_r", "dependence_alpha", "dof")},
        sources=sources("diagnose.py"),
    script:
        "../scripts/diagnose.py"
