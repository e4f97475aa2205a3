"""The workflow as a whole: what it writes, what it runs again, and what it refuses."""

import copy
import html
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pytest
import snakemake_process
import yaml
from integration import conftest
from integration.conftest import (
    ROOT,
    STUDY,
    jobs,
    prepare,
    snakemake,
    tables,
)
from toys import PROGRAMS

from xnbflow.tables import contract

#: What runs again where a study's tables may change.
AFTER = {"compare": 1, "report": 1}
#: What runs again where only words of the page change.
PAGE = {"report": 1}


def changed(change, study=STUDY):
    study = copy.deepcopy(study)
    change(study)
    return study


def configured(folder, study):
    """Write a configuration beside the study's own; returns the arguments that name it."""
    (folder / "other.yaml").write_text(yaml.safe_dump(study))
    return "--configfile", str(folder / "other.yaml")


def test_the_study_leaves_every_table_a_page_and_an_index(finished):
    study = finished / "results/studies/tiny"
    for name, place in contract.GROUPS["study"].files.items():
        path = finished / place.of(study="tiny")
        assert len(pd.read_parquet(path).columns) > 0
        assert path.with_suffix(".tsv").is_file() == contract.GROUPS["study"].tables[name].text
    beside_the_page = {path.name for path in study.iterdir() if path.is_file()}
    assert beside_the_page == {"report.html", "details.html", "run.json", "curves.json"}
    assert "A tiny study" in (study / "report.html").read_text()
    assert not (study / "figures").exists()
    pages = "".join((study / name).read_text() for name in ("report.html", "details.html"))
    assert "figures/" not in "".join(re.findall(r'href="([^"]+)"', pages))
    assert 'href="studies/tiny/report.html"' in (finished / "results/index.html").read_text()
    path = study / "training/wine/3-fold/main/predictions.parquet"
    predictions = pd.read_parquet(path).query("classifier == 'xnb'")
    counts = predictions.groupby(["repeat", "sample"]).size()
    assert len(counts) == 178
    assert set(counts) == {1}
    assert pd.read_parquet(study / "tables/stability.parquet")["precision"].max() > 0.5
    measured = (finished / "results/benchmarks").rglob("*.tsv")
    # two data sets in six rules; compare and report
    assert len(list(measured)) == 14


def test_wine_has_no_genes_and_percentages_have_one_form(finished):
    for name in ("report.html", "details.html"):
        page = (finished / "results/studies/tiny" / name).read_text()
        of_study = page.partition('<section id="methods"')[0]  # has works and files of any study
        text = re.sub(r"<(script|style|svg)\b.*?</\1>|<[^>]*>", " ", of_study, flags=re.DOTALL)
        # the job *genes* is in the table of times, beside the number of its runs
        assert not re.findall(r"(?i)(?<![/#-])\bgenes?\b(?![.-]|\s+\d)", text)
        assert not re.findall(r"\d %", page)


def test_a_study_s_configuration_in_its_report_repeats_it(finished, tmp_path):
    page = (finished / "results/studies/tiny/details.html").read_text()
    blocks = dict(
        re.findall(r'class="code"><figcaption>(.*?)<.*?<code>(.*?)</code>', page, re.DOTALL)
    )
    configuration = html.unescape(blocks["The study as configured (YAML)"])
    (tmp_path / "study.yaml").write_text(configuration)
    words = shlex.split(html.unescape(blocks["To repeat the study"]))
    assert words[:2] == ["xnbflow", "run"]
    words += ["--snakefile", str(ROOT / "workflow/Snakefile"), "-n"]
    planned = snakemake_process.run(words[2:], tmp_path).stdout
    assert re.search(r"^classify +2$", planned, re.MULTILINE), planned
    repeated = yaml.safe_load(configuration)
    assert repeated["folds"] == STUDY["folds"]
    assert repeated["datasets"]["toy"] == STUDY["datasets"]["toy"]
    assert repeated["studies"] == STUDY["studies"]


@pytest.fixture(scope="module")
def stored(finished, tmp_path_factory):
    """A storage with the finished study, whose page and figures were made again from there."""
    pytest.importorskip("snakemake_storage_plugin_fs")
    if shutil.which("rsync") is None:
        pytest.skip("the storage plugin needs rsync")
    store = tmp_path_factory.mktemp("store")
    folder = prepare(tmp_path_factory.mktemp("away"))
    shutil.copytree(finished / "results", store / "results")
    provider = ("--default-storage-provider", "fs", "--default-storage-prefix", str(store))
    targets = ("all", "results/studies/tiny/figures")
    snakemake(folder, *provider, "--forcerun", "report", "--quiet", "all", "--", *targets)
    assert not (folder / "results").exists()
    return store


