"""The paper's size: eighteen simulated series of Table 1's shapes, through the whole workflow.

    python -m benchmarks.paper_scale [cores] [data set ...]

The series are written as CSV files in CuMiDa's layout and served on 127.0.0.1. The workflow then
downloads, diagnoses, classifies and reports them as it would the real ones. Prints where the
processor seconds went, stage by stage, wall time, peak memory of all processes together, the share
of process start-up, and the processor seconds of the whole beside those of the same kernels in one
process.
"""

import ast
import contextlib
import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pandas as pd
import psutil
from benchmarks.cumida_files import write_cumida_csv

from xnbflow.core.seeds import derive_seed
from xnbflow.running.job_process import THREAD_VARIABLES
from xnbflow.running.project import default_configuration
from xnbflow.sources.dataset_entry import DatasetEntry, read_entry
from xnbflow.sources.simulate import simulate_series

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "results" / "benchmarks" / "paper-scale"
#: What Snakemake puts before each script, and what stands for the job that it gives it.
SNAKEMAKES_OWN = """import snakemake.logging, snakemake.iocontainers
from types import SimpleNamespace as Job
snakemake = Job(rule="", wildcards={}, threads=1, input=[], log=["log"], params={"code": ""})"""


def main(cores: int, names: list[str]) -> None:
    """Prepare the files, serve them, run the study and print what it cost."""
    mirror = FOLDER / "mirror"
    datasets = default_configuration(ROOT)["datasets"]
    names = names or [name for name in datasets if name.startswith("sim-")]
    entries = [read_entry(name, datasets[name]) for name in names]
    for entry in entries:
        write_series(entry, mirror)
    work = FOLDER / "run"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    server = serve(mirror)
    before = os.times()
    try:
        seconds, peak = run(work, f"http://127.0.0.1:{server.server_port}", cores, names)
    finally:
        server.shutdown()
    whole = children_seconds(before)
    kernel = kernel_seconds(work, cores)
    kernels = sum(kernel.values())
    stages = recorded(work / "results" / "logs")
    start_up(stages)
    jobs = int(stages["jobs"].sum())
    starting = stages["start"].sum()
    megabytes = sum(path_of(entry, mirror).stat().st_size for entry in entries) / 1e6
    print(f"{megabytes:.0f} MB of CSV files, {jobs} jobs on {cores} cores; processor seconds:")
    print(f"{'stage':16}{'jobs':>6}{'start':>8}{'work':>8}{'kernels':>9}")
    for stage, row in stages.iterrows():
        of_stage = [seconds for name, seconds in kernel.items() if name.startswith(stage)]
        alone = f"{sum(of_stage):9.1f}" if of_stage else ""
        print(f"{stage:16}{row.jobs:6.0f}{row.start:8.1f}{row.work:8.1f}{alone}")
    rest = whole - stages["work"].sum() - starting
    print(f"{'Snakemake':16}{1:6}{'':8}{rest:8.1f}")
    print()
    print(f"wall time               {seconds:7.1f} s")
    print(f"peak memory, all        {peak / 1e9:7.2f} GB")
    print(f"start-up of the jobs    {starting:7.1f} s of processor time")
    print(f"share of start-up       {100 * starting / cores / seconds:7.1f} % of wall time")
    print(f"processor time, all     {whole:7.1f} s")
    print(f"the kernels alone       {kernels:7.1f} s:")
    for name, taken in kernel.items():
        print(f"    {name:28}{taken:7.1f} s")
    print(f"all by the kernels      {whole / kernels:7.2f}")


def path_of(dataset: DatasetEntry, mirror: Path) -> Path:
    """Return where CuMiDa would have a data set."""
    kind, name = dataset.location.split("/")
    return mirror / kind / name / f"{kind}_{name}.csv"


def write_series(dataset: DatasetEntry, mirror: Path) -> None:
    """Simulate a series of the data set's shape and write it where CuMiDa would have it."""
    name = dataset.location.partition("/")[2]
    path = path_of(dataset, mirror)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        shape = dataset.shape
        series, _ = simulate_series(
            name, shape.samples, shape.features, shape.classes, derive_seed(name)
        )
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


