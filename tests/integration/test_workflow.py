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


def test_the_study_leaves_every_table_and_a_page(finished):
    study = finished / "results/studies/tiny"
    for name in STUDY_TABLES:
        assert len(pd.read_parquet(study / f"{name}.parquet").columns) > 0
        assert (study / f"{name}.tsv").is_file()
    assert "A tiny study" in (study / "report.html").read_text()
    sections = {path.parent.name for path in (study / "figures").rglob("*.svg")}
    assert sections == {"diagnostics", "accuracy", "explanation", "samples"}
    index = (finished / "results/index.html").read_text()
    assert 'href="studies/tiny/report.html"' in index


def run_words(command, folder, *arguments):
    """Run a command that a page names, as it stands there."""
    words = shlex.split(html.unescape(command))
    done = subprocess.run(
        [sys.executable, "-m", *words, *arguments],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_index_s_commands_run(finished):
    index = (finished / "results/index.html").read_text()
    (command,) = re.findall(r"<code>(snakemake baselines .*?)</code>", index)
    assert "baselines" in run_words(command, finished, "-n", "--quiet", "rules")


def test_a_study_s_configuration_in_its_report_repeats_it(finished, tmp_path):
    page = (finished / "results/studies/tiny/report.html").read_text()
    blocks = dict(
        re.findall(r'class="code"><figcaption>(.*?)<.*?<code>(.*?)</code>', page, re.DOTALL)
    )
    sheet = next(text for caption, text in blocks.items() if caption.startswith("tiny.tsv"))
    (tmp_path / "tiny.tsv").write_text(html.unescape(sheet))
    configuration = html.unescape(blocks["The study as configured (YAML)"])
    (tmp_path / "study.yaml").write_text(configuration)
    arguments = ("--snakefile", str(ROOT / "workflow/Snakefile"), "-n", "--quiet", "rules")
    planned = run_words(blocks["To repeat the study"], tmp_path, *arguments)
    assert re.search(r"^train +4$", planned, re.MULTILINE)
    given = yaml.safe_load(configuration)
    assert given["folds"] == STUDY["folds"]
    assert given["studies"] == STUDY["studies"]


def test_snakemakes_own_report_has_every_figure_by_data_set_and_section(finished, tmp_path):
    done = snakemake(finished, "--report", str(tmp_path / "report.zip"))
    assert done.returncode == 0, done.stdout + done.stderr
    with zipfile.ZipFile(tmp_path / "report.zip") as report:
        (page,) = [name for name in report.namelist() if name.endswith("report.html")]
        text = report.read(page).decode()
        kept = {Path(name).name for name in report.namelist() if name.endswith(".svg")}
    found = json.JSONDecoder().raw_decode(text, text.index("{", text.index("var categories = ")))[0]
    figures = {
        path.stem: path for path in (finished / "results/studies/tiny/figures").rglob("*.svg")
    }
    assert set(found) == {"tiny: wine", "tiny: toy", "tiny: all data sets"}
    shown = {}
    for category, sections in found.items():
        for section, files in sections.items():
            for file in files:
                name = Path(file).stem
                shown[name] = category
                assert figures[name].parent.name == section
    assert set(shown) == set(figures)
    assert {path.name for path in figures.values()} <= kept
    assert shown["trade-off"] == "tiny: all data sets"
    assert shown["confusion-wine-3-fold-xnb"] == "tiny: wine"


def test_every_sample_is_predicted_once_per_repeat(finished):
    predictions = pd.read_parquet(finished / "results/wine/3-fold/xnb/predictions.parquet")
    counts = predictions.groupby(["repeat", "sample"]).size()
    assert len(counts) == 178
    assert set(counts) == {1}


def test_planted_markers_are_found(finished):
    recovery = pd.read_parquet(finished / "results/studies/tiny/recovery.parquet")
    assert recovery["precision"].item() > 0.5


def test_waiting_jobs_are_looked_at_when_one_has_ended_and_without_a_solver(finished):
    told = (finished / "told.txt").read_text()
    ended = told.count("Finished jobid: ")
    assert ended > 20
    assert 0 < told.count("Ready jobs: ") <= ended + 1  # at first, and then for each
    assert "CBC" not in told


def test_the_larger_data_set_is_begun_first_and_what_is_begun_goes_on_before(finished):
    planned = snakemake(finished, "-n", "--forceall").stdout
    found = re.findall(r"^(?:local)?rule (\w+):\n((?: +.*\n)+)", planned, re.MULTILINE)
    priorities = {
        rule: float(*re.findall(r"^ +priority: (.*)$", about, re.MULTILINE))
        for rule, about in found
    }
    wine, toy = priorities.pop("acquire"), priorities.pop("simulate")  # 178 x 13 and 40 x 300
    assert wine < toy < 0
    assert set(priorities.values()) == {0}
    assert {"train", "diagnose", "report"} < priorities.keys()


def test_running_again_does_nothing(finished):
    assert jobs(finished) == {}


@pytest.mark.parametrize("lost", ["summary.tsv", "summary.parquet", "description/profiles.tsv"])
def test_a_file_that_the_page_links_is_missed(finished, tmp_path, lost):
    folder = tmp_path / "lost"
    shutil.copytree(finished, folder, symlinks=True)
    (folder / "results/studies/tiny" / lost).unlink()
    rule = "describe" if "/" in lost else "compare"
    assert jobs(folder)[rule] == 1
    assert jobs(folder, "tiny")[rule] == 1


def test_a_study_by_its_name_makes_an_index_of_all_that_was_run(finished, tmp_path):
    folder = tmp_path / "named"
    shutil.copytree(finished, folder, symlinks=True)
    index = folder / "results/index.html"
    index.unlink()
    other = {"title": "Another <study>", "datasets": ["wine"]}
    both = STUDY | {"studies": STUDY["studies"] | {"other": other}}
    (folder / "tiny.yaml").write_text(yaml.safe_dump(both))
    stages = ("compare", "describe", "report", "index", "other")
    assert jobs(folder, "other") == dict.fromkeys(stages, 1)
    links = {'studies/other/report.html">Another &lt;', 'studies/tiny/report.html">A tiny study'}
    for study, targets in ((both, ["other"]), (STUDY, [])):  # then the other one is not configured
        (folder / "tiny.yaml").write_text(yaml.safe_dump(study))
        done = snakemake(folder, *targets)
        assert done.returncode == 0, done.stdout + done.stderr
        assert {link for link in links if link in index.read_text()} == links
        assert jobs(folder) == jobs(folder, "tiny") == jobs(folder, *targets) == {}


#: What runs again where a study's tables may change.
TOLD = {"compare": 1, "describe": 1, "report": 1, "index": 1}


def test_another_classifier_runs_only_its_own_jobs(finished, tmp_path):
    study = yaml.safe_load(yaml.safe_dump(STUDY))
    study["studies"]["tiny"]["classifiers"].append("fnb")
    (finished / "more.yaml").write_text(yaml.safe_dump(study))
    counts = jobs(finished, "--configfile", str(finished / "more.yaml"))
    assert counts == {"compile": 1, "train": 2, "gather": 2, **TOLD}


def jobs_with(folder, change, sheet=SHEET):
    """Return what would run if the configuration, or the sheet, were another one."""
    config = yaml.safe_load(yaml.safe_dump(STUDY))
    change(config)
    if sheet != SHEET:
        (folder / "other.tsv").write_text(sheet)
        config["sheets"] = ["config/datasets.tsv", "other.tsv"]
    (folder / "other.yaml").write_text(yaml.safe_dump(config))
    return jobs(folder, "--configfile", str(folder / "other.yaml"))


def test_another_row_of_the_sheet_acquires_its_data_set_again(finished):
    after = {
        "train": 2,
        "gather": 2,
        "folds": 1,
        "diagnose": 1,
        **TOLD,
    }
    other = SHEET.replace("seed=3", "seed=4")
    assert jobs_with(finished, lambda config: None, other) == {"simulate": 1, **after}


def test_another_file_under_the_same_name_is_read_again_even_if_it_is_older(tmp_path):
    folder = prepare(tmp_path, STUDY | {"sheets": ["config/datasets.tsv", "tiny.tsv", "own.tsv"]})
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


def test_another_scheme_of_folds_draws_them_again(finished):
    counts = jobs_with(finished, lambda config: config["folds"]["3-fold"].update(splits=4))
    assert counts == {"folds": 2, "train": 4, "gather": 4, **TOLD}


def test_a_label_or_a_mirror_trains_nothing_again(finished):
    counts = jobs_with(finished, lambda c: c.update(classifiers={"xnb": {"label": "My XNB"}}))
    assert counts == {"compare": 1, "report": 1, "index": 1}  # the headline names it
    counts = jobs_with(finished, lambda config: config.update(download={"retries": 1}))
    assert counts == {"index": 1}  # it names the configuration file of the call


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
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    snakemake(folder, "--unlock")
    done = snakemake(folder, cores=1)
    assert done.returncode == 0, done.stdout + done.stderr
    assert tables(folder) == tables(finished)


def test_of_two_runs_at_once_in_one_folder_the_second_says_what_to_do(finished, tmp_path):
    folder = prepare(tmp_path / "twice")
    with (folder / "out.txt").open("w") as out:
        first = subprocess.Popen(snakemake_command(folder), stdout=out, stderr=out)
        while first.poll() is None and "Finished jobid" not in (folder / "out.txt").read_text():
            time.sleep(0.2)
        second = snakemake(folder)
        assert first.wait() == 0, (folder / "out.txt").read_text()
    assert second.returncode == 1
    assert "Directory cannot be locked" in second.stderr
    assert "--unlock" in second.stderr
    assert tables(folder) == tables(finished)


@pytest.fixture(scope="module")
def edited(finished, tmp_path_factory):
    """A copy of the sources and of the finished study, made by those sources."""
    root = tmp_path_factory.mktemp("edited") / "xnbflow"
    ignored = shutil.ignore_patterns(".*", "results", "resources", "__pycache__", "tests")
    shutil.copytree(ROOT, root, ignore=ignored)
    shutil.copytree(ROOT / "resources/paper", root / "resources/paper")
    folder = root.parent / "work"
    shutil.copytree(finished, folder, symlinks=True)
    return root, folder


@pytest.mark.parametrize(
    ("module", "rules"),
    [
        ("report/page/page.py", {"report", "index"}),
        ("report/page/templates/style.css", {"report", "index"}),
        ("evaluation/summaries.py", {"compare", "report", "index"}),
        ("naive_bayes/gaussian.py", {"compile", "train", "gather", *TOLD}),
        ("diagnostics/normality.py", {"compile", "diagnose", *TOLD}),
    ],
)
def test_editing_a_library_file_reruns_the_stages_that_use_it(edited, module, rules):
    root, folder = edited
    path = root / "workflow/src/xnbflow" / module
    original = path.read_text()
    path.write_text(original + "\n# edited\n")
    try:
        counts = jobs(folder, "--rerun-triggers", "params", root=root)
    finally:
        path.write_text(original)
    assert set(counts) == rules


def test_jobs_run_the_library_that_stands_beside_the_snakefile(edited):
    """Not another one that is installed, whose changes would reach results without a word."""
    root, folder = edited
    path = root / "workflow/src/xnbflow/evaluation/summaries.py"
    original = path.read_text()
    told = "from xnbflow.data.errors import InputError\nraise InputError('this is the copy')\n"
    path.write_text(original + told)
    try:
        done = snakemake(folder, root=root)
    finally:
        path.write_text(original)
    assert done.returncode == 1
    assert "this is the copy" in done.stderr


def test_one_job_per_fold_gives_the_same_tables(finished, tmp_path):
    folder = prepare(tmp_path / "per-fold", STUDY | {"folds_per_job": 1})
    for name in ("resources", ".snakemake"):
        shutil.copytree(finished / name, folder / name)
    done = snakemake(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(list((folder / "results/wine/3-fold/xnb/batches").iterdir())) == 3
    assert tables(folder) == tables(finished)


SCHEME = {
    "run": ["tiny"],
    "sheets": ["config/datasets.tsv"],
    "folds": {"s": {"splits": 2, "repeats": 2}},
    "studies": {
        "tiny": {
            "title": "A tiny study",
            "datasets": ["wine"],
            "classifiers": ["nb"],
            "folds": ["s"],
            "diagnostics": False,
        }
    },
}
AFTER = {"gather": 1, **TOLD}


def rerun(folder, **changes):
    """Run the scheme with other splits, repeats or folds per job; returns what was run."""
    per_job = changes.pop("folds_per_job", "all")
    prepare(folder, SCHEME | {"folds": {"s": changes}, "folds_per_job": per_job})
    planned = jobs(folder)
    done = snakemake(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert jobs(folder) == {}
    return planned


def check_results(folder, splits, repeats, batches):
    """Everything under the classifier's folder holds this scheme and nothing else."""
    place = folder / "results/wine/s/nb"
    predictions = pd.read_parquet(place / "predictions.parquet")
    assert len(predictions) == 178 * repeats
    assert set(predictions.groupby(["repeat", "sample"]).size()) == {1}
    folds = predictions[["repeat", "fold"]].drop_duplicates()
    assert len(folds) == splits * repeats
    assert len(pd.read_parquet(place / "fits.parquet")) == splits * repeats
    assert {path.name for path in (place / "batches").iterdir()} == set(batches)
    assert pd.read_parquet(place / "jobs.parquet")["batch"].tolist() == batches
    study = folder / "results/studies/tiny"
    samples = pd.read_parquet(study / "samples.parquet")
    assert len(samples) == 178
    assert set(samples["tested"]) == {repeats}
    assert len(pd.read_parquet(study / "metrics.parquet")) == splits * repeats


def test_an_edited_scheme_runs_what_it_changes_and_leaves_nothing_of_the_old_one(tmp_path):
    folder = tmp_path / "scheme"
    first = rerun(folder, splits=2, repeats=2)
    assert first["train"] == 2
    check_results(folder, 2, 2, ["repeat-0-folds-0-1", "repeat-1-folds-0-1"])
    stale = folder / "results/wine/s/nb/predictions"  # as an earlier version had it
    shutil.copytree(folder / "results/wine/s/nb/batches/repeat-1-folds-0-1", stale)

    assert rerun(folder, splits=3, repeats=1) == {"folds": 1, "train": 1, **AFTER}
    check_results(folder, 3, 1, ["repeat-0-folds-0-2"])
    assert not stale.exists()
    page = (folder / "results/studies/tiny/report.html").read_text()
    assert "178" in page
    assert not re.search(r">\s*(356|534)\b", page)

    assert rerun(folder, splits=3, repeats=3) == {"folds": 1, "train": 2, **AFTER}
    check_results(folder, 3, 3, [f"repeat-{i}-folds-0-2" for i in range(3)])
    assert rerun(folder, splits=3, repeats=2) == {"folds": 1, **AFTER}
    check_results(folder, 3, 2, [f"repeat-{i}-folds-0-2" for i in range(2)])

    whole = tables(folder)
    planned = rerun(folder, splits=3, repeats=2, folds_per_job=2)
    assert planned == {"train": 4, **AFTER}
    halves = [f"repeat-{i}-folds-{j}" for i in range(2) for j in ("0-1", "2-2")]
    check_results(folder, 3, 2, halves)
    assert tables(folder) == whole

    planned = rerun(folder, splits=3, repeats=2, folds_per_job=6)
    assert planned == {"train": 1, **AFTER}
    check_results(folder, 3, 2, ["repeats-0-1-folds-0-2"])
    assert tables(folder) == whole


def test_a_damaged_batch_stops_the_run_by_its_name_and_mends_when_deleted(finished, tmp_path):
    folder = tmp_path / "damaged"
    shutil.copytree(finished, folder, symlinks=True)
    (path,) = (folder / "results/wine/3-fold/xnb/batches").glob("*/predictions.parquet")
    content = bytearray(path.read_bytes())
    content[len(content) // 4] ^= 16
    before = tables(folder)
    stat = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    gathered = "results/wine/3-fold/xnb/predictions.parquet"
    (folder / gathered).unlink()
    done = snakemake(folder, gathered)
    assert done.returncode != 0
    said = " ".join((done.stdout + done.stderr).split())
    assert f"{path.relative_to(folder)} is damaged" in said
    assert "delete it and run the workflow again" in said
    path.unlink()
    for targets in ([gathered], []):
        done = snakemake(folder, *targets)
        assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / gathered).is_file()
    assert tables(folder) == before
