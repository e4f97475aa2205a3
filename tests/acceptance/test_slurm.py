"""On a cluster where jobs fail a study ends with the tables of a local run."""

import subprocess

import pytest
from integration.conftest import ROOT, STUDY, prepare, snakemake, snakemake_command, tables
from slurm import CPUS, Cluster, why_not

TINY = {"title": "A tiny study", "datasets": ["wine"], "classifiers": ["nb"]}
TINY |= {"folds": ["2-fold"], "diagnostics": False}
SMALL = STUDY | {"folds": {"2-fold": {"splits": 2}}, "studies": {"tiny": TINY}}
#: Memory that no job does with at its first attempt, and plenty at its second.
TOO_LITTLE = "mem_mb=60*40**(attempt-1)"


@pytest.fixture
def cluster(tmp_path_factory):
    """A SLURM cluster on this machine."""
    if reason := why_not():
        pytest.skip(reason)
    with Cluster(tmp_path_factory.mktemp("slurm")) as started:
        yield started


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """The folder of the same study, run without a cluster as far as its tables."""
    folder = prepare(tmp_path_factory.mktemp("local"), SMALL)
    snakemake(folder, "results/studies/tiny/summary.parquet")
    return folder


@pytest.mark.slurm
def test_a_study_ends_with_the_tables_of_a_local_run_though_jobs_fail(cluster, local, tmp_path):
    folder = prepare(tmp_path / "work", SMALL)
    command = snakemake_command(folder, "--profile", str(ROOT / "config/profiles/slurm"), "all")
    del command[command.index("--cores") : command.index("--cores") + 2]
    command += ["--set-resources", f"compare:{TOO_LITTLE}", "--max-threads", str(CPUS)]
    command += ["--slurm-status-command", "squeue", "--latency-wait", "10"]
    command += ["--slurm-init-seconds-before-status-checks", "1"]
    command += ["--seconds-between-status-checks", "1"]
    with (folder / "out.txt").open("w") as out:
        process = subprocess.Popen(command, env=cluster.environment, stdout=out, stderr=out)
    try:
        for rule in ("acquire", "classify"):
            cluster.run("scancel", cluster.wait_for_job(rule)["id"])
        assert process.wait(timeout=900) == 0, (folder / "out.txt").read_text()
    finally:
        process.kill()
        process.wait()
    assert tables(folder) == tables(local)
    jobs = {rule: cluster.jobs_of(rule) for rule in ("compare", "acquire", "classify")}
    assert len(jobs["compare"]) == 2
    assert jobs["compare"][1]["state"] == "COMPLETED"
    # a job asks for twice as much after a failure, and for no more CPUs than --max-threads
    for rule in ("acquire", "classify"):
        assert [job["state"] for job in jobs[rule]] == ["CANCELLED", "COMPLETED"]
        first, second = (int(job["memory"].rstrip("M")) for job in jobs[rule])
        assert second == pytest.approx(2 * first, abs=1)
    assert all(int(job["cpus"]) <= CPUS for job in cluster.jobs())
    asked = {job["rule"] for job in cluster.jobs()}
    assert asked == {"acquire", "diagnose", "classify", "check", "compare", "report"}
