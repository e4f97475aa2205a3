"""Train one classifier over a batch of folds of one data set."""

from xnbflow.jobs import start_job

start_job(snakemake.log[0], snakemake.threads)

from xnbflow.contract import FOLDS_TABLE, TRAINING_TABLES
from xnbflow.evaluation.training import train
from xnbflow.series import Series
from xnbflow.tables import read_parquet, write_parquet

outcome = train(
    Series.read(snakemake.input.series),
    read_parquet(snakemake.input.folds, FOLDS_TABLE),
    snakemake.params.entry,
    snakemake.params.batch.repeat,
    snakemake.params.batch.folds,
)
for name, table in TRAINING_TABLES.items():
    write_parquet(getattr(outcome, name), snakemake.output[name], table)
