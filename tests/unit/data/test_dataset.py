"""What is written of a series is what is read, and what is no series is refused."""

import json
from dataclasses import dataclass, field, fields

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from toys import refused

from xnbflow.core.errors import InputError
from xnbflow.data.dataset import DataSet
from xnbflow.data.series_file import iterate_features, stored
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.parquet import parquet_writer
from xnbflow.tables.storage import write_parquet


def chunk(features, samples=("s", "t"), labels=("x", "y"), **more):
    values = np.arange(len(features) * len(samples), dtype=float)
    fields = {"values": values.reshape(len(features), len(samples))} | more
    return DataSet("toy", features=features, samples=samples, labels=labels, **fields)


def names_of(path):
    return DataSet.read(path, values=False)


READERS = (DataSet.read, names_of, lambda path: list(iterate_features(path)))


@pytest.mark.parametrize("read", READERS)
def test_another_file_is_refused(tmp_path, read):
    text = tmp_path / "text.parquet"
    foreign = tmp_path / "foreign.parquet"
    other = tmp_path / "other.parquet"
    text.write_text("feature,s,t\n")
    pd.DataFrame({"a": [1]}).to_parquet(foreign)
    row = pd.DataFrame({"class": [""], "feature": ["g"], "W": 0.9, "p": 0.5})
    write_parquet(row, other, GROUPS["diagnostic"].tables["normality"])
    with pytest.raises(InputError, match=r"text.parquet is damaged"):
        read(text)
    with pytest.raises(InputError, match="not a series of this workflow"):
        read(foreign)
    with pytest.raises(InputError, match="not a series of this workflow"):
        read(other)


HEADER = {"format": 2, "name": "toy", "samples": ["s", "t"], "labels": ["x", "y"]}
GOOD = {"feature": pa.array(["a"]), "kind": pa.array(["linear"])}
GOOD["values"] = pa.array([[1.0, 2.0]], pa.list_(pa.float64(), 2))


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ([], {}),
        ({"samples": ["s"]}, {}),
        ({"labels": ["x", None]}, {}),
        ({"order": [0, 0]}, {}),
        ({}, {"feature": pa.array([None], pa.string())}),
        ({}, {"kind": pa.array(["odd"])}),
        ({}, {"values": pa.array([[1.0, None]], pa.list_(pa.float64(), 2))}),
        ({}, {"values": pa.array([[1.0, np.nan]], pa.list_(pa.float64(), 2))}),
        ({}, {"values": pa.array([[1, 2]], pa.list_(pa.int64(), 2))}),
        ({}, {"values": pa.array([[1.0]], pa.list_(pa.float64(), 1))}),
    ],
)
def test_odd_columns_and_headers_are_refused(tmp_path, header, columns):
    """Of files whose checksums are right."""
    path = tmp_path / "odd.parquet"

    def write(head, columns):
        schema = pa.table(columns).schema.with_metadata({"xnbflow": json.dumps(head)})
        with parquet_writer(path, schema) as writer:
            writer.write_table(pa.table(columns).cast(schema))

    write(HEADER, GOOD)
    assert DataSet.read(path).values.tolist() == [[1.0, 2.0]]
    write(HEADER | header if isinstance(header, dict) else header, GOOD | columns)
    with pytest.raises(InputError, match=r"odd\.parquet|^toy: "):
        DataSet.read(path)


SAMPLES = pd.DataFrame({"age": ["50", None], "title": ["a “quoted” title", "b"]})
FEATURES = pd.DataFrame({"symbol": ["TP53", "", "MYC"], "gene_id": ["7157", pd.NA, "4609"]})


def series(**changes):
    items = {
        "groups": ["p1", "p2"], "sample_metadata": SAMPLES, "feature_metadata": FEATURES,
        "notes": ["one", "two"],
    } | changes  # fmt: skip
    return chunk(["a", "b", "c"], **items)


def assert_is_whole(actual, rows=slice(None)):
    assert actual.groups.tolist() == ["p1", "p2"]
    assert actual.sample_metadata["age"].tolist() == ["50", ""]
    assert actual.sample_metadata["title"].tolist() == ["a “quoted” title", "b"]
    assert actual.feature_metadata["symbol"].tolist() == ["TP53", "", "MYC"][rows]
    assert actual.feature_metadata["gene_id"].tolist() == ["7157", "", "4609"][rows]
    assert actual.notes == ("one", "two")


def test_everything_is_read_back(tmp_path):
    path = tmp_path / "x.parquet"
    series().write(path)
    assert_is_whole(DataSet.read(path))
    assert [names.tolist() for names, _ in iterate_features(path)] == [["a", "b", "c"]]


