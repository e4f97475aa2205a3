"""Tell what the classifiers of one study make of single features and samples."""

from pathlib import Path

from xnbflow.jobs import start_job

start_job(snakemake)

from xnbflow.contract import DESCRIPTION_TABLES
from xnbflow.evaluation.description import description_tables
from xnbflow.tables import write_tables

tables = description_tables(snakemake.params.owners, snakemake.params.entries, snakemake.input)
write_tables(tables, Path(snakemake.output[0]).parent, DESCRIPTION_TABLES)
