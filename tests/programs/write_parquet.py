"""Write a Parquet table of a megabyte."""

import numpy as np
import pyarrow as pa

from xnbflow.tables.parquet import parquet_writer

table = pa.table({"x": np.random.default_rng(0).normal(size=131072)})
with parquet_writer("part.parquet", table.schema) as writer:
    writer.write_table(table)
