"""Train one classifier over a batch of folds of one data set."""

from xnbflow.jobs import start_job

start_job(snakemake.log[0], snakemake.threads)

import pandas as pd

from xnbflow.evaluation.training import train
from xnbflow.layout import TRAINING_TABLES
from xnbflow.series import Series
from xnbflow.tables import write_parquet

outcome = train(
    Series.read(snakemake.input.series),
    pd.read_parquet(snakemake.input.folds),
    snakemake.params.entry,
    **snakemake.params.batch,
)
for table in TRAINING_TABLES:
    write_parquet(getattr(outcome, table), snakemake.output[table])
