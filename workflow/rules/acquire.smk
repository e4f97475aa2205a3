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
        usage=usage_of("acquire"),
    # Jobs of data sets in progress precede new ones; among new ones the largest is first.
    priority: lambda wildcards: -1 / (1 + sheet_mb(wildcards))
    conda:
        "../../envs/xnbflow.yaml"
    threads: lambda wildcards: cpus_for(sheet_mb(wildcards), most=2, per_cpu=300)
    resources:
        mem_mb=memory(1200, per_mb=6, size=acquired_mb),
        runtime=minutes(60, per_mb=1, size=acquired_mb),
    params:
        dataset=lambda wildcards: vars(DATASETS[wildcards.dataset]),
        given=state_of_given,
        lock=lambda wildcards: prefix() + LOCK.of(dataset=wildcards.dataset),
        sources=lambda wildcards: source_digests("acquire.py", reader(wildcards)),
    message:
        "Reading {wildcards.dataset}"
    script:
        "../scripts/acquire.py"
