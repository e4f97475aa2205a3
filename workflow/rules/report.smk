# Analyse and report: computations of a study beyond the common tables, and its page. Draw, on request: its figures as files.


rule analyse:
    input:
        series=over(OF_STUDY.analysis_datasets, "results/{dataset}/series.parquet"),
        folds_file=OF_STUDY.analysis_folds_file,
        study=OF_STUDY.needed_tables,
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
        **requests(mem_mb=2500, mem_per_mb=6, minutes=480, minutes_per_mb=3),
    params:
        arguments=OF_STUDY.arguments_of_analyse,
        code=stage_code("computing"),
        own_code=OF_STUDY.own_code,
    message:
        "Analysing {wildcards.analysis} for {wildcards.study}"
    script:
        "../scripts/analyse.py"


#: What the sections of a page read. The page and its figures are made from the same sections.
SECTION_INPUT = dict(
    tables=tables_over(OF_STUDY.itself, "study"),
    truth=over(OF_STUDY.datasets, "results/{dataset}/truth.parquet"),
    genes=tables_over(OF_STUDY.datasets, "genes"),
    audit=tables_over(OF_STUDY.datasets, "audit"),
    diagnostics=tables_over(OF_STUDY.diagnostics_datasets, "diagnostic"),
    training=tables_over(OF_STUDY.training_jobs, "training"),
    models=over(
        OF_STUDY.models,
        "results/studies/{study}/models/{dataset}/{classifier}/{classifier}.skops",
        "results/studies/{study}/models/{dataset}/{classifier}/{classifier}.gmt",
    ),
    model_tables=tables_over(OF_STUDY.models, "model"),
    cohorts=over(OF_STUDY.with_cohorts, "results/studies/{study}/cohorts"),
    model_of_cohorts=over(OF_STUDY.with_cohorts, "results/studies/{study}/models/all_cohorts"),
    analyses=over(OF_STUDY.analyses, "results/studies/{study}/analyses/{analysis}"),
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
        **requests(mem_mb=2500, mem_per_mb=6, minutes=60, minutes_per_mb=0.5),
    params:
        arguments=OF_STUDY.arguments_of_report,
        code=stage_code("page"),
        own_code=OF_STUDY.own_code,
    message:
        "Writing the page of {wildcards.study}"
    script:
        "../scripts/report.py"


# Draw: SVG, PDF and PNG for print, by `snakemake figures` for the studies under run:, or for one study by the
# folder as target, `snakemake results/studies/demo/figures`. `xnbflow figures` does the same after a run.
rule draw:
    input:
        **SECTION_INPUT,
        record="results/studies/{study}/run.json",
    output:
        figures=report(
            directory("results/studies/{study}/figures"),
            patterns=["{section}/{figure}.svg"],
            category=lambda wildcards: f"{wildcards.study} - {OF_STUDY.figure_labels(wildcards)['data set']}",
            subcategory="{section}",
            labels=OF_STUDY.figure_labels,
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
        **requests(mem_mb=2500, mem_per_mb=6, minutes=60, minutes_per_mb=0.5),
    params:
        code=stage_code("page"),
        own_code=OF_STUDY.own_code,
    message:
        "Drawing the figures of {wildcards.study}"
    script:
        "../scripts/draw.py"
