"""The command `xnbflow` as people and programs call it, from another process."""

import json
import os
import sys
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
from integration.conftest import ROOT, xnbflow
from model_files import edited, two_classes
from toys import mistakes, put, python

from xnbflow import __version__


def in_process(*arguments, cwd=None):
    """Call the command in a process of its own; its output and errors are pipes."""
    main = "from xnbflow.running.cli import main; main()"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "workflow/src"), "COLUMNS": "200"}
    return python(main, *arguments, check=False, env=environment, cwd=cwd)


NAMED = ("fit", "training.csv", "--label", "type", "--id", "id")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table with labels, new samples without, and a model of the first."""
    folder = tmp_path_factory.mktemp("commands")
    series = two_classes(40)
    table = series.frame()
    table.insert(0, "type", series.labels)
    table.rename_axis("id").to_csv(folder / "training.csv")
    new = two_classes(12, seed=1).frame()
    new[new.columns[::-1]].rename_axis("id").to_csv(folder / "new.csv")
    done = xnbflow(*NAMED, "--method", "csnb", "--folds", "4", "-o", "model.skops", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert "cross-validated (4 folds)" in done.stdout
    assert xnbflow("--version", cwd=folder).stdout == f"xnbflow {__version__}\n"
    return folder


def test_a_prediction_in_a_pipe_is_a_table_and_nothing_else(folder):
    done = in_process("predict", "model.skops", "new.csv", "--id", "id", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    head = "sample label probability.normal probability.tumour typicality atypical"
    assert lines[0].split("\t") == head.split()
    assert len(lines) == 13


def test_samples_in_columns_are_fitted_and_known_by_the_models_features(folder):
    for name in ("new", "training"):
        pd.read_csv(folder / f"{name}.csv", index_col="id").T.to_csv(folder / f"turned-{name}.csv")
    rows = xnbflow("predict", "model.skops", "new.csv", cwd=folder)
    columns = xnbflow("predict", "model.skops", "turned-new.csv", cwd=folder)
    assert (columns.returncode, columns.stdout) == (0, rows.stdout)
    done = xnbflow(
        *("fit", "turned-training.csv", "--label", "type", "--samples", "columns"),
        *("--method", "csnb", "--folds", "0", "-o", "turned.skops", "--json"),
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    series = json.loads(done.stdout)["series"]
    assert (series["samples"], series["entry"]["samples"]) == (40, "columns")


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "model.skops"],
        ["signature", "model.skops"],
        ["predict", "model.skops", "new.csv"],
        ["explain", "model.skops", "new.csv", "--sample", "s3"],
        [*NAMED, "--method", "xnb", "--folds", "0", "-o", "other.skops"],
    ],
    ids=lambda arguments: arguments[0],
)  # fmt: skip
def test_json_is_json(folder, arguments):
    done = xnbflow(*arguments, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)


@pytest.mark.parametrize(("arguments", "message"), mistakes("command"))
def test_input_at_fault_exits_with_1_and_one_line(folder, arguments, message):
    done = xnbflow(*arguments.split(), cwd=folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert done.stderr.startswith("Error: ")
    assert "Traceback" not in done.stderr


SERIES_MATRIX = Path(__file__).with_name("GSE1_series_matrix.txt").read_text()

ESCAPES = "\x1b[2J\x9b2J\u202e"


def test_no_escape_sequence_reaches_a_terminal(folder, tmp_path):
    """Names of features, classes and samples are refused, other texts printed with escapes."""

    def renamed(content):
        text = json.loads(content["notes"]["content"])
        content["notes"]["content"] = json.dumps(text.replace("toy", f"toy{escape_in_json}"))

    escape_in_json = json.dumps(ESCAPES)[1:-1]
    edited(folder / "model.skops", tmp_path / "model.skops", renamed)
    table = (folder / "new.csv").read_text().replace("s3,", f"s3{ESCAPES},")
    put(tmp_path, table, "new.csv")
    text = SERIES_MATRIX.replace("Small", f"Sm{ESCAPES}all").replace("patient 1", f"p{ESCAPES}")
    put(tmp_path / "mirror", text, "GSE1_series_matrix.txt.gz")
    model = folder / "model.skops"
    calls = [
        xnbflow("show", tmp_path / "model.skops", cwd=tmp_path),
        xnbflow("signature", tmp_path / "model.skops", "--gmt", cwd=tmp_path),
        xnbflow("predict", model, tmp_path / "new.csv", cwd=tmp_path),
        xnbflow("explain", model, tmp_path / "new.csv", "--sample", "s4", cwd=tmp_path),
        xnbflow("predict", model, folder / "new.csv", "--set", f"x{ESCAPES}=1", cwd=tmp_path),
        xnbflow("study", "GSE1", "--mirror", tmp_path / "mirror", cwd=tmp_path),
    ]
    for call in calls:
        written = call.stdout + call.stderr
        assert written
        assert "Traceback" not in written
        assert not {"\x1b", "\x9b", "\u202e"} & {*written}, written


def test_study_of_an_accession_writes_a_study_that_run_hands_on_to_snakemake(tmp_path):
    mirror = put(tmp_path / "mirror", SERIES_MATRIX, "GSE1_series_matrix.txt.gz").parent
    words = ["study", "GSE1", "-o", "mine", "--mirror", mirror]
    done = xnbflow(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "xnbflow run mine --configfile mine.yaml" in done.stderr
    planned = in_process("run", "mine", "--configfile", "mine.yaml", "-n", cwd=tmp_path)
    assert planned.returncode == 0, planned.stderr
    assert "acquire" in planned.stdout + planned.stderr
    assert in_process("run", "mine", "--no-such-option", cwd=tmp_path).returncode == 2
    again = xnbflow(*words, cwd=tmp_path)
    assert again.returncode == 1
    assert "mine.yaml exists" in again.stderr
    assert "cannot name a study" in xnbflow(*words[:3], "a b", *words[4:], cwd=tmp_path).stderr


def test_a_type_of_another_package_is_read_only_where_it_is_trusted(folder, monkeypatch):
    (folder / "mine.py").write_text(
        "from sklearn.naive_bayes import GaussianNB\nclass Mine(GaussianNB): pass\n"
    )
    monkeypatch.syspath_prepend(folder)
    called = partial(xnbflow, cwd=folder)
    done = called(*NAMED, "--method", "mine.Mine", "--folds", "0", "-o", "mine.skops")
    monkeypatch.delitem(sys.modules, "mine")
    assert done.returncode == 0, done.stderr
    refused = called("show", "mine.skops")
    assert refused.returncode == 1
    assert "mine.Mine" in refused.stderr
    assert "--trust" in refused.stderr
    assert "mine" not in sys.modules
    trusted = called("predict", "mine.skops", "new.csv", "--trust", "mine.Mine")
    assert len(trusted.stdout.splitlines()) == 13
    monkeypatch.delitem(sys.modules, "mine")
