# Acquire: from a row of the sheet to the canonical series, one row per feature.
from xnbflow.tables.contract import AVAILABILITY, CHECKSUMS, NOTES, PLACES, SERIES, TRUTH


# Seek: whether the files of an optional data set can be had. A study is planned without those that cannot.
checkpoint seek:
    output:
        availability=AVAILABILITY,
        places=PLACES,
        usage=usage_of("seek"),
    log:
        log_of("seek"),
    conda:
        "../../envs/xnbflow.yaml"
    resources:
        mem_mb=lambda wildcards, input, attempt: requested(
            1200, per_mb=6, size_mb=PLAN.sheet_mb(wildcards), attempt=attempt
        ),
        runtime=lambda wildcards, input, attempt: requested(
            60, per_mb=1, size_mb=PLAN.sheet_mb(wildcards), attempt=attempt
        ),
    params:
        dataset=PLAN.sheet_row,
        files=PLAN.named_files,
        code=reading_code(),
        methods=PLAN.reader_code,
    message:
        "Seeking {wildcards.dataset}"
    script:
        "../scripts/seek.py"


rule acquire:
    input:
        unpack(PLAN.user_files),
        places=PLAN.sought_places,
    output:
        series=SERIES,
        notes=NOTES,
        truth=TRUTH,
        # kept by a job that runs again: the next download of the same files is compared with it
        checksums=update(CHECKSUMS),
        usage=usage_of("acquire"),
    log:
        log_of("acquire"),
    # Jobs of data sets in progress precede new ones; among new ones the largest is first.
    priority: lambda wildcards: -1 / (1 + PLAN.sheet_mb(wildcards))
    conda:
        "../../envs/xnbflow.yaml"
    threads: lambda wildcards: cpus_for(PLAN.sheet_mb(wildcards), most=2, per_cpu=300)
    resources:
        mem_mb=lambda wildcards, input, attempt: requested(
            1200, per_mb=6, size_mb=PLAN.acquired_mb(wildcards, input), attempt=attempt
        ),
        runtime=lambda wildcards, input, attempt: requested(
            60, per_mb=1, size_mb=PLAN.acquired_mb(wildcards, input), attempt=attempt
        ),
    params:
        dataset=PLAN.sheet_row,
        given=PLAN.user_file_states,
        code=reading_code(),
        methods=PLAN.reader_code,
    message:
        "Reading {wildcards.dataset}"
    script:
        "../scripts/acquire.py"
