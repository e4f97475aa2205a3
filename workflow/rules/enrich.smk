# Enrich: overlaps of gene sets, those of the study and those of known artefacts, with its lists of genes.
from functools import partial


rule enrich:
    input:
        gene_sets=PLAN.gene_set_files,
        genes=partial(PLAN.compared, "genes"),
        signature=PLAN.signatures,
        series=PLAN.series_with_gene_sets,
    output:
        **GROUPS["gene_lists"].files,
        text=GROUPS["gene_lists"].texts,
        usage=usage_of("enrich"),
    log:
        log_of("enrich"),
    conda:
        "../../envs/xnbflow.yaml"
    threads: lambda wildcards: 2 if PLAN.study(wildcards).gene_sets else 1
    resources:
        mem_mb=lambda wildcards, input, attempt: requested(
            1200, per_mb=10, size_mb=input.size_mb, attempt=attempt
        ),
        runtime=lambda wildcards, input, attempt: requested(
            60, per_mb=0.5, size_mb=input.size_mb, attempt=attempt
        ),
    params:
        study=PLAN.listed_study,
        code=computing_code(),
    message:
        "Finding gene sets in the lists of genes of {wildcards.study}"
    script:
        "../scripts/enrich.py"