def test_a_data_set_without_values_has_every_other_field(tmp_path):
    path = tmp_path / "x.parquet"
    series(kinds=["linear", "angular", "linear"], scale="log2", missing=True).write(path)
    names = names_of(path)
    assert names.values is None
    assert_is_whole(names)
    whole = DataSet.read(path)
    for name in {entry.name for entry in fields(DataSet)} - {"values"}:
        expected, actual = getattr(whole, name), getattr(names, name)
        if isinstance(expected, pd.DataFrame):
            pd.testing.assert_frame_equal(actual, expected)
        else:
            np.testing.assert_array_equal(actual, expected)
    assert (names.n_features, names.n_samples, names.classes.tolist()) == (3, 2, ["x", "y"])
    taken = names.take(np.array([1]))
    assert (taken.values, taken.samples.tolist()) == (None, ["t"])
    assert taken.sample_metadata["title"].tolist() == ["b"]


@dataclass(frozen=True)
class Extended(DataSet):
    """A data set with two more fields, which nothing else names."""

    depths: np.ndarray = field(default=None, metadata=stored("texts", "sample"))
    strands: np.ndarray = field(default=None, metadata=stored("texts", "feature", "strand"))


def test_a_new_field_is_written_read_and_taken_without_another_edit(tmp_path):
    path = tmp_path / "x.parquet"
    further = {"depths": np.array(["1", "2"]), "strands": np.array(["+", "-"])}
    whole = Extended("toy", np.eye(2), ["a", "b"], ["s", "t"], ["x", "y"], **further)
    whole.write(path)
    for again in (Extended.read(path), Extended.read(path, values=False)):
        assert again.depths.tolist() == ["1", "2"]
        assert again.strands.tolist() == ["+", "-"]
        assert again.feature_metadata is None
        assert again.take(np.array([1])).depths.tolist() == ["2"]


def test_a_file_of_an_earlier_format_is_refused_with_the_remedy(tmp_path):
    """Format 1 had the design of a study in the header."""
    path = tmp_path / "old.parquet"
    header = {key: value for key, value in HEADER.items() if key != "format"} | {"trend": True}
    schema = pa.table(GOOD).schema.with_metadata({"xnbflow": json.dumps(header)})
    with parquet_writer(path, schema) as writer:
        writer.write_table(pa.table(GOOD).cast(schema))
    for read in READERS:
        with pytest.raises(InputError, match=r"is a series of format 1, .* reads 2; delete it"):
            read(path)


def test_missing_values_need_their_mark_and_infinite_ones_are_always_refused(tmp_path):
    values = np.array([[1.0, np.nan]])
    with pytest.raises(InputError, match="feature 'a' of sample 't' is nan; remove or impute"):
        DataSet("toy", values, features=["a"], samples=["s", "t"], labels=["x", "y"])
    marked = DataSet(
        "toy", values, features=["a"], samples=["s", "t"], labels=["x", "y"], missing=True
    )
    marked.write(tmp_path / "x.parquet")
    again = DataSet.read(tmp_path / "x.parquet")
    np.testing.assert_array_equal(again.values, values)
    assert again.missing
    assert names_of(tmp_path / "x.parquet").missing
    with pytest.raises(InputError, match="feature 'a' of sample 's' is inf"):
        DataSet(
            "toy",
            [[np.inf, 1.0]],
            features=["a"],
            samples=["s", "t"],
            labels=["x", "y"],
            missing=True,
        )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"groups": ["p1"]}, "one group .* 1 is given"),
        (
            {"labels": ["x"]},
            "one class label .* 1 is given",
        ),
        (
            {"labels": [None, "x"]},
            r"'s' has no class label \(1 sample",
        ),
        ({"groups": ["p1", None]}, r"'t' has no group \(1 sample"),
        ({"groups": ["", "p1"]}, "sample 's' has no group"),
        (
            {"sample_metadata": SAMPLES[:1]},
            "sample_metadata has 1 row .* give it 2 rows",
        ),
        (
            {"feature_metadata": SAMPLES},
            "feature_metadata has 2 rows .* give it 3 rows",
        ),
        (
            {"feature_metadata": FEATURES.rename(columns={"symbol": "kind"})},
            "nor are called feature, kind, values",
        ),
        (
            {"values": np.zeros((2, 3))},
            r"have shape \(2, 3\), the names need \(3, 2",
        ),
        (
            {"kinds": ["linear", "angle", "linear"]},
            "'angle'; use one of linear,",
        ),
        ({"values": [[0, np.nan]] * 3}, "'a' of sample 't' is nan"),
        (
            {"samples": ["s\x1b", "t"]},
            r"the sample name 's\\x1b' has control",
        ),
        (
            {"samples": ["s", "s"]},
            r"'s' occurs 2 times \(1 name repeats\)",
        ),
    ],
)
def test_what_does_not_fit_the_series_is_refused(changes, message):
    with refused(message):
        series(**changes)
