"""Run one analysis of a study and write its tables."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_code, start_job

start_job(snakemake)

from xnbflow.studies.analysis_job import run_analysis

run_analysis(
    snakemake.wildcards.analysis,
    files=snakemake.input,
    params=snakemake.params,
    folder=snakemake.output.tables,
    downloads=snakemake.config["download"],
    threads=snakemake.threads,
    check=lambda: check_code(snakemake),
)
