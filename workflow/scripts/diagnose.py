"""Test one series for normality and conditional dependence."""

from xnbflow.workflow.jobs import start_job

start_job(snakemake)

from xnbflow.data.contract import DIAGNOSTIC_TABLES
from xnbflow.data.dataset import DataSet
from xnbflow.data.tables import write_parquet
from xnbflow.diagnostics.tables import diagnose

tables = diagnose(DataSet.read(snakemake.input.series), **snakemake.params.settings)
for name, table in tables.items():
    write_parquet(table, snakemake.output[name], DIAGNOSTIC_TABLES[name])
