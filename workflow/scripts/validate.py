"""Test the models of one study on second cohorts."""

from xnbflow.workflow.jobs import start_job

start_job(snakemake)

from xnbflow.data.contract import VALIDATION, VALIDATION_TABLES
from xnbflow.data.dataset import DataSet
from xnbflow.data.tables import write_tables
from xnbflow.models.validation import validate_all

read = [DataSet.read(path) for path in snakemake.input.series]
series = {each.name: each for each in read}
tables = validate_all(series, snakemake.params.entries, snakemake.params.pairs)
write_tables(tables, VALIDATION.of(study=snakemake.wildcards.study), VALIDATION_TABLES)
