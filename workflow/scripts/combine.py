"""Combine several series of one question."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import import_skops, start_job

start_job(snakemake)
import_skops()

from xnbflow.core.study import Design
from xnbflow.jobs.combine import combine_series

combine_series(
    [Path(path) for path in snakemake.input.series],
    snakemake.params.entry,
    match=snakemake.params.match,
    harmonise=snakemake.params.harmonise,
    label=snakemake.params.label,
    designs={name: Design(**design) for name, design in snakemake.params.designs.items()},
    tables_folder=Path(snakemake.output.tables[0]).parent,
    model_folder=Path(snakemake.output.model).parent,
)
