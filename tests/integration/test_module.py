"""The workflow as a module of another one: from a clone, and from a git host, by snakedeploy.

A host is a folder here, which git takes for ``github.com`` and ``gitlab.com``: what Snakemake does
with a repository of theirs is done, without a network.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import snakemake as snakemake_package
import snakemake_process
import yaml
from integration.conftest import ROOT, STUDY

CALLER = Path(__file__).with_name("caller.smk").read_text()


def call(folder, *arguments, environment=None, fails=False):
    done = snakemake_process.run(["--cores", "2", *arguments], folder, environment)
    assert (done.returncode != 0) == fails, done.stdout
    return done.stdout


def stats(planned):
    """Return how many jobs of each rule a plan has."""
    rows = re.findall(r"^([\w-]+) +(\d+)$", planned, re.MULTILINE)
    return {rule: int(number) for rule, number in rows if rule != "total"}


@pytest.fixture(scope="module")
def caller(tmp_path_factory):
    """A workflow that imports ours twice, with a data set of its own."""
    folder = tmp_path_factory.mktemp("caller")
    (folder / "Snakefile").write_text(CALLER.replace("SNAKEFILE", str(ROOT / "workflow/Snakefile")))
    small = {"title": "A tiny study", "datasets": ["toy"], "classifiers": ["nb"]}
    small |= {"folds": ["3-fold"], "diagnostics": False, "permutations": 0}
    studies = {"tiny": small, "both": small | {"datasets": ["wine", "toy"]}}
    study = STUDY | {"studies": studies}
    (folder / "caller.yaml").write_text(yaml.safe_dump(study))
    return folder


def test_importing_the_workflow_changes_nothing_of_the_run_and_makes_the_callers_first_rule(caller):
    assert re.findall(r"^rule (\w+):", call(caller, "-n"), re.MULTILINE) == ["mine"]
    before, after = json.loads((caller / "states.json").read_text())
    assert before == after


def test_two_modules_run_under_their_prefixes(caller):
    call(caller, "first_tiny", "--quiet", "all")
    assert "A tiny study" in (caller / "one/results/studies/tiny/report.html").read_text()
    assert not (caller / "one/results/index.html").exists()  # the end of the run is the caller's
    folders = {path.name for path in caller.iterdir() if path.is_dir()}
    assert folders == {"one", ".snakemake"}
    assert "Nothing to be done" in call(caller, "first_tiny", "-n")
    planned = call(caller, "second_both", "-n")
    assert stats(planned)["second_acquire"] == 2
    summary = call(caller, "second_both", "--detailed-summary")
    rows = [line.split("\t") for line in summary.splitlines() if line.count("\t") == 7][1:]
    paths = set()
    for output, _, _, input_files, log, *_ in rows:
        for cell in (output, input_files, log):
            paths.update(cell.split(","))
    paths.discard("-")
    assert len(paths) > 50
    assert all(path.startswith("two/") for path in paths)


#: What snakedeploy writes.
DEPLOYED = Path(__file__).with_name("deployed.smk").read_text()
TAGGED = 'github("owner/xnbflow", path="workflow/Snakefile", tag="{}")'
TOY = Path(__file__).with_name("toy.yaml").read_text()


class Host:
    """A git host of one repository, and a user's cache."""

    def __init__(self, folder):
        self.repository = folder / "host/owner/xnbflow"
        self.checkouts = folder / "cache/xnbflow/checkouts"
        instead = f"url.file://{folder}/host/.insteadOf"
        self.environment = os.environ | {
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
            "GIT_CONFIG_COUNT": "2", "XDG_CACHE_HOME": str(folder / "cache"),
            "GIT_CONFIG_KEY_0": instead, "GIT_CONFIG_VALUE_0": "https://github.com/",
            "GIT_CONFIG_KEY_1": instead, "GIT_CONFIG_VALUE_1": "https://gitlab.com/",
        }  # fmt: skip
        ignored = shutil.ignore_patterns("__pycache__")
        for name in ("workflow", "config", "envs", "profiles"):
            shutil.copytree(ROOT / name, self.repository / name, symlinks=True, ignore=ignored)
        self.git("init", "--quiet", "--initial-branch", "main")
        self.commit("v1")

    def git(self, *arguments):
        done = subprocess.run(
            ["git", "-C", str(self.repository), *arguments],
            env=self.environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout.strip()

    def commit(self, tag):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", tag)
        self.git("tag", "--annotate", "--message", "a release", tag)

    def checkout(self, name):
        return self.checkouts / self.git("rev-parse", f"{name}^{{commit}}")

    def add_compiled(self, name):
        """Copy what Python and numba compiled of this project into a checkout of the same files.

        Both compare the time and the size of a file with those of which they compiled; a job
        removes what is older than the last change of its file.
        """
        checkout = self.checkout(name)
        library = ROOT / "workflow/src"
        for source in library.rglob("*.py"):
            shutil.copystat(source, checkout / source.relative_to(ROOT))
        for folder in library.rglob("__pycache__"):
            copy = checkout / folder.relative_to(ROOT)
            shutil.copytree(folder, copy, copy_function=shutil.copyfile, dirs_exist_ok=True)

    def deploy(self, folder, snakefile):
        """Do as snakedeploy does."""
        shutil.copytree(self.repository / "config", folder / "config")
        shutil.copytree(self.repository / "profiles", folder / "profiles")
        (folder / "workflow").mkdir()
        (folder / "tiny.yaml").write_text(TOY)
        return self.write(folder, DEPLOYED.format(snakefile=snakefile))

    def write(self, folder, text):
        (folder / "workflow/Snakefile").write_text(text)
        return folder

    def call(self, folder, *arguments, fails=False):
        options = (*arguments, "--configfile", "tiny.yaml")
        return call(folder, *options, environment=self.environment, fails=fails)


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    return Host(tmp_path_factory.mktemp("host"))


@pytest.fixture(scope="module")
def deployed(host, tmp_path_factory):
    """A deployed folder whose study was run to its end.

    Compilation of all kernels would take half of the processor seconds: a plan makes the checkout,
    which gets those of this project before the run.
    """
    folder = host.deploy(tmp_path_factory.mktemp("deployed") / "mine", TAGGED.format("v1"))
    host.call(folder, "-n")
    host.add_compiled("v1")
    host.call(folder)
    return folder


def test_a_deployed_study_is_run_once_from_one_whole_checkout(host, deployed):
    assert "A tiny study" in (deployed / "results/studies/tiny/report.html").read_text()
    assert "Nothing to be done" in host.call(deployed, "-n")
    shutil.rmtree(host.checkout("v1"))
    command = [sys.executable, "-m", "snakemake", "--list", "--configfile", "tiny.yaml"]
    options = {"cwd": deployed, "env": host.environment, "stderr": subprocess.STDOUT}
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, **options) for _ in range(2)]
    for process in processes:
        output, _ = process.communicate()
        assert process.returncode == 0, output
    checkout = host.checkout("v1")
    files = {
        str(path.relative_to(checkout))
        for path in checkout.rglob("*")
        if (path.is_file() or path.is_symlink()) and "__pycache__" not in path.parts
    }
    assert files == set(host.git("ls-tree", "-r", "--name-only", "v1").splitlines())
    assert list(host.checkouts.iterdir()) == [checkout]  # nothing half-written is left


