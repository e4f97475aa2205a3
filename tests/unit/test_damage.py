"""Damaged files do not become results: whatever bit flips, a file is refused or reads the same."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xnbflow.data.contract import FOLDS_TABLE, TRAINING_TABLES
from xnbflow.data.dataset import DataSet, iterate_features, read_features, read_header
from xnbflow.data.errors import InputError
from xnbflow.data.parquet import parquet_writer
from xnbflow.data.tables import (
    digest_of_file,
    read_parquet,
    refuse_other_series,
    write_parquet,
)

SAMPLES = [f"sample {i}" for i in range(40)]
PREDICTIONS = TRAINING_TABLES["predictions"]


def write_series(path):
    values = np.random.default_rng(0).normal(size=(60, 40))
    kinds = ["linear", "angular", "categorical"] * 20
    names = [f"probe_{i}" for i in range(60)]
    DataSet("toy", values, names, SAMPLES, ["tumour", "normal"] * 20, kinds).write(path)


def write_folds(path):
    table = pd.DataFrame({"repeat": 0, "fold": np.arange(40) % 10, "sample": SAMPLES})
    write_parquet(table, path, FOLDS_TABLE)


def write_predictions(path):
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"repeat": 0, "fold": np.arange(40) % 10, "sample": SAMPLES})
    table = table.assign(true=rng.choice(["a", "b"], 40), predicted=rng.choice(["a", "b"], 40))
    table["log_posterior.a"], table["log_posterior.b"] = rng.normal(size=(2, 40))
    write_parquet(table, path, PREDICTIONS)


def read_series(path):
    series = DataSet.read(path)
    return [getattr(series, key).tolist() for key in ("values", "features", "labels", "kinds")] + [
        series.name,
        series.samples.tolist(),
    ]


FILES = {
    "series": (write_series, read_series),
    "folds": (write_folds, lambda path: read_parquet(path, FOLDS_TABLE).to_dict("list")),
    "predictions": (
        write_predictions,
        lambda path: read_parquet(path, PREDICTIONS).to_dict("list"),
    ),
}


@pytest.fixture(scope="module")
def foreign(tmp_path_factory):
    """Where a file of somebody else's is written."""
    return tmp_path_factory.mktemp("foreign") / "file.parquet"


def test_a_table_of_other_values_than_the_series_holds_is_refused(tmp_path):
    series, table = tmp_path / "toy.parquet", tmp_path / "folds.parquet"
    frame = pd.DataFrame({"repeat": [0], "fold": [0], "sample": ["a"]})
    write_series(series)
    write_parquet(frame, table, FOLDS_TABLE, digest_of_file(series))
    refuse_other_series([table], series)
    DataSet("toy", np.ones((1, 2)), ["f"], ["a", "b"], ["x", "y"]).write(series)
    with pytest.raises(InputError) as refusal:
        refuse_other_series([table], series)
    assert refusal.value.file == str(table)


ARRAYS = st.sampled_from(
    [
        pa.array(["a", None]),
        pa.array(["a", "b"]),
        pa.array(["a", "a"]),
        pa.array(["linear", "linear"]),
        pa.array(["linear", "odd"]),
        pa.array([b"a", b"\xff"]),
        pa.array([1, 2]),
        pa.array([None, None]),
        pa.array([[1.0, 2.0], [3.0, 4.0]], pa.list_(pa.float64(), 2)),
        pa.array([[1.0, 2.0], None], pa.list_(pa.float64(), 2)),
        pa.array([[1.0, None], [3.0, 4.0]], pa.list_(pa.float64(), 2)),
        pa.array([[1.0, np.nan], [3.0, 4.0]], pa.list_(pa.float64(), 2)),
        pa.array([[1.0], [3.0, 4.0]], pa.list_(pa.float64())),
        pa.array([[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]], pa.list_(pa.float64(), 3)),
        pa.array([[1, 2], [3, 4]], pa.list_(pa.int64(), 2)),
    ]
)
HEADERS = st.one_of(
    st.none(),
    st.sampled_from([b"", b"{", b"[]", b"null", b"\xff", b'"text"', b"1"]),
    st.fixed_dictionaries(
        {},
        optional={
            "name": st.sampled_from(["toy", 1, None]),
            "samples": st.sampled_from([["s", "t"], ["s"], ["s", "s"], ["s", None], "st", 2, {}]),
            "labels": st.sampled_from([["x", "y"], ["x"], [1, 2], None, "xy", ["x", None]]),
        },
    ).map(lambda header: json.dumps(header).encode()),
)
READERS = [
    DataSet.read,
    read_header,
    lambda path: list(iterate_features(path)),
    lambda path: read_features(path, ["a"]),
]


@settings(max_examples=400, deadline=None)
@given(
    columns=st.dictionaries(
        st.sampled_from(["feature", "kind", "values", "other"]), ARRAYS, min_size=1
    ),
    header=HEADERS,
    read=st.sampled_from(READERS),
)
def test_whole_parquet_that_is_no_series_is_an_input_error(foreign, columns, header, read):
    table = pa.table(columns)
    metadata = {} if header is None else {b"xnbflow": header}
    with parquet_writer(foreign, table.schema.with_metadata(metadata)) as writer:
        writer.write_table(table)
    try:
        read(foreign)
    except InputError:
        return
    assert columns["feature"].null_count == columns["kind"].null_count == 0
