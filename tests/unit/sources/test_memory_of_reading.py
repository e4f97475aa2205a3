"""Memory of reading: a multiple of the text, in each orientation."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

#: Reads a small table, then a large one; prints by how many bytes the peak of memory rose.
READ = Path(__file__).with_name("peak_of_reading.py")
SOURCE = Path(__file__).parents[3] / "workflow" / "src"


def write_table(path, n_lines, n_columns, orientation):
    """Write numbers of five decimals, the classes in the first column or in the last line."""
    cells = np.random.default_rng(0).integers(*b"0:", (n_lines, n_columns, 8), np.uint8)
    cells[:, :, 1] = ord(".")
    cells[:, :, 7] = ord(",")
    cells[:, -1, 7] = ord("\n")
    names = ",".join(f"n{i}" for i in range(n_columns))
    with path.open("wb") as file:
        if orientation == "rows":
            file.write(f"class,{names}\n".encode())
            for i, row in enumerate(cells):
                file.write(f"{'ab'[i % 2]},".encode() + row.tobytes())
        else:
            file.write(f",{names}\n".encode())
            for i, row in enumerate(cells):
                file.write(f"r{i},".encode() + row.tobytes())
            labels = ",".join("ab"[i % 2] for i in range(n_columns))
            file.write(f"class,{labels}\n".encode())


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="reads /proc")
@pytest.mark.parametrize(
    ("orientation", "small", "large"),
    [("rows", (6, 20), (300, 15_000)), ("columns", (20, 6), (15_000, 300))],
)
def test_a_table_of_36_mb_takes_at_most_three_times_its_text(tmp_path, orientation, small, large):
    write_table(tmp_path / "small.csv", *small, orientation)
    write_table(tmp_path / "large.csv", *large, orientation)
    size = (tmp_path / "large.csv").stat().st_size
    assert size > 35e6
    finished = subprocess.run(
        [sys.executable, READ, orientation, tmp_path / "small.csv", tmp_path / "large.csv"],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    assert int(finished.stdout) < 3 * size
