"""What is written of a series is what is read, and what is no series is refused."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.data.contract import FOLDS_TABLE
from xnbflow.data.dataset import DataSet, iterate_features, read_features, read_header, write_chunks
from xnbflow.data.errors import InputError
from xnbflow.data.tables import write_parquet


def chunk(features, samples=("s", "t"), labels=("x", "y"), kinds=None):
    values = np.arange(len(features) * len(samples), dtype=float)
    values = values.reshape(len(features), len(samples))
    return DataSet("toy", values, features, samples, labels, kinds)


def test_some_features_keep_their_kinds_and_the_order_asked_for(tmp_path):
    path = tmp_path / "toy.parquet"
    write_chunks(
        path, [chunk(["a", "b"], kinds=["angular", "linear"]), chunk(["c"], kinds=["categorical"])]
    )
    found = read_features(path, ["c", "a"])
    assert found.features.tolist() == ["c", "a"]
    assert found.kinds.tolist() == ["categorical", "angular"]
    np.testing.assert_array_equal(found.values, [[0.0, 1.0], [0.0, 1.0]])
    assert read_features(path, []).values.shape == (0, 2)


def test_a_feature_asked_for_twice_or_absent_is_refused(tmp_path):
    path = tmp_path / "toy.parquet"
    chunk(["a", "b"]).write(path)
    with pytest.raises(InputError, match="feature name 'a' occurs 2 times"):
        read_features(path, ["a", "b", "a"])
    with pytest.raises(InputError, match=r"no feature 'z' \(1 are missing\)"):
        read_features(path, ["a", "z"])


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (chunk(["c"], samples=("s", "u")), "chunk 1 has 'u' among its samples .* first has 't'"),
        (chunk(["c"], labels=("y", "x")), "chunk 1 has 'y' among its labels .* first has 'x'"),
        (chunk(["c"], ("s", "t", "u"), ("x", "y", "y")), "has 3 samples, but the first has 2"),
    ],
)
def test_chunks_of_other_samples_are_refused_and_nothing_is_left(tmp_path, other, message):
    with pytest.raises(InputError, match=message):
        write_chunks(tmp_path / "toy.parquet", [chunk(["a", "b"]), other])
    assert not list(tmp_path.iterdir())


def test_no_chunk_is_no_series(tmp_path):
    with pytest.raises(InputError, match="there is no chunk to write"):
        write_chunks(tmp_path / "toy.parquet", [])


@pytest.mark.parametrize(
    "read",
    [
        DataSet.read,
        read_header,
        lambda path: list(iterate_features(path)),
        lambda path: read_features(path, ["a"]),
    ],
)
def test_another_file_is_refused(tmp_path, read):
    text, foreign, other = (tmp_path / f"{name}.parquet" for name in ("text", "foreign", "other"))
    text.write_text("feature,s,t\n")
    pd.DataFrame({"a": [1]}).to_parquet(foreign)
    write_parquet(pd.DataFrame({"repeat": [0], "fold": 0, "sample": "s"}), other, FOLDS_TABLE)
    with pytest.raises(InputError, match=r"text.parquet is not a Parquet file"):
        read(text)
    with pytest.raises(InputError, match="has no checksum: another version or program"):
        read(foreign)
    with pytest.raises(InputError, match="not a series of this workflow"):
        read(other)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_a_sample_without_a_label_is_refused(missing):
    with pytest.raises(InputError, match=r"toy: sample 't' has no class label \(1 sample"):
        chunk(["a"], labels=["x", missing])
