"""Reading of samples with labels, to train a model."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from toys import dataset, refused

from xnbflow.models.reading import described_entry, read_training, symbols_of


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


@pytest.mark.parametrize("orientation", ["rows", "columns"])
def test_classes_are_in_names_of_samples_in_rows_and_in_columns(tmp_path, orientation):
    names = [f"P{i // 2}_{'tumour' if i % 2 else 'normal'}" for i in range(12)]
    values = np.random.default_rng(0).normal(8, 1, (12, 30))
    table = pd.DataFrame(values, names, [f"g{i}" for i in range(30)])
    table = table if orientation == "rows" else table.T
    table.to_csv(tmp_path / "mine.csv", index_label="name")
    label = {"from": "sample names", "classes": ["normal", "tumour"]}
    training = read_training(described_entry(str(tmp_path / "mine.csv"), {"label": label}))
    assert training.series.labels.tolist() == ["normal", "tumour"] * 6
    assert training.series.samples.tolist() == names
    assert len(set(training.series.groups)) == 6
