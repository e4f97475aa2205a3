"""Simulate one data set and write its series, and beside it the planted truth."""

from xnbflow.workflow.jobs import start_job

start_job(snakemake)

from xnbflow.data.sources.acquisition import acquire
from xnbflow.data.sources.sheet import SheetRow
from xnbflow.data.sources.simulate import write_truth

dataset = SheetRow(**snakemake.params.dataset)
acquire(dataset).write(snakemake.output.series)
write_truth(dataset, snakemake.output.truth)
