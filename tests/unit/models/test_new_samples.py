"""Reading of samples to predict: what a model settles, and what a table may have beside it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fitted_models import CSNB, NEW
from serving import serving
from toys import refused

from xnbflow.models import predict_table
from xnbflow.models.new_samples import read_samples
from xnbflow.models.reading import described_entry, read_training
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats import opening

RNG = np.random.default_rng(0)


def trained(**fields):
    """Return the entry of the training data."""
    return DatasetEntry("training", "table", **fields)


def read(table, folder, training=None, settings=None, **model):
    """Write a table with its columns alone, and read it."""
    path = folder / "new.csv"
    table.to_csv(path, index=False)
    return read_samples(described_entry(str(path), settings), training, **model)


def test_a_file_may_have_columns_of_text_that_the_model_does_not_use(tmp_path):
    path = tmp_path / "new.csv"
    NEW.assign(**{"a, b": 1.0, "site": "Ghent", "empty": np.nan})[::-1].to_csv(path)
    frame = read_samples(described_entry(str(path)), features=CSNB.features).frame
    assert predict_table(CSNB, frame.loc[NEW.index]).table.equals(predict_table(CSNB, NEW).table)
    NEW.assign(**{CSNB.features[0]: "high"}).to_csv(path)
    with refused(CSNB.features[0]):
        read_samples(described_entry(str(path)), features=CSNB.features)


def test_columns_of_text_may_have_any_name_and_text_in_one_of_twenty_rows(tmp_path):
    names = ["site", "a, b", "c*", "d?", "e[0]"]
    table = pd.DataFrame({"g0": np.arange(30.0), "late": "1"}).assign(**dict.fromkeys(names, "x"))
    table.loc[19, "late"] = "high"
    assert list(read(table, tmp_path, features=["g0"]).frame) == ["g0"]


def test_control_probes_gaps_and_samples_without_a_label_are_kept(tmp_path):
    table = pd.DataFrame({"AFFX-BioB-5_at": [1.0, np.nan], "g0": 2.0, "type": ["t", ""]})
    samples = read(table, tmp_path, trained(label="type"), features=["AFFX-BioB-5_at", "g0"])
    np.testing.assert_array_equal(samples.frame, [[1.0, 2.0], [np.nan, 2.0]])
    assert samples.labels == ["t", None]


def test_a_row_of_remarks_below_a_table_is_no_sample(tmp_path):
    table = pd.DataFrame(
        {"sample": ["x", "y", "remark"], "g0": [1.5, 2.5, None], "type": list("tn ")}
    )
    samples = read(table, tmp_path, trained(label="type", id_column="sample"), features=["g0"])
    assert samples.frame.index.tolist() == ["x", "y"]
    assert samples.labels == ["t", "n"]
    assert "1 sample has no value and is left out: remark" in samples.notes


def test_labels_are_those_of_the_training_data_unless_the_command_names_others(tmp_path):
    table = pd.DataFrame({"g0": [1.0, 2.0], "type": ["TUMOUR", "n"], "state": ["case", "control"]})
    table.insert(0, "sample", ["KO_1", "WT_1"])
    model = {"training": trained(label="type", id_column="sample"), "features": ["g0"]}
    model["classes"] = ["n", "tumour"]
    assert read(table, tmp_path, **model).labels == ["tumour", "n"]
    settings = {"label": "state", "map": {"case": "tumour", "control": "n"}}
    assert read(table, tmp_path, settings=settings, **model).labels == ["tumour", "n"]
    names = {"from": "sample names", "classes": ["KO", "WT"]}
    assert read(table, tmp_path, settings={"label": names}, **model).labels == ["KO", "WT"]
    with refused("new.csv has no column 'stat', which label names", key="label"):
        read(table, tmp_path, settings={"label": "stat"}, **model)


def test_a_label_of_numbers_is_no_feature(tmp_path):
    """With samples in rows and in columns."""
    table = pd.DataFrame({"sample": ["x", "y"], "case": [0, 1], "g0": [1.5, 2.0], "g1": [3.0, 4.5]})
    training = trained(label="case", id_column="sample")
    model = {"training": training, "features": ["g0", "g1"], "classes": ["0", "1"]}
    assert read(table, tmp_path, **model).labels == ["0", "1"]
    in_columns = table.set_index("sample").T.rename_axis("name").reset_index()
    samples = read(in_columns, tmp_path, **model)
    assert list(samples.frame) == ["g0", "g1"]
    assert [float(label) for label in samples.labels] == [0, 1]


def test_versions_of_identifiers_do_not_change_the_orientation(tmp_path):
    names = [f"ENSG{i:011}.4" for i in range(5)]
    path = tmp_path / "new.csv"
    pd.DataFrame(np.ones((3, 5)), list("xyz"), names).to_csv(path, index_label="sample")
    features = [name.partition(".")[0] for name in names]
    assert list(read_samples(described_entry(str(path)), features=features).frame) == features


def test_the_column_of_names_is_that_of_the_training_where_the_table_has_it(tmp_path):
    path = tmp_path / "new.csv"
    table = {"sample": ["x", "y"], "file": ["f1", "f2"], "g0": [1.0, 2.0]}
    pd.DataFrame(table).to_csv(path, index=False)
    entry = described_entry(str(path))
    for column, names in (("file", ["f1", "f2"]), ("patient", ["x", "y"])):
        frame = read_samples(entry, trained(id_column=column), features=["g0"]).frame
        assert frame.index.tolist() == names


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        ({"patient_id": ["x", "y"]}, ["x", "y"]),
        ({"patient_id": [7, 8]}, ["7", "8"]),
        ({"": ["x", "y"]}, ["x", "y"]),
        ({"site": ["Ghent", "Ghent"], "file": ["x", "y"]}, ["x", "y"]),
        ({"patient_id": ["x", "x"]}, ["0", "1"]),
        ({"type": ["a", "b"], "sex": ["F", "M"]}, ["0", "1"]),  # columns of the training data
        ({}, ["0", "1"]),
    ],
)
def test_samples_are_named_by_a_column_with_another_name_than_in_training(tmp_path, columns, names):
    path = tmp_path / "new.csv"
    pd.DataFrame({**columns, "g0": [1.0, 2.0], "g1": 0.5}).to_csv(path, index=False)
    training = trained(id_column="sample", label="type", phenotype_columns=("sex",))
    frame = read_samples(described_entry(str(path)), training, features=["g0"]).frame
    assert frame.index.tolist() == names
    assert frame["g0"].tolist() == [1.0, 2.0]


def test_a_table_at_a_url_is_read_as_a_file_and_downloaded_once(tmp_path):
    columns = {"patient_id": ["x", "y"], "site": ["Ghent", "Ulm"], "g0": [1.0, 2.0], "g1": 0.5}
    text = pd.DataFrame(columns).to_csv(index=False)
    in_columns = pd.DataFrame(columns).set_index("patient_id")[["g0", "g1"]].T.to_csv()
    training = trained(id_column="sample", label="type")
    files = {"new.csv": [text.encode()], "columns.csv": [in_columns.encode()]}
    with serving("tables", files) as server:
        for name in files:
            row = described_entry(f"{server.url}/{name}")
            frame = read_samples(row, training, features=["g0", "g1"]).frame
            assert frame.index.tolist() == ["x", "y"]
            assert frame["g0"].tolist() == [1.0, 2.0]
    assert server.requests == ["/tables/new.csv", "/tables/columns.csv"]


def test_the_index_of_a_parquet_file_names_the_samples(tmp_path):
    path = tmp_path / "new.parquet"
    pd.DataFrame({"g0": [1.0, 2.0]}, index=["x", "y"]).to_parquet(path)
    frame = read_samples(
        described_entry(str(path)), trained(id_column="sample"), features=["g0"]
    ).frame
    assert frame.index.tolist() == ["x", "y"]


@pytest.mark.filterwarnings("ignore:data set training")
@pytest.mark.parametrize("orientation", ["rows", "columns"])
def test_a_table_is_read_once_for_training_and_for_prediction(tmp_path, monkeypatch, orientation):
    """Also where its samples are in columns, and where its values still need a transform."""
    raw = pd.DataFrame(2 ** RNG.normal(8, 1.2, (12, 120)), columns=[f"g{i}" for i in range(120)])
    raw.index = [f"s{i}" for i in range(12)]
    training = raw.assign(type=["a", "b"] * 6)
    new = raw if orientation == "rows" else raw.T
    training.to_csv(tmp_path / "training.csv", index_label="sample")
    new.to_csv(tmp_path / "new.csv", index_label="name")
    opened = []

    def open_noted(path, **settings):
        opened.append(Path(path).name)
        return open_raw(path, **settings)

    open_raw = opening.open_raw
    monkeypatch.setattr(opening, "open_raw", open_noted)
    training = read_training(
        described_entry(str(tmp_path / "training.csv"), {"label": "type", "transform": "log2"})
    )
    samples = read_samples(
        described_entry(str(tmp_path / "new.csv")),
        training.entry,
        features=training.series.features,
        quartiles=np.quantile(training.series.values, [0.25, 0.5, 0.75], axis=1),
    )
    assert opened == ["training.csv", "new.csv"]
    assert "transform: log2 was applied" in samples.notes[0]
    series = training.series
    np.testing.assert_allclose(samples.frame[series.features].T, series.values, rtol=1e-12)
