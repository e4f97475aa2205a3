# Analyse, report and draw: computations of a study beyond the common tables, its page and figures.
from xnbflow.running.planners.report import AnalysePlanner, ReportPlanner

ANALYSE = AnalysePlanner(PLAN)
REPORT = ReportPlanner(PLAN)


rule analyse:
    input:
        series=over(ANALYSE.datasets, "results/{dataset}/series.parquet"),
        folds_file=ANALYSE.folds_file,
        study=ANALYSE.needed_tables,
    output:
        tables=directory("results/studies/{study}/analyses/{analysis}"),
    log:
        "results/logs/analyse/{study}/{analysis}.log",
    benchmark:
        "results/benchmarks/analyse/{study}/{analysis}.tsv"
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
        settings=lambda wildcards: ANALYSE.settings(wildcards).get("params", {}),
        scheme=ANALYSE.scheme,
        parts=lambda wildcards: PLAN.study(wildcards).paper,
        folds=lambda wildcards: PLAN.study(wildcards).folds,
        code=stage_code("computing"),
        own_code=OF_STUDY.own_code,
    message:
        "Analysing {wildcards.analysis} for {wildcards.study}"
    script:
        "../scripts/analyse.py"


#: What the sections of a page read. The page and its figures are made from the same sections, beside
#: each other.
SECTION_INPUT = dict(
    tables=tables_of("results/studies/{study}/tables/{table}.parquet", "study").values(),
    description=tables_of(
        "results/studies/{study}/description/{table}.parquet", "description"
    ).values(),
    truth=over(OF_STUDY.datasets, "results/{dataset}/truth.parquet"),
    genes=over(
        OF_STUDY.datasets,
        "results/studies/{study}/genes/{dataset}/{table}.parquet",
        GROUPS["genes"].tables,
    ),
    correlations=over(
        OF_STUDY.diagnostics_datasets, "results/{dataset}/diagnostics/correlations.parquet"
    ),
    training=over(
        OF_STUDY.training_jobs,
        "results/studies/{study}/training/{dataset}/{folds}/{job}/{table}.parquet",
        ["predictions", "fits"],
    ),
    models=together(
        over(
            OF_STUDY.models,
            "results/studies/{study}/models/{dataset}/{classifier}/{classifier}.skops",
        ),
        over(
            OF_STUDY.models,
            "results/studies/{study}/models/{dataset}/{classifier}/{classifier}.gmt",
        ),
        over(
            OF_STUDY.models,
            "results/studies/{study}/models/{dataset}/{classifier}/{table}.parquet",
            GROUPS["model"].tables,
        ),
    ),
    validation=over(
        COHORTS.validations,
        "results/studies/{study}/validation/{table}.parquet",
        GROUPS["validation"].tables,
    ),
    cohorts=together(
        over(
            COHORTS.combinations,
            "results/studies/{study}/cohorts/{table}.parquet",
            GROUPS["cohorts"].tables,
        ),
        over(
            COHORTS.combinations,
            "results/studies/{study}/models/all_cohorts/meta_signature/{table}.parquet",
            GROUPS["model"].tables,
        ),
        over(
            COHORTS.combinations,
            "results/studies/{study}/models/all_cohorts/meta_signature/meta_signature.skops",
        ),
        over(
            COHORTS.combinations,
            "results/studies/{study}/models/all_cohorts/meta_signature/meta_signature.gmt",
        ),
    ),
    analyses=over(REPORT.analyses, "results/studies/{study}/analyses/{analysis}"),
)


rule report:
    input:
        **SECTION_INPUT,
    output:
        page="results/studies/{study}/report.html",
        details="results/studies/{study}/details.html",
        record="results/studies/{study}/run.json",
        curves="results/studies/{study}/curves.json",
    log:
        "results/logs/report/{study}.log",
    benchmark:
        "results/benchmarks/report/{study}.tsv"
    group:
        OF_STUDY.end_group
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
        labels=OF_STUDY.labels,
        missing=lambda wildcards: PLAN.study(wildcards).missing,
        configuration=REPORT.configuration,
        code=stage_code("page"),
        own_code=OF_STUDY.own_code,
    message:
        "Writing the page of {wildcards.study}"
    script:
        "../scripts/report.py"


rule draw:
    input:
        **SECTION_INPUT,
    output:
        figures=report(
            directory("results/studies/{study}/figures"),
            patterns=["{section}/{figure}.svg"],
            category=lambda wildcards: f"{wildcards.study} - {REPORT.figure_labels(wildcards)['data set']}",
            subcategory="{section}",
            labels=REPORT.figure_labels,
            caption="../report/figure.rst",
        ),
    log:
        "results/logs/draw/{study}.log",
    benchmark:
        "results/benchmarks/draw/{study}.tsv"
    conda:
        "../../envs/xnbflow.yaml"
    threads: lambda wildcards: cpus_for(len(PLAN.study(wildcards).training_keys), most=4, per_cpu=50)
    resources:
        mem_mb=lambda wildcards, input, attempt: requested(
            2500, per_mb=6, size_mb=input.size_mb, attempt=attempt
        ),
        runtime=lambda wildcards, input, attempt: requested(
            60, per_mb=0.5, size_mb=input.size_mb, attempt=attempt
        ),
    params:
        labels=OF_STUDY.labels,
        missing=lambda wildcards: PLAN.study(wildcards).missing,
        configuration=REPORT.configuration,
        code=stage_code("page"),
        own_code=OF_STUDY.own_code,
    message:
        "Drawing the figures of {wildcards.study}"
    script:
        "../scripts/draw.py"
