"""Run one analysis of a study and write its tables."""

from xnbflow.jobs import start_job

start_job(snakemake.log[0], snakemake.threads)

import importlib
from pathlib import Path

from xnbflow.series import Series
from xnbflow.tables import write_parquet, write_tsv

analysis = importlib.import_module(snakemake.params.module)
series = {read.name: read for read in map(Series.read, snakemake.input.series)}
params = dict(snakemake.params.params)
if snakemake.input.folds:
    params["folds"] = snakemake.input.folds[0]
tables = analysis.analyse(series, params, snakemake.threads)
for name, table in tables.items():
    write_parquet(table, Path(snakemake.output[0]) / f"{name}.parquet")
    write_tsv(table, Path(snakemake.output[0]) / f"{name}.tsv")
