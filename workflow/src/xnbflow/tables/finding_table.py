"""The table ``findings`` of a data set, from findings."""

from collections.abc import Iterable

import pandas as pd

from xnbflow.core.findings import Finding
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import table_of


def finding_table(findings: Iterable[Finding]) -> pd.DataFrame:
    """Return findings as the table of a data set; columns of numbers are floats without rows, too.

    Examples
    --------
    >>> finding = Finding(code="repeats", kind="copies", numbers={"count": 2, "total": 24})
    >>> finding_table([finding])[["code", "kind", "allows", "count"]].values.tolist()
    [['repeats', 'copies', 'partly supported', 2.0]]
    """
    schema = GROUPS["audit"].tables["findings"]
    table = table_of([finding.columns() for finding in findings], schema)
    numbers = [name for name, column in schema.columns.items() if column.type == "number"]
    return table.astype(dict.fromkeys(numbers, float))
