"""Test the models of one study on second cohorts."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.workflow.jobs import check_sources, start_job

start_job(snakemake)

from xnbflow.data.contract import VALIDATION_TABLES
from xnbflow.data.dataset import DataSet
from xnbflow.data.tables import digest_of_file, write_tables
from xnbflow.models.validation import validate_all

read = [DataSet.read(path) for path in snakemake.input.series]
series = {each.name: each for each in read}
tables = validate_all(series, snakemake.params.entries, snakemake.params.pairs)
check_sources(snakemake)
digests = " ".join(map(digest_of_file, snakemake.input.series))
write_tables(tables, Path(snakemake.output.tables[0]).parent, VALIDATION_TABLES, digests)
