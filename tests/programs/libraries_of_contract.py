"""Print the heavy libraries that are imported when the rules ask for the tables of analyses."""

import sys

from xnbflow.core.plugins import shipped_analyses
from xnbflow.tables import contract

for analysis in shipped_analyses().values():
    contract.analysis_tables(analysis)
print(sorted({"numpy", "pandas", "pyarrow", "numba"} & set(sys.modules)))
