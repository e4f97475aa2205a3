"""Draw the figures of one study."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import start_job, working_directory

start_job(snakemake)

from xnbflow.jobs.draw import draw_study
from xnbflow.running.config import study_of_job

draw_study(
    study_of_job(snakemake),
    labels=snakemake.params.labels,
    configuration=snakemake.params.configuration,
    root=working_directory(snakemake),
    threads=snakemake.threads,
)
