"""Acquire one data set: write its canonical series, findings, and planted markers."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import end_job, start_job

start_job(snakemake)

from xnbflow.jobs.acquire import acquire_data_set
from xnbflow.sources.dataset_entry import read_entry

entry = read_entry(snakemake.wildcards.dataset, snakemake.params.arguments["entry"])
acquire_data_set(
    entry.with_files(dict(snakemake.input.items())),
    series=Path(snakemake.output.series),
    findings=Path(snakemake.output.findings),
    truth=Path(snakemake.output.truth),
    checksums=Path(snakemake.output.checksums),
    downloads=snakemake.config["download"],
)

end_job()
