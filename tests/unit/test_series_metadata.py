"""What a series carries beside its values: groups, phenotype, symbols, missing values, notes."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.data.dataset import DataSet, iterate_features, read_features, read_header
from xnbflow.data.errors import InputError

SAMPLES = pd.DataFrame({"age": ["50", None], "title": ["a “quoted” title", "b"]})
FEATURES = pd.DataFrame({"symbol": ["TP53", "", "MYC"], "gene_id": ["7157", pd.NA, "4609"]})


def series(**changes):
    given = {
        "groups": ["p1", "p2"], "sample_metadata": SAMPLES, "feature_metadata": FEATURES,
        "notes": ["one", "two"],
    } | changes  # fmt: skip
    return DataSet(
        "toy", np.arange(6.0).reshape(3, 2), ["a", "b", "c"], ["s", "t"], ["x", "y"], **given
    )


def assert_is_whole(found, rows=slice(None)):
    assert found.groups.tolist() == ["p1", "p2"]
    assert found.sample_metadata.to_dict("list") == {
        "age": ["50", ""],
        "title": ["a “quoted” title", "b"],
    }
    assert found.feature_metadata["symbol"].tolist() == ["TP53", "", "MYC"][rows]
    assert found.feature_metadata["gene_id"].tolist() == ["7157", "", "4609"][rows]
    assert found.notes == ("one", "two")


def test_everything_is_read_back(tmp_path):
    path = tmp_path / "x.parquet"
    series().write(path)
    assert_is_whole(DataSet.read(path))
    header = read_header(path)
    assert header.groups.tolist() == ["p1", "p2"]
    assert header.feature_columns == ("symbol", "gene_id")
    assert_is_whole(read_features(path, ["c", "a"]), slice(None, None, -2))
    assert [names.tolist() for names, _ in iterate_features(path)] == [["a", "b", "c"]]


def test_missing_values_need_their_mark_and_infinite_ones_are_always_refused(tmp_path):
    values = np.array([[1.0, np.nan]])
    with pytest.raises(InputError, match="feature 'a' of sample 't' is nan; remove or impute"):
        DataSet("toy", values, ["a"], ["s", "t"], ["x", "y"])
    marked = DataSet("toy", values, ["a"], ["s", "t"], ["x", "y"], missing=True)
    marked.write(tmp_path / "x.parquet")
    found = DataSet.read(tmp_path / "x.parquet")
    np.testing.assert_array_equal(found.values, values)
    assert found.missing
    assert read_header(tmp_path / "x.parquet").missing
    with pytest.raises(InputError, match="feature 'a' of sample 's' is inf"):
        DataSet("toy", [[np.inf, 1.0]], ["a"], ["s", "t"], ["x", "y"], missing=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"groups": ["p1"]}, "one group per sample is needed, 1 are given"),
        ({"groups": ["p1", None]}, r"sample 't' has no group \(1 sample has none\)"),
        ({"groups": ["", "p1"]}, "sample 's' has no group"),
        ({"sample_metadata": SAMPLES[:1]}, "sample_metadata has 1 row .* give it 2 rows"),
        ({"feature_metadata": SAMPLES}, "feature_metadata has 2 rows .* give it 3 rows"),
        (
            {"feature_metadata": FEATURES.rename(columns={"symbol": "kind"})},
            "nor are called feature, kind, values",
        ),
    ],
)
def test_what_does_not_fit_the_series_is_refused(changes, message):
    with pytest.raises(InputError, match=message):
        series(**changes)
