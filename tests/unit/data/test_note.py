"""Notes of readers: their text, their code, and their advice apart."""

import pandas as pd
import pytest
from toys import put

from xnbflow.data.note import Note
from xnbflow.sources.acquire import acquire_with_findings
from xnbflow.sources.dataset_entry import DatasetEntry

#: A table with probes of controls, a repeated name, and a title line.
TABLE = """exported by a program
sample,class,g1,g1,AFFX-1,g2
s1,a,1.5,2.5,3.5,4.5
s2,a,2.5,3.5,4.5,1.5
s3,b,3.5,1.5,2.5,2.5
s4,b,4.5,4.5,1.5,3.5
"""


def test_a_note_is_its_text_and_has_its_parts():
    note = Note("3 probes were left out", advice="controls: keep keeps them")
    assert note == "3 probes were left out; controls: keep keeps them"
    assert (note.finding, note.code) == ("3 probes were left out", "other")
    assert Note("GPL570", "platform") == "GPL570"


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_notes_of_a_table_are_notices_with_their_advice_apart(tmp_path, capsys):
    path = put(tmp_path, TABLE, "x.csv")
    options = {"duplicates": "max_mean"}
    row = DatasetEntry("x", "table", str(path), label="class", id_column="sample", **options)
    _, findings = acquire_with_findings(row)
    assert {finding.dataset for finding in findings} == {"x"}
    assert {(finding.code, finding.severity) for finding in findings} == {("reading", "notice")}
    advice = {finding.detail: finding.other for finding in findings}
    assert sum(text.startswith("1 feature name repeats: 'g1'") for text in advice) == 1
    assert advice["1 control probe was left out (AFFX-1)"] == "controls: keep keeps them"
    (title,) = (text for text in advice if "title line" in text)
    assert advice[title] == "the key header names another line as the header"
    assert "key header" in capsys.readouterr().err  # who acquires it reads both


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_a_reader_advises_is_apart_from_what_was_found(rng, tmp_path):
    """The methods of a manuscript have the finding alone."""
    n = 24
    table = pd.DataFrame({"sample": [f"s{i}" for i in range(n)], "class": "a"})
    table["class"] = ["a"] * 11 + ["b"] * 11 + ["rare"] * 2
    table["patient"] = [f"p{i % 3}" for i in range(n)]
    for feature in ["1-Mar", "NAN", *(f"g{i}" for i in range(30))]:
        table[feature] = (2 ** rng.normal(8, 1, n)).round(1)
    table.to_csv(tmp_path / "x.csv", index=False)
    options = {"phenotype_columns": ("patient",), "transform": "log2"}
    row = DatasetEntry(
        *("x", "table", str(tmp_path / "x.csv")), label="class", id_column="sample", **options
    )
    _, findings = acquire_with_findings(row)
    expected = {
        "(1-Mar (MARCH1 or MARC1))": "correct them in the table",
        "is called NAN": "name a gene, or leave it",
        "'rare' (2)": "add samples, or join or leave out",
        "'patient' has 3 values": "set group: patient",
        "logarithms to base 2": "",
    }
    assert len(findings) == len(expected)
    for text, advice in expected.items():
        (finding,) = (finding for finding in findings if text in finding.detail)
        assert advice in finding.other
        assert bool(finding.other) == bool(advice)
        assert not advice or advice not in finding.detail
