"""Compile the kernels of one method, so that many first jobs do not all do it at once."""

from xnbflow.jobs import start_job

start_job(snakemake.log[0], snakemake.threads)

from pathlib import Path

from xnbflow.evaluation.warmup import compile_classifier, compile_diagnostics

if snakemake.params.entry is None:
    compile_diagnostics()
else:
    compile_classifier(snakemake.params.entry)
Path(snakemake.output[0]).touch()
