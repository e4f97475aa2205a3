"""Files of the workflow, of which bytes are damaged elsewhere; tables of another series."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.data.contract import FOLDS_TABLE, TRAINING_TABLES
from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
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
    table["set_size"] = table["covered"] = np.nan
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
