# Acquire: from an entry of the configuration to the canonical series, one row per feature.
from xnbflow.running.planners.acquire import AcquirePlanner

ACQUIRE = AcquirePlanner(PLAN)


# Seek: whether the files of an optional data set can be had. A study is planned without those that cannot.
checkpoint seek:
    output:
        availability="results/{dataset}/search/availability.json",
        places="results/{dataset}/search/places.parquet",
    log:
        "results/logs/seek/{dataset}.log",
    benchmark:
        "results/benchmarks/seek/{dataset}.tsv"
    conda:
        "../../envs/xnbflow.yaml"
    resources:
        mem_mb=lambda wildcards, input, attempt: requested(
            1200, per_mb=6, size_mb=PLAN.dataset_mb(wildcards), attempt=attempt
        ),
        runtime=lambda wildcards, input, attempt: requested(
            60, per_mb=1, size_mb=PLAN.dataset_mb(wildcards), attempt=attempt
        ),
    params:
        dataset=ACQUIRE.entry,
        files=ACQUIRE.named_files,
        code=stage_code("reading"),
        own_code=ACQUIRE.own_code,
    message:
        "Seeking {wildcards.dataset}"
    script:
        "../scripts/seek.py"


rule acquire:
    input:
        unpack(ACQUIRE.user_files),
        places=over(ACQUIRE.optional, "results/{dataset}/search/places.parquet"),
    output:
        series="results/{dataset}/series.parquet",
        notes="results/{dataset}/notes.parquet",
        truth="results/{dataset}/truth.parquet",
        # kept by a job that runs again: the next download of the same files is compared with it
        checksums=update("results/{dataset}/checksums.sha256"),
    log:
        "results/logs/acquire/{dataset}.log",
    benchmark:
        "results/benchmarks/acquire/{dataset}.tsv"
    # Jobs of data sets in progress precede new ones; among new ones the largest is first.
    priority: lambda wildcards: -1 / (1 + PLAN.dataset_mb(wildcards))
    conda:
        "../../envs/xnbflow.yaml"
    threads: lambda wildcards: cpus_for(PLAN.dataset_mb(wildcards), most=2, per_cpu=300)
    resources:
        mem_mb=lambda wildcards, input, attempt: requested(
            1200, per_mb=6, size_mb=ACQUIRE.size_mb(wildcards, input), attempt=attempt
        ),
        runtime=lambda wildcards, input, attempt: requested(
            60, per_mb=1, size_mb=ACQUIRE.size_mb(wildcards, input), attempt=attempt
        ),
    params:
        dataset=ACQUIRE.entry,
        file_states=ACQUIRE.user_file_states,
        code=stage_code("reading"),
        own_code=ACQUIRE.own_code,
    message:
        "Reading {wildcards.dataset}"
    script:
        "../scripts/acquire.py"
