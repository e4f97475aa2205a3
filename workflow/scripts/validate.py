"""Test the models of one study on second cohorts."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_code, start_job

start_job(snakemake)

from xnbflow.data.dataset import DataSet
from xnbflow.models.validation import validate_all
from xnbflow.tables.contract import VALIDATION_TABLES
from xnbflow.tables.storage import digest_of_file, write_tables

cohorts = {}
for path in snakemake.input.series:
    cohort = DataSet.read(path)
    cohorts[cohort.name] = cohort
tables = validate_all(cohorts, snakemake.params.entries, snakemake.params.pairs)
check_code(snakemake)
digests = " ".join(map(digest_of_file, snakemake.input.series))
folder = Path(snakemake.output.tables[0]).parent
write_tables(tables, folder, VALIDATION_TABLES, digests)
