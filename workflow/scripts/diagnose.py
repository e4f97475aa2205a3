"""Test one series for normality and conditional dependence."""

from xnbflow.jobs import start_job

start_job(snakemake)

from xnbflow.contract import DIAGNOSTIC_TABLES
from xnbflow.diagnostics.tables import diagnose
from xnbflow.series import Series
from xnbflow.tables import write_parquet

tables = diagnose(Series.read(snakemake.input.series), **snakemake.params.settings)
for name, table in tables.items():
    write_parquet(table, snakemake.output[name], DIAGNOSTIC_TABLES[name])
