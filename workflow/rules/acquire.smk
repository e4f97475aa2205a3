# Acquire: from an entry of the configuration to the canonical series, one row per feature.


rule acquire:
    input:
        unpack(OF_DATA.user_files),
    output:
        **tables_of("results/{dataset}/{table}.parquet"),
        series="results/{dataset}/series.parquet",
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
    resources:
        **requests(mem_mb=1200, mem_per_mb=6, minutes=60, minutes_per_mb=1, size_mb=OF_DATA.size_mb),
    params:
        **parameters("reading", OF_DATA.arguments_of_acquire, OF_DATA.own_code),
    script:
        "../scripts/acquire.py"
