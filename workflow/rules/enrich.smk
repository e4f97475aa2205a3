# Enrich: overlaps of gene sets, those of the study and those of known artefacts, with its lists of genes.


rule enrich:
    input:
        gene_sets=OF_STUDY.gene_set_files,
        genes=over(OF_STUDY.datasets, "results/studies/{study}/genes/{dataset}/genes.parquet"),
        signature=over(
            OF_STUDY.models,
            "results/studies/{study}/models/{dataset}/{classifier}/signature.parquet",
        ),
        series=over(OF_STUDY.gene_set_datasets, "results/{dataset}/series.parquet"),
    output:
        tables=tables_of("results/studies/{study}/gene_sets/{table}.parquet", "gene_lists").values(),
        text=tables_of("results/studies/{study}/gene_sets/{table}.tsv", "gene_lists").values(),
        usage="results/usage/enrich/{study}.tsv",
    log:
        "results/logs/enrich/{study}.log",
    conda:
        "../../envs/xnbflow.yaml"
    threads:
        lambda wildcards: cpus_for(
            PLAN.datasets_mb(OF_STUDY.gene_set_datasets(wildcards)), most=2, per_cpu=300
        )
    resources:
        mem_mb=lambda wildcards, input, attempt: requested(
            1200, per_mb=10, size_mb=input.size_mb, attempt=attempt
        ),
        runtime=lambda wildcards, input, attempt: requested(
            60, per_mb=0.5, size_mb=input.size_mb, attempt=attempt
        ),
    params:
        study=OF_STUDY.gene_list_fields,
        gene_set_urls=OF_STUDY.gene_set_urls,
        code=computing_code(),
    message:
        "Finding gene sets in the lists of genes of {wildcards.study}"
    script:
        "../scripts/enrich.py"
