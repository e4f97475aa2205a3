# Acquire: from a row of the sheet to the canonical series, one row per feature.
SIMULATED = [name for name, row in DATASETS.items() if row.source == "simulate"]
ACQUIRED = [name for name in DATASETS if name not in SIMULATED]


rule acquire:
    output:
        "resources/series/{dataset}.parquet",
    log:
        "results/logs/acquire/{dataset}.log",
    benchmark:
        "results/benchmarks/acquire/{dataset}.tsv"
    wildcard_constraints:
        dataset=names(ACQUIRED),
    params:
        dataset=lambda wildcards: DATASETS[wildcards.dataset],
        download=CONFIG.download,
        sources=lambda wildcards: source_digest(
            "xnbflow.sources.acquire", f"xnbflow.sources.{DATASETS[wildcards.dataset].source}"
        ),
    threads: 2
    resources:
        mem_mb=2000,
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
    params:
        dataset=lambda wildcards: DATASETS[wildcards.dataset],
        sources=source_digest("xnbflow.sources.simulate"),
    threads: 2
    resources:
        mem_mb=2000,
    script:
        "../scripts/simulate.py"
