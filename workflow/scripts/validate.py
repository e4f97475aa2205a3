"""Test the models of one study on second cohorts."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import start_job

start_job(snakemake)

from xnbflow.jobs.validate import validate_models

validate_models(
    [Path(path) for path in snakemake.input.series],
    entries=snakemake.params.entries,
    pairs=snakemake.params.pairs,
    folder=Path(snakemake.output.tables[0]).parent,
)
