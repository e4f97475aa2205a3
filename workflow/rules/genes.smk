# Genes: differences of features and gene sets between the classes, by the design of a study. Classifiers do not depend on them.


rule genes:
    input:
        series="results/{dataset}/series.parquet",
        gene_sets=OF_STUDY.gene_set_files,
    output:
        **tables_of("results/studies/{study}/genes/{dataset}/{table}.parquet"),
        limma="results/studies/{study}/genes/{dataset}/limma.R",
    log:
        "results/logs/genes/{study}/{dataset}.log",
    benchmark:
        "results/benchmarks/genes/{study}/{dataset}.tsv"
    conda:
        "../../envs/xnbflow.yaml"
    # a series of unknown shape requests one CPU: with both of two it would wait for the classifiers
    threads: lambda wildcards: cpus_for(PLAN.dataset_mb(wildcards, samples=100), most=4, per_cpu=300)
    resources:
        **requests(mem_mb=1300, mem_per_mb=11, minutes=60, minutes_per_mb=1),
    params:
        **parameters("computing", OF_STUDY.arguments_of_genes),
    script:
        "../scripts/genes.py"
