"""Run one analysis of a study and write its tables."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_sources, start_job

start_job(snakemake)

import importlib

from xnbflow.data.dataset import DataSet
from xnbflow.studies.registry import known_analyses
from xnbflow.tables.contract import PAPER, STUDY_TABLES, analysis_tables
from xnbflow.tables.printed import PublishedTables
from xnbflow.tables.storage import digest_of_file, read_parquet, write_tables

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
    paper = PublishedTables(Path(snakemake.scriptdir).parents[1] / PAPER)
    tables |= compare(snakemake.params.about, study, paper)
check_sources(snakemake)
digests = " ".join(map(digest_of_file, snakemake.input.series))
write_tables(tables, snakemake.output[0], analysis_tables(analysis), digests)