def test_jobs_read_declared_files_alone(finished, stored):
    """From a storage a job gets its inputs, and nothing else: the page needs no other file."""
    page = "results/studies/tiny/report.html"
    assert (stored / page).stat().st_mtime > (finished / page).stat().st_mtime
    assert (stored / page).read_text() == (finished / page).read_text()


def test_figures_for_print_are_files_on_request(finished, stored):
    """By the target of all studies under ``run:``, or the folder of a study; the page stays."""
    folder = "results/studies/tiny/figures"
    assert jobs(finished, folder) == jobs(finished, "figures") == {"draw": 1}
    figures = stored / folder
    drawn = {path.relative_to(figures) for path in figures.rglob("*.svg")}
    assert len(drawn) > 10
    assert {path.parts[0] for path in drawn} >= {"audit", "accuracy", "explanation"}
    for path in drawn:
        for suffix in (".pdf", ".png"):
            assert (figures / path).with_suffix(suffix).is_file()
    assert "**accuracy/" in (figures / "legends.md").read_text()


@pytest.fixture(scope="module")
def copied(finished, tmp_path_factory):
    """A copy of the finished study, and of the sources beside it, which a test may change."""
    return copy_into(tmp_path_factory.mktemp("copied"), finished)


def copy_into(folder, finished):
    ignored = shutil.ignore_patterns(".*", "results", "resources", "__pycache__", "tests")
    shutil.copytree(ROOT, folder / "xnbflow", ignore=ignored)
    shutil.copytree(finished, folder / "work", symlinks=True)
    return folder / "work"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda c: c.update(download={"retries": 1}), {}),
        (
            lambda c: c["folds"]["3-fold"].update(splits=4),
            {"classify": 2, "models": 2, **AFTER},
        ),
        (lambda c: c.update(classifiers={"xnb": {"label": "My XNB"}}), PAGE),
        (
            lambda c: c["datasets"]["toy"].update(seed=4),
            {
                "acquire": 1,
                "diagnose": 1,
                "genes": 1,
                "classify": 1,
                "check": 1,
                "models": 1,
                **AFTER,
            },
        ),
    ],
    ids=["download", "scheme", "label", "data set"],
)
def test_a_change_of_the_configuration_runs_what_it_concerns(copied, change, expected):
    config = changed(change)
    planned = jobs(copied, *configured(copied, config))
    assert planned == expected


def with_design(design):
    return changed(lambda c: c["studies"]["tiny"].update(design=design))


@pytest.mark.parametrize(
    "design",
    [
        {"reference": "class_0"},
        {"contrasts": ["class_1 vs class_0"]},
        {"repeated": "correlation"},
        {"trend": True},
    ],
    ids=lambda design: next(iter(design)),
)
def test_an_edit_of_the_design_compares_the_genes_again_and_trains_nothing(copied, design):
    planned = jobs(copied, *configured(copied, with_design({"wine": design})))
    assert planned == {"genes": 1, **PAGE}
    planned = jobs(copied, *configured(copied, with_design(design)))
    assert planned == {"genes": 2, **PAGE}


def test_an_edit_of_adjust_repeats_the_label_test_and_trains_nothing(copied):
    """Labels are exchanged within the levels of these columns."""
    design = {"wine": {"adjust": ["age", "factor(plate)"]}}
    planned = jobs(copied, *configured(copied, with_design(design)))
    assert planned == {"genes": 1, "check": 1, **AFTER}


def test_the_default_of_a_design_written_out_repeats_the_page_alone(copied):
    """Its configuration is on the page."""
    planned = jobs(copied, *configured(copied, with_design({"repeated": "mean", "trend": False})))
    assert planned == PAGE


