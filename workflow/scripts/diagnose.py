"""Test one series for normality and conditional dependence, and compare its classes."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.workflow.jobs import check_sources, start_job

start_job(snakemake)

from xnbflow.data.contract import DIAGNOSTIC_TABLES
from xnbflow.data.dataset import DataSet
from xnbflow.data.tables import write_parquet, write_tsv
from xnbflow.diagnostics.tables import diagnose

tables = diagnose(DataSet.read(snakemake.input.series), **snakemake.params.settings)
check_sources(snakemake)
for name, table in tables.items():
    write_parquet(table, snakemake.output[name], DIAGNOSTIC_TABLES[name])
write_tsv(tables["genes"], snakemake.output.genes_text)
