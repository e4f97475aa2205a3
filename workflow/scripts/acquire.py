"""Acquire one data set and write its canonical series."""

from xnbflow.workflow.jobs import start_job

start_job(snakemake)

from xnbflow.data.contract import NOTES_TABLE
from xnbflow.data.sources.acquisition import acquire_noting
from xnbflow.data.sources.sheet import SheetRow
from xnbflow.data.tables import write_parquet

dataset = SheetRow(**snakemake.params.dataset).with_files(dict(snakemake.input.items()))
series, notes = acquire_noting(
    dataset,
    lock=snakemake.params.lock,
    **snakemake.config["download"],
)
series.write(snakemake.output.series)
write_parquet(notes, snakemake.output.notes, NOTES_TABLE)
