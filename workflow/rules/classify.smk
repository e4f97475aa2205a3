# Classify: draw the folds of a data set and train the classifiers of a job on them; check the classifiers that
# come first; fit models to all samples.


rule classify:
    input:
        series="results/{dataset}/series.parquet",
        folds_file=OF_DATA.folds_file,
    output:
        **tables_of("results/studies/{study}/training/{dataset}/{folds}/{job}/{table}.parquet"),
    log:
        "results/logs/classify/{study}/{dataset}/{folds}/{job}.log",
    benchmark:
        "results/benchmarks/classify/{study}/{dataset}/{folds}/{job}.tsv"
    # Jobs of the largest series are first, since they are last to end.
    priority: lambda wildcards: 1 - 1 / (1 + PLAN.dataset_mb(wildcards))
    conda:
        "../../envs/xnbflow.yaml"
    resources:
        **requests(mem_mb=1300, mem_per_mb=6, minutes=120, minutes_per_mb=3, factor=OF_DATA.repeats),
    params:
        **parameters("computing", OF_DATA.arguments_of_classify, OF_STUDY.own_code),
    script:
        "../scripts/classify.py"


# Check: a label test, and fits to disjoint halves of the samples.
rule check:
    input:
        series="results/{dataset}/series.parquet",
    output:
        **tables_of("results/studies/{study}/checks/{dataset}/{table}.parquet"),
    log:
        "results/logs/check/{study}/{dataset}.log",
    benchmark:
        "results/benchmarks/check/{study}/{dataset}.tsv"
    priority: lambda wildcards: 1 - 1 / (1 + PLAN.dataset_mb(wildcards))
    conda:
        "../../envs/xnbflow.yaml"
    resources:
        **requests(mem_mb=1300, mem_per_mb=6, minutes=120, minutes_per_mb=3),
    params:
        **parameters("computing", OF_DATA.arguments_of_check, OF_STUDY.own_code),
    script:
        "../scripts/check.py"


# Models: a classifier fitted to all samples, with the figures of its cross-validation.
rule models:
    input:
        series="results/{dataset}/series.parquet",
        training=tables_over(OF_DATA.first_job, "training"),
        checks=tables_over(OF_DATA.checks_of_model, "check"),
    output:
        **tables_of("results/studies/{study}/models/{dataset}/{classifier}/{table}.parquet"),
        model="results/studies/{study}/models/{dataset}/{classifier}/{classifier}.skops",
        gene_sets="results/studies/{study}/models/{dataset}/{classifier}/{classifier}.gmt",
    log:
        "results/logs/models/{study}/{dataset}/{classifier}.log",
    benchmark:
        "results/benchmarks/models/{study}/{dataset}/{classifier}.tsv"
    conda:
        "../../envs/xnbflow.yaml"
    resources:
        **requests(mem_mb=1300, mem_per_mb=6, minutes=120, minutes_per_mb=3),
    params:
        **parameters("computing", OF_DATA.arguments_of_models, OF_STUDY.own_code),
    script:
        "../scripts/models.py"
