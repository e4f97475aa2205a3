# Analyse and report: what a study computes beyond the common tables, and the page that shows it all.


rule analyse:
    input:
        series=lambda wildcards: [
            SERIES.of(dataset=name) for name in analysis_of(wildcards).get("datasets", [])
        ],
        folds=analysed_folds,
        study=lambda wildcards: [
            STUDY_TABLE.of(study=wildcards.study, table=table)
            for table in known_analyses()[wildcards.analysis].needs
        ],
        paper=lambda wildcards: published(*known_analyses()[wildcards.analysis].printed),
    output:
        directory(ANALYSIS),
        record=benchmark_of("analyse"),
    log:
        log_of("analyse"),
    wildcard_constraints:
        analysis=exactly({name for study in CONFIG.studies.values() for name in study.analyses}),
    conda:
        "../../envs/xnbflow.yaml"
    threads: cpus_of("analyse")
    resources:
        mem_mb=memory_of("analyse"),
        runtime=minutes_of("analyse"),
    params:
        params=lambda wildcards: analysis_of(wildcards).get("params", {}),
        about=lambda wildcards: {
            "parts": study_of(wildcards).paper,
            "folds": study_of(wildcards).folds,
        },
        paper=str(PRINTED),
        sources=lambda wildcards: sources(
            "analyse.py", *known_analyses()[wildcards.analysis].modules
        ),
    script:
        "../scripts/analyse.py"


rule report:
    input:
        tables=[STUDY_TABLE.fill(table=table) for table in STUDY_TABLES],
        description=[DESCRIPTION_TABLE.fill(table=table) for table in DESCRIPTION_TABLES],
        truth=truth,
        models=lambda wildcards: model_files(study_of(wildcards)),
        validation=lambda wildcards: validation_tables(study_of(wildcards)),
        correlations=diagnosed("correlations"),
        predictions=trained("predictions"),
        jobs=trained("jobs"),
        benchmarks=recorded,
        analyses=lambda wildcards: [
            ANALYSIS.of(study=wildcards.study, analysis=name)
            for name in study_of(wildcards).analyses
        ],
        paper=published(*(f"directional_table{number}" for number in range(1, 7))),
    output:
        page=REPORT,
        figures=report(
            directory(FIGURES),
            patterns=["{section}/{figure}.svg"],
            category=lambda wildcards: f"{wildcards.study}: {shown_in(wildcards)['data set']}",
            subcategory="{section}",
            labels=lambda wildcards: labels_of(wildcards),
            caption="../report/figure.rst",
        ),
        record=benchmark_of("report"),
    log:
        log_of("report"),
    conda:
        "../../envs/xnbflow.yaml"
    threads: cpus_of("report", trained_in)
    resources:
        mem_mb=memory_of("report"),
        runtime=minutes_of("report"),
    params:
        results=lambda wildcards: results_of(study_of(wildcards)),
        sources=lambda wildcards: sources(
            "report.py",
            *section_modules(study_of(wildcards), known_analyses()),
            *analysis_modules(study_of(wildcards).analyses),
            *plugin_modules(),
        ),
    script:
        "../scripts/report.py"


# On demand, `snakemake results/studies/{study}/pictures`: a page saves any of its figures as PNG itself.
rule pictures:
    input:
        rules.report.input,
    output:
        directory(PICTURES),
        record=benchmark_of("pictures"),
    log:
        log_of("pictures"),
    conda:
        "../../envs/xnbflow.yaml"
    threads: cpus_of("pictures")
    resources:
        mem_mb=memory_of("pictures"),
        runtime=minutes_of("pictures"),
    params:
        results=lambda wildcards: results_of(study_of(wildcards)),
        sources=lambda wildcards: sources(
            "pictures.py",
            *section_modules(study_of(wildcards), known_analyses()),
            *analysis_modules(study_of(wildcards).analyses),
            *plugin_modules(),
        ),
    script:
        "../scripts/pictures.py"


rule index:
    input:
        asked=lambda wildcards: [REPORT.of(study=study) for study in asked_studies()],
        unasked=unasked_reports,
    output:
        INDEX,
        record=benchmark_of("index"),
    log:
        log_of("index"),
    localrule: True
    conda:
        "../../envs/xnbflow.yaml"
    threads: cpus_of("index")
    resources:
        mem_mb=memory_of("index"),
        runtime=minutes_of("index"),
    params:
        studies=[results_of(study) for study in CONFIG.studies.values()],
        options=lambda wildcards: options_of_call(),
        sources=sources("index.py", *analysis_modules(), *plugin_modules()),
    script:
        "../scripts/index.py"
