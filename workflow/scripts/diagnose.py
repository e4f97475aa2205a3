"""Diagnose one series: the audit, normality and conditional dependence."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import end_job, start_job

start_job(snakemake)

import pandas as pd

from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.diagnostic_tables import diagnose
from xnbflow.diagnostics.series_audit import audit
from xnbflow.inference.missingness import missing_values, values_at_limit
from xnbflow.inference.selection import selection
from xnbflow.inference.units import units
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.finding_table import finding_table
from xnbflow.tables.storage import write_parquet

series = DataSet.read(snakemake.input.series)
tables = diagnose(series, **snakemake.params.arguments) | audit(series)
checks = (missing_values, values_at_limit, selection, units)
further = finding_table(finding for check in checks for finding in check(series))
tables["findings"] = pd.concat([tables["findings"], further], ignore_index=True)
for name, schema in {**GROUPS["diagnostic"].tables, **GROUPS["audit"].tables}.items():
    write_parquet(tables[name], snakemake.output[name], schema)

end_job()
