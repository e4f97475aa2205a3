"""Test the models of one study on second cohorts, and combine its series."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import end_job, start_job

start_job(snakemake)

from xnbflow.jobs.cohorts import compare_cohorts

compare_cohorts(
    [Path(path) for path in snakemake.input.series],
    **snakemake.params.arguments,
    tables_folder=Path(snakemake.output.tables),
    model_folder=Path(snakemake.output.model),
)

end_job()
