"""Run one analysis of a study and write its tables."""

from xnbflow.jobs import start_job

start_job(snakemake.log[0], snakemake.threads)

from xnbflow.analyses import find_analysis
from xnbflow.contract import STUDY_TABLES
from xnbflow.published import PublishedTables
from xnbflow.series import Series
from xnbflow.tables import read_parquet, write_tables

analysis = find_analysis(snakemake.wildcards.analysis)
series = {read.name: read for read in map(Series.read, snakemake.input.series)}
params = dict(snakemake.params.params)
if snakemake.input.folds:
    params["folds"] = snakemake.input.folds[0]
study = {
    n: read_parquet(p, STUDY_TABLES[n])
    for n, p in zip(analysis.needs, snakemake.input.study, strict=True)
}
tables = analysis.compute(series, params, snakemake.threads)
tables |= analysis.compare(snakemake.params.about, study, PublishedTables(snakemake.params.paper))
write_tables(tables, snakemake.output[0], analysis.tables)
