# Analyse and report: computations of a study beyond the common tables, and its page.
from functools import partial

from xnbflow.running.planners.targets import cohort_files, model_files
from xnbflow.tables.contract import (
    ANALYSIS,
    CURVES,
    DETAILS,
    DIAGNOSTIC,
    FIGURES,
    RECORD,
    REPORT,
    TRUTH,
)


rule analyse:
    input:
        series=PLAN.analysed_series,
        given=PLAN.analysed_folds_file,
        study=PLAN.needed_tables,
    output:
        tables=directory(ANALYSIS),
        usage=usage_of("analyse"),
    log:
        log_of("analyse"),
    conda:
        "../../envs/xnbflow.yaml"
    threads: 4
    resources:
        mem_mb=lambda wildcards, input, attempt: requested(
            2500, per_mb=6, size_mb=input.size_mb, attempt=attempt
        ),
        runtime=lambda wildcards, input, attempt: requested(
            480, per_mb=3, size_mb=input.size_mb, attempt=attempt
        ),
    params:
        settings=lambda wildcards: PLAN.analysis_settings(wildcards).get("params", {}),
        scheme=PLAN.analysed_scheme,
        parts=lambda wildcards: PLAN.study(wildcards).paper,
        folds=lambda wildcards: PLAN.study(wildcards).folds,
        code=computing_code(),
        methods=PLAN.analysis_code,
    message:
        "Analysing {wildcards.analysis} for {wildcards.study}"
    script:
        "../scripts/analyse.py"


rule report:
    input:
        tables=GROUPS["study"].files.values(),
        gene_lists=GROUPS["gene_lists"].files.values(),
        description=GROUPS["description"].files.values(),
        truth=partial(PLAN.of_datasets, TRUTH),
        models=lambda wildcards: model_files(PLAN.study(wildcards)),
        validation=lambda wildcards: GROUPS["validation"].targets(PLAN.study(wildcards)),
        cohorts=lambda wildcards: cohort_files(PLAN.study(wildcards)),
        correlations=partial(PLAN.diagnosed, "correlations"),
        genes=partial(PLAN.of_datasets, DIAGNOSTIC.fill(table="genes")),
        contrasts=partial(PLAN.of_datasets, DIAGNOSTIC.fill(table="contrasts")),
        gene_heatmap=partial(PLAN.of_datasets, DIAGNOSTIC.fill(table="gene_heatmap")),
        gene_values=partial(PLAN.of_datasets, DIAGNOSTIC.fill(table="gene_values")),
        predictions=partial(PLAN.trained, "predictions"),
        fits=partial(PLAN.trained, "fits"),
        usage=PLAN.usage_of_jobs,
        analyses=PLAN.analysis_folders,
    output:
        page=REPORT,
        details=DETAILS,
        record=RECORD,
        curves=CURVES,
        figures=report(
            directory(FIGURES),
            patterns=["{section}/{figure}.svg"],
            category=lambda wildcards: f"{wildcards.study} - {PLAN.figure_labels(wildcards)['data set']}",
            subcategory="{section}",
            labels=PLAN.figure_labels,
            caption="../report/figure.rst",
        ),
        usage=usage_of("report"),
    log:
        log_of("report"),
    conda:
        "../../envs/xnbflow.yaml"
    threads: lambda wildcards: cpus_for(len(PLAN.study(wildcards).trained), most=4, per_cpu=50)
    resources:
        mem_mb=lambda wildcards, input, attempt: requested(
            2500, per_mb=6, size_mb=input.size_mb, attempt=attempt
        ),
        runtime=lambda wildcards, input, attempt: requested(
            60, per_mb=0.5, size_mb=input.size_mb, attempt=attempt
        ),
    params:
        labels=PLAN.study_labels,
        configuration=PLAN.configuration,
        code=computing_code(),
        page_code=page_code(),
        sections=PLAN.section_code,
    message:
        "Writing the page of {wildcards.study}"
    script:
        "../scripts/report.py"
