"""On a cluster where jobs fail a study ends with the tables of a local run."""

import subprocess

import pytest
from integration.conftest import ROOT, STUDY, prepare, snakemake, snakemake_command, tables
from slurm import CPUS, Cluster, why_not

TINY = {"title": "A tiny study", "datasets": ["wine"], "classifiers": ["nb"]}
TINY |= {"folds": ["2-fold"], "diagnostics": False}
SMALL = STUDY | {"folds": {"2-fold": {"splits": 2}}, "studies": {"tiny": TINY}}
CLASSIFY = "classify_2-fold_nb"
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


class Study:
    """A study that runs on a cluster."""

    def __init__(self, cluster, folder, study, *arguments):
        self.cluster, self.folder = cluster, prepare(folder, study)
        command = snakemake_command(self.folder, "--profile", str(ROOT / "config/profiles/slurm"))
        del command[command.index("--cores") : command.index("--cores") + 2]
        command += ["--slurm-status-command", "squeue"]
        command += ["--slurm-init-seconds-before-status-checks", "1"]
        command += ["--seconds-between-status-checks", "1", "--latency-wait", "10"]
        self._log = self.folder / "out.txt"
        with self._log.open("w") as out:
            self._process = subprocess.Popen(
                [*command, *arguments], env=cluster.environment, stdout=out, stderr=out
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
            self.cluster.cancel_all()

    @property
    def said(self):
        """What Snakemake wrote so far."""
        return self._log.read_text()

    def running(self, rule):
        """Wait for a job of a rule to run; returns it."""

        def found():
            assert self._process.poll() is None, self.said
            return self.cluster.running(rule)

        return self.cluster.wait_for(found, 400)

    def end(self):
        """Wait until all is done."""
        assert self._process.wait(timeout=900) == 0, self.said

    def jobs(self, rule):
        """The jobs of a rule, in order."""
        return [job for job in self.cluster.jobs() if job["rule"] == rule]


@pytest.mark.slurm
def test_a_study_ends_with_the_tables_of_a_local_run_whatever_befalls_it(cluster, local, tmp_path):
    arguments = ("all", "--set-resources", f"compare:{TOO_LITTLE}", "--max-threads", str(CPUS))
    with Study(cluster, tmp_path / "work", SMALL, *arguments) as study:
        for rule in ("acquire", CLASSIFY):
            cluster.run("scancel", study.running(rule)["id"])
        study.end()
        assert tables(study.folder) == tables(local)
        ends = {
            rule: [job["state"] for job in study.jobs(rule)]
            for rule in ("compare", "acquire", CLASSIFY)
        }
        assert ends["acquire"] == ends[CLASSIFY] == ["CANCELLED", "COMPLETED"]
        assert len(ends["compare"]) == 2
        assert ends["compare"][1] == "COMPLETED"
        # a job asks for twice as much after a failure, and for no more CPUs than --max-threads
        for rule in ("acquire", CLASSIFY):
            first, second = (int(job["memory"].rstrip("M")) for job in study.jobs(rule))
            assert second == pytest.approx(2 * first, abs=1)
        assert all(int(job["cpus"]) <= CPUS for job in cluster.jobs())
        asked = {job["rule"] for job in cluster.jobs()}
        assert asked == {"acquire", "diagnose", CLASSIFY, "compare", "report"}
