"""What strangers met: genes that are none, ways of one class between others, one of a thing."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.description import direction, feature_profiles
from xnbflow.models.signature import gene_sets, signature_table
from xnbflow.report.sections.signature import gene_page

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["NA", "nan", "NaN", "null", "1-Mar", "Sep-02", "2021-03-01", "?"])
def test_what_is_no_gene_s_name_leads_nowhere(name):
    assert gene_page(name, "1007_s_at") == ""
    assert gene_page("", name) == ""


@pytest.mark.parametrize("symbol", ["BCR///ABL1", "BCR /// ABL1", "BCR"])
def test_of_several_genes_the_first_is_linked(symbol):
    assert gene_page(symbol, "p").endswith("/gene/?term=BCR")


def test_a_signature_is_between_where_the_page_is():
    values = np.array([[1.0, 1.2, 5.0, 5.2, 9.0, 9.3], [1, 1, 1, 1, 1, 1], [0, 0, 0, 3, 0, 0]])
    series = DataSet("s", values, ["g", "h", "k"], list("uvwxyz"), list("aabbcc"))
    pairs = [(label, feature) for feature in "ghk" for label in "abc"]
    profiles = feature_profiles(series, pd.DataFrame(pairs, columns=["class", "feature"]))
    chosen = {label: list("ghk") for label in "abc"}
    signature = signature_table(chosen, series.frame(), series.labels)
    both = profiles.merge(signature, on=["class", "feature"])
    assert both["direction_x"].tolist() == both["direction_y"].tolist()
    told = both.set_index(["feature", "class"])["direction_y"]
    assert [told["g", label] for label in "abc"] == ["low", "between", "high"]
    assert {told["h", label] for label in "abc"} == {"equal"}
    assert told["k", "b"] == "high"
    lines = [line.split("\t") for line in gene_sets(signature, "s")]
    assert ["s_b_between", "in b between the other classes", "g"] in lines


def test_a_class_without_a_value_counts_for_no_direction():
    medians = np.array([2.0, np.nan, 1.0])
    assert [direction(medians, medians, code) for code in range(3)] == ["high", "equal", "low"]


def test_no_message_or_page_says_one_things():
    """A number before a plural is the business of `counted`, where it may be 1."""
    nouns = "samples|classes|genes|features|groups|values|columns|cells|fits|rows"
    uncounted = re.compile(rf'f"\{{len\([^{{}}]*\)[^{{}}]*\}} ({nouns})\b')
    found = [
        f"{path.name}: {match[0]}"
        for path in (ROOT / "workflow/src/xnbflow").rglob("*.py")
        for match in uncounted.finditer(path.read_text())
    ]
    assert not found
    assert uncounted.search('f"{len(names)} samples"')


@pytest.mark.parametrize(
    ("study", "told"),
    [("renal", ["renal"]), ("renal colorectal", ["renal", "colorectal"]), ("all", ["*"])],
)
def test_make_run_says_where_the_report_of_its_study_is(study, told):
    done = subprocess.run(
        ["make", "-n", "run", f"STUDY={study}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.findall(r"results/studies/(\S+)/report\.html", done.stdout) == told
