"""The paper's size: eighteen simulated series of Table 1's shapes, through the whole workflow.

    python -m benchmarks.paper_scale

The series are written as CSV files in CuMiDa's layout and served on 127.0.0.1. The workflow then
downloads, diagnoses, classifies and reports them as it would the real ones. Prints wall time, peak
memory of all processes together, and the share of process start-up.
"""

import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil

from xnbflow.seeds import derive_seed
from xnbflow.sources.cumida import write_cumida_csv
from xnbflow.sources.sheet import read_sheet
from xnbflow.sources.simulate import simulate_series

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "results" / "benchmarks" / "paper-scale"
IMPORTS = "import numpy, pandas, pyarrow.parquet, numba, sklearn.base, snakemake.script"


def main(cores: int) -> None:
    """Prepare the files, serve them, run the study and print what it cost."""
    mirror = FOLDER / "mirror"
    for dataset in read_sheet(ROOT / "config" / "datasets.tsv").values():
        if dataset.id.startswith("sim-"):
            write_series(dataset, mirror)
    work = FOLDER / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    server = serve(mirror)
    try:
        seconds, peak = run(work, f"http://127.0.0.1:{server.server_port}", cores)
    finally:
        server.shutdown()
    jobs = len(list((work / "results/benchmarks").rglob("*.tsv")))
    start_up = start_up_seconds()
    megabytes = sum(path.stat().st_size for path in mirror.rglob("*.csv")) / 1e6
    print(f"{megabytes:.0f} MB of CSV files, {jobs} jobs on {cores} cores")
    print(f"wall time               {seconds:7.1f} s")
    print(f"peak memory, all        {peak / 1e9:7.2f} GB")
    print(f"start-up of a job       {start_up:7.2f} s of processor time")
    print(f"share of start-up       {100 * jobs * start_up / cores / seconds:7.1f} % of wall time")


def write_series(dataset: object, mirror: Path) -> None:
    """Simulate a series of the data set's shape and write it where CuMiDa would have it."""
    kind, name = dataset.location.split("/")
    path = mirror / kind / name / f"{kind}_{name}.csv"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        shape = (dataset.samples, dataset.features, dataset.classes)
        series, _ = simulate_series(name, *shape, derive_seed(name))
        write_cumida_csv(series, path)


def serve(folder: Path) -> http.server.ThreadingHTTPServer:
    """Serve a folder on a free port of 127.0.0.1, in a thread."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def run(work: Path, url: str, cores: int) -> tuple[float, int]:
    """Run the study; return wall seconds and the peak of all its processes' memory in bytes."""
    download = json.dumps({"base_urls": {"cumida": [url]}})
    command = [
        *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")),
        *("--directory", str(work), "--cores", str(cores), "paper-scale"),
        *("--config", f"download={download}"),
    ]
    start = time.perf_counter()
    with (work / "log.txt").open("w") as log:
        process = psutil.Popen(command, stdout=log, stderr=log)
        peak = 0
        while process.poll() is None:
            peak = max(peak, memory(process))
            time.sleep(0.2)
    seconds = time.perf_counter() - start
    if process.returncode:
        sys.exit(f"the study failed; see {work / 'log.txt'}")
    return seconds, peak


def memory(process: psutil.Process) -> int:
    """Return the memory of a process and its children, shared pages counted once."""
    total = 0
    for member in [process, *process.children(recursive=True)]:
        try:
            total += member.memory_full_info().pss
        except psutil.Error:
            continue  # it has ended since
    return total


def start_up_seconds() -> float:
    """Return the processor seconds that a job takes before its first line of work."""
    before = os.times()
    for _ in range(5):
        subprocess.run([sys.executable, "-c", IMPORTS], check=True)
    after = os.times()
    used = after.children_user - before.children_user + after.children_system
    return (used - before.children_system) / 5


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else os.cpu_count())
