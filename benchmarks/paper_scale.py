"""The paper's size: eighteen simulated series of Table 1's shapes, through the whole workflow.

    python -m benchmarks.paper_scale

The series are written as CSV files in CuMiDa's layout and served on 127.0.0.1. The workflow then
downloads, diagnoses, classifies and reports them as it would the real ones. Prints wall time, peak
memory of all processes together, and the share of process start-up.
"""

import ast
import functools
import http.server
import json
import os
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import psutil

from xnbflow.seeds import derive_seed
from xnbflow.sources.cumida import write_cumida_csv
from xnbflow.sources.sheet import read_sheet
from xnbflow.sources.simulate import simulate_series

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "results" / "benchmarks" / "paper-scale"
#: What Snakemake puts before each script.
SNAKEMAKES_OWN = "import snakemake.logging, snakemake.iocontainers"


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
    jobs, starting = start_up(work / "results" / "benchmarks")
    megabytes = sum(path.stat().st_size for path in mirror.rglob("*.csv")) / 1e6
    print(f"{megabytes:.0f} MB of CSV files, {jobs} jobs on {cores} cores")
    print(f"wall time               {seconds:7.1f} s")
    print(f"peak memory, all        {peak / 1e9:7.2f} GB")
    print(f"start-up of the jobs    {starting:7.1f} s of processor time")
    print(f"share of start-up       {100 * starting / cores / seconds:7.1f} % of wall time")


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


def start_up(benchmarks: Path) -> tuple[int, float]:
    """Return how many jobs ran, and the processor seconds they took before their first work.

    For each script that is the time of a process that does its imports and nothing else.
    """
    paths = [path.relative_to(benchmarks) for path in benchmarks.rglob("*.tsv")]
    jobs = Counter(path.parts[0].removesuffix(".tsv") for path in paths)
    scripts = ROOT / "workflow" / "scripts"
    seconds = [n * import_seconds(scripts / f"{rule}.py") for rule, n in jobs.items()]
    return jobs.total(), sum(seconds)


def import_seconds(script: Path) -> float:
    """Return the median processor seconds of a script's imports, as Snakemake runs it."""
    statements = ast.parse(script.read_text()).body
    imports = [each for each in statements if isinstance(each, ast.Import | ast.ImportFrom)]
    first, *others = map(ast.unparse, imports)
    program = "\n".join([SNAKEMAKES_OWN, first, f"start_job({os.devnull!r}, 1)", *others])
    samples = []
    for _ in range(5):
        before = os.times()
        subprocess.run([sys.executable, "-c", program], check=True)
        after = os.times()
        user = after.children_user - before.children_user
        samples.append(user + after.children_system - before.children_system)
    return statistics.median(samples)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else os.cpu_count())
