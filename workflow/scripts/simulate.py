"""Simulate one data set and write its series, and beside it the planted truth."""

from xnbflow.jobs import start_job

start_job(snakemake.log[0], snakemake.threads)

from xnbflow.sources.simulate import simulate_dataset
from xnbflow.tables import write_parquet

series, truth = simulate_dataset(snakemake.params.dataset)
series.write(snakemake.output.series)
write_parquet(truth, snakemake.output.truth)
