# Compare: the tables of a study, from the files of its data sets and classifiers.


rule compare:
    input:
        series=over(OF_STUDY.datasets, "results/{dataset}/series.parquet"),
        truth=over(OF_STUDY.datasets, "results/{dataset}/truth.parquet"),
        findings=over(OF_STUDY.datasets, "results/{dataset}/findings.parquet"),
        audit=over(
            OF_STUDY.datasets,
            "results/{dataset}/diagnostics/{table}.parquet",
            ["findings", "associations"],
        ),
        diagnostics=over(
            OF_STUDY.diagnostics_datasets,
            "results/{dataset}/diagnostics/{table}.parquet",
            ["normality", "dependence", "dependence_test"],
        ),
        training=over(
            OF_STUDY.training_jobs,
            "results/studies/{study}/training/{dataset}/{folds}/{job}/{table}.parquet",
            GROUPS["training"].tables,
        ),
        checks=over(
            OF_STUDY.check_datasets,
            "results/studies/{study}/checks/{dataset}/{table}.parquet",
            GROUPS["check"].tables,
        ),
        cohorts=over(OF_STUDY.with_cohorts, "results/studies/{study}/cohorts"),
    output:
        tables=tables_of("results/studies/{study}/tables/{table}.parquet", "study").values(),
        text=tables_of("results/studies/{study}/tables/{table}.tsv", "study").values(),
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
        study=OF_STUDY.comparison_fields,
        checks=OF_STUDY.checks,
        entries=OF_STUDY.entries,
        alpha=PLAN.config.diagnostics["normality_alpha"],
        code=stage_code("judging"),
        own_code=OF_STUDY.own_code,
    message:
        "Comparing the classifiers of {wildcards.study}"
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
    threads: lambda wildcards: cpus_for(PLAN.datasets_mb(OF_STUDY.cohort_series(wildcards)), most=2, per_cpu=300)
    resources:
        **requests(mem_mb=1500, mem_per_mb=12, minutes=120, minutes_per_mb=3),
    params:
        datasets=OF_STUDY.cohort_datasets,
        pairs=OF_STUDY.pairs,
        entries=OF_STUDY.model_entries,
        combination=OF_STUDY.combination,
        code=stage_code("computing"),
        own_code=OF_STUDY.own_code,
    message:
        "Testing and combining the cohorts of {wildcards.study}"
    script:
        "../scripts/cohorts.py"
