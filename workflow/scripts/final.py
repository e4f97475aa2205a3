"""Fit one classifier on all samples of one data set and keep it."""

from xnbflow.workflow.jobs import start_job

start_job(snakemake)

from xnbflow.data.contract import TRAINING_TABLES
from xnbflow.data.dataset import DataSet
from xnbflow.data.tables import read_parquet
from xnbflow.models.final import final_model, write_final

series = DataSet.read(snakemake.input.series)
tables = {
    name: read_parquet(snakemake.input[name], TRAINING_TABLES[name])
    for name in ("predictions", "selected")
}
model = final_model(series, snakemake.params.entry, origin=snakemake.params.origin, **tables)
write_final(model, series, snakemake.output)
