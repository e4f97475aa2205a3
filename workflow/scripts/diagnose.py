"""Look over one series: its genes, the audit, normality and conditional dependence."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.workflow.jobs import check_sources, start_job

start_job(snakemake)

from xnbflow.data.contract import AUDIT_TABLES, DIAGNOSTIC_TABLES
from xnbflow.data.dataset import DataSet
from xnbflow.data.tables import write_parquet, write_tsv
from xnbflow.diagnostics.audit import audit
from xnbflow.diagnostics.tables import diagnose

series = DataSet.read(snakemake.input.series)
tables = diagnose(series, snakemake.params.tests) | audit(series)
check_sources(snakemake)
for name, table in tables.items():
    write_parquet(table, snakemake.output[name], (DIAGNOSTIC_TABLES | AUDIT_TABLES)[name])
write_tsv(tables["genes"], snakemake.output.genes_text)
