"""Make the tables of one study from what its data sets and classifiers left behind."""

from pathlib import Path

from xnbflow.workflow.jobs import start_job

start_job(snakemake)

from xnbflow.data.contract import STUDY_TABLES
from xnbflow.data.tables import write_tables
from xnbflow.evaluation.study import study_tables

tables = study_tables(
    snakemake.params.about,
    snakemake.params.owners,
    snakemake.input,
    snakemake.params.alpha,
    snakemake.params.paper,
)
write_tables(tables, Path(snakemake.output[0]).parent, STUDY_TABLES)
