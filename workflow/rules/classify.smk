# Classify: draw the folds of a data set and train its classifiers on them, all in one job.

#: The jobs by the names of their rules.
CLASSIFY = {}
for job in CONFIG.jobs:
    name = f"classify_{job.folds}_{job.name}"
    while name in CLASSIFY:  # other data sets have other classifiers beside the first
        name += "_more"
    CLASSIFY[name] = job


for name, job in CLASSIFY.items():

    rule:
        name:
            name
        input:
            series=SERIES,
            given=given_folds(job.folds),
        output:
            **{table: tables(job, table) for table in TRAINING_TABLES},
            **model_paths(job.final),
            **{
                table: [
                    TRAINED.fill(folds=job.folds, classifier=name, table=table)
                    for name in job.tested
                ]
                for table in ("label_test", "random_genes", "learning_curve")
            },
            halves=[
                TRAINED.fill(folds=job.folds, classifier=name, table="halves")
                for name, _ in job.halved
            ],
            folds=[FOLDS.fill(folds=job.folds)] if job.draws else [],
        log:
            log_of("classify").fill(folds=job.folds, classifier=job.name),
            usage=usage_of("classify").fill(folds=job.folds, classifier=job.name),
        wildcard_constraints:
            dataset=exactly(job.datasets),
        priority: lambda wildcards: 1 - 1 / (1 + sheet_mb(wildcards))
        conda:
            "../../envs/xnbflow.yaml"
        resources:
            mem_mb=memory(1300, per_mb=6),
            runtime=minutes(120, per_mb=3, times=times(job)),
        params:
            entries=entries(job.classifiers),
            final=job.final,
            tested=lambda wildcards, job=job: {
                name: CONFIG.quick(name, wildcards.dataset) for name in job.tested
            },
            halved=dict(job.halved),
            origin=lambda wildcards: DATASETS[wildcards.dataset].origin,
            scheme=vars(CONFIG.folds[job.folds]),
            sources=sources_with("classify.py", job.classifiers),
        message:
            f"Training {', '.join(job.classifiers)} on {{wildcards.dataset}} ({job.folds})"
        script:
            "../scripts/classify.py"


# Permute: compare a classifier's accuracy with that on permuted labels. The whole cross-validation, with
# selection of features, is repeated on permuted labels.
rule permute:
    input:
        series=SERIES,
    output:
        **GROUPS["permutation"].files,
    log:
        log_of("permute"),
        usage=usage_of("permute"),
    conda:
        "../../envs/xnbflow.yaml"
    resources:
        mem_mb=memory(1300, per_mb=6),
        runtime=minutes(240, per_mb=12),
    params:
        entry=lambda wildcards: CONFIG.classifier(wildcards.classifier, wildcards.dataset),
        n_permutations=lambda wildcards: study_of(wildcards).permutations[wildcards.classifier],
        sources=lambda wildcards: sources_with("permute.py", [wildcards.classifier])(wildcards),
    message:
        "Permuting the labels of {wildcards.dataset} for {wildcards.classifier}"
    script:
        "../scripts/permute.py"
