"""What a run downloads, before it begins."""

import copy
from pathlib import Path

import pytest

from xnbflow.running.plan import Plan
from xnbflow.running.planned_downloads import download_sentences, is_served
from xnbflow.running.project import default_configuration
from xnbflow.sources.dataset_entry import DatasetEntry

ROOT = Path(__file__).parents[3]


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Plan.read(copy.deepcopy(default_configuration(ROOT)), ROOT)


def test_data_sets_of_a_server_are_named_until_they_are_read(plan, tmp_path):
    assert list(download_sentences(plan)) == []  # no study is planned
    plan.study_of("xnb-paper")
    plan.study_of("demo")  # simulated
    (sentence,) = download_sentences(plan)
    assert sentence.startswith(
        "To download for xnb-paper: the files of 18 data sets (GSE31189, GSE15824, "
    )
    assert sentence.endswith("of unknown size; resources/downloads is empty")

    series = tmp_path / "results/GSE31189/series.parquet"
    series.parent.mkdir(parents=True)
    series.touch()
    file = tmp_path / "resources/downloads/cumida/Brain_GSE15824.csv"
    file.parent.mkdir(parents=True)
    file.write_bytes(bytes(1_500_000))
    (sentence,) = download_sentences(plan)
    assert ": the files of 17 data sets (GSE15824, " in sentence
    assert sentence.endswith("; 1 file is in resources/downloads already (1.5 MB)")


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (DatasetEntry("x", "geo", "GSE4107"), True),
        (DatasetEntry("x", "geo", "data/GSE4107_series_matrix.txt.gz"), False),
        (DatasetEntry("x", "table", "file:///data/x.csv"), False),
        (DatasetEntry("x", "uci", "spambase"), True),
        (DatasetEntry("x", "microarray", "Khan2001"), False),  # a user supplies it
        (DatasetEntry("x", "simulate"), False),
    ],
)
def test_what_an_address_serves(entry, expected):
    assert is_served(entry, {"geo": ["https://ftp.ncbi.nlm.nih.gov/geo"]}) == expected


def test_a_mirror_of_a_users_files_serves_them():
    entry = DatasetEntry("x", "microarray", "Khan2001")
    assert is_served(entry, {"microarray": ["https://mirror.org"]})
