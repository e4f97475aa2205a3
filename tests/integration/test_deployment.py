"""The workflow as snakedeploy writes it: imported from a git host, of which there is only a commit.

A host is a folder here, which git takes for ``github.com`` and ``gitlab.com``: what Snakemake does
with a repository of theirs is done, without a network.
"""

import functools
import http.server
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import snakemake
from integration.conftest import ROOT, SHEET
from serving import serving

#: What snakedeploy writes.
DEPLOYED = """
configfile: "config/config.yaml"


module xnbflow:
    snakefile:
        {snakefile}
    config:
        config


use rule * from xnbflow
"""

TAGGED = 'github("owner/xnbflow", path="workflow/Snakefile", tag="{}")'

STUDY = """
run: [tiny]
sheets: [config/datasets.tsv, config/tiny.tsv]
folds: {3-fold: {splits: 3}}
studies:
  tiny:
    title: A tiny study
    datasets: [toy]
    classifiers: [gaussian-sklearn]
    folds: [3-fold]
    diagnostics: false
"""

#: Packages of jobs, and plugins of Snakemake that need one of them.
OF_JOBS = {
    "h5py", "isal", "joblib", "llvmlite", "matplotlib", "numba", "numpy", "pandas", "pyarrow",
    "python_calamine", "scipy", "skops", "sklearn", "threadpoolctl", "typer",
    "snakemake_executor_plugin_slurm", "snakemake_executor_plugin_slurm_jobstep",
}  # fmt: skip

EDITED = "workflow/src/xnbflow/evaluation/folds.py"  # `folds` and what follows stand on it