def test_another_release_runs_what_it_changes(host, deployed):
    """A branch of one host, a commit of another."""
    with (host.repository / "workflow/src/xnbflow/evaluation/folds.py").open("a") as file:
        file.write("\n# another version\n")
    host.commit("v2")
    commit = host.git("rev-parse", "HEAD")
    for named in (f'gitlab("{{}}", path="{{}}", commit="{commit}")',
                  'github("{}", path="{}", branch="main")'):  # fmt: skip
        snakefile = named.format("owner/xnbflow", "workflow/Snakefile")
        host.write(deployed, DEPLOYED.format(snakefile=snakefile))
        planned = set(stats(host.call(deployed, "-n")))
        stages = {"diagnose", "genes", "classify", "compare", "report"}
        assert planned == {"all", *stages}
        assert host.checkout(commit).is_dir()


#: Packages of jobs, and plugins of Snakemake that need one of them.
OF_JOBS = {
    "isal", "joblib", "llvmlite", "matplotlib", "numba", "numpy", "pandas", "pyarrow",
    "python_calamine", "scipy", "skops", "sklearn", "threadpoolctl", "typer",
    "snakemake_executor_plugin_slurm", "snakemake_executor_plugin_slurm_jobstep",
}  # fmt: skip


def test_a_plan_needs_nothing_but_snakemake_installed(tmp_path):
    """With --sdm conda all else is in the environment of the jobs."""
    alone = tmp_path / "packages"
    alone.mkdir()
    for path in Path(snakemake_package.__file__).parents[1].iterdir():
        if path.name.partition(".")[0] not in OF_JOBS:
            (alone / path.name).symlink_to(path)
    studies = ("demo", "spam", "signatures-bundled")
    arguments = ["-n", "--snakefile", str(ROOT / "workflow/Snakefile"), "--", *studies]
    code = "import sys; sys.path.append(sys.argv.pop(1)); from snakemake.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, str(alone), *arguments],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "analyse" in stats(done.stdout)
