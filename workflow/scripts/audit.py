"""Look one series over for what makes accuracies unreliable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.workflow.jobs import check_sources, start_job

start_job(snakemake)

from xnbflow.data.contract import AUDIT_TABLES
from xnbflow.data.dataset import DataSet
from xnbflow.data.tables import write_parquet
from xnbflow.diagnostics.audit import audit

tables = audit(DataSet.read(snakemake.input.series))
check_sources(snakemake)
for name, table in tables.items():
    write_parquet(table, snakemake.output[name], AUDIT_TABLES[name])