def run(work: Path, url: str, cores: int, names: list[str]) -> tuple[float, int]:
    """Run the study; return wall seconds and the peak of memory in bytes of all processes."""
    download = json.dumps({"base_urls": {"cumida": [url]}})
    studies = json.dumps({"paper-scale": {"datasets": names}})
    command = [
        *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")),
        *("--directory", str(work), "--cores", str(cores), "paper-scale"),
        *("--config", f"download={download}", f"studies={studies}"),
    ]
    # a cluster that does not answer costs seconds; so do modules whose bytecode is not kept
    alone = {**os.environ, "SLURM_CONF": os.devnull, "PYTHONDONTWRITEBYTECODE": ""}
    start = time.perf_counter()
    with (work / "log.txt").open("w") as log:
        process = psutil.Popen(command, stdout=log, stderr=log, env=alone)
        peak = 0
        while process.poll() is None:
            peak = max(peak, memory(process))
            time.sleep(2)
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


def children_seconds(before: os.times_result) -> float:
    """Return the processor seconds of the processes that this one has waited for since then."""
    after = os.times()
    user = after.children_user - before.children_user
    return user + after.children_system - before.children_system


def kernel_seconds(work: Path, cores: int) -> dict[str, float]:
    """Return the processor seconds of what each stage computes, without a workflow.

    These are the diagnostics of each series, and the folds and each check of the classifiers;
    reading and writing, tables over all of them and pages do not count. As many processes as cores
    run side by side, with a thread each, as the jobs do: cores that are both busy are slower than
    one alone.
    """
    command = [sys.executable, "-m", "benchmarks.paper_scale_kernels"]
    alone = {**os.environ, **dict.fromkeys(THREAD_VARIABLES, "1")}
    processes = []
    for number in range(cores):
        arguments = [str(work / "results"), str(number), str(cores)]
        processes.append(
            subprocess.Popen(
                [*command, *arguments], cwd=ROOT, env=alone, stdout=subprocess.PIPE, text=True
            )
        )
    results = [json.loads(process.communicate()[0]) for process in processes]
    return pd.DataFrame(results).sum().to_dict()


def recorded(logs: Path) -> pd.DataFrame:
    """Return ``jobs`` and processor ``seconds`` of each stage, from the ends of their logs."""
    rows = []
    for path in logs.rglob("*.log"):
        stage = path.relative_to(logs).parts[0]
        *_, seconds = re.findall(r"([\d.]+) processor seconds", path.read_text())
        rows.append((stage, float(seconds)))
    table = pd.DataFrame(rows, columns=["stage", "seconds"]).groupby("stage")["seconds"]
    return table.agg(jobs="size", seconds="sum").sort_values("seconds", ascending=False)


def start_up(stages: pd.DataFrame) -> None:
    """Add what each stage's jobs took before (``start``) and in their first work (``work``).

    The start is that of jobs that do their imports and nothing else.
    """
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        seconds_of_stage = pd.Series(
            {stage: start_seconds(f"{stage}.py") for stage in stages.index}
        )
    stages["start"] = seconds_of_stage * stages["jobs"]
    stages["work"] = stages["seconds"] - stages["start"]


def start_seconds(script: str, repeats: int = 5) -> float:
    """Return the processor seconds of a job that starts, imports what a script does, and ends."""
    statements = ast.parse((ROOT / "workflow/scripts" / script).read_text()).body
    lines = [SNAKEMAKES_OWN]
    for statement in statements:
        line = ast.unparse(statement)
        if isinstance(statement, ast.Import | ast.ImportFrom) or line == "start_job(snakemake)":
            lines.append(line)
    program = Path(script)
    program.write_text("\n".join(lines))
    before = spent()
    for _ in range(repeats):
        environ = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT / "workflow/src")}
        subprocess.run([sys.executable, program], env=environ, check=True)
    return (spent() - before) / repeats


def spent() -> float:
    """Return the processor seconds of all processes that this one has waited for."""
    times = os.times()
    return times.children_user + times.children_system


if __name__ == "__main__":
    asked = sys.argv[1:]
    main(int(asked[0]) if asked else os.cpu_count(), asked[1:])
