"""Compare the features of one series between its classes, by the design of a study."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import start_job

start_job(snakemake)

from xnbflow.core.study import Design
from xnbflow.jobs.genes import compare_features

compare_features(
    Path(snakemake.input.series),
    Design(**snakemake.params.design),
    folder=Path(snakemake.output.genes).parent,
)
