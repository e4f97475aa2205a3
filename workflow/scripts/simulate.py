"""Simulate one data set and write its series, and beside it the planted truth."""

from xnbflow.jobs import start_job

start_job(snakemake)

from xnbflow.sources.acquisition import acquire
from xnbflow.sources.dataset import DataSet
from xnbflow.sources.simulate import write_truth

dataset = DataSet(**snakemake.params.dataset)
acquire(dataset).write(snakemake.output.series)
write_truth(dataset, snakemake.output.truth)
