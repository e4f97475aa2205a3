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
        **parameters("computing", OF_STUDY.arguments_of_analyse, OF_STUDY.own_code),
    script:
        "../scripts/analyse.py"


#: What the sections of a page read. The page and its figures are made from the same sections.
SECTION_INPUT = dict(
    tables=tables_over(OF_STUDY.itself, "study"),
    audit=tables_over(OF_STUDY.datasets, "acquired", "diagnostic", "audit"),
    genes=tables_over(OF_STUDY.datasets, "genes"),
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
        **parameters("page", OF_STUDY.arguments_of_report, OF_STUDY.own_code),
    script:
        "../scripts/report.py"


#: The figures of a study in Snakemake's own report: `snakemake --report`.
IN_SNAKEMAKES_REPORT = dict(
    patterns=["{section}/{figure}.svg"],
    category=OF_STUDY.figure_category,
    subcategory="{section}",
    labels=OF_STUDY.figure_labels,
    caption="../report/figure.rst",
)


# Draw: SVG, PDF and PNG for print, by `snakemake figures` for the studies under run:, or for one study by the
# folder as target, `snakemake results/studies/demo/figures`. `xnbflow figures` does the same after a run.
rule draw:
    input:
        **SECTION_INPUT,
        record="results/studies/{study}/run.json",
    output:
        figures=report(directory("results/studies/{study}/figures"), **IN_SNAKEMAKES_REPORT),
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
        **parameters("page", own_code=OF_STUDY.own_code),
    script:
        "../scripts/draw.py"
