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
        dataset=exactly(ACQUIRED),
    priority: larger_first
    conda:
        "../../envs/xnbflow.yaml"
    threads: cpus_of("acquire", sheet_mb)
    resources:
        mem_mb=memory_of("acquire", acquired_mb),
        runtime=minutes_of("acquire", acquired_mb),
    params:
        dataset=lambda wildcards: vars(DATASETS[wildcards.dataset]),
        given=state_of_given,
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
        dataset=exactly(SIMULATED),
    priority: larger_first
    conda:
        "../../envs/xnbflow.yaml"
    threads: cpus_of("simulate")
    resources:
        mem_mb=memory_of("simulate", acquired_mb),
        runtime=minutes_of("simulate", acquired_mb),
    params:
        dataset=lambda wildcards: vars(DATASETS[wildcards.dataset]),
        sources=sources("simulate.py"),
    script:
        "../scripts/simulate.py"
