"""A run that is killed at any time, by any signal, ends with the tables of a run that was not.

It takes hours, and runs only if it is asked for:
`pytest -m accidents tests/acceptance/test_kills.py`.
XNBFLOW_KILLS says how many kills (48), XNBFLOW_KILL_SEED which.
"""

import os
import random
import signal
import subprocess
import time
from collections import Counter

import pandas as pd
import pytest
from integration.conftest import STUDY, prepare, snakemake_command

KILLS = int(os.environ.get("XNBFLOW_KILLS", "48"))
SEED = int(os.environ.get("XNBFLOW_KILL_SEED", "0"))
SMALL = STUDY | {"studies": {"tiny": STUDY["studies"]["tiny"] | {"datasets": ["wine"]}}}


def started(folder, *arguments):
    with (folder / "out.txt").open("a") as out:
        command = snakemake_command(folder, *arguments)
        return subprocess.Popen(command, stdout=out, stderr=out, start_new_session=True)


def contents(folder):
    """Every table that a run leaves, in bytes; of recorded seconds only the rest."""
    found = {}
    for path in sorted([*folder.glob("results/**/*.*"), *folder.glob("resources/**/*.*")]):
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".parquet":
            table = pd.read_parquet(path)
            timed = [column for column in table if "seconds" in column]
            found[name] = table.drop(columns=timed).to_csv() if timed else path.read_bytes()
        elif path.suffix in {".gmt", ".skops"}:
            found[name] = path.read_bytes()
    return found


def killed(rng, process):
    """Send a signal to a run and its jobs, to Snakemake alone, or to one of its jobs alone."""
    number = rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
    whom = rng.choice(["all", "all", "Snakemake", "job"])
    listed = ["ps", "-o", "pid=", "--ppid", str(process.pid)]
    jobs = subprocess.run(listed, capture_output=True, text=True, check=False).stdout.split()
    if whom == "job" and jobs:
        os.kill(int(rng.choice(jobs)), number)
    elif whom == "Snakemake":
        process.send_signal(number)
        time.sleep(2)
        os.killpg(process.pid, signal.SIGKILL)  # what it left behind
    else:
        os.killpg(process.pid, number)
    process.wait(300)
    return f"{number.name} to {whom}"


@pytest.mark.accidents
def test_a_killed_run_started_again_gives_the_same_tables(tmp_path):
    rng, kills, run = random.Random(SEED), Counter(), 0
    folder = prepare(tmp_path / "whole", SMALL)
    start = time.monotonic()
    assert started(folder).wait() == 0
    seconds, expected = time.monotonic() - start, contents(folder)
    while kills.total() < KILLS:
        run += 1
        folder = prepare(tmp_path / f"run-{run}", SMALL)
        for _ in range(4):
            process, until = started(folder), time.monotonic() + rng.uniform(2, seconds)
            while process.poll() is None and time.monotonic() < until:
                time.sleep(0.05)
            if process.poll() is not None:
                assert process.returncode == 0
                break
            kills[killed(rng, process)] += 1
            assert started(folder, "--unlock").wait() == 0
        assert started(folder).wait() == 0
        found = contents(folder)
        assert [n for n in {**found, **expected} if found.get(n) != expected.get(n)] == []
        print(f"{kills.total()} kills, {run} runs, all tables equal: {dict(kills)}", flush=True)
