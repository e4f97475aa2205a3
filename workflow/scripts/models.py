"""Fit one classifier to all samples of a data set and store it as a model."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import end_job, start_job

start_job(snakemake)

from xnbflow.jobs.models import fit_kept_model

fit_kept_model(
    snakemake.wildcards.classifier,
    **snakemake.params.arguments,
    series=Path(snakemake.input.series),
    training=Path(snakemake.input.training[0]).parent,
    checks=next((Path(path).parent for path in snakemake.input.checks), None),
    folder=Path(snakemake.output.model).parent,
)

end_job()
