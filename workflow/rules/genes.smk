# Genes: differences of features between the classes, by the design of a study. Classifiers do not depend on them.
from xnbflow.tables.contract import GENES, SERIES, text_of


rule genes:
    input:
        series=SERIES,
    output:
        **GROUPS["genes"].files,
        genes_text=text_of(GENES.fill(table="genes")),
        contrasts_text=text_of(GENES.fill(table="contrasts")),
        usage=usage_of("genes"),
    log:
        log_of("genes"),
    conda:
        "../../envs/xnbflow.yaml"
    # a series of unknown shape requests one CPU: with both of two it would wait for the classifiers
    threads: lambda wildcards: cpus_for(PLAN.sheet_mb(wildcards, samples=100), most=4, per_cpu=300)
    resources:
        mem_mb=lambda wildcards, input, attempt: requested(
            1300, per_mb=11, size_mb=input.size_mb, attempt=attempt
        ),
        runtime=lambda wildcards, input, attempt: requested(
            60, per_mb=1, size_mb=input.size_mb, attempt=attempt
        ),
    params:
        design=PLAN.design,
        code=computing_code(),
    message:
        "Comparing the features of {wildcards.dataset} for {wildcards.study}"
    script:
        "../scripts/genes.py"
