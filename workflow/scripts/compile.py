"""Compile the kernels of one method, so that many first jobs do not all do it at once."""

from xnbflow.workflow.jobs import start_job

start_job(snakemake)

import importlib
from pathlib import Path

importlib.import_module(snakemake.params.module).compile_ahead(snakemake.params.entry)
Path(snakemake.output[0]).touch()
