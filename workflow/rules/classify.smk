# Classify: draw the folds once per data set, train every classifier on the same ones, a batch of folds
# a job, and gather what the jobs of a classifier wrote.
rule compile:
    output:
        COMPILED,
        record=benchmark_of("compile"),
    log:
        log_of("compile"),
    wildcard_constraints:
        unit=exactly(["diagnostics", *CONFIG.classifiers]),
    conda:
        "../../envs/xnbflow.yaml"
    threads: cpus_of("compile")
    resources:
        mem_mb=memory_of("compile"),
        runtime=minutes_of("compile"),
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
        series=SERIES,
        given=given_folds,
    output:
        FOLDS,
        record=benchmark_of("folds"),
    log:
        log_of("folds"),
    localrule: True
    conda:
        "../../envs/xnbflow.yaml"
    threads: cpus_of("folds")
    resources:
        mem_mb=memory_of("folds"),
        runtime=minutes_of("folds"),
    params:
        scheme=lambda wildcards: vars(CONFIG.folds[wildcards.folds]),
        sources=sources("folds.py"),
    script:
        "../scripts/folds.py"


# The folds of a repeat do not depend on how many repeats there are, the file of all folds does. A job
# therefore draws those of its repeat from the same seed, so that another number of repeats trains what
# is new and no other; `gather` refuses folds that are not those of the file.
rule train:
    input:
        series=SERIES,
        folds=predefined_folds,
        compiled=compiled_of,
    output:
        **{table: BATCH.fill(table=table) for table in TRAINING_TABLES},
        record=benchmark_of("train"),
    log:
        log_of("train"),
    conda:
        "../../envs/xnbflow.yaml"
    threads: cpus_of("train")
    resources:
        mem_mb=memory_of("train"),
        runtime=minutes_of("train", times=repeats_of),
    params:
        entry=entry_of,
        batch=batch_of,
        sources=sources_with_entry("train.py"),
    script:
        "../scripts/train.py"


rule gather:
    input:
        **{table: trained_batches(BATCH.fill(table=table)) for table in TRAINING_TABLES},
        folds=FOLDS,
        jobs=trained_batches(benchmark_of("train")),
    output:
        **{table: TRAINED.fill(table=table) for table in GATHERED_TABLES},
        record=benchmark_of("gather"),
    log:
        log_of("gather"),
    localrule: True
    conda:
        "../../envs/xnbflow.yaml"
    threads: cpus_of("gather")
    resources:
        mem_mb=memory_of("gather"),
        runtime=minutes_of("gather"),
    params:
        batches=lambda wildcards: [batch.name for batch in batches_of(wildcards.folds)],
        sources=sources("gather.py"),
    script:
        "../scripts/gather.py"
