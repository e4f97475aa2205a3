"""Studies of GEO, whole, from accessions served on 127.0.0.1; proposals, run to their pages."""

import os
from itertools import chain

import pytest
import yaml
from integration.conftest import snakemake, xnbflow
from proposed import FILES, ROWS, write
from serving import ncbi

pytestmark = pytest.mark.slow

GDS = "datasets/GDSnnn/GDS507/soft/GDS507.soft.gz"
GPL97 = "platforms/GPLnnn/GPL97/annot/GPL97.annot.gz"


def run(folder, study, files):
    """Run a study of the project's own configuration, as it is but for NCBI's address."""
    with ncbi(files=files) as server:
        place = {"download": {"base_urls": {"geo": [server.url]}, "retries": 0, "timeout": 20}}
        place["studies"] = {study: {"classifiers": ["nb", "xnb"]}}
        (folder / "tiny.yaml").write_text(yaml.safe_dump(place))
        snakemake(folder, study)
    results = folder / "results/studies" / study
    return results, server.requests


def test_renal_runs_whole_with_the_symbols_of_its_platform(shared_data, tmp_path):
    names = {GDS: "GDS507.soft.gz", GPL97: "GPL97.annot.gz"}
    files = {path: (shared_data / "geo" / name).read_bytes() for path, name in names.items()}
    results, requests = run(tmp_path, "renal", files)
    assert sorted(requests) == sorted(f"/geo/{path}" for path in files)
    page = "".join((results / name).read_text() for name in ("report.html", "details.html"))
    assert "17 samples of 10" in page
    assert "have a symbol in the annotation" in page
    lock = (tmp_path / "results/checksums/renal.sha256").read_text()
    assert [line.split()[1] for line in lock.splitlines()] == ["GDS507.soft", "GPL97.annot"]


#: `make proposals` runs all; tests/unit/test_proposals.py plans, reads and divides all of them.
PROPOSED = [*ROWS, *FILES] if "XNBFLOW_PROPOSALS" in os.environ else ["four patients of each class"]


@pytest.mark.parametrize("name", PROPOSED)
def test_a_proposal_runs_to_its_page(tmp_path, name):
    path, given = write(name, tmp_path)
    options = (("--option", f"{key}={value}") for key, value in given.get("options", {}).items())
    label = ("--label", given["label"]) if "label" in given else ()
    words = ("study", path, *label, *chain(*options), "-o", "tiny")
    assert xnbflow(*words, cwd=tmp_path).returncode == 0
    snakemake(tmp_path, "tiny")
    page = (tmp_path / "results/studies/tiny/details.html").read_text()
    assert given.get("label", "diagnosis") in page
