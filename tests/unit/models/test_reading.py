"""Reading of samples with labels, to train a model."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from toys import dataset, refused

from xnbflow.models.new_samples import read_samples
from xnbflow.models.reading import described_entry, read_training, symbols_of
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.proposal.table_summary import summarise_table


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


@pytest.mark.parametrize("classes", [{}, {"classes": ["normal", "tumour"]}])
@pytest.mark.parametrize("orientation", ["rows", "columns"])
def test_classes_are_in_names_of_samples_in_rows_and_in_columns(tmp_path, orientation, classes):
    names = [f"P{i // 2}_{'tumour' if i % 2 else 'normal'}" for i in range(12)]
    values = np.random.default_rng(0).normal(8, 1, (12, 30))
    table = pd.DataFrame(values, names, [f"g{i}" for i in range(30)])
    table = table if orientation == "rows" else table.T
    table.to_csv(tmp_path / "mine.csv", index_label="name")
    label = {"from": "sample names", **classes}
    training = read_training(described_entry(str(tmp_path / "mine.csv"), {"label": label}))
    assert training.series.labels.tolist() == ["normal", "tumour"] * 6
    assert training.series.samples.tolist() == names
    assert len(set(training.series.groups)) == 6


def changed_table(change):
    """Return a table of 24 samples and 120 genes with one of the faults that tables have."""
    rng = np.random.default_rng(0)
    genes = [f"ZNF{i}" for i in range(120)]
    table = pd.DataFrame(rng.normal(8, 1, (24, 120)).round(2), columns=genes)
    table.insert(0, "type", ["normal", "tumour"] * 12)
    table.insert(0, "sample", [f"s{i}" for i in range(24)])
    match change:
        case "spellings":
            table.loc[[1, 3], "type"] = ["Tumour", "tumor"]
        case "unlabelled":
            table.loc[[4, 6], "type"] = ""
        case "class none":
            table["type"] = ["none", "drug"] * 12
        case "rare class":
            table.loc[[4, 6], "type"] = "benign"
        case "numbers":
            table["type"] = ["1", "01", "2", "2"] * 6
        case "gaps":
            table.loc[5, "ZNF7"] = np.nan
        case "repeated gene":
            table = table.rename(columns={"ZNF7": "ZNF8"})
        case "patients":
            table.insert(2, "patient", [f"p{i // 2}" for i in range(24)])
        case "footer":
            table.loc[24, "sample"] = "Remark: plate 2 was repeated"
        case "repeated header":
            header = pd.DataFrame([list(table)], columns=table.columns)
            table = pd.concat([table.astype(object), header])
        case "unknown class":
            table["type"] = ["01", "11"] * 11 + ["01", "NA"]
    return table


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "change",
    [
        "nothing", "spellings", "unlabelled", "class none", "rare class", "numbers", "gaps",
        "repeated gene", "patients", "footer", "repeated header", "unknown class",
    ],
)  # fmt: skip
def test_training_samples_are_those_of_a_proposed_study(tmp_path, change):
    path = tmp_path / "mine.csv"
    changed_table(change).to_csv(path, index=False)
    proposed = summarise_table(DatasetEntry("mine", "table", str(path))).entry
    training = read_training(described_entry(str(path), {"label": "type"}))
    assert replace(proposed, transform=None, scale=None) == training.entry
    expected = acquire(replace(proposed, transform=None, scale=None))
    assert training.series.labels.tolist() == expected.labels.tolist()
    assert training.series.samples.tolist() == expected.samples.tolist()
    assert training.series.features.tolist() == expected.features.tolist()
    np.testing.assert_array_equal(training.series.values, expected.values)
    if change == "patients":
        assert training.series.groups.tolist() == expected.groups.tolist()


def write_series_matrix(path):
    """Write a series matrix of GEO: twelve samples of six patients, in two states."""
    samples = [f"GSM{i}" for i in range(12)]
    fields = {
        "title": [f"sample {i}" for i in range(12)],
        "geo_accession": samples,
        "characteristics_ch1": ["disease state: tumour", "disease state: normal"] * 6,
        "characteristics_ch1 ": [f"individual: p{i // 2}" for i in range(12)],
    }
    lines = ['!Series_title\t"A series"', '!Series_geo_accession\t"GSE1"']
    for name, texts in fields.items():
        quoted_texts = [f'"{text}"' for text in texts]
        lines.append("\t".join([f"!Sample_{name.strip()}", *quoted_texts]))
    values = np.random.default_rng(0).normal(8, 1, (600, 12)).round(2)
    table = pd.DataFrame(values, index=[f"probe{i}" for i in range(600)], columns=samples)
    lines += ["!series_matrix_table_begin", table.to_csv(sep="\t", index_label="ID_REF").rstrip()]
    path.write_text("\n".join([*lines, "!series_matrix_table_end", ""]))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_patients_of_a_series_of_geo_are_groups_and_its_fields_may_be_labels(tmp_path):
    path = tmp_path / "series_matrix.txt"
    write_series_matrix(path)
    settings = {"label": "characteristics:disease state"}
    training = read_training(described_entry(str(path), settings))
    assert training.entry.group == "individual"
    assert training.series.groups.tolist() == [f"p{i // 2}" for i in range(12)]
    assert any("group: individual" in remark for remark in training.remarks)
    for command in ({}, settings, {"label": "disease state"}):
        samples = read_samples(described_entry(str(path), command), training.entry)
        assert samples.labels == training.series.labels.tolist()


def test_names_of_samples_without_a_class_are_no_labels(tmp_path):
    values = np.random.default_rng(0).normal(8, 1, (12, 30))
    names = [f"s{i}" for i in range(12)]
    pd.DataFrame(values, names).to_csv(tmp_path / "mine.csv", index_label="name")
    with refused("mine.csv: the names of the samples contain no class", key="label"):
        read_training(described_entry(str(tmp_path / "mine.csv"), {"label": "sample names"}))
