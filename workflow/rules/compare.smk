# Compare: the tables of a study, from the files of its data sets and classifiers.


rule compare:
    input:
        series=over(OF_STUDY.datasets, "results/{dataset}/series.parquet"),
        audit=tables_over(OF_STUDY.datasets, "acquired", "diagnostic", "audit"),
        training=tables_over(OF_STUDY.training_jobs, "training"),
        checks=tables_over(OF_STUDY.check_datasets, "check"),
        cohorts=over(OF_STUDY.with_cohorts, "results/studies/{study}/cohorts"),
    output:
        **tables_of("results/studies/{study}/tables/{table}.parquet"),
    log:
        "results/logs/compare/{study}.log",
    benchmark:
        "results/benchmarks/compare/{study}.tsv"
    group:
        OF_STUDY.end_group
    conda:
        "../../envs/xnbflow.yaml"
    resources:
        **requests(mem_mb=1500, mem_per_mb=10, minutes=60, minutes_per_mb=0.5),
    params:
        **parameters("judging", OF_STUDY.arguments_of_compare, OF_STUDY.own_code),
    script:
        "../scripts/compare.py"


# Cohorts: models of one cohort in another, and the joint results of several series of one question; what a study asks.
rule cohorts:
    input:
        series=over(OF_STUDY.cohort_series, "results/{dataset}/series.parquet"),
    output:
        tables=directory("results/studies/{study}/cohorts"),
        # empty where no series are combined
        model=directory("results/studies/{study}/models/all_cohorts"),
    log:
        "results/logs/cohorts/{study}.log",
    benchmark:
        "results/benchmarks/cohorts/{study}.tsv"
    conda:
        "../../envs/xnbflow.yaml"
    threads: lambda wildcards: cpus_for(OF_STUDY.cohort_mb(wildcards), most=2, per_cpu=300)
    resources:
        **requests(mem_mb=1500, mem_per_mb=12, minutes=120, minutes_per_mb=3),
    params:
        **parameters("computing", OF_STUDY.arguments_of_cohorts, OF_STUDY.own_code),
    script:
        "../scripts/cohorts.py"
