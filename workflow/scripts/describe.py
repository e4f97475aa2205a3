"""Tell what the classifiers of one study make of single features and samples."""

from pathlib import Path

from xnbflow.workflow.jobs import start_job

start_job(snakemake)

from xnbflow.data.contract import DESCRIPTION_TABLES
from xnbflow.data.tables import write_tables
from xnbflow.evaluation.description import description_tables

tables = description_tables(snakemake.params.owners, snakemake.params.entries, snakemake.input)
write_tables(tables, Path(snakemake.output[0]).parent, DESCRIPTION_TABLES)
