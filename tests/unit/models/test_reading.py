"""Reading of samples from a table, for training or prediction."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fitted_models import CSNB, NEW
from serving import serving
from toys import dataset, refused, set_fields

from xnbflow.models import predict_table, reading
from xnbflow.models.reading import described_entry, read_samples, read_training, symbols_of
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats import opening
from xnbflow.sources.places.downloads import Downloads


def test_a_file_may_have_columns_of_text_that_the_model_does_not_use(tmp_path):
    path = tmp_path / "new.csv"
    NEW.assign(**{"a, b": 1.0, "site": "Ghent", "empty": np.nan})[::-1].to_csv(path)
    read = read_samples(described_entry(str(path)), features=CSNB.features)
    assert predict_table(CSNB, read.loc[NEW.index]).table.equals(predict_table(CSNB, NEW).table)
    NEW.assign(**{CSNB.features[0]: "high"}).to_csv(path)
    with refused(CSNB.features[0]):
        read_samples(described_entry(str(path)), features=CSNB.features)


RNG = np.random.default_rng(0)


@pytest.mark.parametrize(("row", "names"), [(19, ["late"]), (20, [])])
def test_text_is_recognised_in_twenty_rows(tmp_path, row, names):
    table = pd.DataFrame({"g0": np.arange(30.0), "late": "1"})
    table.loc[row, "late"] = "high"
    assert text_columns(table, tmp_path) == names


def test_columns_of_text_may_have_any_name_and_exceptions_are_none(tmp_path):
    names = ["site", "a, b", "c*", "d?", "e[0]", "label"]
    table = pd.DataFrame([["x"] * 6, ["y"] * 6], columns=names)
    assert text_columns(table, tmp_path, exceptions={"label"}) == names[:-1]


def text_columns(table, folder, exceptions=()):
    table.to_csv(folder / "new.csv", index=False)
    return reading._columns_of_text(opening.read_raw_table(folder / "new.csv", {}), exceptions)


def test_a_number_with_the_decimal_sign_of_the_table_is_no_text():
    assert not reading._has_text(["1,5", "", "NA"], ",")
    assert reading._has_text(["1,5"], ".")
    assert reading._has_text(["1.5", "high"], ".")


def trained(**fields):
    """Return the entry of the training data."""
    return DatasetEntry("training", "table", **fields)


def complete(entry, training=None, features=()):
    return reading._texts_to_predict(
        entry, training, features=set(features), downloads=Downloads(Path())
    ).entry


def test_samples_to_predict_keep_controls_gaps_and_unlabelled_ones():
    row = reading._without_demands(described_entry("GSE4107"))
    assert row.label == "title"
    assert set_fields(row) == {"controls": "keep", "missing": "impute", "unlabelled": "ignore"}
    configured = reading._without_demands(
        described_entry("GSE4107", {"label": "source_name_ch1", "missing": "refuse"})
    )
    assert configured.label == "source_name_ch1"
    assert configured.missing == "refuse"


def test_versions_of_identifiers_do_not_change_the_orientation(tmp_path):
    names = [f"ENSG{i:011}.4" for i in range(5)]
    path = tmp_path / "new.csv"
    pd.DataFrame(np.ones((3, 5)), list("xyz"), names).to_csv(path, index_label="sample")
    features = [name.partition(".")[0] for name in names]
    assert complete(described_entry(str(path)), features=features).samples == "rows"


def test_the_column_of_names_is_that_of_the_training_where_the_table_has_it(tmp_path):
    path = tmp_path / "new.csv"
    table = {"sample": ["x", "y"], "file": ["f1", "f2"], "g0": [1.0, 2.0]}
    pd.DataFrame(table).to_csv(path, index=False)
    row = described_entry(str(path))
    assert complete(row, trained(id_column="file"), ["g0"]).id_column == "file"
    assert complete(row, trained(id_column="patient"), ["g0"]).id_column == "sample"


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
    frame = read_samples(described_entry(str(path)), training, features=["g0"])
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
            frame = read_samples(row, training, features=["g0", "g1"])
            assert frame.index.tolist() == ["x", "y"]
            assert frame["g0"].tolist() == [1.0, 2.0]
    assert server.requests == ["/tables/new.csv", "/tables/columns.csv"]


def test_the_index_of_a_parquet_file_names_the_samples(tmp_path):
    path = tmp_path / "new.parquet"
    pd.DataFrame({"g0": [1.0, 2.0]}, index=["x", "y"]).to_parquet(path)
    frame = read_samples(described_entry(str(path)), trained(id_column="sample"), features=["g0"])
    assert frame.index.tolist() == ["x", "y"]


@pytest.mark.parametrize(
    ("location", "source"),
    [
        ("GSE4107", "geo"),
        ("https://example.org/GSE1_series_matrix.txt.gz", "geo"),
        ("https://example.org/GSE1.soft", "geo"),
        ("https://example.org/GSE1.soft.gz", "geo"),
        ("https://example.org/table.txt.gz", "table"),
        ("bundled:wine", "bundled"),
        ("other:wine", "table"),
    ],
)
def test_the_source_of_a_location_is_recognised_by_its_form(location, source):
    assert described_entry(location).source == source


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ('!Series_title\t"A series"\n!Series_geo_accession\t"GSE1"\n', "geo"),
        ("^DATABASE = GeoMiame\n^SERIES = GSE1\n", "geo"),
        ("sample,g0\nx,1\n", "table"),
    ],
)
def test_a_file_of_geo_is_recognised_by_its_first_characters(tmp_path, text, source):
    (tmp_path / "downloaded.txt").write_text(text)
    assert described_entry(str(tmp_path / "downloaded.txt")).source == source


def test_keys_and_the_label_of_a_location_are_checked():
    with refused("unknown key 'transfrom'; did you mean 'transform'", key="transfrom"):
        described_entry("new.csv", {"transfrom": "log2"})
    with refused("new.csv, transform: unknown 'log3'; did you mean 'log2'", key="transform"):
        described_entry("new.csv", {"transform": "log3"})
    with refused("new.csv: name the column of the class labels, as --label diagnosis"):
        read_training(described_entry("new.csv"))


def test_a_feature_without_a_symbol_has_none():
    series = dataset(np.ones((2, 2)), ["a", "b"])
    assert symbols_of(series) == {}
    genes = pd.DataFrame({"symbol": ["TP53", ""], "entrez_id": ["7157", "4609"]})
    series = replace(series, feature_metadata=genes)
    assert symbols_of(series) == {"g0": "TP53"}
    assert symbols_of(series, "entrez_id") == {"g0": "7157", "g1": "4609"}
    assert symbols_of(series, "ensembl") == {}


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
    entry, series = read_training(
        described_entry(str(tmp_path / "training.csv"), {"label": "type", "transform": "log2"})
    )
    samples = reading.read_labelled_samples(
        described_entry(str(tmp_path / "new.csv")),
        entry,
        features=series.features,
        quartiles=np.quantile(series.values, [0.25, 0.5, 0.75], axis=1),
    )
    assert opened == ["training.csv", "new.csv"]
    assert "transform: log2 was applied" in samples.notes[0]
    np.testing.assert_allclose(samples.frame[series.features].T, series.values, rtol=1e-12)
