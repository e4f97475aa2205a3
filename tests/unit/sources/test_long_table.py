"""Tables in long format are refused with a line of pandas that makes them wide."""

import re

import numpy as np
import pandas as pd
import pytest
from toys import refused

from xnbflow.core.errors import InputError
from xnbflow.running.cli.proposals import summarise_location
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.long_table import long_columns
from xnbflow.sources.formats.opening import read_raw_table
from xnbflow.sources.table import read_table

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

N_SAMPLES = 24
GENES = [f"GENE{i}" for i in range(12)]
VALUES = np.random.default_rng(1).normal(25, 3, (N_SAMPLES, len(GENES))).round(3)


def long_frame(sample="Sample", feature="Gene", value="Value", **texts):
    """Return a row per sample and gene; ``texts`` have a text for each sample."""
    rows = [
        {
            sample: f"S{i:02d}",
            **{name: column[i] for name, column in texts.items()},
            feature: gene,
            value: VALUES[i, j],
        }
        for i in range(N_SAMPLES)
        for j, gene in enumerate(GENES)
    ]
    return pd.DataFrame(rows)


GROUP = ["case", "healthy"] * (N_SAMPLES // 2)


@pytest.mark.parametrize(
    ("sample", "feature", "value"),
    [
        ("Sample", "Gene", "Value"),
        ("Sample Name", "Target Name", "Ct"),  # QuantStudio of Applied Biosystems
        ("SampleID", "Assay ID", "Quantified_value"),
        ("patient_id", "metabolite", "concentration"),
        ("Sample", "name of it", "x"),  # more than ten features need no name of features
    ],
)
def test_a_long_table_is_refused_with_its_columns_and_the_line_that_pivots_it(
    tmp_path, monkeypatch, sample, feature, value
):
    """The study and the reader took each row for a sample with the values as the only feature."""
    monkeypatch.chdir(tmp_path)
    frame = long_frame(sample, feature, value, Group=GROUP).sample(frac=1, random_state=0)
    frame.to_csv("x.csv", index=False)
    words = f"'{sample}' has the samples, '{feature}' the features, and '{value}' the values"
    with refused(words, code="long_table.long-table"):
        read_table("x.csv", DatasetEntry("x", "table", label="Group"))
    with pytest.raises(InputError, match=re.escape(words)) as refusal:
        summarise_location("x.csv")
    assert refusal.value.code == "long_table.long-table"
    exec(str(refusal.value).partition("in Python: ")[2])
    result = summarise_location("wide.csv")
    series = acquire(result.entry, downloads=tmp_path)
    assert (result.entry.label, result.entry.id_column) == ("Group", sample)
    order = [GENES.index(gene) for gene in series.features]
    np.testing.assert_array_equal(series.values, VALUES.T[order])
    assert series.labels.tolist() == GROUP


def test_technical_replicates_of_a_long_table_are_averaged_by_the_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = long_frame(value="Ct")
    second = frame.assign(Ct=frame["Ct"] + 1)
    pd.concat([frame, second]).to_csv("x.tsv", index=False, sep="\t")
    with pytest.raises(InputError, match="pivot_table") as refusal:
        summarise_location("x.tsv")
    assert refusal.value.code == "long_table.long-table"
    exec(str(refusal.value).partition("in Python: ")[2])
    wide = pd.read_csv("wide.csv", index_col="Sample")[GENES]
    np.testing.assert_allclose(wide, VALUES + 0.5)


def test_a_long_workbook_is_refused(tmp_path):
    long_frame(Group=GROUP).to_excel(tmp_path / "x.xlsx", index=False)
    with refused("'Gene' the features.*read_excel", code="long_table.long-table"):
        summarise_location(str(tmp_path / "x.xlsx"))


@pytest.mark.parametrize(("share", "is_long"), [(0.6, True), (0.4, False)])
def test_a_long_table_has_at_least_half_of_the_pairs(tmp_path, share, is_long):
    frame = long_frame(Group=GROUP)
    frame = frame.sample(round(share * len(frame)), random_state=0)
    assert (columns_of(tmp_path, frame) is not None) == is_long


@pytest.mark.parametrize(
    ("sample", "feature", "n_levels", "is_long"),
    [
        ("patient", "visit", 2, False),  # times of patients
        ("patient", "drug", 10, False),  # as many as may be classes
        ("patient", "drug", 11, True),
        ("line", "treatment", 12, False),  # a factorial design
        ("patient", "compound", 10, False),  # a name of features, but of few, and none of values
        ("line", "gene", 11, True),
    ],
)
def test_a_design_with_several_samples_of_a_patient_is_not_long(
    tmp_path, sample, feature, n_levels, is_long
):
    rows = [
        {sample: f"P{i}", feature: f"t{j}", "IL6": VALUES[i, j], "TNF": VALUES[i, j] + 1}
        for i in range(N_SAMPLES)
        for j in range(n_levels)
    ]
    frame = pd.DataFrame(rows)
    assert (columns_of(tmp_path, frame) is not None) == is_long
    assert columns_of(tmp_path, frame, label=feature) is None
    many = {f"x{i}": frame["IL6"] + np.arange(len(frame)) for i in range(4)}
    assert columns_of(tmp_path, frame.assign(**many)) is None  # six columns of numbers
    named = columns_of(tmp_path, frame.assign(**many, Ct=frame["TNF"]))
    is_named = is_long or feature == "compound"
    assert (named.value if named else "") == ("Ct" if is_named else "")


def test_two_targets_of_a_plate_are_long_if_the_values_have_a_name(tmp_path):
    """The columns are those of QuantStudio (Applied Biosystems), of which many are numbers."""
    frame = long_frame("Sample Name", "Target Name", "CT")
    frame = frame[frame["Target Name"].isin(GENES[:2])].reset_index(drop=True)
    frame.insert(0, "Sample Type", [f"type {i % 5}" for i in range(len(frame))])
    frame.insert(0, "Well", np.arange(len(frame)) + 1)
    for name in ("Ct Mean", "Ct SD", "RQ", "Delta", "Tm1", "Tm2", "Baseline End", "Threshold"):
        frame[name] = frame["CT"] + frame["Well"]
    columns = columns_of(tmp_path, frame)
    assert (columns.sample, columns.feature, columns.value) == ("Sample Name", "Target Name", "CT")
    assert not columns.texts
    assert columns_of(tmp_path, frame.drop(columns=["CT", "Ct Mean", "Ct SD"])) is None


def test_a_table_of_more_than_40_columns_is_not_long(tmp_path):
    frame = long_frame()
    others = {f"note {i}": ["a"] * len(frame) for i in range(37)}
    assert columns_of(tmp_path, frame.assign(**others)) is not None  # 40 columns
    assert columns_of(tmp_path, frame.assign(**others, more="a")) is None


def test_a_long_table_has_at_least_four_samples(tmp_path):
    frame = long_frame()
    assert columns_of(tmp_path, frame[frame["Sample"] < "S04"]) is not None
    assert columns_of(tmp_path, frame[frame["Sample"] < "S03"]) is None


def test_numbers_of_samples_and_of_features_are_not_the_values(tmp_path):
    """Ages do not differ within a sample, limits of detection not within a feature."""
    age = [str(40 + i % 9) for i in range(N_SAMPLES)]
    frame = long_frame(value="result", age=age)
    frame.insert(0, "LOD value", [GENES.index(gene) for gene in frame["Gene"]])
    columns = columns_of(tmp_path, frame)
    assert columns.value == "result"
    assert columns.texts == ("age",)


def test_genes_in_rows_with_symbols_and_accessions_are_not_long(tmp_path):
    frame = pd.DataFrame(VALUES.T, columns=[f"{'TN'[i % 2]}{i}" for i in range(N_SAMPLES)])
    frame.insert(0, "symbol", [f"SYMBOL{i // 2}" for i in range(len(GENES))])
    frame.insert(0, "gene", GENES)
    assert columns_of(tmp_path, frame.iloc[:, :7]) is None


def columns_of(folder, frame, label=None):
    frame.to_csv(folder / "x.csv", index=False)
    return long_columns(read_raw_table(folder / "x.csv", {}), label)
