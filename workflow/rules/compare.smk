# Compare: the tables of a study, from the files of its data sets and classifiers.
from functools import partial

from xnbflow.running.plan import ALL_COHORTS_FILES
from xnbflow.tables.contract import DIAGNOSTIC, NOTES, TRUTH


rule compare:
    input:
        **{table: partial(PLAN.trained, table) for table in GROUPS["training"].tables},
        **{table: partial(PLAN.checked, table) for table in GROUPS["check"].tables},
        random_genes=partial(PLAN.trained, "random_genes"),
        series=PLAN.series,
        truth=partial(PLAN.of_datasets, TRUTH),
        notes=partial(PLAN.of_datasets, NOTES),
        audit=partial(PLAN.of_datasets, DIAGNOSTIC.fill(table="audit")),
        components=partial(PLAN.of_datasets, DIAGNOSTIC.fill(table="components")),
        permutation=PLAN.permuted,
        normality=partial(PLAN.diagnosed, "normality"),
        normality_within=partial(PLAN.diagnosed, "normality_within"),
        dependence=partial(PLAN.diagnosed, "dependence"),
        dependence_test=partial(PLAN.diagnosed, "dependence_test"),
        cohort_verdicts=PLAN.cohort_verdicts,
        cohort_matrix=PLAN.cohort_matrix,
    output:
        **GROUPS["study"].files,
        text=GROUPS["study"].texts,
        described=GROUPS["description"].files.values(),
        described_text=GROUPS["description"].texts,
        usage=usage_of("compare"),
    log:
        log_of("compare"),
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
        study=PLAN.compared_study,
        checks=PLAN.checks,
        entries=PLAN.study_entries,
        alpha=PLAN.config.diagnostics["normality_alpha"],
        code=computing_code(),
        methods=PLAN.study_code,
    message:
        "Comparing the classifiers of {wildcards.study}"
    script:
        "../scripts/compare.py"


# Validate: performance of models of one cohort in another.
rule validate:
    input:
        series=PLAN.validated_series,
    output:
        tables=GROUPS["validation"].files.values(),
        text=GROUPS["validation"].texts,
        usage=usage_of("validate"),
    log:
        log_of("validate"),
    conda:
        "../../envs/xnbflow.yaml"
    threads: 2
    resources:
        mem_mb=lambda wildcards, input, attempt: requested(
            1300, per_mb=6, size_mb=input.size_mb, attempt=attempt
        ),
        runtime=lambda wildcards, input, attempt: requested(
            60, per_mb=1, size_mb=input.size_mb, attempt=attempt
        ),
    params:
        entries=PLAN.validated_entries,
        pairs=lambda wildcards: [vars(pair) for pair in PLAN.study(wildcards).validate],
        code=computing_code(),
        methods=PLAN.validated_code,
    message:
        "Testing the models of {wildcards.study} on second cohorts"
    script:
        "../scripts/validate.py"


# Combine: the joint results of several series of one question.
rule combine:
    input:
        series=PLAN.combined_series,
    output:
        **ALL_COHORTS_FILES,
        tables=GROUPS["cohorts"].files.values(),
        text=GROUPS["cohorts"].texts,
        usage=usage_of("combine"),
    log:
        log_of("combine"),
    conda:
        "../../envs/xnbflow.yaml"
    threads: 2
    resources:
        mem_mb=lambda wildcards, input, attempt: requested(
            1500, per_mb=12, size_mb=input.size_mb, attempt=attempt
        ),
        runtime=lambda wildcards, input, attempt: requested(
            120, per_mb=3, size_mb=input.size_mb, attempt=attempt
        ),
    params:
        entry=PLAN.combined_entry,
        match=lambda wildcards: PLAN.cohorts(wildcards).match,
        harmonise=lambda wildcards: PLAN.cohorts(wildcards).harmonise,
        label=PLAN.combined_label,
        designs=PLAN.combined_designs,
        code=computing_code(),
        methods=PLAN.combined_code,
    message:
        "Combining the series of {wildcards.study}"
    script:
        "../scripts/combine.py"
