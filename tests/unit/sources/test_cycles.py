"""Threshold cycles of qPCR are recognised: a low one means high expression."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.running.cli.proposals import summarise_location
from xnbflow.sources.acquire import acquire_with_findings
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.series.threshold_cycles import note_on_cycles
from xnbflow.sources.table import read_table

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

N = 20
LABELS = ["case", "healthy"] * (N // 2)
CYCLES = np.random.default_rng(2).uniform(15, 38, (N, 12)).round(2)


def table(folder, name="x.csv", values=CYCLES, feature="GENE{}"):
    """Write samples in rows with a row of values each."""
    frame = pd.DataFrame({"sample": [f"s{i}" for i in range(N)], "group": LABELS})
    columns = [feature.format(i) for i in range(values.shape[1])]
    frame = pd.concat([frame, pd.DataFrame(values, columns=columns)], axis=1)
    frame.to_csv(folder / name, index=False)
    return folder / name


@pytest.mark.parametrize(
    ("name", "feature"),
    [
        ("plate_Ct.csv", "GENE{}"),
        ("cq values.csv", "GENE{}"),
        ("RT-qPCR.csv", "GENE{}"),
        ("qPCR_ct_vs_ko.csv", "GENE{}"),
        ("x.csv", "GENE{}_Ct"),
        ("x.csv", "Cq GENE{}"),
    ],
)
def test_the_proposal_and_the_reader_state_the_direction_of_cycles(tmp_path, name, feature):
    path = table(tmp_path, name, feature=feature)
    result = summarise_location(str(path))
    assert "(Ct): a low value means high expression; fold changes" in result.reason
    assert not result.entry.transform
    assert not result.entry.scale
    series = read_table(path, result.entry)
    assert sum("a low value means high expression" in note for note in series.notes) == 1
    assert series.scale == ""
    np.testing.assert_array_equal(series.values.T, CYCLES)


def test_the_direction_of_cycles_is_a_warning_of_the_data_set(tmp_path):
    """Each arrow of the page would be read the wrong way round."""
    row = DatasetEntry(
        "x", "table", str(table(tmp_path, "plate_Ct.csv")), label="group", id_column="sample"
    )
    _, findings = acquire_with_findings(row)
    direction = [finding for finding in findings if finding.kind == "direction"]
    assert [finding.severity for finding in direction] == ["warning"]
    assert "a low value means high expression" in direction[0].detail


def test_differences_of_cycles_have_the_same_direction(tmp_path):
    values = (CYCLES - 25).round(2)
    reason = summarise_location(str(table(tmp_path, "dCt_vs_GAPDH.csv", values))).reason
    assert "(ΔCt): a low value means high expression" in reason
    assert "give -ΔCt" in reason


def test_a_declared_scale_means_that_the_direction_was_corrected(tmp_path):
    row = DatasetEntry("x", "table", label="group", id_column="sample", scale="log2")
    series = read_table(table(tmp_path, "minus_dCt.csv", 25 - CYCLES), row)
    assert series.scale == "log2"
    assert not any("a low value" in note for note in series.notes)


@pytest.mark.parametrize(
    ("file_name", "features", "values"),
    [
        ("x.csv", ["ACTB", "CTNNB1"], CYCLES),  # no word
        ("x.csv", ["a_Ct", "b", "c"], CYCLES),  # most names have none
        ("x_Ct.csv", ["a", "b"], CYCLES * 10),
        ("x_Ct.csv", ["a", "b"], CYCLES - 20),
        ("product.csv", ["a", "b"], CYCLES),
        ("ct_scan.csv", ["a", "b"], CYCLES),  # computed tomography
        ("micro-CT.csv", ["a", "b"], CYCLES),
        ("ct_vs_ko.csv", ["a", "b"], CYCLES),  # controls
        ("KO vs Ct.csv", ["a", "b"], CYCLES),
        ("dCt.csv", ["a", "b"], CYCLES * 10),
        ("x_Ct.csv", ["a", "b"], np.full((2, 2), np.nan)),
    ],
)
def test_other_values_are_no_cycles(file_name, features, values):
    samples = [f"s{i}" for i in range(N)]
    assert note_on_cycles(values, file_name=file_name, features=features, samples=samples) is None


@pytest.mark.parametrize(
    ("value", "are_cycles"), [(3, True), (2.9, False), (50, True), (51, False)]
)
def test_no_cycle_is_outside_3_to_50(value, are_cycles):
    values = np.full((100, 1), 25.0)
    values[0] = value
    note = note_on_cycles(values, file_name="Ct.csv", features=list(range(100)), samples=["a"])
    assert (note is not None) == are_cycles


def test_all_samples_must_have_the_word_because_ct_is_a_name_of_controls():
    names = {"file_name": "x.csv", "features": ["a", "b"]}
    controls = [*(f"CT_{i}" for i in range(12)), *(f"KO_{i}" for i in range(8))]
    assert note_on_cycles(CYCLES[:, :2].T, samples=controls, **names) is None
    columns = [f"S{i} Ct" for i in range(N)]
    assert note_on_cycles(CYCLES[:, :2].T, samples=columns, **names) is not None


@pytest.mark.parametrize(("n_features", "are_cycles"), [(1000, True), (1001, False)])
def test_the_name_of_a_file_suffices_only_for_a_panel(n_features, are_cycles):
    """Logarithms of intensities of proteins are from 14 to 38, too, and of thousands."""
    values = np.full((n_features, 2), 25.0)
    for name in ("project_ct.csv", "project_dct.csv"):
        names = {"features": [f"g{i}" for i in range(n_features)], "samples": ["a", "b"]}
        note = note_on_cycles(values, file_name=name, **names)
        assert (note is not None) == are_cycles
        if note is not None:
            assert "rename the file" in note.advice
    names = {"features": [f"g{i} Ct" for i in range(n_features)], "samples": ["a", "b"]}
    note = note_on_cycles(values, file_name="project.csv", **names)
    assert note is not None
    assert "rename the file" not in note.advice


def test_a_tenth_of_cycles_may_be_outside_10_to_40():
    values = np.full(100, 25.0)
    values[:10] = 45
    names = {"file_name": "Ct.csv", "features": list(range(100)), "samples": ["a"]}
    assert note_on_cycles(values[:, None], **names) is not None
    values[10] = 45
    assert note_on_cycles(values[:, None], **names) is None
