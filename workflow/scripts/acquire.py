"""Acquire one data set: write its canonical series, notes, and what was planted in it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.workflow.jobs import check_sources, start_job

start_job(snakemake)

from xnbflow.data.contract import NOTES_TABLE
from xnbflow.data.sources.acquisition import acquire_noting
from xnbflow.data.sources.sheet_row import SheetRow
from xnbflow.data.sources.simulate import write_truth
from xnbflow.data.tables import write_parquet

dataset = SheetRow(**snakemake.params.dataset).with_files(dict(snakemake.input.items()))
series, notes = acquire_noting(
    dataset,
    reader=snakemake.params.reader,
    lock=snakemake.params.lock,
    **snakemake.config["download"],
)
check_sources(snakemake)
series.write(snakemake.output.series)
write_parquet(notes, snakemake.output.notes, NOTES_TABLE)
write_truth(dataset, snakemake.output.truth)
