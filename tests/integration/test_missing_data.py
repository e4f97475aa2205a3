"""Data that cannot be had: a download that fails, a skipped data set, an absent file."""

import time

import pytest
import yaml
from integration.conftest import jobs, snakemake
from serving import serving

#: Samples of two classes, in the layout of the source `microarray`.
ROWS = [f"s{i},{'ab'[i % 2]},{i % 9 + 3 * (i % 2)}.5,{i % 7}.25,{i % 5}.75" for i in range(40)]
CSV = "\n".join(["samples,type,g1,g2,g3", *ROWS, ""]).encode()
DATASETS = {
    "first": {"source": "microarray", "name": "First"},
    "second": {"source": "microarray", "name": "Second"},
}
STUDY = {
    "title": "Two series",
    "datasets": ["first", "second"],
    "classifiers": ["nb", "csnb"],
    "folds": ["3-fold"],
    "final": ["csnb"],
    "diagnostics": False,
    "permutations": 0,
    "halves": 0,
}
#: A port that nothing listens on.
CLOSED = "http://127.0.0.1:9"


def configure(folder, url, **changes):
    """Write a configuration of two data sets that an address serves."""
    folder.mkdir(exist_ok=True)
    configuration = {
        "run": ["two"],
        "datasets": DATASETS,
        "download": {"base_urls": {"microarray": [url]}, "retries": 0, "timeout": 5},
        "folds": {"3-fold": {"splits": 3}},
        "studies": {"two": STUDY},
    }
    (folder / "tiny.yaml").write_text(yaml.safe_dump(configuration | changes))


def test_a_mirror_that_breaks_one_answer_fails_and_skip_ends_with_a_page(tmp_path):
    """Other data sets are finished up to their models, and are not computed again."""
    answers = {"First.csv": [CSV], "Second.csv": ["truncated"]}
    with serving("mirror", answers, usual=CSV) as server:
        configure(tmp_path, server.url)
        written = snakemake(tmp_path, "--keep-going", fails=True)
        end = written.rpartition("Failed: ")[2]
        assert f"{server.url}/Second.csv: the file ended early" in end
        assert "resources/downloads/microarray/Second.csv" in end
        assert "skip: [second]" in end
        assert "--config skip=second" in end
    results = tmp_path / "results"
    assert (results / "studies/two/models/first/csnb/csnb.skops").is_file()
    assert not (results / "studies/two/report.html").exists()

    planned = jobs(tmp_path, "--config", "skip=second")
    assert planned == {"compare": 1, "report": 1}
    written = snakemake(tmp_path, "--config", "skip=second")
    assert "Left out of two: second; it is under skip in the configuration" in written
    assert "Not in this run: second" in (results / "studies/two/report.html").read_text()
    for _ in range(2):
        assert "Nothing to be done" in snakemake(tmp_path, "-n", "--config", "skip=second")


@pytest.mark.parametrize("study", ["xnb-paper", "renal"])
def test_a_shipped_study_without_a_network_fails_within_seconds(tmp_path, study):
    sources = {name: [CLOSED] for name in ("cumida", "geo")}
    changed = {"download": {"base_urls": sources, "retries": 0}}
    (tmp_path / "tiny.yaml").write_text(yaml.safe_dump(changed))
    start = time.monotonic()
    written = snakemake(tmp_path, study, fails=True)
    assert time.monotonic() - start < 60  # 5 s on a quiet machine
    end = written.rpartition("Failed: ")[2]
    assert f"{CLOSED}/" in end
    assert "the connection failed (Connection refused)" in end
    assert "skip: [" in end
    assert not (tmp_path / "results/studies" / study / "report.html").exists()


def test_a_plan_without_a_network_has_all_jobs(tmp_path):
    configure(tmp_path, CLOSED)
    planned = jobs(tmp_path)
    assert planned["acquire"] == planned["classify"] == planned["models"] == 2
    assert planned["report"] == 1


def test_a_study_without_any_data_set_is_refused_by_its_plan(tmp_path):
    configure(tmp_path, CLOSED)
    written = snakemake(tmp_path, "-n", "--config", "skip=[first,second]", fails=True)
    assert "the study two has no data set" in written
    assert "second: it is under skip in the configuration" in written


def test_an_optional_file_is_used_as_soon_as_it_is_there(tmp_path):
    study = STUDY | {"optional": ["second"]}
    folders = {"base_urls": {"microarray": [str(tmp_path / "arrays")]}, "retries": 0}
    configure(tmp_path, CLOSED, studies={"two": study}, download=folders | {"timeout": 5})
    (tmp_path / "arrays").mkdir()
    (tmp_path / "arrays/First.csv").write_bytes(CSV)
    assert jobs(tmp_path)["acquire"] == 1
    (tmp_path / "arrays/Second.csv").write_bytes(CSV)
    assert jobs(tmp_path)["acquire"] == 2
