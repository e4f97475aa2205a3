"""Acquire one data set and write its canonical series."""

from xnbflow.jobs import start_job

start_job(snakemake.log[0], snakemake.threads)

from xnbflow.sources.acquisition import acquire
from xnbflow.sources.sheet import DataSet

dataset = DataSet(**snakemake.params.dataset).with_files(dict(snakemake.input.items()))
acquire(dataset, **snakemake.config["download"]).write(snakemake.output[0])
