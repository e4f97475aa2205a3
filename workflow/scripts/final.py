"""Fit one classifier on all samples of one data set and keep it."""

from xnbflow.jobs import start_job

start_job(snakemake)

from xnbflow.contract import TRAINING_TABLES
from xnbflow.models.final import final_model, write_final
from xnbflow.series import Series
from xnbflow.tables import read_parquet

series = Series.read(snakemake.input.series)
tables = {
    name: read_parquet(snakemake.input[name], TRAINING_TABLES[name])
    for name in ("predictions", "selected")
}
model = final_model(series, snakemake.params.entry, origin=snakemake.params.origin, **tables)
write_final(model, series, snakemake.output)
