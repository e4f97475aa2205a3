"""The tutorials, executed: their commands in their order, on small files of the names they use."""

import re
import shlex
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


def test_your_own_data_as_far_as_no_network_is_needed(tmp_path):
    """The sheet and the configuration stand on the page; the first calls say what would run."""
    page = (TUTORIALS / "own-data.md").read_text()
    (sheet,) = re.findall(r"^```text\n(id\t.*?)^```", page, re.MULTILINE | re.DOTALL)
    put(tmp_path, sheet, "my.tsv")
    steps, configuration = re.findall(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    put(tmp_path, configuration + steps, "my.yaml")
    mirror = put(tmp_path / "mirror", MATRIX, "GSE4107_series_matrix.txt.gz").parent
    cohort(0, tmp_path / "data" / "expression.csv")
    feature_counts(tmp_path / "data")  # counts.txt and samples.csv
    proposals = [words for words in commands("own-data.md") if words[1] in ("geo", "study")]
    for words in proposals:
        run([*words, "--mirror", str(mirror)], tmp_path)
    # `xnbflow run NAME` takes NAME.yaml of this folder
    runs = [
        [*words[1:], "--configfile", f"{words[2]}.yaml"]
        for words in commands("own-data.md")
        if words[1] == "run"
    ]
    calls = [*runs, *(words for words in commands("own-data.md") if words[0] == "snakemake")]
    assert (len(proposals), len(calls)) == (3, 6)
    assert all("acquire" in text for text in planned(calls, tmp_path))
