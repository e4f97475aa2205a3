"""Run one analysis of a study and write its tables."""

from xnbflow.jobs import start_job

start_job(snakemake.log[0], snakemake.threads)

import importlib

from xnbflow.contract import analysis_tables
from xnbflow.series import Series
from xnbflow.tables import write_tables

analysis = importlib.import_module(f"xnbflow.analyses.{snakemake.wildcards.analysis}.compute")
series = {read.name: read for read in map(Series.read, snakemake.input.series)}
params = dict(snakemake.params.params)
if snakemake.input.folds:
    params["folds"] = snakemake.input.folds[0]
tables = analysis.analyse(series, params, snakemake.threads)
write_tables(tables, snakemake.output[0], analysis_tables(snakemake.wildcards.analysis))
