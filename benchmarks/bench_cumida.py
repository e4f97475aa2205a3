"""A CuMiDa CSV file of 100 MB to Parquet: seconds against pandas, MB per second, peak memory."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
from cumida_files import write_cumida_csv
from rows import row
from timing import alternate, median_seconds

from xnbflow.sources.cumida import read_cumida_csv
from xnbflow.sources.simulate import simulate_series

#: 100 MB of text
N_SAMPLES = 100
N_FEATURES = 54_675
N_CLASSES = 5


def rows() -> list[dict]:
    """Measure, and return the rows of the table of benchmarks."""
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder))
        return [convert(path), read(path), memory(path)]


def shown() -> list[dict]:
    """Return the row that docs/performance.md shows."""
    with tempfile.TemporaryDirectory() as folder:
        return [convert(written(Path(folder)))]


def written(folder: Path) -> Path:
    path = folder / "big.csv"
    write_cumida_csv(
        simulate_series("big", N_SAMPLES, n_features=N_FEATURES, n_classes=N_CLASSES, seed=1)[0],
        path,
    )
    return path


def size(path: Path) -> float:
    """Return a file's megabytes."""
    return path.stat().st_size / 1e6


def convert(path: Path) -> dict:
    def ours() -> None:
        read_cumida_csv(path, "big").write(path.with_name("ours.parquet"))

    def peer() -> None:
        pd.read_csv(path).to_parquet(path.with_name("pandas.parquet"))

    work = f"CuMiDa CSV ({size(path):.0f} MB) to Parquet"
    return row(work, "pandas.read_csv + to_parquet", *alternate(ours, peer), target=4.0, shown=True)


def read(path: Path) -> dict:
    megabytes = size(path)

    def ours() -> None:
        read_cumida_csv(path, "big")

    seconds = median_seconds(ours)
    note = f"{megabytes / seconds:.0f} MB/s"
    return row("CuMiDa CSV to series", "100 MB/s", seconds, megabytes / 100, note=note)


def memory(path: Path) -> dict:
    code = """if True:
        import json, sys
        from xnbflow.sources.cumida import read_cumida_csv
        def status(key):
            lines = open("/proc/self/status").read().splitlines()
            return next(int(line.split()[1]) for line in lines if line.startswith(key)) / 1e3
        before = status("VmRSS")
        series = read_cumida_csv(sys.argv[1], "big")
        series.write(sys.argv[1] + ".parquet")
        print(json.dumps([before, status("VmHWM")]))
    """
    run = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    before, peak = json.loads(run.stdout)
    used = peak - before
    megabytes = size(path)
    note = f"{used:.0f} MB above the {before:.0f} MB of imports, file {megabytes:.0f} MB"
    work = "CuMiDa CSV to Parquet, peak memory"
    return row(work, "twice the file", ratio=2 * megabytes / used, note=note)
