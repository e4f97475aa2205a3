# Keep and validate: the classifiers that outlive a study, and what they are worth in a second cohort.


rule final:
    input:
        series=SERIES,
        predictions=figures_of_model("predictions"),
        selected=figures_of_model("selected"),
        compiled=compiled_of,
    output:
        **{table: MODEL_TABLE.fill(table=table) for table in MODEL_TABLES},
        model=MODEL,
        gene_sets=GENE_SETS,
        text=[text_of(MODEL_TABLE.fill(table=table)) for table in MODEL_TABLES],
        record=benchmark_of("final"),
    log:
        log_of("final"),
    conda:
        "../../envs/xnbflow.yaml"
    threads: cpus_of("final")
    resources:
        mem_mb=memory_of("final"),
        runtime=minutes_of("final"),
    params:
        entry=entry_of,
        origin=lambda wildcards: {
            key: getattr(DATASETS[wildcards.dataset], key) or ""
            for key in ("location", "label", "id_column")
        },
        sources=sources_with_entry("final.py"),
    script:
        "../scripts/final.py"


rule validate:
    input:
        series=lambda wildcards: [
            SERIES.of(dataset=name) for name in cohorts_of(study_of(wildcards))
        ],
        compiled=lambda wildcards: [
            marker for name in validated_by(study_of(wildcards)) for marker in compiled(name)
        ],
    output:
        **{table: VALIDATION_TABLE.fill(table=table) for table in VALIDATION_TABLES},
        text=[text_of(VALIDATION_TABLE.fill(table=table)) for table in VALIDATION_TABLES],
        record=benchmark_of("validate"),
    log:
        log_of("validate"),
    conda:
        "../../envs/xnbflow.yaml"
    threads: cpus_of("validate")
    resources:
        mem_mb=memory_of("validate"),
        runtime=minutes_of("validate"),
    params:
        entries=lambda wildcards: {
            pair.train: {
                name: CONFIG.classifier(name, pair.train)
                for name in validated_by(study_of(wildcards))
            }
            for pair in study_of(wildcards).validate
        },
        pairs=lambda wildcards: [vars(pair) for pair in study_of(wildcards).validate],
        sources=lambda wildcards: sources(
            "validate.py",
            *(
                each
                for pair in study_of(wildcards).validate
                for each in classes(pair.model, pair.train)
            ),
        ),
    script:
        "../scripts/validate.py"
