"""Seek the files of one optional data set."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import start_job

start_job(snakemake)

from xnbflow.jobs.seek import seek_data_set
from xnbflow.sources.dataset_entry import read_entry

seek_data_set(
    read_entry(snakemake.wildcards.dataset, snakemake.params.dataset).with_files(
        snakemake.params.files
    ),
    availability=Path(snakemake.output.availability),
    places=Path(snakemake.output.places),
    downloads=snakemake.config["download"],
)
