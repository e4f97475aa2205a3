# Analyse and report: computations of a study beyond the common tables, and its page.


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
    output:
        directory(ANALYSIS),
    log:
        log_of("analyse"),
        usage=usage_of("analyse"),
    wildcard_constraints:
        analysis=exactly({name for study in CONFIG.studies.values() for name in study.analyses}),
    conda:
        "../../envs/xnbflow.yaml"
    threads: 4
    resources:
        mem_mb=memory(2500, per_mb=6),
        runtime=minutes(480, per_mb=3),
    params:
        params=lambda wildcards: analysis_of(wildcards).get("params", {}),
        about=lambda wildcards: {
            "parts": study_of(wildcards).paper,
            "folds": study_of(wildcards).folds,
        },
        sources=lambda wildcards: source_digests(
            "analyse.py", *known_analyses()[wildcards.analysis].modules
        ),
    message:
        "Analysing {wildcards.analysis} for {wildcards.study}"
    script:
        "../scripts/analyse.py"


rule report:
    input:
        tables=GROUPS["study"].files.values(),
        description=GROUPS["description"].files.values(),
        truth=of_datasets(TRUTH),
        models=lambda wildcards: model_files(study_of(wildcards)),
        validation=lambda wildcards: GROUPS["validation"].targets(study_of(wildcards)),
        cohorts=lambda wildcards: cohort_files(study_of(wildcards)),
        correlations=diagnosed("correlations"),
        genes=of_datasets(DIAGNOSTIC.fill(table="genes")),
        contrasts=of_datasets(DIAGNOSTIC.fill(table="contrasts")),
        gene_heatmap=of_datasets(DIAGNOSTIC.fill(table="gene_heatmap")),
        gene_values=of_datasets(DIAGNOSTIC.fill(table="gene_values")),
        predictions=trained("predictions"),
        fits=trained("fits"),
        usage=usage_of_jobs,
        analyses=lambda wildcards: [
            ANALYSIS.of(study=wildcards.study, analysis=name)
            for name in study_of(wildcards).analyses
        ],
    output:
        page=REPORT,
        details=DETAILS,
        record=RECORD,
        curves=CURVES,
        figures=report(
            directory(FIGURES),
            patterns=["{section}/{figure}.svg"],
            category=lambda wildcards: f"{wildcards.study}: {shown_in(wildcards)['data set']}",
            subcategory="{section}",
            labels=lambda wildcards: labels_of(wildcards),
            caption="../report/figure.rst",
        ),
    log:
        log_of("report"),
        usage=usage_of("report"),
    conda:
        "../../envs/xnbflow.yaml"
    threads: lambda wildcards: cpus_for(len(study_of(wildcards).trained), most=4, per_cpu=50)
    resources:
        mem_mb=memory(2500, per_mb=6),
        runtime=minutes(60, per_mb=0.5),
    params:
        results=results_of,
        sources=sections_of,
    message:
        "Writing the page of {wildcards.study}"
    script:
        "../scripts/report.py"
