"""`xnbflow study ACCESSION` against a server on 127.0.0.1 with the layout of NCBI's GEO."""

import gzip
from pathlib import Path

import pytest
import yaml
from integration.conftest import xnbflow
from serving import ncbi, serving

MATRIX = Path(__file__).with_name("GSE1_series_matrix.txt").read_text()
PATH = "series/GSEnnn/GSE1/matrix/GSE1_series_matrix.txt.gz"


def study(server, folder, *words):
    """Propose a study of an accession, with the server in place of NCBI."""
    return xnbflow("study", "GSE1", "-o", "mine", "--mirror", server.url, *words, cwd=folder)


def refusal(done, folder):
    """Return the message of a command that is refused, and writes no study."""
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert not (folder / "mine.yaml").exists()
    return done.stderr


def served_matrix(text):
    return ncbi({PATH: gzip.compress(text.encode())})


def test_the_study_of_an_accession_names_it_and_where_it_is_downloaded(tmp_path):
    with served_matrix(MATRIX) as server:
        done = study(server, tmp_path, "--most-gigabytes", "2")
    assert done.returncode == 0, done.stderr
    written = yaml.safe_load((tmp_path / "mine.yaml").read_text())
    entry = written["datasets"]["mine"]
    assert (entry["source"], entry["accession"]) == ("geo", "GSE1")
    assert written["download"] == {"base_urls": {"geo": [server.url]}, "most_gigabytes": 2}
    assert server.requests[0] == f"/geo/{PATH}"


def test_a_file_with_the_name_of_an_accession_is_a_file(tmp_path):
    (tmp_path / "GSE1").write_text(MATRIX)
    with ncbi({}) as server:
        done = study(server, tmp_path)
    assert done.returncode == 0, done.stderr
    entry = yaml.safe_load((tmp_path / "mine.yaml").read_text())["datasets"]["mine"]
    assert (entry["source"], entry["file"]) == ("geo", "./GSE1")
    assert f"/geo/{PATH}" not in server.requests


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("404", "GSE1_series_matrix.txt.gz: the server answered 404"),
        ("500", "GSE1_series_matrix.txt.gz: the server answered 500"),
        ("truncated", "the file ended early"),
        (gzip.compress(MATRIX.encode())[:-60], "broken gzip"),
        (b"<html>maintenance</html>", "is neither a GEO series matrix nor a GDS"),
    ],
)
def test_a_series_that_cannot_be_fetched_is_refused_with_its_address(tmp_path, answer, message):
    with serving("geo", {PATH: [answer]}, usual=gzip.compress(MATRIX.encode())[:80]) as server:
        assert message in refusal(study(server, tmp_path), tmp_path)


def test_a_server_that_does_not_answer_is_named(tmp_path):
    with ncbi({}) as server:
        pass
    assert "127.0.0.1" in refusal(study(server, tmp_path), tmp_path)


def test_an_accession_of_several_platforms_is_refused_with_those(tmp_path):
    names = [f"GSE1-GPL{number}_series_matrix.txt.gz" for number in (96, 97)]
    listing = "".join(f'<a href="{name}">{name}</a>' for name in names).encode()
    with ncbi({PATH.rpartition("/")[0] + "/": listing}) as server:
        message = refusal(study(server, tmp_path), tmp_path)
    assert "give one of GSE1-GPL96, GSE1-GPL97" in message


def test_a_series_without_values_is_refused(tmp_path):
    rows = [line for line in MATRIX.splitlines() if not line.startswith('"p')]
    with served_matrix("\n".join([*rows, ""])) as server:
        message = refusal(study(server, tmp_path), tmp_path)
    assert "the table of values is empty" in message
    assert "phenotype: {accession: GSE1}" in message


def test_samples_without_values_are_named_and_left_out_by_the_proposed_key(tmp_path):
    text = MATRIX.replace("\t2.0\t", "\t\t").replace("\t5.0\t", "\tnull\t")
    with served_matrix(text) as server:
        message = refusal(study(server, tmp_path), tmp_path)
        assert "1 sample of 4 has no values" in message
        assert "--set 'drop=[GSM2]'" in message
        done = study(server, tmp_path, "--set", "drop=[GSM2]")
    assert done.returncode == 0, done.stderr


def test_single_missing_values_are_imputed_as_those_of_a_table(tmp_path):
    with served_matrix(MATRIX.replace("\t2.0\t", "\tnull\t")) as server:
        done = study(server, tmp_path)
    assert done.returncode == 0, done.stderr
    entry = yaml.safe_load((tmp_path / "mine.yaml").read_text())["datasets"]["mine"]
    assert entry["missing"] == {"drop_features": 0.3}  # one of eight values, more than a tenth
