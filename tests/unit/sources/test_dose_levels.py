"""Level 0 of a dose or a time is the reference of a proposed study."""

import numpy as np
import pandas as pd
import pytest
import yaml

from xnbflow.data.controls import level_zero
from xnbflow.running.cli.proposals import summarise_location, write_study

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def summary_of_levels(folder, name, levels):
    """Propose a study of ten samples of each level, with values that are no whole numbers."""
    texts = [level for level in levels for _ in range(10)]
    frame = pd.DataFrame({"sample": [f"s{i}" for i in range(len(texts))], name: texts})
    values = np.random.default_rng(0).normal(8, 1, (len(texts), 20)).round(3)
    frame = pd.concat([frame, pd.DataFrame(values).add_prefix("Gene")], axis=1)
    frame.to_csv(folder / "x.csv", index=False)
    return summarise_location(str(folder / "x.csv"), settings={"label": name})


@pytest.mark.parametrize(
    ("name", "levels", "reference"),
    [
        ("dose", ["0", "5", "10"], "0"),
        ("dose_mg_kg", ["10", "0", "50", "100"], "0"),
        ("treatment", ["0 uM", "1 uM", "10 uM"], "0 uM"),
        ("time", ["24 h", "0 h", "6 h"], "0 h"),
        ("group", ["dose 0", "dose 5", "dose 10"], "dose 0"),
    ],
)
def test_level_zero_of_several_is_the_reference(tmp_path, name, levels, reference):
    result = summary_of_levels(tmp_path, name, levels)
    assert result.entry.reference == reference
    assert f"Reference: '{reference}' (the level 0); each other class" in result.reason


def test_level_zero_of_two_is_the_reference(tmp_path):
    result = summary_of_levels(tmp_path, "dose", ["10", "0"])
    assert result.entry.reference == "0"
    assert "Reference: '0' (the level 0); fold changes are those of '10'" in result.reason


def test_the_reference_is_a_text_in_what_is_shown_and_written(tmp_path, monkeypatch):
    result = summary_of_levels(tmp_path, "dose", ["0", "5", "10"])
    shown = str(result).partition("\ndatasets:\n")[2].partition("\n\n")[0]
    assert yaml.safe_load(shown)[result.entry.id]["reference"] == "0"
    monkeypatch.chdir(tmp_path)
    write_study(result, "doses")
    settings = yaml.safe_load((tmp_path / "doses.yaml").read_text())
    assert settings["datasets"]["x"]["reference"] == "0"


def test_a_class_without_a_dose_is_no_reference(tmp_path):
    result = summary_of_levels(tmp_path, "cluster", ["0", "1", "2"])
    assert not result.entry.reference
    assert "Reference: none" in result.reason


@pytest.mark.parametrize(
    ("classes", "name", "expected"),
    [
        (["0", "1"], "response", ""),  # no and yes
        (["0", "1", "2"], "grade", ""),
        (["0", "0.5"], "Concentration", "0"),
        (["0", "5 mg", "10 mg"], "", "0"),
        (["0.0 Gy", "2.0 Gy"], "", "0.0 Gy"),
        (["0 uM", "10 nM"], "", ""),  # of two units
        (["5", "10"], "dose", ""),
        (["-1", "0", "1"], "dose", ""),
        (["0", "5", "high"], "dose", ""),
        (["0"], "dose", ""),
    ],
)
def test_level_zero(classes, name, expected):
    assert level_zero(classes, name) == expected
