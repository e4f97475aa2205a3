# Classify: draw the folds once per data set, then train every classifier on the same ones.
rule compile:
    output:
        "resources/compiled/{unit}",
    log:
        "results/logs/compile/{unit}.log",
    benchmark:
        "results/benchmarks/compile/{unit}.tsv"
    wildcard_constraints:
        unit=names(["diagnostics", *CONFIG.classifiers]),
    conda:
        "../../envs/xnbflow.yaml"
    threads: 1
    resources:
        mem_mb=1000,
    params:
        module=lambda wildcards: compiler(wildcards.unit),
        entry=lambda wildcards: (
            CONFIG.classifier(wildcards.unit) if wildcards.unit in CONFIG.classifiers else None
        ),
        sources=lambda wildcards: sources(
            "compile.py",
            compiler(wildcards.unit),
            *(classes(wildcards.unit) if wildcards.unit in CONFIG.classifiers else []),
        ),
    script:
        "../scripts/compile.py"


rule folds:
    input:
        series="resources/series/{dataset}.parquet",
        given=given_folds,
    output:
        "results/{dataset}/{folds}/folds.parquet",
    log:
        "results/logs/folds/{dataset}.{folds}.log",
    benchmark:
        "results/benchmarks/folds/{dataset}.{folds}.tsv"
    conda:
        "../../envs/xnbflow.yaml"
    threads: 1
    resources:
        mem_mb=1000,
    params:
        scheme=lambda wildcards: vars(CONFIG.folds[wildcards.folds]),
        sources=sources("folds.py"),
    script:
        "../scripts/folds.py"


rule train:
    input:
        series="resources/series/{dataset}.parquet",
        folds="results/{dataset}/{folds}/folds.parquet",
        compiled=lambda wildcards: compiled(wildcards.classifier),
    output:
        **{
            table: f"results/{{dataset}}/{{folds}}/{{classifier}}/{table}/{{batch}}.parquet"
            for table in TRAINING_TABLES
        },
    log:
        "results/logs/train/{dataset}.{folds}.{classifier}.{batch}.log",
    benchmark:
        "results/benchmarks/train/{dataset}.{folds}.{classifier}.{batch}.tsv"
    conda:
        "../../envs/xnbflow.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000, 2),
    params:
        entry=lambda wildcards: CONFIG.classifier(wildcards.classifier),
        batch=lambda wildcards: vars(Batch.named(wildcards.batch)),
        sources=lambda wildcards: sources("train.py", *classes(wildcards.classifier)),
    script:
        "../scripts/train.py"
