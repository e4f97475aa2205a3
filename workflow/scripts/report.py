"""Write the report of one study, and the index of all reports."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_sources, start_job

start_job(snakemake)

from xnbflow.report.study_page import write_study
from xnbflow.running.config import read_studies

write_study(
    snakemake.wildcards.study,
    read_studies(snakemake.config),
    snakemake.config["classifiers"],
    snakemake.params.results,
    snakemake.output,
    snakemake.threads,
    lambda: check_sources(snakemake),
)
