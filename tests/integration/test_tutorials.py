"""The tutorials, executed: their commands in their order, on small files of the names they use."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import snakemake_process
from integration.conftest import ROOT, xnbflow
from lab_files import feature_counts
from toys import put

TUTORIALS = ROOT / "docs/tutorials"
MATRIX = Path(__file__).with_name("GSE4107_series_matrix.txt").read_text()


def commands(page):
    """Every line of a page's blocks of commands."""
    text = (TUTORIALS / page).read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [shlex.split(line, comments=True) for block in blocks for line in block.splitlines()]


def planned(calls, folder):
    """Return what Snakemake says of each call, without running anything."""
    snakefile = ("--snakefile", str(ROOT / "workflow/Snakefile"))
    for words in dict.fromkeys(tuple(w for w in words if w != "-n") for words in calls):
        done = snakemake_process.run([*words[1:], *snakefile, "-n"], folder)
        assert done.returncode == 0, f"{shlex.join(words)}\n{done.stdout}"
        yield done.stdout


def run(words, folder):
    done = xnbflow(*words[1:], cwd=folder)
    assert done.returncode == 0, f"{shlex.join(words)}\n{done.stdout}{done.stderr}"


def cohort(seed, path):
    """Write patients in rows, with a diagnosis that two of twelve genes tell."""
    rng = np.random.default_rng(seed)
    diagnosis = np.repeat(["tumour", "normal"], 15)
    values = rng.normal(8, 1, (30, 12))
    values[:15, :2] += 3
    table = pd.DataFrame(values, columns=[f"gene{number}" for number in range(12)])
    table.insert(0, "diagnosis", diagnosis)
    table.insert(0, "patient", [f"P{number}" for number in range(30)])
    path.parent.mkdir(exist_ok=True)
    table.to_csv(path, index=False)


def test_second_cohort_and_prediction(tmp_path):
    for seed, name in enumerate(("train", "new", "second", "known")):
        cohort(seed, tmp_path / "data" / f"{name}.csv")
    *steps, last = commands("prediction.md")
    for series in ("GSE6956C", "GSE6956AA", "GSE24739_G0", "GSE24739_G1"):
        put(tmp_path / "my-folder", "a plan reads no file", f"{series}.csv")
    for words in steps:
        run(words, tmp_path)
    assert len(list(planned([last], tmp_path))) == 1
    predictions = pd.read_csv(tmp_path / "second.tsv", sep="\t")
    truth = pd.read_csv(tmp_path / "data/second.csv")
    assert len(predictions) == 30
    assert (predictions["label"].to_numpy() == truth["diagnosis"].to_numpy()).mean() > 0.9
    features = set(pd.read_csv(tmp_path / "signature.tsv", sep="\t")["feature"])
    assert features & {"gene0", "gene1"}
    assert set((tmp_path / "signature.gmt").read_text().split()) >= features


REFERENCE = ROOT / "docs/reference/data-layouts.md"


def blocks_of(page, language):
    """Return the blocks of a page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


def test_your_own_data_as_far_as_no_network_is_needed(tmp_path):
    """The script writes the table; the study and its change can be planned."""
    page = TUTORIALS / "own-data.md"
    (script,) = blocks_of(page, "python")
    put(tmp_path, script, "example.py")
    subprocess.run([sys.executable, "example.py"], cwd=tmp_path, check=True)
    mirror = put(tmp_path / "mirror", MATRIX, "GSE4107_series_matrix.txt.gz").parent
    feature_counts(tmp_path / "data")  # counts.txt and samples.csv
    proposals = [words for words in commands("own-data.md") if words[1] == "study"]
    for words in proposals:
        run([*words, "--mirror", str(mirror)], tmp_path)
    shown, change = blocks_of(page, "yaml")
    assert shown in (tmp_path / "tumours.yaml").read_text()
    # `xnbflow run NAME` takes NAME.yaml of this folder
    runs = [
        [*words[1:], "--configfile", f"{words[2]}.yaml"]
        for words in commands("own-data.md")
        if words[1] == "run"
    ]
    put(tmp_path, change, "change.yaml")
    runs.append(["run", "tumours", "--configfile", "tumours.yaml", "change.yaml"])
    assert (len(proposals), len(runs)) == (3, 4)
    assert all("acquire" in text for text in planned(runs, tmp_path))


STUDY = """
studies:
  my-study: {title: My tumours, datasets: [mine], classifiers: [nb], folds: [10-fold]}
"""


def test_the_configuration_of_the_reference_is_planned(tmp_path):
    datasets, steps = blocks_of(REFERENCE, "yaml")
    put(tmp_path, datasets + steps + STUDY, "my.yaml")
    (line,) = (line for block in blocks_of(REFERENCE, "sh") for line in block.splitlines())
    of_study = ["snakemake", "my-study", "--cores", "4", "--configfile", "my.yaml"]
    texts = list(planned([shlex.split(line), of_study], tmp_path))
    assert len(texts) == 2
    assert all("acquire" in text for text in texts)
