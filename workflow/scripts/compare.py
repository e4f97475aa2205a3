"""Make the tables of one study from what its data sets and classifiers left behind."""

from xnbflow.jobs import start_job

start_job(snakemake.log[0], snakemake.threads)

from pathlib import Path

from xnbflow.evaluation.study import study_tables
from xnbflow.tables import write_parquet, write_tsv

tables = study_tables(
    snakemake.params.diagnosed, snakemake.input, snakemake.params.alpha, snakemake.params.paper
)
for name, table in tables.items():
    write_parquet(table, snakemake.output[name])
    write_tsv(table, Path(snakemake.output[name]).with_suffix(".tsv"))
