"""Tables as text: exact for a reader, harmless for a spreadsheet."""

import pandas as pd
import pytest

from xnbflow.tables import tsv, write_tsv


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1+1", "-x", "@SUM(A1)", "\tx"])
def test_text_that_a_spreadsheet_would_run_is_written_so_that_it_does_not(tmp_path, name):
    frame = pd.DataFrame({"feature": [name, "g1"], "value": [-1.5, 2.0], name: ["a", "b"]})
    write_tsv(frame, tmp_path / "t.tsv")
    read = pd.read_csv(tmp_path / "t.tsv", sep="\t")
    assert read["feature"].tolist() == [f"'{name}", "g1"]
    assert read["value"].tolist() == [-1.5, 2.0]
    assert read.columns[-1] == f"'{name}"
    assert frame["feature"][0] == name


def test_labels_that_are_numbers_stay_as_they_are():
    assert tsv(pd.DataFrame({"class": ["-1", "+1", "1e-5"]})) == "class\n-1\n+1\n1e-5\n"
