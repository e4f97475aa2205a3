"""On a cluster where jobs fail a study ends with the tables of a local run."""

import os
import subprocess
import sys

import pytest
from integration.conftest import ROOT, STUDY, prepare, snakemake, snakemake_command, tables
from slurm import CPUS, Cluster, is_left_over, why_not

TINY = {"title": "A tiny study", "datasets": ["wine"], "classifiers": ["nb"]}
TINY |= {"folds": ["2-fold"], "diagnostics": False}
SMALL = STUDY | {"folds": {"2-fold": {"splits": 2}}, "studies": {"tiny": TINY}}
#: Memory that no job does with at its first attempt, and plenty at its second.
TOO_LITTLE = "mem_mb=60*40**(attempt-1)"


def test_a_killed_cluster_leaves_a_configuration_that_the_next_one_replaces():
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    assert is_left_over(f"# a test\nClusterName=xnbflow{ended.pid}\n")
    assert not is_left_over(f"ClusterName=xnbflow{os.getpid()}\n")
    assert not is_left_over("ClusterName=institute\n")


@pytest.fixture
def cluster(tmp_path_factory):
    """A SLURM cluster on this machine."""
    if reason := why_not():
        pytest.skip(reason)
    with Cluster(tmp_path_factory.mktemp("slurm")) as started:
        yield started


#: Tables of the rule that writes the study's tables.
TABLES = [
    "results/studies/tiny/tables/summary.parquet",
    "results/studies/tiny/tables/estimates.parquet",
]


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """The folder of the same study, run to its end without a cluster."""
    if reason := why_not():
        pytest.skip(reason)
    folder = prepare(tmp_path_factory.mktemp("local"), SMALL)
    snakemake(folder)
    return folder


class RunningStudy:
    """A study that runs on a cluster; a context, which ends it."""

    def __init__(self, cluster, folder, *options):
        self.cluster, self.folder = cluster, prepare(folder, SMALL)
        command = snakemake_command(self.folder, "--profile", str(ROOT / "profiles/slurm"))
        del command[command.index("--cores") : command.index("--cores") + 2]
        command += ["--slurm-status-command", "squeue", "--latency-wait", "10"]
        command += ["--slurm-init-seconds-before-status-checks", "1"]
        command += ["--seconds-between-status-checks", "1", *options]
        self.log = self.folder / "out.txt"
        with self.log.open("w") as out:
            self._process = subprocess.Popen(
                command, env=cluster.environment, stdout=out, stderr=out
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()

    def wait(self):
        assert self._process.wait(timeout=1800) == 0, self.log.read_text()


@pytest.mark.slurm
def test_a_study_ends_with_the_tables_of_a_local_run_though_jobs_fail(cluster, local, tmp_path):
    options = ("all", "--set-resources", f"genes:{TOO_LITTLE}", "--max-threads", str(CPUS))
    with RunningStudy(cluster, tmp_path / "work", *options) as study:
        for rule in ("acquire", "classify"):
            cluster.run("scancel", cluster.wait_for_job(rule)["id"])
        study.wait()
    folder = study.folder
    assert tables(folder) == tables(local)
    jobs = {rule: cluster.jobs_of(rule) for rule in ("genes", "acquire", "classify")}
    assert len(jobs["genes"]) == 2
    assert jobs["genes"][1]["state"] == "COMPLETED"
    # a job asks for twice as much after a failure, and for no more CPUs than --max-threads
    for rule in ("acquire", "classify"):
        assert [job["state"] for job in jobs[rule]] == ["CANCELLED", "COMPLETED"]
        first, second = (int(job["memory"].rstrip("M")) for job in jobs[rule])
        assert second == pytest.approx(2 * first, abs=1)
    assert all(int(job["cpus"]) <= CPUS for job in cluster.jobs())
    asked = {job["rule"] for job in cluster.jobs()}
    assert asked == {
        "acquire",
        "diagnose",
        "genes",
        "classify",
        "check",
        "end_compare_report",  # one job of two rules
    }


@pytest.mark.slurm
@pytest.mark.nightly
def test_jobs_of_a_lost_node_and_jobs_over_their_time_are_repeated(cluster, local, tmp_path):
    with RunningStudy(cluster, tmp_path / "work", *TABLES) as study:
        late = cluster.wait_for_job("acquire")
        cluster.end_time_of(late["id"])
        lost = cluster.wait_for_job("classify")
        cluster.fail_node(lost["node"])
        study.wait()
    assert tables(study.folder) == tables(local)
    # Snakemake submits a job that was over its time again
    assert [job["state"] for job in cluster.jobs_of("acquire")] == ["TIMEOUT", "COMPLETED"]
    # SLURM itself puts the job of a lost node back
    (again,) = cluster.jobs_of("classify")
    assert again["id"] == lost["id"]
    assert again["state"] == "COMPLETED"
    assert again["node"] != lost["node"]