def test_two_studies_of_one_series_have_two_designs(finished, tmp_path):
    """The second study reads the series and the audit of the first one."""
    folder = tmp_path / "work"
    shutil.copytree(finished, folder, symlinks=True)
    other = {"title": "Another", "datasets": ["wine"], "design": {"reference": "class_2"}}
    study = changed(lambda c: c["studies"].update(other=other))
    arguments = configured(folder, study)
    genes = [f"results/studies/{name}/genes/wine/contrasts.tsv" for name in ("tiny", "other")]
    assert jobs(folder, *genes, *arguments) == {"genes": 1}
    snakemake(folder, *genes, *arguments)
    one, two = (pd.read_csv(folder / path, sep="\t") for path in genes)
    assert one.empty
    assert two["contrast"].drop_duplicates().tolist() == [
        "class_0 vs class_2",
        "class_1 vs class_2",
    ]


def test_a_reference_that_is_no_class_is_refused_by_the_job_with_the_nearest_name(
    finished, tmp_path
):
    folder = tmp_path / "work"  # the failed job removes its files
    shutil.copytree(finished, folder, symlinks=True)
    arguments = configured(folder, with_design({"wine": {"reference": "class_O"}}))
    target = "results/studies/tiny/genes/wine/genes.parquet"
    written = snakemake(folder, target, *arguments, fails=True)
    assert (
        "data set wine: reference of the study's design is 'class_O', which is not a class; "
        "did you mean 'class_"
    ) in written


def test_a_file_that_the_page_links_is_missed(copied):
    path = copied / "results/studies/tiny/tables/samples.tsv"
    path.rename(copied / "lost")
    planned = jobs(copied, "tiny")
    (copied / "lost").rename(path)
    assert planned["compare"] == 1


def test_jobs_run_the_library_beside_the_rules_not_another_that_is_installed(finished, tmp_path):
    work = copy_into(tmp_path, finished)
    root = work.parent / "xnbflow"
    path = root / "workflow/src/xnbflow/report/study_page.py"
    original = path.read_text()
    raised = "\nfrom xnbflow.core.errors import InputError\nraise InputError('this is the copy')\n"
    path.write_text(original + raised)
    written = snakemake(work, "--rerun-triggers", "params", root=root, fails=True)
    path.write_text(original)
    assert "this is the copy" in written


def test_a_file_that_is_cut_off_is_refused(finished, tmp_path):
    """It is as old as what it replaces, so that Snakemake takes both for the same."""
    folder = tmp_path / "cut"
    shutil.copytree(finished, folder, symlinks=True)
    series = folder / "results/wine/series.parquet"
    state = series.stat()
    series.write_bytes(series.read_bytes()[:-99])
    os.utime(series, ns=(state.st_atime_ns, state.st_mtime_ns))
    summary = "results/studies/tiny/tables/summary.parquet"
    (folder / summary).unlink()
    assert "series.parquet is damaged" in snakemake(folder, summary, fails=True)


def test_another_file_under_the_same_name_is_read_again_even_if_it_is_older(tmp_path):
    own = {"source": "table", "file": "own.csv", "label": "type"}
    folder = prepare(tmp_path, STUDY | {"datasets": STUDY["datasets"] | {"own": own}})
    table = folder / "own.csv"
    table.write_text("type,f\na,1\na,2\nb,3\nb,high\n")
    series = "results/own/series.parquet"
    written = snakemake(folder, series, fails=True)
    (error,) = re.findall(r"^Error: (.*own.csv.*)", written, re.MULTILINE)
    assert "'high'" in error
    failed = r"^Failed: Reading own\. .*own.csv.*'high'.*\. Log: results/logs/acquire/\S+\.log$"
    assert re.search(failed, written, re.MULTILINE)
    assert list((folder / "resources").rglob("*.part*")) == []
    table.write_text("type,f\na,1\na,2\nb,3\nb,4\n")
    snakemake(folder, series)
    assert jobs(folder, series) == {}
    old = table.stat().st_mtime - 1000
    table.write_text("type,f\nb,1\na,2\nb,3\na,4\n")
    os.utime(table, (old, old))
    assert jobs(folder, series) == {"acquire": 1}


def test_a_mistake_in_the_configuration_is_refused_before_anything_runs(tmp_path):
    study = changed(lambda s: s["studies"]["tiny"].update(clasifiers=[]))
    written = snakemake(prepare(tmp_path, study), "-n", fails=True)
    assert "did you mean 'classifiers'?" in written
    assert "Traceback" not in written


def without_toy(finished, folder):
    """Copy the finished study but for its results of toy, and of both data sets together."""
    shutil.copytree(finished, folder, symlinks=True)
    for path in sorted((folder / "results/studies/tiny").iterdir()):
        if not (path / "wine").is_dir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        elif (path / "toy").exists():
            shutil.rmtree(path / "toy")
    return folder


