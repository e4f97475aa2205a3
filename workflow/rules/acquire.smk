# Acquire: from a row of the sheet to the canonical series, one row per feature.
rule acquire:
    input:
        given,
    output:
        series="resources/series/{dataset}.parquet",
        notes="resources/series/{dataset}.notes.parquet",
    log:
        "results/logs/acquire/{dataset}.log",
    benchmark:
        "results/benchmarks/acquire/{dataset}.tsv"
    wildcard_constraints:
        dataset=names(ACQUIRED),
    conda:
        "../../envs/xnbflow.yaml"
    threads: 2
    resources:
        mem_mb=2000,
    params:
        dataset=lambda wildcards: vars(DATASETS[wildcards.dataset]),
        reader=lambda wildcards: reader(wildcards.dataset),
        # no output: what an earlier run, or somebody else's, accepted is compared with
        lock="results/checksums/{dataset}.sha256",
        sources=lambda wildcards: sources("acquire.py", reader(wildcards.dataset)),
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
    conda:
        "../../envs/xnbflow.yaml"
    threads: 2
    resources:
        mem_mb=2000,
    params:
        dataset=lambda wildcards: vars(DATASETS[wildcards.dataset]),
        sources=sources("simulate.py"),
    script:
        "../scripts/simulate.py"
