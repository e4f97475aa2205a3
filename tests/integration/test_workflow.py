"""The workflow as a whole: what it leaves behind, what it runs again, and what it does not."""

import html
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pandas as pd
import pytest
import yaml
from integration.conftest import (
    ROOT,
    SHEET,
    STUDY,
    jobs,
    prepare,
    snakemake,
    snakemake_command,
    tables,
)

from xnbflow.data.contract import STUDY_TABLES

CLASSIFY = "classify_3-fold_nb"
#: What runs again where a study's tables may change.
AFTER = {"compare": 1, "report": 1}


def test_the_study_leaves_every_table_a_page_and_an_index(finished):
    study = finished / "results/studies/tiny"
    for name in STUDY_TABLES:
        assert len(pd.read_parquet(study / f"{name}.parquet").columns) > 0
        assert (study / f"{name}.tsv").is_file()
    assert "A tiny study" in (study / "report.html").read_text()
    sections = {path.parent.name for path in (study / "figures").rglob("*.svg")}
    assert sections == {"diagnostics", "accuracy", "explanation", "samples"}
    assert 'href="studies/tiny/report.html"' in (finished / "results/index.html").read_text()
    predictions = pd.read_parquet(finished / "results/wine/3-fold/xnb/predictions.parquet")
    counts = predictions.groupby(["repeat", "sample"]).size()
    assert len(counts) == 178
    assert set(counts) == {1}
    assert pd.read_parquet(study / "recovery.parquet")["precision"].item() > 0.5
    recorded = (finished / "results/benchmarks").rglob("*.tsv")
    assert len(list(recorded)) == 8  # two data sets in three stages, compare and report