def test_a_second_run_in_the_folder_is_refused_and_the_first_one_goes_on(tmp_path):
    folder, series = prepare(tmp_path), "results/wine/series.parquet"
    with (folder / "out.txt").open("w") as out:
        command = conftest.snakemake_command(folder, series)
        first = subprocess.Popen(command, stdout=out, stderr=out, start_new_session=True)
    while first.poll() is None and not list((folder / ".snakemake/locks").glob("*")):
        time.sleep(0.02)
    os.killpg(first.pid, signal.SIGSTOP)
    message = snakemake(folder, series, fails=True)
    os.killpg(first.pid, signal.SIGCONT)
    assert "Directory cannot be locked" in message
    assert "Traceback" not in message
    assert first.wait() == 0
    assert (folder / series).is_file()


#: Kills to try, each at its own time: `XNBFLOW_KILLS=48 pytest -k killed_and_started`.
KILLS = int(os.environ.get("XNBFLOW_KILLS", "1"))
SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT]


@pytest.mark.parametrize("kill", range(KILLS))
def test_one_core_killed_and_started_again_gives_the_same_tables(finished, tmp_path, kill):
    seed = int(os.environ.get("XNBFLOW_KILL_SEED") or random.SystemRandom().randrange(10**6))
    chance = random.Random(seed + kill)
    seconds, ended_by = chance.uniform(2, 12), chance.choice(SIGNALS)
    print(f"{ended_by.name} after {seconds:.2f} s; again by XNBFLOW_KILL_SEED={seed + kill}")
    folder = without_toy(finished, tmp_path / "killed")
    shutil.rmtree(folder / "results/toy")
    with (folder / "out.txt").open("w") as out:
        command = conftest.snakemake_command(folder, cores=1)
        process = subprocess.Popen(command, stdout=out, stderr=out, start_new_session=True)
        with suppress(subprocess.TimeoutExpired, ProcessLookupError):
            process.wait(seconds)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, ended_by)
        process.wait()
    if list((folder / ".snakemake/locks").glob("*")):
        assert "--unlock" in snakemake(folder, fails=True)
        snakemake(folder, "--unlock")
    snakemake(folder, cores=1)
    assert tables(folder) == tables(finished)


def test_jobs_submitted_by_a_script_make_the_tables_of_a_local_run(finished, tmp_path):
    """Jobs of every rule for one data set, and those of the study."""
    folder = without_toy(finished, tmp_path / "work")
    shutil.copy(PROGRAMS / "submit.py", folder)
    profile = Path(__file__).with_name("cluster.yaml").read_text()
    (folder / "config.yaml").write_text(profile.replace("PYTHON", sys.executable))
    snakemake(folder, "--profile", str(folder), "--set-resources", "classify:mem_mb=1234")
    assert tables(folder) == tables(finished)
    asked = [line.split() for line in (folder / "submitted.txt").read_text().splitlines()]
    assert {rule for rule, *_ in asked} == {
        "classify",
        "check",
        "models",
        "genes",
        "GROUP",  # compare and report
    }
    assert all(int(number) > 0 for _, *numbers in asked for number in numbers)
    # names of rules do not depend on the configuration: a profile can refer to them
    memory = {rule: int(mem_mb) for rule, _, mem_mb, _ in asked}
    assert memory["classify"] == 1234
    assert memory["check"] != 1234


def test_a_new_classifier_with_a_job_of_its_own_trains_only_that(finished, tmp_path):
    folder = tmp_path / "work"
    shutil.copytree(finished, folder, symlinks=True)
    study = changed(lambda c: c["studies"]["tiny"]["classifiers"].append("fnb"))
    study["classifiers"] = {"fnb": {"job": "flexible"}}
    assert jobs(folder, *configured(folder, study)) == {"classify": 2, **AFTER}
    study["classifiers"] = {}
    planned = jobs(folder, *configured(folder, study))
    assert planned == {"classify": 2, "models": 2, **AFTER}
    reasons = snakemake(folder, *configured(folder, study), "-n", "--quiet", "host")
    assert "params have changed" in reasons.lower()


