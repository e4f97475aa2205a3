# Diagnose: the audit of a data set, which finds causes of unreliable accuracies. On request of a study: tests of
# normality, and of independence given the class.


rule diagnose:
    input:
        series="results/{dataset}/series.parquet",
    output:
        **tables_of("results/{dataset}/diagnostics/{table}.parquet"),
    log:
        "results/logs/diagnose/{dataset}.log",
    benchmark:
        "results/benchmarks/diagnose/{dataset}.tsv"
    conda:
        "../../envs/xnbflow.yaml"
    # a series of unknown shape requests one CPU: with both of two it would wait for the classifiers
    threads: lambda wildcards: cpus_for(PLAN.dataset_mb(wildcards, samples=100), most=4, per_cpu=300)
    resources:
        **requests(mem_mb=1300, mem_per_mb=11, minutes=60, minutes_per_mb=1),
    params:
        **parameters("computing", OF_DATA.arguments_of_diagnose),
    script:
        "../scripts/diagnose.py"
