"""A job of *diagnose*: the audit and the tests of one data set."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.diagnostic_tables import diagnose
from xnbflow.diagnostics.series_audit import audit
from xnbflow.inference.missingness import missing_values, values_at_limit
from xnbflow.inference.selection import selection
from xnbflow.inference.units import units
from xnbflow.tables.contract import AUDIT_TABLES, DIAGNOSTIC_TABLES
from xnbflow.tables.finding_table import finding_table
from xnbflow.tables.storage import write_parquet


def diagnose_data_set(
    series: Path,
    *,
    tests: Mapping[str, Any] | None,
    folder: Path,
) -> None:
    """Write the tables of diagnostics and of the audit of a series into a folder.

    ``tests`` are the settings of the tests of normality and dependence, see
    `xnbflow.diagnostics.diagnostic_tables.diagnose`; None if no study has them.
    """
    data = DataSet.read(series)
    tables = diagnose(data, tests) | audit(data)
    checks = (missing_values, values_at_limit, selection, units)
    further = finding_table(finding for check in checks for finding in check(data))
    tables["findings"] = pd.concat([tables["findings"], further], ignore_index=True)
    schemas = {**DIAGNOSTIC_TABLES, **AUDIT_TABLES}
    for name, table in tables.items():
        write_parquet(table, folder / f"{name}.parquet", schemas[name])
