# Analyse, report and draw: computations of a study beyond the common tables, its page and figures.
from functools import partial

from xnbflow.tables.contract import (
    ANALYSIS,
    CURVES,
    DETAILS,
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


#: What the sections of a page read. The page and its figures are made from the same sections, beside
#: each other.
SECTION_INPUT = {
    **{table: partial(PLAN.compared, table) for table in GROUPS["genes"].tables},
    "tables": GROUPS["study"].files.values(),
    "gene_lists": GROUPS["gene_lists"].files.values(),
    "description": GROUPS["description"].files.values(),
    "truth": partial(PLAN.of_datasets, TRUTH),
    "models": PLAN.model_files,
    "validation": PLAN.validation_tables,
    "cohorts": PLAN.cohort_files,
    "correlations": partial(PLAN.diagnosed, "correlations"),
    "predictions": partial(PLAN.trained, "predictions"),
    "fits": partial(PLAN.trained, "fits"),
    "usage": PLAN.usage_of_jobs,
    "analyses": PLAN.analysis_folders,
}


rule report:
    input:
        **SECTION_INPUT,
    output:
        page=REPORT,
        details=DETAILS,
        record=RECORD,
        curves=CURVES,
        usage=usage_of("report"),
    log:
        log_of("report"),
    conda:
        "../../envs/xnbflow.yaml"
    resources:
        mem_mb=lambda wildcards, input, attempt: requested(
            2500, per_mb=6, size_mb=input.size_mb, attempt=attempt
        ),
        runtime=lambda wildcards, input, attempt: requested(
            60, per_mb=0.5, size_mb=input.size_mb, attempt=attempt
        ),
    params:
        labels=PLAN.study_labels,
        missing=lambda wildcards: PLAN.study(wildcards).missing,
        configuration=PLAN.configuration,
        code=computing_code(),
        page_code=page_code(),
        sections=PLAN.section_code,
    message:
        "Writing the page of {wildcards.study}"
    script:
        "../scripts/report.py"


rule draw:
    input:
        **SECTION_INPUT,
    output:
        figures=report(
            directory(FIGURES),
            patterns=["{section}/{figure}.svg"],
            category=lambda wildcards: f"{wildcards.study} - {PLAN.figure_labels(wildcards)['data set']}",
            subcategory="{section}",
            labels=PLAN.figure_labels,
            caption="../report/figure.rst",
        ),
        usage=usage_of("draw"),
    log:
        log_of("draw"),
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
        missing=lambda wildcards: PLAN.study(wildcards).missing,
        configuration=PLAN.configuration,
        code=computing_code(),
        page_code=page_code(),
        sections=PLAN.section_code,
    message:
        "Drawing the figures of {wildcards.study}"
    script:
        "../scripts/draw.py"
