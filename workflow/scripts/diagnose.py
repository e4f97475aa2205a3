"""Diagnose one series: the audit, normality and conditional dependence."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_code, start_job

start_job(snakemake)

from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.diagnostic_tables import diagnose
from xnbflow.diagnostics.series_audit import audit
from xnbflow.tables.contract import AUDIT_TABLES, DIAGNOSTIC_TABLES
from xnbflow.tables.storage import digest_of_file, write_parquet

series = DataSet.read(snakemake.input.series)
schemas = DIAGNOSTIC_TABLES | AUDIT_TABLES
tables = diagnose(series, snakemake.params.tests) | audit(series)
check_code(snakemake)
digest = digest_of_file(snakemake.input.series)
for name, table in tables.items():
    write_parquet(table, snakemake.output[name], schemas[name], digest)