class Host:
    """A git host of one repository, and a user's cache."""

    def __init__(self, folder):
        self.repository = folder / "host/owner/xnbflow"
        self.environment = os.environ | {
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": f"url.file://{folder}/host/.insteadOf",
            "GIT_CONFIG_VALUE_0": "https://github.com/",
            "GIT_CONFIG_KEY_1": f"url.file://{folder}/host/.insteadOf",
            "GIT_CONFIG_VALUE_1": "https://gitlab.com/",
            "XDG_CACHE_HOME": str(folder / "cache"),
        }  # fmt: skip
        ignored = shutil.ignore_patterns("__pycache__")
        for name in ("workflow", "config", "envs", "profiles", "resources/paper"):
            shutil.copytree(ROOT / name, self.repository / name, symlinks=True, ignore=ignored)
        self.git("init", "--quiet", "--initial-branch", "main")
        self.commit("v1")

    def git(self, *arguments):
        done = subprocess.run(
            ["git", "-C", str(self.repository), *arguments],
            env=self.environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout.strip()

    def commit(self, tag=None):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "a commit")
        if tag:
            self.git("tag", "--annotate", "--message", "a release", tag)
        return self.git("rev-parse", "HEAD")

    def edit(self, tag=None):
        """Commit another version of a module; returns the commit."""
        with (self.repository / EDITED).open("a") as file:
            file.write("\n# another version\n")
        return self.commit(tag)

    @property
    def cache(self):
        """The folder of checkouts."""
        return next(self.repository.parents[2].glob("cache/**/source-cache/xnbflow"))

    def checkout(self, commit):
        return self.cache / self.git("rev-parse", f"{commit}^{{commit}}")

    def deploy(self, folder, text):
        """Do as snakedeploy does."""
        shutil.copytree(self.repository / "config", folder / "config")
        shutil.copytree(self.repository / "profiles", folder / "profiles")
        (folder / "workflow").mkdir()
        (folder / "workflow/Snakefile").write_text(text)
        (folder / "config/tiny.tsv").write_text(SHEET)
        (folder / "tiny.yaml").write_text(STUDY)
        return folder

    def command(self, *arguments):
        program = (sys.executable, "-m", "snakemake", "--cores", "2")
        return [*program, *arguments, "--configfile", "tiny.yaml"]

    def snakemake(self, folder, *arguments, fails=False):
        done = subprocess.run(
            self.command(*arguments),
            cwd=folder, env=self.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        told = done.stdout + done.stderr
        assert (done.returncode != 0) == fails, told
        return told


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    return Host(tmp_path_factory.mktemp("host"))


@pytest.fixture(scope="module")
def finished(host, tmp_path_factory):
    """A deployed folder whose study was run to its end."""
    folder = tmp_path_factory.mktemp("finished") / "mine"
    host.deploy(folder, DEPLOYED.format(snakefile=TAGGED.format("v1")))
    host.snakemake(folder)
    return folder


@pytest.fixture
def folder(host, tmp_path):
    return host.deploy(tmp_path / "mine", DEPLOYED.format(snakefile=TAGGED.format("v1")))


def test_a_deployed_study_is_run_to_its_page_once(host, finished):
    assert "A tiny study" in (finished / "results/studies/tiny/report.html").read_text()
    index = (finished / "results/index.html").read_text()
    assert "<code>snakemake demo --cores all --configfile tiny.yaml</code>" in index
    assert "Nothing to be done" in host.snakemake(finished, "-n")


def test_another_release_is_another_checkout_and_runs_what_it_changes(host, finished, tmp_path):
    folder = shutil.copytree(finished, tmp_path / "mine")
    host.edit("v2")  # later than the clone in the cache
    (folder / "workflow/Snakefile").write_text(DEPLOYED.format(snakefile=TAGGED.format("v2")))
    planned = host.snakemake(folder, "-n")
    assert "rule folds:" in planned
    assert "rule simulate:" not in planned  # stands on no module that changed
    assert host.checkout("v1").is_dir()
    assert host.checkout("v2").is_dir()


@pytest.mark.parametrize("provider", ["github", "gitlab"])
def test_a_commit_may_be_named_and_the_host_another(host, folder, provider):
    commit = host.edit()
    named = f'commit="{commit}"'
    snakefile = f'{provider}("owner/xnbflow", path="workflow/Snakefile", {named})'
    (folder / "workflow/Snakefile").write_text(DEPLOYED.format(snakefile=snakefile))
    assert "tiny" in host.snakemake(folder, "--list-target-rules").split()
    assert host.checkout(commit).is_dir()


def test_a_branch_means_one_commit_in_a_call_and_the_next_one_in_the_next(host, folder, tmp_path):
    snakefile = 'github("owner/xnbflow", path="workflow/Snakefile", branch="main")'
    (folder / "workflow/Snakefile").write_text(DEPLOYED.format(snakefile=snakefile))
    call = ("--list", "--runtime-source-cache-path", str(tmp_path / "call"))  # jobs are told it
    host.snakemake(folder, *call)
    first, second = host.git("rev-parse", "HEAD"), host.edit()
    host.snakemake(folder, "--list")
    for commit in (first, second):
        shutil.rmtree(host.checkout(commit))
    host.snakemake(folder, *call)
    assert host.checkout(first).is_dir()
    assert not host.checkout(second).exists()


def test_modules_of_one_commit_stand_beside_each_other_of_two_do_not(host, folder):
    first = host.git("rev-parse", "v1^{commit}")
    second = host.edit()
    both = """
module one:
    snakefile: github("owner/xnbflow", path="workflow/Snakefile", tag="v1")
    config: config
    prefix: "one"

use rule * from one as one_*

module two:
    snakefile: github("owner/xnbflow", path="workflow/Snakefile", commit="{}")
    config: config
    prefix: "two"

use rule * from two as two_*
"""
    (folder / "workflow/Snakefile").write_text(both.format(first))
    assert {"one_tiny", "two_tiny"} <= set(host.snakemake(folder, "--list").split())
    (folder / "workflow/Snakefile").write_text(both.format(second))
    refused = host.snakemake(folder, "--list", fails=True)
    assert "two modules of one workflow must be the same checkout" in refused


def test_processes_that_begin_together_leave_one_whole_checkout(host, folder):
    host.snakemake(folder, "--list")
    shutil.rmtree(host.checkout("v1"))
    together = [
        subprocess.Popen(
            host.command("--list"), cwd=folder, env=host.environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        for _ in range(2)
    ]  # fmt: skip
    for process in together:
        told, _ = process.communicate()
        assert process.returncode == 0, told
    checkout = host.checkout("v1")
    files = {
        str(path.relative_to(checkout))
        for path in checkout.rglob("*")
        if (path.is_file() or path.is_symlink()) and "__pycache__" not in path.parts
    }
    assert files == set(host.git("ls-tree", "-r", "--name-only", "v1").splitlines())
    assert {len(each.name) for each in host.cache.iterdir()} == {40}  # nothing else is left


def test_a_deployed_sheet_goes_before_that_of_the_project(host, folder):
    sheet = folder / "config/datasets.tsv"
    row = "wine\ttable\tdata/my-wine.csv\t\t\t\t\tkind\tid\trows\t\n"
    sheet.write_text(re.sub("(?m)^wine\t.*\n", row, sheet.read_text()))
    refused = host.snakemake(folder, "resources/series/wine.parquet", "-n", fails=True)
    assert f"no such file: {folder}/data/my-wine.csv" in refused
    (folder / "data").mkdir()
    (folder / "data/my-wine.csv").touch()
    planned = host.snakemake(folder, "resources/series/wine.parquet", "-n")
    assert "input: data/my-wine.csv" in planned


def test_handlers_are_called_after_those_of_the_importing_snakefile(host, folder):
    text = """
onstart:
    print("its own handler")


onsuccess:
    import os
    print("forked from:", os.environ.get("XNBFLOW_FORKSERVER"))
"""
    text += DEPLOYED.format(snakefile=TAGGED.format("v1"))
    (folder / "workflow/Snakefile").write_text(text)
    told = host.snakemake(folder, "resources/series/toy.parquet")
    assert "its own handler" in told
    assert re.search("forked from: .*/socket", told)


def test_a_plan_needs_nothing_but_snakemake_installed(tmp_path):
    """With --sdm conda all else is in the environment of the jobs."""
    alone = tmp_path / "packages"
    alone.mkdir()
    for path in Path(snakemake.__file__).parents[1].iterdir():
        if path.name.partition(".")[0] not in OF_JOBS:
            (alone / path.name).symlink_to(path)
    studies = ("demo", "spam", "cells", "signatures-bundled")
    call = ["-n", "--snakefile", str(ROOT / "workflow/Snakefile"), "--", *studies]
    code = "import sys; sys.path.append(sys.argv.pop(1)); from snakemake.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, str(alone), *call],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "rule analyse:" in done.stdout


def test_a_checkout_that_cannot_be_written_says_where(host, folder):
    host.snakemake(folder, "--list")
    cache = host.cache
    cache.rename(f"{cache}-elsewhere")
    cache.touch()  # a file in its place: root may write into any folder
    refused = host.snakemake(folder, "--list", fails=True)
    cache.unlink()
    Path(f"{cache}-elsewhere").rename(cache)
    assert f"{cache}/" in refused
    assert "name another place by XDG_CACHE_HOME" in refused


def test_a_snakefile_by_its_url_alone_says_how_to_name_it(host, folder):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    handler = functools.partial(Quiet, directory=host.repository)
    with serving(handler) as server:
        url = f'"{server.url}/workflow/Snakefile"'
        (folder / "workflow/Snakefile").write_text(DEPLOYED.format(snakefile=url))
        refused = host.snakemake(folder, "--list", fails=True)
    assert 'Name it as github("owner/repository"' in refused
