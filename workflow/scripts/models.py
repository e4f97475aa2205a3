"""Fit one classifier to all samples of a data set and store it as a model."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import start_job

start_job(snakemake)

from xnbflow.jobs.models import fit_kept_model

fit_kept_model(
    snakemake.wildcards.classifier,
    snakemake.params.entry,
    series=Path(snakemake.input.series),
    origin=snakemake.params.origin,
    predictions=Path(snakemake.input.predictions),
    selected=Path(snakemake.input.selected),
    trained_classifiers=snakemake.params.trained_classifiers,
    halves=next(map(Path, snakemake.input.halves), None),
    halves_classifiers=snakemake.params.halves_classifiers,
    folder=Path(snakemake.output.model).parent,
)
