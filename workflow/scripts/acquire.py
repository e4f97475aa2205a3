"""Acquire one data set and write its canonical series."""

from xnbflow.jobs import start_job

start_job(snakemake)

from xnbflow.contract import NOTES_TABLE
from xnbflow.sources.acquisition import acquire_noting
from xnbflow.sources.dataset import DataSet
from xnbflow.tables import write_parquet

dataset = DataSet(**snakemake.params.dataset).with_files(dict(snakemake.input.items()))
series, notes = acquire_noting(
    dataset,
    reader=snakemake.params.reader,
    lock=snakemake.params.lock,
    **snakemake.config["download"],
)
series.write(snakemake.output.series)
write_parquet(notes, snakemake.output.notes, NOTES_TABLE)
