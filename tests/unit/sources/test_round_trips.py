"""What is written is read: every format of tables, with samples in rows and in columns.

A table is written by another program (pandas, openpyxl, or by hand after the definition of the
format), proposed, and read by the proposed row; names, classes and every value are those written.
"""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from table_writers import COUNT_FOLDERS, FORMATS, PLACES, read_written

from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.gct import read_gct
from xnbflow.sources.formats.opening import read_text_table
from xnbflow.sources.proposal.table_summary import summarise_table
from xnbflow.sources.table import read_table

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


NUMBERS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda number: round(number, 6))
#: Letters of names: of R, of probes, of other languages, and what separates cells in some formats.
NAMES = st.text(st.sampled_from("abcXYZ0189_.-/é μ,;|"), min_size=1, max_size=8)
NAMES = NAMES.map(lambda text: f"n{' '.join(text.split())}")


@st.composite
def tables(draw):
    """Return samples by features: names, values and classes."""
    n_samples = draw(st.integers(4, 8))
    n_features = draw(st.integers(2, 6))
    names = st.lists(NAMES, unique=True, min_size=n_samples, max_size=n_samples)
    samples = draw(names)
    features = draw(st.lists(NAMES, unique=True, min_size=n_features, max_size=n_features))
    values = draw(
        st.lists(
            st.lists(NUMBERS, min_size=n_features, max_size=n_features),
            min_size=n_samples,
            max_size=n_samples,
        )
    )
    return samples, features, np.array(values), [*"ab" * (n_samples // 2), *"a" * (n_samples % 2)]


@pytest.mark.parametrize(("name", "orientation"), PLACES)
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(table=tables())
def test_what_is_written_is_read(tmp_path, name, orientation, table):
    samples, features, values, labels = table
    features = [f"g{feature}" for feature in features]
    frame = pd.DataFrame(values, pd.Index(samples, name="key"), features)
    frame.insert(0, "type", labels)
    series = read_written(tmp_path, name, frame, orientation)
    assert series.samples.tolist() == samples
    assert series.features.tolist() == features
    assert series.labels.tolist() == labels
    np.testing.assert_array_equal(series.values, values.T)


#: Values of four samples (rows) and three genes, with the options by which they are read.
CONTENTS = {
    "logarithms": ([[7.5, 5.25, 9.0], [8.25, 6.5, 9.5], [3.0, 1.0, 2.5], [4.0, 2.0, 2.0]], {}),
    "counts": ([[12, 0, 250], [7, 3, 180], [0, 41, 99], [5, 1, 1000]], {}),
    "fractions": (
        [[0.1 + 0.2, 1 / 3, 1e-20], [2 / 3, -1e-9, 5.0], [1.0, 2.0, 3.0], [0, 0, -7]],
        {},
    ),
    "large and small": ([[1e15, -123456789.25, 0], [1.5e9, 1, 1], [1, 2, 3], [4, 5, 6]], {}),
    "missing": (
        [[7.5, np.nan, 9.0], [8.25, 6.5, 9.5], [3.0, 1.0, np.nan], [4.0, 2.0, 2.0]],
        {"missing": "impute"},
    ),
}


@pytest.mark.parametrize(
    ("name", "orientation", "content"),
    [
        *((name, orientation, content) for name, orientation in PLACES for content in CONTENTS),
        *((program, "columns", "counts") for program in COUNT_FOLDERS),
    ],
)
def test_every_format_has_the_same_series_of_the_same_content(tmp_path, name, orientation, content):
    values, options = CONTENTS[content]
    values = np.array(values, dtype=float)
    samples = ["S1", "S2", "S3", "S4"]
    frame = pd.DataFrame(values, pd.Index(samples, name="key"), ["TP53", "KRAS", "MYC"])
    frame.insert(0, "type", ["ill", "well", "ill", "well"])
    series = read_written(tmp_path, name, frame, orientation, **options)
    assert series.samples.tolist() == samples
    assert series.features.tolist() == ["TP53", "KRAS", "MYC"]
    assert series.labels.tolist() == ["ill", "well", "ill", "well"]
    assert series.missing == (content == "missing")
    # openpyxl writes 16 digits, the other programs as many as a number needs
    rounding = 1e-15 if name == "book.xlsx" else 0.0
    np.testing.assert_allclose(series.values, values.T, rtol=rounding, atol=0)


@pytest.mark.parametrize("orientation", ["rows", "columns"])
@pytest.mark.parametrize("name", FORMATS)
def test_a_proposal_reads_what_is_written(tmp_path, name, orientation):
    values = np.random.default_rng(0).normal(8, 1, (12, 40)).round(4)
    samples = [f"S{i}" for i in range(12)]
    frame = pd.DataFrame(values, pd.Index(samples, name="key"), [f"g{i}" for i in range(40)])
    frame.insert(0, "diagnosis", ["ill", "well"] * 6)
    write, has_types = FORMATS[name]
    if orientation == "columns":
        frame = (frame.astype(str) if has_types else frame).T.rename_axis("key")
    write(frame, tmp_path / name)
    row = summarise_table(DatasetEntry("x", "table", str(tmp_path / name))).entry
    assert (row.label, row.samples) == ("diagnosis", orientation)
    series = read_table(tmp_path / name, row)
    np.testing.assert_array_equal(series.values, values.T)
    assert series.samples.tolist() == samples
    assert series.labels.tolist() == ["ill", "well"] * 6


@pytest.mark.parametrize(
    ("column", "row", "place"),
    [(2, 0, "column 3 ('g0'), line 2"), (41, 11, "column 42 ('g39'), line 13")],
)
def test_a_wrong_cell_is_named_by_its_place(tmp_path, column, row, place):
    cells = [["s", "type", *(f"g{i}" for i in range(40))]]
    cells += [[f"s{i}", "ab"[i % 2], *["1.5"] * 40] for i in range(12)]
    cells[row + 1][column] = "much"
    with (tmp_path / "x.csv").open("w", newline="") as file:
        csv.writer(file).writerows(cells)
    table = read_text_table(tmp_path / "x.csv", {})
    assert table.place(column, row) == place
    with pytest.raises(ValueError, match="'much' is not a number") as error:
        table.values(range(2, 42))
    assert place in str(error.value)


def test_the_texts_of_a_table_are_removed_as_they_are_converted():
    text = "".join(f"r{i}\t{i}.5\t{i}\n" for i in range(40_000))
    stream = io.BytesIO(f"#1.2\n40000\t1\nName\tDescription\ts1\n{text}".encode())
    table = read_gct("x.gct", stream)
    numbers = table.values([1, 2], release=True).T
    np.testing.assert_array_equal(numbers[:, 1], np.arange(40_000))
    np.testing.assert_array_equal(numbers[:, 0], np.arange(40_000) + 0.5)
    assert not any(table.rows)
