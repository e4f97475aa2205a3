"""The workflow depends on no executor: whatever runs its jobs, the tables are the same."""

import sys

import yaml
from integration.conftest import prepare, snakemake, tables

#: As a queue's command does: take a script, answer with a number, run the script some time later.
SUBMIT = """
import os, subprocess, sys
*asked, script = sys.argv[1:]
log = open("queue.log", "a")
job = subprocess.Popen(["sh", script], stdout=log, stderr=log, start_new_session=True)
with open("submitted.txt", "a") as file:
    print(*asked, file=file)
print(job.pid)
"""

ASKED = "{rule} {threads} {resources.mem_mb} {resources.runtime}"


def test_jobs_submitted_by_a_script_make_the_tables_of_a_local_run(finished, tmp_path):
    folder = prepare(tmp_path / "work")
    (folder / "submit.py").write_text(SUBMIT)
    profile = {
        "executor": "cluster-generic",
        "cluster-generic-submit-cmd": f"{sys.executable} submit.py {ASKED}",
        "jobs": 2,
        "local-cores": 1,
        "latency-wait": 10,
        "seconds-between-status-checks": 1,
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(profile))
    done = snakemake(folder, "--profile", str(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    assert tables(folder) == tables(finished)
    asked = [line.split() for line in (folder / "submitted.txt").read_text().splitlines()]
    rules = {"acquire", "diagnose", "classify_3-fold_nb", "compare", "report"}
    assert {rule for rule, *_ in asked} == rules
    assert all(int(number) > 0 for _, *numbers in asked for number in numbers)
