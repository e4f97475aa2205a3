"""Train one classifier over a batch of folds of one data set."""

from xnbflow.workflow.jobs import start_job

start_job(snakemake)

from xnbflow.data.contract import TRAINING_TABLES
from xnbflow.data.dataset import DataSet
from xnbflow.data.tables import write_parquet
from xnbflow.evaluation.training import train_batch

outcome = train_batch(
    DataSet.read(snakemake.input.series),
    snakemake.params.entry,
    predefined=snakemake.input.folds,
    **snakemake.params.batch,
)
for name, table in TRAINING_TABLES.items():
    write_parquet(getattr(outcome, name), snakemake.output[name], table)
