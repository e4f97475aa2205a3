# Classify: draw the folds of a data set and train its classifiers on them, all in one job. With
# `folds_per_job` the rule `train` does this in batches of folds, and `classify` puts them together.
from xnbflow.data.sources.location import local_path

#: The jobs by the names of their rules.
CLASSIFY = {}
for job in CONFIG.jobs():
    same = f"classify_{job.folds}_{job.name}"
    number = sum(name == same or name.startswith(f"{same}_") for name in CLASSIFY)
    CLASSIFY[f"{same}_{number + 1}" if number else same] = job


def given_folds(folds):
    """Input function: a file of predefined folds; none where folds are drawn, or the file is a URL."""
    file = CONFIG.folds[folds].file
    path = local_path(file) if file else None
    return lambda wildcards: own_file(path, f"configuration, folds.{folds}.file") if path else []


def batches(job, table):
    """The tables of the training jobs, one classifier after the other; none where it trains itself."""
    names = [batch.name for batch in CONFIG.folds[job.folds].batches(CONFIG.folds_per_job)]
    return [
        BATCH.fill(folds=job.folds, classifier=classifier, batch=batch, table=table)
        for classifier in job.classifiers
        for batch in names
    ]


def tables(job, table):
    """A table of each classifier of a job."""
    return [
        TRAINED.fill(folds=job.folds, classifier=classifier, table=table)
        for classifier in job.classifiers
    ]


def entries(classifiers):
    """Param: what makes the classifiers of a job, for its data set."""
    return lambda wildcards: {
        name: CONFIG.classifier(name, wildcards.dataset) for name in classifiers
    }


def sources_with(stage, classifiers):
    """Param: digests of a stage with the classes of the classifiers of a job."""
    return lambda wildcards: source_digests(
        stage, *classes((name, wildcards.dataset) for name in classifiers)
    )


def times(job):
    """For how many tens of classifiers and repeats a job takes its time."""
    return 1 + len(job.classifiers) * CONFIG.folds[job.folds].repeats // 10


def model_paths(classifiers):
    """The files of the models of all samples of some classifiers, as outputs of a rule."""
    tables = {table: MODEL_TABLE.fill(table=table) for table in MODEL_TABLES}
    texts = {f"{table}_text": text_of(path) for table, path in tables.items()}
    paths = {"model": MODEL, "gene_sets": GENE_SETS, **tables, **texts}
    return {
        key: [path.fill(classifier=name) for name in classifiers] for key, path in paths.items()
    }


for name, job in CLASSIFY.items():

    rule:
        name:
            name
        input:
            **{table: batches(job, table) for table in TRAINING_TABLES},
            series=SERIES,
            given=given_folds(job.folds),
        output:
            **{table: tables(job, table) for table in TRAINING_TABLES},
            **model_paths(job.final),
            folds=[FOLDS.fill(folds=job.folds)] if job.draws else [],
        log:
            log_of("classify").fill(folds=job.folds, classifier=job.name),
        benchmark:
            benchmark_of("classify").fill(folds=job.folds, classifier=job.name)
        wildcard_constraints:
            dataset=exactly(job.datasets),
        priority: lambda wildcards: 1 - 1 / (1 + sheet_mb(wildcards))
        conda:
            "../../envs/xnbflow.yaml"
        resources:
            mem_mb=memory_of("classify"),
            runtime=minutes_of("classify", times=times(job)),
        params:
            entries=entries(job.classifiers),
            final=job.final,
            origin=lambda wildcards: {
                key: getattr(DATASETS[wildcards.dataset], key) or ""
                for key in ("location", "label", "id_column")
            },
            scheme=vars(CONFIG.folds[job.folds]),
            sources=sources_with("classify", job.classifiers),
        script:
            "../scripts/classify.py"


def scheme_of_batch(wildcards):
    """The scheme of folds up to the last repeat of a batch: more repeats train no batch again."""
    scheme = CONFIG.folds[wildcards.folds]
    last = Batch.named(wildcards.batch).repeats[-1]
    return vars(scheme) | ({} if scheme.file else {"repeats": last + 1})


rule train:
    input:
        series=SERIES,
        given=lambda wildcards: given_folds(wildcards.folds)(wildcards),
    output:
        **{table: BATCH.fill(table=table) for table in TRAINING_TABLES},
    log:
        log_of("train"),
    benchmark:
        benchmark_of("train")
    conda:
        "../../envs/xnbflow.yaml"
    resources:
        mem_mb=memory_of("train"),
        runtime=minutes_of("train"),
    params:
        entry=lambda wildcards: CONFIG.classifier(wildcards.classifier, wildcards.dataset),
        scheme=scheme_of_batch,
        batch=lambda wildcards: vars(Batch.named(wildcards.batch)),
        sources=lambda wildcards: sources_with("train", [wildcards.classifier])(wildcards),
    script:
        "../scripts/train.py"


# Permute: is a classifier's accuracy more than labels in random order would give? Its whole
# cross-validation, selection of features and all, is run again on permuted labels.
rule permute:
    input:
        series=SERIES,
    output:
        **{table: PERMUTED.fill(table=table) for table in PERMUTATION_TABLES},
    log:
        log_of("permute"),
    benchmark:
        benchmark_of("permute")
    conda:
        "../../envs/xnbflow.yaml"
    resources:
        mem_mb=memory_of("permute"),
        runtime=minutes_of("permute"),
    params:
        entry=lambda wildcards: CONFIG.classifier(wildcards.classifier, wildcards.dataset),
        n_permutations=lambda wildcards: study_of(wildcards).permutations[wildcards.classifier],
        sources=lambda wildcards: sources_with("train", [wildcards.classifier])(wildcards),
    script:
        "../scripts/permute.py"
