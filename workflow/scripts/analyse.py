"""Run one analysis of a study and write its tables."""

from xnbflow.workflow.jobs import start_job

start_job(snakemake)

import importlib

from xnbflow.data.contract import STUDY_TABLES, analysis_tables
from xnbflow.data.dataset import DataSet
from xnbflow.data.printed import PublishedTables
from xnbflow.data.tables import read_parquet, write_tables
from xnbflow.studies.registry import known_analyses

analysis = known_analyses()[snakemake.wildcards.analysis]
series = {read.name: read for read in map(DataSet.read, snakemake.input.series)}
params = dict(snakemake.params.params)
if snakemake.input.folds:
    params["folds"] = snakemake.input.folds[0]
study = {
    name: read_parquet(path, STUDY_TABLES[name])
    for name, path in zip(analysis.needs, snakemake.input.study, strict=True)
}
tables = importlib.import_module(analysis.compute).analyse(series, params, snakemake.threads)
if analysis.comparison:
    compare = importlib.import_module(analysis.comparison).compare
    tables |= compare(snakemake.params.about, study, PublishedTables(snakemake.params.paper))
write_tables(tables, snakemake.output[0], analysis_tables(analysis.contract))
