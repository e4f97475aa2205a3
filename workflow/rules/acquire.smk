# Acquire: from a row of the sheet to the canonical series, one row per feature.
rule acquire:
    input:
        unpack(given),
    output:
        series=SERIES,
        notes=NOTES,
        record=benchmark_of("acquire"),
    log:
        log_of("acquire"),
    wildcard_constraints:
        dataset=names(ACQUIRED),
    conda:
        "../../envs/xnbflow.yaml"
    threads: 2
    resources:
        mem_mb=memory(1500, 6),  # of a download the size is not known before
    params:
        dataset=lambda wildcards: vars(DATASETS[wildcards.dataset]),
        reader=lambda wildcards: reader(wildcards.dataset),
        lock=PREFIX + LOCK,
        sources=lambda wildcards: sources("acquire.py", reader(wildcards.dataset)),
    script:
        "../scripts/acquire.py"


rule simulate:
    output:
        series=SERIES,
        truth=TRUTH,
        record=benchmark_of("simulate"),
    log:
        log_of("simulate"),
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
