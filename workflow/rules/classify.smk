# Classify: draw the folds of a data set and train the classifiers of a job on them; check the classifiers that
# come first; fit models to all samples.
from xnbflow.running.plan import MODEL_FILES
from xnbflow.tables.contract import SERIES


rule classify:
    input:
        series=SERIES,
        given=PLAN.folds_file,
    output:
        **GROUPS["folds"].files,
        **GROUPS["training"].files,
        **GROUPS["random_genes"].files,
        usage=usage_of("classify"),
    log:
        log_of("classify"),
    # Jobs of the largest series are first, since they are last to end.
    priority: lambda wildcards: 1 - 1 / (1 + PLAN.sheet_mb(wildcards))
    conda:
        "../../envs/xnbflow.yaml"
    resources:
        mem_mb=lambda wildcards, input, attempt: requested(
            1300, per_mb=6, size_mb=input.size_mb, attempt=attempt
        ),
        runtime=lambda wildcards, input, attempt: PLAN.job_repeats(wildcards)
        * requested(120, per_mb=3, size_mb=input.size_mb, attempt=attempt),
    params:
        entries=PLAN.job_entries,
        scheme=PLAN.scheme,
        tested=PLAN.tested,
        code=computing_code(),
        methods=PLAN.job_code,
    message:
        "Training the classifiers of the job {wildcards.job} on {wildcards.dataset} ({wildcards.folds})"
    script:
        "../scripts/classify.py"


# Check: a label test, learning curves, and fits to disjoint halves of the samples.
rule check:
    input:
        series=SERIES,
    output:
        **GROUPS["check"].files,
        usage=usage_of("check"),
    log:
        log_of("check"),
    priority: lambda wildcards: 1 - 1 / (1 + PLAN.sheet_mb(wildcards))
    conda:
        "../../envs/xnbflow.yaml"
    resources:
        mem_mb=lambda wildcards, input, attempt: requested(
            1300, per_mb=6, size_mb=input.size_mb, attempt=attempt
        ),
        runtime=lambda wildcards, input, attempt: requested(
            120, per_mb=3, size_mb=input.size_mb, attempt=attempt
        ),
    params:
        entries=PLAN.checked_entries,
        tested=PLAN.tested_with,
        halved=PLAN.halved,
        n_pairs=lambda wildcards: PLAN.study(wildcards).halves,
        code=computing_code(),
        methods=PLAN.checked_code,
    message:
        "Checking the first classifiers of {wildcards.study} on {wildcards.dataset}"
    script:
        "../scripts/check.py"


# Models: a classifier fitted to all samples, with the figures of its cross-validation.
rule models:
    input:
        unpack(PLAN.training_of_model),
        series=SERIES,
    output:
        **MODEL_FILES,
        usage=usage_of("models"),
    log:
        log_of("models"),
    conda:
        "../../envs/xnbflow.yaml"
    resources:
        mem_mb=lambda wildcards, input, attempt: requested(
            1300, per_mb=6, size_mb=input.size_mb, attempt=attempt
        ),
        runtime=lambda wildcards, input, attempt: requested(
            120, per_mb=3, size_mb=input.size_mb, attempt=attempt
        ),
    params:
        entry=PLAN.entry,
        origin=PLAN.origin,
        trained=PLAN.trained_beside,
        halved=PLAN.halved,
        code=computing_code(),
        methods=PLAN.classifier_code,
    message:
        "Fitting {wildcards.classifier} to all samples of {wildcards.dataset}"
    script:
        "../scripts/models.py"


# Permute: compare a classifier's accuracy with that on permuted labels. The whole cross-validation, with
# selection of features, is repeated on permuted labels.
rule permute:
    input:
        series=SERIES,
    output:
        **GROUPS["permutation"].files,
        usage=usage_of("permute"),
    log:
        log_of("permute"),
    conda:
        "../../envs/xnbflow.yaml"
    resources:
        mem_mb=lambda wildcards, input, attempt: requested(
            1300, per_mb=6, size_mb=input.size_mb, attempt=attempt
        ),
        runtime=lambda wildcards, input, attempt: requested(
            240, per_mb=12, size_mb=input.size_mb, attempt=attempt
        ),
    params:
        entry=PLAN.entry,
        n_permutations=PLAN.n_permutations,
        code=computing_code(),
        methods=PLAN.classifier_code,
    message:
        "Permuting the labels of {wildcards.dataset} for {wildcards.classifier}"
    script:
        "../scripts/permute.py"
