"""Diagnose one series: the audit, normality and conditional dependence."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import start_job

start_job(snakemake)

from xnbflow.jobs.diagnose import diagnose_data_set

diagnose_data_set(
    Path(snakemake.input.series),
    tests=snakemake.params.tests,
    folder=Path(snakemake.output.findings).parent,
)
