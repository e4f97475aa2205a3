"""Write a tab-separated table of almost a megabyte."""

import numpy as np
import pandas as pd

from xnbflow.tables.contract import Column, TableSchema
from xnbflow.tables.storage import write_tsv

schema = TableSchema("part", "", "", {"x": Column("integer")})
write_tsv(pd.DataFrame({"x": np.arange(131072)}), "part.tsv", schema)
