# Acquire: from a row of the sheet to the canonical series, one row per feature.
SIMULATED = [name for name, row in DATASETS.items() if row.source == "simulate"]
ACQUIRED = [name for name in DATASETS if name not in SIMULATED]


def given(wildcards):
    """A user's own table, so that editing it acquires the data set again."""
    row = DATASETS[wildcards.dataset]
    return (
        found(row.location)
        if row.source == "table" and "://" not in row.location
        else []
    )


rule acquire:
    input:
        given,
    output:
        "resources/series/{dataset}.parquet",
    log:
        "results/logs/acquire/{dataset}.log",
    benchmark:
        "results/benchmarks/acquire/{dataset}.tsv"
    wildcard_constraints:
        dataset=names(ACQUIRED),
    threads: 2
    resources:
        mem_mb=2000,
    params:
        dataset=lambda wildcards: DATASETS[wildcards.dataset],
        download=CONFIG.download,
        sources=lambda wildcards: source_digest(
            "xnbflow.sources.acquisition",
            f"xnbflow.sources.{DATASETS[wildcards.dataset].source}",
        ),
    script:
        "../scripts/acquire.py"


rule simulate:
    output:
        series="resources/series/{dataset}.parquet",
        truth="resources/series/{dataset}.truth.parquet",
    log:
        "results/logs/simulate/{dataset}.log",
    benchmark:
        "results/benchmarks/simulate/{dataset}.tsv"
    wildcard_constraints:
        dataset=names(SIMULATED),
    threads: 2
    resources:
        mem_mb=2000,
    params:
        dataset=lambda wildcards: DATASETS[wildcards.dataset],
        sources=source_digest("xnbflow.sources.acquisition", "xnbflow.sources.simulate"),
    script:
        "../scripts/simulate.py"
