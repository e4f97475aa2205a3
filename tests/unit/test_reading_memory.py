"""Reading a file takes little more memory than the matrix that is in it."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells the peak"),
]

READ = """
import sys, warnings
from pathlib import Path
from xnbflow.data.sources.sheet_row import SheetRow
from xnbflow.data.sources.table import read_table
warnings.simplefilter("ignore")
def status(key):
    return int(Path("/proc/self/status").read_text().split(key + ":")[1].split()[0]) * 1024
orientation, small, large = sys.argv[1:]
dataset = SheetRow("x", "table", label="class", orientation=orientation)
read_table(small, dataset)
before = status("VmRSS")
read_table(large, dataset)
print(status("VmHWM") - before)
"""


def write(path, orientation, n_samples, n_features):
    rng = np.random.default_rng(0)
    cells = np.char.mod("%.5f", rng.normal(8, 2, (n_features, n_samples))).astype(object)
    table = np.vstack([["a", "b"] * (n_samples // 2), cells])
    names = np.array(["class", *(f"g{i}" for i in range(n_features))], dtype=object)[:, None]
    samples = np.array(["", *(f"s{i}" for i in range(n_samples))], dtype=object)[None]
    table = np.vstack([samples, np.hstack([names, table])])
    table = table.T if orientation == "rows" else table
    path.write_text("".join(",".join(row) + "\n" for row in table.tolist()))


@pytest.mark.parametrize("orientation", ["rows", "columns"])
def test_a_table_takes_at_most_three_times_its_text(tmp_path, orientation):
    write(tmp_path / "small.csv", orientation, 6, 20)
    write(tmp_path / "large.csv", orientation, 300, 15_000)
    paths = [str(tmp_path / f"{size}.csv") for size in ("small", "large")]
    run = subprocess.run(
        [sys.executable, "-c", READ, orientation, *paths],
        check=True,
        capture_output=True,
        env={"PYTHONPATH": str(Path(__file__).parents[2] / "workflow" / "src")},
    )
    assert int(run.stdout) < 3 * (tmp_path / "large.csv").stat().st_size
