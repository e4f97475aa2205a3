"""Train one classifier over a batch of folds of one data set."""

from xnbflow.jobs import start_job

start_job(snakemake)

from xnbflow.contract import TRAINING_TABLES
from xnbflow.evaluation.training import train_batch
from xnbflow.series import Series
from xnbflow.tables import write_parquet

outcome = train_batch(
    Series.read(snakemake.input.series),
    snakemake.params.entry,
    predefined=snakemake.input.folds,
    **snakemake.params.batch,
)
for name, table in TRAINING_TABLES.items():
    write_parquet(getattr(outcome, name), snakemake.output[name], table)
