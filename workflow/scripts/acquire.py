"""Acquire one data set and write its canonical series."""

from xnbflow.jobs import start_job

start_job(snakemake.log[0], snakemake.threads)

from pathlib import Path

from xnbflow.sources.acquire import acquire

series = acquire(
    snakemake.params.dataset, downloads=Path("resources/downloads"), **snakemake.params.download
)
series.write(snakemake.output[0])
