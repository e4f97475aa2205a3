# Compare: the tables of a study, from what its data sets and classifiers left behind.
from xnbflow.layout import STUDY_TABLES


def trained(study, table):
    """What every training job of a study wrote, for one of its tables."""
    return [
        f"results/{dataset}/{folds}/{classifier}/{table}/{batch.name}.parquet"
        for dataset in study.datasets
        for folds in study.folds
        for classifier in study.classifiers
        for batch in batches(folds)
    ]


def diagnosed(study, table):
    return [
        f"results/{name}/{table}.parquet"
        for name in study.datasets
        if study.diagnostics
    ]


rule compare:
    input:
        series=lambda wildcards: [
            f"resources/series/{name}.parquet"
            for name in CONFIG.studies[wildcards.study].datasets
        ],
        truth=lambda wildcards: [
            f"resources/series/{name}.truth.parquet"
            for name in CONFIG.studies[wildcards.study].datasets
            if name in SIMULATED
        ],
        normality=lambda wildcards: diagnosed(
            CONFIG.studies[wildcards.study], "normality"
        ),
        normality_within=lambda wildcards: diagnosed(
            CONFIG.studies[wildcards.study], "normality_within"
        ),
        dependence_test=lambda wildcards: diagnosed(
            CONFIG.studies[wildcards.study], "dependence_test"
        ),
        dependence=lambda wildcards: diagnosed(
            CONFIG.studies[wildcards.study], "dependence"
        ),
        predictions=lambda wildcards: trained(
            CONFIG.studies[wildcards.study], "predictions"
        ),
        selected=lambda wildcards: trained(CONFIG.studies[wildcards.study], "selected"),
        fits=lambda wildcards: trained(CONFIG.studies[wildcards.study], "fits"),
        paper=expand(f"{ROOT}/resources/paper/xnb_table{{number}}.tsv", number=[1, 2]),
    output:
        **{
            table: f"results/studies/{{study}}/{table}.parquet"
            for table in STUDY_TABLES
        },
        text=[f"results/studies/{{study}}/{table}.tsv" for table in STUDY_TABLES],
    log:
        "results/logs/compare/{study}.log",
    benchmark:
        "results/benchmarks/compare/{study}.tsv"
    threads: 1
    resources:
        mem_mb=4000,
    params:
        study=lambda wildcards: CONFIG.studies[wildcards.study],
        alpha=CONFIG.diagnostics["normality_alpha"],
        sources=source_digest("xnbflow.evaluation.study"),
    script:
        "../scripts/compare.py"
