# Analyse and report: what a study computes beyond the common tables, and the page that shows it all.


rule analyse:
    input:
        series=lambda wildcards: [
            f"resources/series/{name}.parquet"
            for name in analysis_of(wildcards).get("datasets", [])
        ],
        folds=analysed_folds,
    output:
        directory("results/studies/{study}/{analysis}"),
    log:
        "results/logs/analyse/{study}.{analysis}.log",
    benchmark:
        "results/benchmarks/analyse/{study}.{analysis}.tsv"
    wildcard_constraints:
        analysis=names({name for study in CONFIG.studies.values() for name in study.analyses}),
    conda:
        "../../envs/xnbflow.yaml"
    threads: 4
    resources:
        mem_mb=4000,
    params:
        params=lambda wildcards: analysis_of(wildcards).get("params", {}),
        module=lambda wildcards: known_analyses()[wildcards.analysis].compute,
        sources=lambda wildcards: sources(
            "analyse.py", known_analyses()[wildcards.analysis].compute
        ),
    script:
        "../scripts/analyse.py"


rule report:
    input:
        tables=expand("results/studies/{{study}}/{table}.parquet", table=STUDY_TABLES),
        series=series,
        truth=truth,
        normality=diagnosed("normality"),
        dependence=diagnosed("dependence"),
        correlations=diagnosed("correlations"),
        predictions=trained("predictions"),
        distances=trained("distances"),
        explanations=trained("explanations"),
        analyses=lambda wildcards: expand(
            "results/studies/{study}/{analysis}",
            study=wildcards.study,
            analysis=study_of(wildcards).analyses,
        ),
        paper=expand(f"{PAPER}/directional_table{{number}}.tsv", number=range(1, 7)),
    output:
        page="results/studies/{study}/report.html",
        figures=report(
            directory("results/studies/{study}/figures"),
            patterns=["{section}/{figure}.svg"],
            category="{study}",
            subcategory="{section}",
            labels={"figure": "{figure}"},
            caption="../report/figure.rst",
        ),
    log:
        "results/logs/report/{study}.log",
    benchmark:
        "results/benchmarks/report/{study}.tsv"
    conda:
        "../../envs/xnbflow.yaml"
    threads: 4
    resources:
        mem_mb=4000,
    params:
        results=lambda wildcards: results_of(study_of(wildcards)),
        sections=lambda wildcards: section_modules(study_of(wildcards)),
        sources=lambda wildcards: sources("report.py", *section_modules(study_of(wildcards))),
    script:
        "../scripts/report.py"


rule index:
    input:
        asked=lambda wildcards: [report_of(study) for study in asked_studies()],
        unasked=unasked_reports,
    output:
        "results/index.html",
    log:
        "results/logs/index.log",
    benchmark:
        "results/benchmarks/index.tsv"
    localrule: True
    conda:
        "../../envs/xnbflow.yaml"
    threads: 1
    resources:
        mem_mb=1000,
    params:
        studies=[results_of(study) for study in CONFIG.studies.values()],
        options=lambda wildcards: options_of_call(),
        sources=sources("index.py"),
    script:
        "../scripts/index.py"
