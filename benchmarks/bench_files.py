"""GEO series matrices and tables to series: MB of text per processor second, peak memory.

Each file is read in a process of its own, after a small one, so that imports do not count.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from rows import row

N_FEATURES = 54_675
SAMPLE = "s{}"
LABEL = "ab"
REPEATS = 3

READ = """
import json, sys, time, warnings
from pathlib import Path
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.geo import read_geo
from xnbflow.sources.table import read_table
warnings.simplefilter("ignore")
source, orientation, small, path = sys.argv[1:]
label = "diagnosis" if source == "geo" else "class"
options = {} if source == "geo" else {"samples": orientation}
key = "id" if orientation == "rows" else None
dataset = DatasetEntry("x", source, path, label=label, id_column=key, **options)
read = read_geo if source == "geo" else read_table
def status(key):
    return int(Path("/proc/self/status").read_text().split(key + ":")[1].split()[0]) * 1024
read(small, dataset)
before, start = status("VmRSS"), time.process_time()
series = read(path, dataset)
print(json.dumps([time.process_time() - start, status("VmHWM") - before, series.values.nbytes]))
"""


def rows() -> list[dict]:
    """Measure, and return the rows of the table of benchmarks."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return [
            *measured(
                "GEO series matrix, gzipped",
                source="geo",
                samples="columns",
                folder=folder,
                write=matrix_file,
                n_samples=100,
            ),
            *measured(
                "table, samples in columns",
                source="table",
                samples="columns",
                folder=folder,
                write=columns_file,
                n_samples=400,
            ),
            *measured(
                "table, samples in rows",
                source="table",
                samples="rows",
                folder=folder,
                write=rows_file,
                n_samples=400,
            ),
        ]


def measured(
    work: str,
    *,
    source: str,
    orientation: str,
    folder: Path,
    write: Callable[[Path, int, int], int],
    n_samples: int,
) -> list[dict]:
    """Return the rows of one kind of file: the speed and the memory."""
    small = folder / f"small-{write.__name__}"
    large = folder / f"large-{write.__name__}"
    write(small, 6, 20)
    megabytes = write(large, n_samples, N_FEATURES) / 1e6
    runs = [run(source, orientation, small, large) for _ in range(REPEATS)]
    seconds = min(run[0] for run in runs)
    peak = max(run[1] for run in runs) / 1e6
    large.unlink()
    work = f"{work} ({megabytes:.0f} MB of text)"
    speed = megabytes / seconds
    memory = f"{peak / megabytes:.2f} times the text"
    matrix = f"the matrix alone {runs[0][2] / 1e6 / megabytes:.2f} times"
    return [
        row(
            f"{work} to series",
            "100 MB per processor second",
            seconds,
            megabytes / 100,
            note=f"{speed:.0f} MB/s",
        ),
        row(
            f"{work}, peak memory",
            "three times the text",
            ratio=3 * megabytes / peak,
            note=f"{memory} above imports, {matrix}",
        ),
    ]


def run(source: str, orientation: str, small: Path, large: Path) -> list[float]:
    """Read a file in a process of its own; return its seconds, its peak and the matrix' bytes."""
    done = subprocess.run(
        [sys.executable, "-c", READ, source, orientation, str(small), str(large)],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return json.loads(done.stdout)


def matrix_file(path: Path, n_samples: int, n_features: int) -> int:
    """Write a gzipped series matrix; return the bytes of its text."""
    plain = path.with_suffix(".plain")
    names = [f'"GSM{i + 100_000}"' for i in range(n_samples)]
    states = [f'"diagnosis: {LABEL[i % 2]}"' for i in range(n_samples)]
    with plain.open("w") as file:
        file.write('!Series_title\t"made"\n!Series_geo_accession\t"GSE1"\n')
        file.write("\t".join(["!Sample_geo_accession", *names]) + "\n")
        file.write("\t".join(["!Sample_characteristics_ch1", *states]) + "\n")
        file.write("!series_matrix_table_begin\n" + "\t".join(['"ID_REF"', *names]) + "\n")
        for number, values in enumerate(random_rows(n_features, n_samples)):
            file.write("\t".join([f'"{number}_at"', *values]) + "\n")
        file.write("!series_matrix_table_end\n")
    with plain.open("rb") as source, gzip.open(path, "wb", 6) as packed:
        shutil.copyfileobj(source, packed)
    size = plain.stat().st_size
    plain.unlink()
    return size


def columns_file(path: Path, n_samples: int, n_features: int) -> int:
    """Write a table with a column for each sample; return its bytes."""
    with path.open("w") as file:
        file.write(",".join(["gene", *map(SAMPLE.format, range(n_samples))]) + "\n")
        file.write(",".join(["class", *(LABEL[i % 2] for i in range(n_samples))]) + "\n")
        for number, values in enumerate(random_rows(n_features, n_samples)):
            file.write(",".join([f"g{number}", *values]) + "\n")
    return path.stat().st_size


def rows_file(path: Path, n_samples: int, n_features: int) -> int:
    """Write a table with a row for each sample; return its bytes."""
    with path.open("w") as file:
        file.write(",".join(["id", "class", *(f"g{i}" for i in range(n_features))]) + "\n")
        for number, values in enumerate(random_rows(n_samples, n_features)):
            file.write(",".join([SAMPLE.format(number), LABEL[number % 2], *values]) + "\n")
    return path.stat().st_size


def random_rows(n_rows: int, n_columns: int) -> Iterator[list[str]]:
    """Yield rows of logged intensities with six decimals, as RMA writes them."""
    rng = np.random.default_rng(0)
    for _ in range(n_rows):
        yield [f"{value:.6f}" for value in rng.normal(8, 2, n_columns)]
