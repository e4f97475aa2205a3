"""Fit one classifier to all samples of a data set and store it as a model."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_code, start_job

start_job(snakemake)

from xnbflow.models.final import fit_final

fit_final(
    snakemake.wildcards.classifier,
    files=snakemake.input,
    params=snakemake.params,
    outputs=snakemake.output,
    check_code=lambda: check_code(snakemake),
)
