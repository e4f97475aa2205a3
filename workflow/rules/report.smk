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
        sources=lambda wildcards: source_digest(f"xnbflow.studies.{wildcards.analysis}"),
    script:
        "../scripts/analyse.py"


rule report:
    input:
        tables=expand("results/studies/{{study}}/{table}.parquet", table=STUDY_TABLES),
        series=series,
        normality=diagnosed("normality"),
        dependence=diagnosed("dependence"),
        correlations=diagnosed("correlations"),
        selected=trained("selected"),
        distances=trained("distances"),
        explanations=trained("explanations"),
        analyses=lambda wildcards: expand(
            "results/studies/{study}/{analysis}",
            study=wildcards.study,
            analysis=study_of(wildcards).analyses,
        ),
    output:
        page="results/studies/{study}/report.html",
        figures=report(
            directory("results/studies/{study}/figures"),
            patterns=["{figure}.svg"],
            category="{study}",
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
        study=study_of,
        configuration=lambda wildcards: configuration(study_of(wildcards)),
        labels=lambda wildcards: {
            name: CONFIG.classifiers[name]["label"] for name in study_of(wildcards).classifiers
        },
        sources=lambda wildcards: source_digest(
            "xnbflow.report.study",
            *(
                f"xnbflow.report.sections.{path.stem}"
                for path in (ROOT / "workflow/src/xnbflow/report/sections").glob("*.py")
            ),
        ),
    script:
        "../scripts/report.py"
