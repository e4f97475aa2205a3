# Compare: the tables of a study, from the files of its data sets and classifiers.
from xnbflow.running.planners.cohorts import CohortPlanner

COHORTS = CohortPlanner(PLAN)


rule compare:
    input:
        series=over(OF_STUDY.datasets, "results/{dataset}/series.parquet"),
        truth=over(OF_STUDY.datasets, "results/{dataset}/truth.parquet"),
        notes=over(OF_STUDY.datasets, "results/{dataset}/notes.parquet"),
        audit=over(
            OF_STUDY.datasets,
            "results/{dataset}/diagnostics/{table}.parquet",
            ["findings", "associations", "components"],
        ),
        diagnostics=over(
            OF_STUDY.diagnostics_datasets,
            "results/{dataset}/diagnostics/{table}.parquet",
            ["normality", "normality_within", "dependence", "dependence_test"],
        ),
        training=over(
            OF_STUDY.training_jobs,
            "results/studies/{study}/training/{dataset}/{folds}/{job}/{table}.parquet",
            [*GROUPS["training"].tables, "random_genes"],
        ),
        checks=over(
            OF_STUDY.check_datasets,
            "results/studies/{study}/checks/{dataset}/{table}.parquet",
            GROUPS["check"].tables,
        ),
        cohort_verdicts=over(
            COHORTS.validations, "results/studies/{study}/validation/verdicts.parquet"
        ),
        cohort_matrix=over(
            COHORTS.combinations, "results/studies/{study}/cohorts/cohort_matrix.parquet"
        ),
    output:
        tables=tables_of("results/studies/{study}/tables/{table}.parquet", "study").values(),
        text=tables_of("results/studies/{study}/tables/{table}.tsv", "study").values(),
        described=tables_of(
            "results/studies/{study}/description/{table}.parquet", "description"
        ).values(),
        described_text=tables_of(
            "results/studies/{study}/description/{table}.tsv", "description"
        ).values(),
    log:
        "results/logs/compare/{study}.log",
    benchmark:
        "results/benchmarks/compare/{study}.tsv"
    group:
        OF_STUDY.end_group
    conda:
        "../../envs/xnbflow.yaml"
    resources:
        mem_mb=lambda wildcards, input, attempt: requested(
            1500, per_mb=10, size_mb=input.size_mb, attempt=attempt
        ),
        runtime=lambda wildcards, input, attempt: requested(
            60, per_mb=0.5, size_mb=input.size_mb, attempt=attempt
        ),
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


# Validate: performance of models of one cohort in another.
rule validate:
    input:
        series=over(COHORTS.validation_datasets, "results/{dataset}/series.parquet"),
    output:
        tables=tables_of(
            "results/studies/{study}/validation/{table}.parquet", "validation"
        ).values(),
        text=tables_of("results/studies/{study}/validation/{table}.tsv", "validation").values(),
    log:
        "results/logs/validate/{study}.log",
    benchmark:
        "results/benchmarks/validate/{study}.tsv"
    conda:
        "../../envs/xnbflow.yaml"
    threads:
        lambda wildcards: cpus_for(
            PLAN.datasets_mb(COHORTS.validation_datasets(wildcards)), most=2, per_cpu=300
        )
    resources:
        mem_mb=lambda wildcards, input, attempt: requested(
            1300, per_mb=6, size_mb=input.size_mb, attempt=attempt
        ),
        runtime=lambda wildcards, input, attempt: requested(
            60, per_mb=1, size_mb=input.size_mb, attempt=attempt
        ),
    params:
        entries=COHORTS.model_entries,
        pairs=COHORTS.pairs,
        code=stage_code("computing"),
        own_code=OF_STUDY.own_code,
    message:
        "Testing the models of {wildcards.study} on second cohorts"
    script:
        "../scripts/validate.py"


# Combine: the joint results of several series of one question.
rule combine:
    input:
        series=over(COHORTS.combined_datasets, "results/{dataset}/series.parquet"),
    output:
        model="results/studies/{study}/models/all_cohorts/meta_signature/meta_signature.skops",
        gene_sets="results/studies/{study}/models/all_cohorts/meta_signature/meta_signature.gmt",
        model_tables=tables_of(
            "results/studies/{study}/models/all_cohorts/meta_signature/{table}.parquet", "model"
        ).values(),
        model_text=tables_of(
            "results/studies/{study}/models/all_cohorts/meta_signature/{table}.tsv", "model"
        ).values(),
        tables=tables_of("results/studies/{study}/cohorts/{table}.parquet", "cohorts").values(),
        text=tables_of("results/studies/{study}/cohorts/{table}.tsv", "cohorts").values(),
    log:
        "results/logs/combine/{study}.log",
    benchmark:
        "results/benchmarks/combine/{study}.tsv"
    conda:
        "../../envs/xnbflow.yaml"
    threads:
        lambda wildcards: cpus_for(
            PLAN.datasets_mb(COHORTS.combined_datasets(wildcards)), most=2, per_cpu=300
        )
    resources:
        mem_mb=lambda wildcards, input, attempt: requested(
            1500, per_mb=12, size_mb=input.size_mb, attempt=attempt
        ),
        runtime=lambda wildcards, input, attempt: requested(
            120, per_mb=3, size_mb=input.size_mb, attempt=attempt
        ),
    params:
        entry=COHORTS.entry,
        match=lambda wildcards: COHORTS.cohorts(wildcards).match,
        harmonise=lambda wildcards: COHORTS.cohorts(wildcards).harmonise,
        label=COHORTS.label,
        designs=COHORTS.designs,
        code=stage_code("computing"),
        own_code=OF_STUDY.own_code,
    message:
        "Combining the series of {wildcards.study}"
    script:
        "../scripts/combine.py"
