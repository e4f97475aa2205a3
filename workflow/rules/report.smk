# Analyse and report: what a study computes beyond the common tables, and the page that shows it all.


def analyses(study, name):
    return CONFIG.studies[study].analyses.get(name, {})


def configuration(study):
    """Everything that was configured for a study, for the record."""
    return {
        "study": config["studies"][study.id],
        "datasets": {name: vars(DATASETS[name]) for name in study.datasets},
        "classifiers": {name: CONFIG.classifiers[name] for name in study.classifiers},
        "folds": {name: vars(CONFIG.folds[name]) for name in study.folds},
        "diagnostics": CONFIG.diagnostics,
    }


rule analyse:
    input:
        series=lambda wildcards: [
            f"resources/series/{name}.parquet"
            for name in analyses(wildcards.study, wildcards.analysis).get(
                "datasets", []
            )
        ],
    output:
        directory("results/studies/{study}/{analysis}"),
    log:
        "results/logs/analyse/{study}.{analysis}.log",
    benchmark:
        "results/benchmarks/analyse/{study}.{analysis}.tsv"
    wildcard_constraints:
        analysis=names(
            {name for study in CONFIG.studies.values() for name in study.analyses}
        ),
    threads: 4
    resources:
        mem_mb=4000,
    params:
        params=lambda wildcards: analyses(wildcards.study, wildcards.analysis).get(
            "params", {}
        ),
        sources=lambda wildcards: source_digest(f"xnbflow.studies.{wildcards.analysis}"),
    script:
        "../scripts/analyse.py"


rule report:
    input:
        tables=expand("results/studies/{{study}}/{table}.parquet", table=STUDY_TABLES),
        series=lambda wildcards: [
            f"resources/series/{name}.parquet"
            for name in CONFIG.studies[wildcards.study].datasets
        ],
        correlations=lambda wildcards: diagnosed(
            CONFIG.studies[wildcards.study], "correlations"
        ),
        normality=lambda wildcards: diagnosed(
            CONFIG.studies[wildcards.study], "normality"
        ),
        dependence=lambda wildcards: diagnosed(
            CONFIG.studies[wildcards.study], "dependence"
        ),
        selected=lambda wildcards: trained(CONFIG.studies[wildcards.study], "selected"),
        distances=lambda wildcards: trained(CONFIG.studies[wildcards.study], "distances"),
        explanations=lambda wildcards: trained(
            CONFIG.studies[wildcards.study], "explanations"
        ),
        analyses=lambda wildcards: expand(
            "results/studies/{study}/{analysis}",
            study=wildcards.study,
            analysis=CONFIG.studies[wildcards.study].analyses,
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
    threads: 4
    resources:
        mem_mb=4000,
    params:
        study=lambda wildcards: CONFIG.studies[wildcards.study],
        configuration=lambda wildcards: configuration(CONFIG.studies[wildcards.study]),
        labels=lambda wildcards: {
            name: CONFIG.classifiers[name]["label"]
            for name in CONFIG.studies[wildcards.study].classifiers
        },
        sources=lambda wildcards: source_digest(
            "xnbflow.report.study",
            *(
                f"xnbflow.report.sections.{path.stem}"
                for path in (ROOT / "workflow/src/xnbflow/report/sections").glob(
                    "*.py"
                )
            ),
        ),
    script:
        "../scripts/report.py"
