"""Run one analysis of a study and write its tables."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_sources, start_job

start_job(snakemake)

from xnbflow.data.analysis_job import run_analysis

run_analysis(
    snakemake.wildcards.analysis,
    snakemake.input,
    snakemake.params,
    snakemake.output[0],
    snakemake.threads,
    lambda: check_sources(snakemake),
)