@pytest.mark.parametrize(
    ("file", "stages"),
    [
        ("report/sentences.py", {"page"}),
        ("inference/verdicts.py", {"judging"}),
        ("naive_bayes/gaussian_nb.py", {"computing"}),
        ("sources/table.py", {"reading"}),
        ("running/cli/app.py", set()),
    ],
)
def test_the_reason_of_a_rerun_names_the_first_stage_whose_code_was_edited(copied, file, stages):
    """The reason of jobs of later stages is their new input."""
    root = copied.parent / "xnbflow"
    path = root / "workflow/src/xnbflow" / file
    original = path.read_text()
    path.write_text(original + "# edited\n")
    planned = snakemake(copied, "-n", "--quiet", "host", root=root)
    path.write_text(original)
    changes = re.findall(r"before: '(\w+) \w{8}' now: '(\w+) \w{8}' *$", planned, re.MULTILINE)
    assert {before for before, _ in changes} == stages
    assert all(before == now for before, now in changes)
    assert planned.count("Params have changed") == len(changes)


def test_a_comment_in_the_rule_of_verdicts_repeats_the_tables_and_the_page_alone(copied):
    root = copied.parent / "xnbflow"
    path = root / "workflow/src/xnbflow/inference/verdicts.py"
    original = path.read_text()
    path.write_text(original + "# edited\n")
    planned = jobs(copied, root=root)
    path.write_text(original)
    assert planned == AFTER


def test_another_clone_has_nothing_to_do(finished, tmp_path):
    """Its files are newer than the results, and both are in other folders."""
    work = shutil.copytree(finished, tmp_path / "work", symlinks=True)
    ignored = shutil.ignore_patterns(".*", "results", "resources", "__pycache__", "tests")
    clone = tmp_path / "clone"
    shutil.copytree(ROOT, clone, ignore=ignored, copy_function=shutil.copyfile)
    assert jobs(work, root=clone) == {}


def test_results_without_their_records_are_not_mixed_with_those_of_another_design(
    finished, tmp_path
):
    """Snakemake has the parameters of jobs in `.snakemake`, which a copy of `results` lacks."""
    work = tmp_path / "work"
    shutil.copytree(finished, work, ignore=shutil.ignore_patterns(".snakemake"))
    assert jobs(work) == {}
    other = configured(work, with_design({"reference": "class_0"}))
    refused = "made with another configuration (studies)"
    written = snakemake(work, *other)
    assert "Nothing to be done" in written
    assert refused in written

    page = work / "results/studies/tiny/report.html"
    page.unlink()
    assert refused in snakemake(work, *other, fails=True)
    assert not page.exists()
    snakemake(work)
    assert page.exists()


def test_the_title_of_a_figure_repeats_the_page_alone(copied):
    root = copied.parent / "xnbflow"
    path = root / "workflow/src/xnbflow/report/drawings/calibration.py"
    original = path.read_text()
    path.write_text(original.replace('"Calibration"', '"Reliability"'))
    planned = jobs(copied, root=root)
    path.write_text(original)
    assert planned == PAGE


def test_the_rules_are_the_stages_and_the_studies(finished):
    """`--list-rules` shows the stages and the studies, whatever the studies train."""
    written = snakemake(finished, "--list-rules", "--quiet", "all")
    rules = {line for line in written.splitlines() if re.fullmatch(r"[\w-]+", line)}
    stages = {"acquire", "diagnose", "genes", "classify", "check", "models"}
    stages |= {"compare", "cohorts", "analyse", "report", "draw"}
    assert rules - set(contract_studies(finished)) == {"all", "default", "figures", *stages}


def contract_studies(folder):
    """Return the studies of a folder's configuration and of the papers and the project."""
    from xnbflow.running.project import default_configuration

    configured = yaml.safe_load((folder / "tiny.yaml").read_text())["studies"]
    return {*configured, *default_configuration(ROOT)["studies"]}


def test_a_run_leaves_no_file_that_is_not_an_output_or_a_log(finished):
    summary = snakemake(finished, "--detailed-summary")
    rows = [line.split("\t") for line in summary.splitlines() if line.count("\t") == 7][1:]
    declared = {path for row in rows for cell in (row[0], row[3]) for path in cell.split(",")}
    folders = tuple(f"{path}/" for path in declared if (finished / path).is_dir())
    written = {
        path.relative_to(finished).as_posix()
        for path in (finished / "results").rglob("*")
        if path.is_file()
    }
    folders = (*folders, "results/benchmarks/")
    undeclared = {path for path in written - declared if not path.startswith(folders)}
    assert undeclared == {"results/index.html"}
