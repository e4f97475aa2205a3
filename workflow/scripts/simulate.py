"""Simulate one data set and write its series, and beside it the planted truth."""

from xnbflow.jobs import start_job

start_job(snakemake.log[0], snakemake.threads)

from xnbflow.sources.acquisition import acquire
from xnbflow.sources.simulate import write_truth

acquire(snakemake.params.dataset).write(snakemake.output.series)
write_truth(snakemake.params.dataset, snakemake.output.truth)