def test_a_study_s_configuration_in_its_report_repeats_it(finished, tmp_path):
    page = (finished / "results/studies/tiny/report.html").read_text()
    blocks = dict(
        re.findall(r'class="code"><figcaption>(.*?)<.*?<code>(.*?)</code>', page, re.DOTALL)
    )
    sheet = next(text for caption, text in blocks.items() if caption.startswith("tiny.tsv"))
    (tmp_path / "tiny.tsv").write_text(html.unescape(sheet))
    configuration = html.unescape(blocks["The study as configured (YAML)"])
    (tmp_path / "study.yaml").write_text(configuration)
    words = shlex.split(html.unescape(blocks["To repeat the study"]))
    done = subprocess.run(
        [sys.executable, "-m", *words, "--snakefile", str(ROOT / "workflow/Snakefile"), "-n"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert re.search(rf"^{CLASSIFY} +2$", done.stdout, re.MULTILINE), done.stdout + done.stderr
    given = yaml.safe_load(configuration)
    assert given["folds"] == STUDY["folds"]
    assert given["studies"] == STUDY["studies"]


def test_snakemakes_own_report_has_every_figure_by_data_set_and_section(finished, tmp_path):
    done = snakemake(finished, "--report", str(tmp_path / "report.zip"))
    assert done.returncode == 0, done.stdout + done.stderr
    with zipfile.ZipFile(tmp_path / "report.zip") as report:
        (page,) = [name for name in report.namelist() if name.endswith("report.html")]
        text = report.read(page).decode()
    found = json.JSONDecoder().raw_decode(text, text.index("{", text.index("var categories = ")))[0]
    figures = {
        path.stem: path.parent.name
        for path in (finished / "results/studies/tiny/figures").rglob("*.svg")
    }
    shown = {
        Path(file).stem: (category, section)
        for category, sections in found.items()
        for section, files in sections.items()
        for file in files
    }
    assert {name: section for name, (_, section) in shown.items()} == figures
    assert shown["trade-off"][0] == "tiny: all data sets"
    assert shown["confusion-wine-3-fold-xnb"][0] == "tiny: wine"


def test_the_larger_data_set_is_begun_first_and_what_is_begun_goes_on_before(finished):
    planned = snakemake(finished, "-n", "--forceall").stdout
    found = re.findall(
        r"^rule acquire:\n(?: +.*\n)*? +wildcards: dataset=(\w+)\n +priority: (.*)$",
        planned,
        re.MULTILINE,
    )
    priorities = {dataset: float(number) for dataset, number in found}
    assert priorities["wine"] < priorities["toy"] < 0  # 178 x 13 and 40 x 300; all else 0 or more


def test_running_again_does_nothing(finished):
    assert jobs(finished) == {}


@pytest.fixture(scope="module")
def copied(finished, tmp_path_factory):
    """A copy of the finished study, and of the sources beside it, which a plan may change."""
    folder = tmp_path_factory.mktemp("copied")
    ignored = shutil.ignore_patterns(".*", "results", "resources", "__pycache__", "tests")
    shutil.copytree(ROOT, folder / "xnbflow", ignore=ignored)
    shutil.copytree(ROOT / "resources/paper", folder / "xnbflow/resources/paper")
    shutil.copytree(finished, folder / "work", symlinks=True)
    return folder / "work"


@pytest.mark.parametrize(
    ("change", "sheet", "expected"),
    [
        (lambda c: c["studies"]["tiny"]["classifiers"].append("fnb"), SHEET, {CLASSIFY: 2}),
        (lambda c: c["folds"]["3-fold"].update(splits=4), SHEET, {CLASSIFY: 2}),
        (lambda c: c.update(classifiers={"xnb": {"label": "My XNB"}}), SHEET, {}),
        (
            lambda c: c,
            SHEET.replace("seed=3", "seed=4"),
            {"acquire": 1, "diagnose": 1, CLASSIFY: 1},
        ),
    ],
    ids=["classifier", "scheme", "label", "sheet"],
)
def test_a_change_of_the_configuration_runs_what_it_concerns(copied, change, sheet, expected):
    config = yaml.safe_load(yaml.safe_dump(STUDY))
    change(config)
    (copied / "other.tsv").write_text(sheet)
    config["sheets"] = ["other.tsv" if sheet != SHEET else "tiny.tsv"]
    (copied / "other.yaml").write_text(yaml.safe_dump(config))
    assert jobs(copied, "--configfile", str(copied / "other.yaml")) == {**expected, **AFTER}


def test_a_mirror_runs_nothing(copied):
    (copied / "mirror.yaml").write_text(yaml.safe_dump({**STUDY, "download": {"retries": 1}}))
    assert jobs(copied, "--configfile", str(copied / "mirror.yaml")) == {}


@pytest.mark.parametrize("lost", ["summary.tsv", "summary.parquet", "description/profiles.tsv"])
def test_a_file_that_the_page_links_is_missed(copied, lost):
    path = copied / "results/studies/tiny" / lost
    path.rename(copied / "lost")
    planned = jobs(copied), jobs(copied, "tiny")
    (copied / "lost").rename(path)
    assert [each["compare"] for each in planned] == [1, 1]


@pytest.mark.parametrize(
    ("module", "rules"),
    [
        ("report/page/templates/style.css", {"report"}),
        ("evaluation/summaries.py", {CLASSIFY, *AFTER}),
        ("naive_bayes/gaussian.py", {CLASSIFY, *AFTER}),
        ("diagnostics/normality.py", {"diagnose", *AFTER}),
        ("data/sources/bundled.py", {"acquire", "diagnose", CLASSIFY, *AFTER}),
    ],
)
def test_editing_a_library_file_runs_its_stages_again(copied, module, rules):
    root = copied.parent / "xnbflow"
    path = root / "workflow/src/xnbflow" / module
    original = path.read_text()
    path.write_text(original + "\n")
    counts = jobs(copied, "--rerun-triggers", "params", root=root)
    path.write_text(original)
    assert set(counts) == rules


def test_jobs_run_the_library_beside_the_rules_not_another_that_is_installed(copied):
    root = copied.parent / "xnbflow"
    path = root / "workflow/src/xnbflow/report/study.py"
    original = path.read_text()
    raised = "\nfrom xnbflow.data.errors import InputError\nraise InputError('this is the copy')\n"
    path.write_text(original + raised)
    done = snakemake(copied, "--rerun-triggers", "params", root=root)
    path.write_text(original)
    assert done.returncode == 1
    assert "this is the copy" in done.stderr


def test_a_table_in_the_place_of_another_classifier_s_is_refused(finished, tmp_path):
    folder = tmp_path / "exchanged"
    shutil.copytree(finished, folder, symlinks=True)
    place = folder / "results/wine/3-fold"
    shutil.copy(place / "nb/predictions.parquet", place / "xnb/predictions.parquet")
    done = snakemake(folder)
    assert done.returncode == 1
    assert "is a copy of results/wine/3-fold/nb/predictions.parquet" in done.stderr


def test_another_file_under_the_same_name_is_read_again_even_if_it_is_older(tmp_path):
    folder = prepare(tmp_path, STUDY | {"sheets": ["tiny.tsv", "own.tsv"]})
    own = folder / "own.csv"
    own.write_text("type,f\na,1\na,2\nb,3\nb,4\n")
    (folder / "own.tsv").write_text("id\tsource\tlocation\tlabel\nown\ttable\town.csv\ttype\n")
    series = "resources/series/own.parquet"
    done = snakemake(folder, series)
    assert done.returncode == 0, done.stdout + done.stderr
    assert jobs(folder, series) == {}
    old = own.stat().st_mtime - 1000
    own.write_text("type,f\nb,1\na,2\nb,3\na,4\n")
    os.utime(own, (old, old))
    assert jobs(folder, series) == {"acquire": 1}


def test_one_core_killed_and_started_again_gives_the_same_tables(finished, tmp_path):
    seed = os.environ.get("XNBFLOW_KILL_SEED") or random.SystemRandom().randrange(10**6)
    seconds = random.Random(int(seed)).uniform(4, 12)
    print(f"killed after {seconds:.2f} s; the same again: XNBFLOW_KILL_SEED={seed}")
    folder = prepare(tmp_path / "killed")
    with (folder / "out.txt").open("w") as out:
        process = subprocess.Popen(
            snakemake_command(folder, cores=1), stdout=out, stderr=out, start_new_session=True
        )
        time.sleep(seconds)
        second = snakemake(folder)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if second.returncode:  # the first had not ended, and not begun too late
        assert "--unlock" in second.stderr
    snakemake(folder, "--unlock")
    done = snakemake(folder, cores=1)
    assert done.returncode == 0, done.stdout + done.stderr
    assert tables(folder) == tables(finished)


@pytest.fixture(scope="module")
def split(finished, tmp_path_factory):
    """The same study with a job per fold, and one per classifier to put them together."""
    per_job = {"folds_per_job": 1, "classifiers_per_job": 1}
    folder = prepare(tmp_path_factory.mktemp("split"), STUDY | per_job)
    for name in ("resources", ".snakemake"):
        shutil.copytree(finished / name, folder / name)
    done = snakemake(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_one_job_per_fold_gives_the_same_tables_and_trains_only_what_is_new(split, finished):
    assert len(list((split / "results/wine/3-fold/xnb/batches").iterdir())) == 3
    assert tables(split) == tables(finished)
    more = yaml.safe_load((split / "tiny.yaml").read_text())
    more["folds"] = {"3-fold": {"splits": 3, "repeats": 2}}
    (split / "more.yaml").write_text(yaml.safe_dump(more))
    both = {CLASSIFY: 2, "classify_3-fold_xnb": 2}
    configured = ("--configfile", str(split / "more.yaml"))
    assert jobs(split, *configured) == {**both, "train": 12, **AFTER}  # of 24 batches
    more["studies"]["tiny"]["classifiers"].append("fnb")
    more["folds"] = STUDY["folds"]
    (split / "more.yaml").write_text(yaml.safe_dump(more))
    assert jobs(split, *configured) == {"classify_3-fold_fnb": 2, "train": 6, **AFTER}


def test_a_damaged_batch_stops_the_run_by_its_name_and_mends_when_deleted(split):
    (path,) = (split / "results/wine/3-fold/xnb/batches").glob("*0-0/predictions.parquet")
    content = bytearray(path.read_bytes())
    content[len(content) // 4] ^= 16
    stat = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    gathered = "results/wine/3-fold/xnb/predictions.parquet"
    before = tables(split)
    (split / gathered).unlink()
    done = snakemake(split, gathered)
    assert done.returncode != 0
    said = " ".join((done.stdout + done.stderr).split())
    assert f"{path.relative_to(split)} is damaged" in said
    path.unlink()
    done = snakemake(split)
    assert done.returncode == 0, done.stdout + done.stderr
    assert tables(split) == before


def test_without_batches_none_are_left_and_fewer_repeats_leave_no_row(split):
    config = yaml.safe_load((split / "tiny.yaml").read_text())
    config |= {"folds_per_job": "all", "folds": {"3-fold": {"splits": 2}}}
    (split / "whole.yaml").write_text(yaml.safe_dump(config))
    done = snakemake(split, "--configfile", str(split / "whole.yaml"))
    assert done.returncode == 0, done.stdout + done.stderr
    place = split / "results/wine/3-fold/xnb"
    assert {path.suffix for path in place.iterdir()} == {".parquet"}
    assert len(pd.read_parquet(place / "fits.parquet")) == 2
    samples = pd.read_parquet(split / "results/studies/tiny/samples.parquet")
    assert set(samples["tested"]) == {1}
