"""Acquire one data set: write its canonical series, notes, and planted markers."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_code, start_job

start_job(snakemake)

from xnbflow.sources.acquisition import acquire_noting
from xnbflow.sources.seeking import origins_of
from xnbflow.sources.sheet import SheetRow
from xnbflow.sources.simulate import write_truth
from xnbflow.tables.contract import NOTES_TABLE, PLACES_TABLE
from xnbflow.tables.storage import read_parquet, write_parquet

files = {key: path for key, path in snakemake.input.items() if key != "places"}
dataset = SheetRow(**snakemake.params.dataset).with_files(files)
places = [read_parquet(path, PLACES_TABLE) for path in snakemake.input.places]
earlier = origins_of(places[0]) if places else {}
series, notes = acquire_noting(
    dataset, lock=snakemake.output.checksums, earlier=earlier, **snakemake.config["download"]
)
check_code(snakemake)
series.write(snakemake.output.series)
write_parquet(notes, snakemake.output.notes, NOTES_TABLE)
write_truth(dataset, snakemake.output.truth)
# acquire_noting writes no checksums of a data set without downloads; the rule promises the file
Path(snakemake.output.checksums).touch()
