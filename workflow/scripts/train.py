"""Train one classifier over a batch of folds of one data set."""

from xnbflow.jobs import start_job

start_job(snakemake)

from xnbflow.contract import TRAINING_TABLES
from xnbflow.evaluation.folds import folds_of_repeat
from xnbflow.evaluation.training import train
from xnbflow.series import Series
from xnbflow.tables import write_parquet

series, batch = Series.read(snakemake.input.series), snakemake.params.batch
folds = folds_of_repeat(series, batch["splits"], batch["repeat"], snakemake.input.folds)
outcome = train(series, folds, snakemake.params.entry, batch["repeat"], batch["folds"])
for name, table in TRAINING_TABLES.items():
    write_parquet(getattr(outcome, name), snakemake.output[name], table)
