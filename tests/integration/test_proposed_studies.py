"""Studies that `xnbflow study` proposes, run to their pages."""

import os

import pytest
from integration.conftest import snakemake, xnbflow
from proposed import NAMES, write

pytestmark = pytest.mark.slow

#: `make proposals` runs all; tests/unit/running/cli/test_proposals.py plans, reads and divides all
#: of them.
PROPOSED = NAMES if "XNBFLOW_PROPOSALS" in os.environ else ["four patients of each class"]


@pytest.mark.parametrize("name", PROPOSED)
def test_a_proposal_runs_to_its_page(tmp_path, name):
    path, settings = write(name, tmp_path)
    words = ["study", path, "-o", "tiny"]
    for key in ("label", "phenotype"):
        words += [f"--{key}", settings[key]] if key in settings else []
    for setting in settings.get("settings", []):
        words += ["--set", setting]
    assert xnbflow(*words, cwd=tmp_path).returncode == 0
    snakemake(tmp_path, "tiny")
    page = (tmp_path / "results/studies/tiny/details.html").read_text()
    assert settings.get("label", "diagnosis") in page
