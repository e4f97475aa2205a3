"""Seek the files of one optional data set."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_code, start_job

start_job(snakemake)

from xnbflow.sources.seeking import places_table, seek, write_availability
from xnbflow.sources.sheet import SheetRow
from xnbflow.tables.contract import PLACES_TABLE
from xnbflow.tables.storage import write_parquet

dataset = SheetRow(**snakemake.params.dataset).with_files(snakemake.params.files)
sought = seek(dataset, **snakemake.config["download"])
check_code(snakemake)
write_parquet(places_table(dataset.id, sought.origins), snakemake.output.places, PLACES_TABLE)
write_availability(sought, snakemake.output.availability)
