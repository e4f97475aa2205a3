# Acquire: from a row of the sheet to the canonical series, one row per feature.


rule acquire:
    input:
        unpack(given),
    output:
        series=SERIES,
        notes=NOTES,
        truth=TRUTH,
    log:
        log_of("acquire"),
    benchmark:
        benchmark_of("acquire")
    # What is begun goes on before; of what is not, the largest is first.
    priority: lambda wildcards: -1 / (1 + sheet_mb(wildcards))
    conda:
        "../../envs/xnbflow.yaml"
    threads: lambda wildcards: NEEDS["acquire"].threads(sheet_mb(wildcards))
    resources:
        mem_mb=memory_of("acquire", acquired_mb),
        runtime=minutes_of("acquire", acquired_mb),
    params:
        dataset=lambda wildcards: vars(DATASETS[wildcards.dataset]),
        given=state_of_given,
        lock=lambda wildcards: prefix() + LOCK.of(dataset=wildcards.dataset),
        sources=lambda wildcards: source_digests("acquire", reader(wildcards)),
    message:
        "Reading {wildcards.dataset}"
    script:
        "../scripts/acquire.py"
