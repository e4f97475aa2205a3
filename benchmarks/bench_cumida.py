"""A CuMiDa CSV file of 100 MB to Parquet, against pandas."""

import tempfile
from pathlib import Path

import pandas as pd
from benchmarks.cumida_files import write_cumida_csv
from benchmarks.rows import row
from benchmarks.timing import alternate

from xnbflow.sources.cumida import read_cumida_csv
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.simulate import simulate_series

#: 100 MB of text
N_SAMPLES = 100
N_FEATURES = 54_675
N_CLASSES = 5
#: Settings of a run that shows that the benchmark computes something.
SMALL = {"N_FEATURES": 2_000}


def rows() -> list[dict]:
    """Measure, and return the row of the table of benchmarks."""
    series = simulate_series("big", N_SAMPLES, n_features=N_FEATURES, n_classes=N_CLASSES, seed=1)[
        0
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "big.csv")
        entry = DatasetEntry("big", "cumida")
        write_cumida_csv(series, path)

        def ours() -> None:
            read_cumida_csv(path, entry).write(path.with_name("ours.parquet"))

        def peer() -> None:
            pd.read_csv(path).to_parquet(path.with_name("pandas.parquet"))

        work = f"CuMiDa CSV ({path.stat().st_size / 1e6:.0f} MB) to Parquet"
        return [row(work, "pandas.read_csv + to_parquet", *alternate(ours, peer))]
