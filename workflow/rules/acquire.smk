# Acquire: from a row of the sheet to the canonical series, one row per feature.
rule acquire:
    input:
        unpack(given),
    output:
        SERIES,
    log:
        log_of("acquire"),
    benchmark:
        benchmark_of("acquire")
    wildcard_constraints:
        dataset=names(ACQUIRED),
    conda:
        "../../envs/xnbflow.yaml"
    threads: 2
    resources:
        mem_mb=2000,
    params:
        dataset=lambda wildcards: vars(DATASETS[wildcards.dataset]),
        sources=lambda wildcards: source_digest(
            "xnbflow.sources.acquisition",
            f"xnbflow.sources.{DATASETS[wildcards.dataset].source}",
        ),
    script:
        "../scripts/acquire.py"


rule simulate:
    output:
        series=SERIES,
        truth=TRUTH,
    log:
        log_of("simulate"),
    benchmark:
        benchmark_of("simulate")
    wildcard_constraints:
        dataset=names(SIMULATED),
    conda:
        "../../envs/xnbflow.yaml"
    threads: 2
    resources:
        mem_mb=2000,
    params:
        dataset=lambda wildcards: vars(DATASETS[wildcards.dataset]),
        sources=source_digest("xnbflow.sources.acquisition", "xnbflow.sources.simulate"),
    script:
        "../scripts/simulate.py"
