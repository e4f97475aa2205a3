"""The seconds of a study of one series, from its file to its page: `xnbflow study` and a run.

    python -m benchmarks.one_series [--samples 60] [--features 20000] [--classes 2] [--runs 3]

The series is simulated and is a CSV file in CuMiDa's layout. The study has the defaults of `xnbflow
study`. The first run, which may compile kernels, is not counted.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.cumida_files import write_cumida_csv

from xnbflow.sources.simulate import simulate_series

#: Settings, and words of the command, of a run that shows that it computes something.
SMALL: dict[str, object] = {}
SMALL_WORDS = ("--samples", "20", "--features", "200", "--runs", "1")


def main(words: list[str]) -> None:
    """Print wall and processor seconds of the proposal and of each run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.one_series")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--samples", type=int, default=60)
    parser.add_argument("--features", type=int, default=20_000)
    parser.add_argument("--classes", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args(words)
    series, _ = simulate_series(
        "one",
        arguments.samples,
        n_features=arguments.features,
        n_classes=arguments.classes,
        seed=1,
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_cumida_csv(series, folder / "one.csv")
        print(f"{'':16}{'by the clock':>14}{'processor':>12}")
        show("xnbflow study", seconds_of(["study", "one.csv", "-o", "one"], folder))
        for number in range(arguments.runs + 1):
            shutil.rmtree(folder / "results", ignore_errors=True)  # each run computes everything
            seconds = seconds_of(["run", "one", "--cores", str(arguments.cores)], folder)
            if number:
                show(f"run {number}", seconds)


def show(what: str, seconds: tuple[float, float]) -> None:
    """Print a row."""
    wall, processor = seconds
    print(f"{what:16}{wall:12.1f} s{processor:10.1f} s", flush=True)


def seconds_of(words: list[str], folder: Path) -> tuple[float, float]:
    """Return the wall and processor seconds of a command of `xnbflow` and all its processes."""
    # a cluster that does not answer costs seconds; so do modules whose bytecode is not kept
    alone = {**os.environ, "SLURM_CONF": os.devnull, "PYTHONDONTWRITEBYTECODE": ""}
    command = [str(Path(sys.executable).with_name("xnbflow")), *words]
    before = os.times()
    start = time.perf_counter()
    done = subprocess.run(
        command, check=False, cwd=folder, env=alone, capture_output=True, text=True
    )
    wall = time.perf_counter() - start
    after = os.times()
    if done.returncode:
        sys.exit(f"{' '.join(words)} failed:\n{done.stdout}{done.stderr}")
    user = after.children_user - before.children_user
    return wall, user + after.children_system - before.children_system


if __name__ == "__main__":
    main(sys.argv[1:])
