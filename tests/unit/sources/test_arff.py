"""ARFF files of numbers and nominal attributes, in tables and of CuMiDa."""

import io

import numpy as np
import pytest
from scipy.io import arff
from toys import mistakes, refused

from xnbflow.sources.acquire import acquire
from xnbflow.sources.cumida import _read_cumida_arff, read_cumida_csv
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.table import read_table

TUMOURS = """% a comment
@RELATION tumours
@attribute patient {1,2}
@attribute g1 numeric
@attribute 'g 2' REAL
@attribute sex {m, f}
@attribute type {t,n}
@data
1,1.5,2.25,f,t

2, 4, 5.5,m,n
"""


def table_row(**options):
    """An entry for `TUMOURS`."""
    return DatasetEntry("x", "table", "x.arff", label="type", id_column="patient", **options)


def written(folder, text, name="x.arff"):
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_numbers_and_nominal_attributes_are_read(tmp_path):
    series = read_table(written(tmp_path, TUMOURS), table_row(categorical=("sex",)))
    assert list(series.features) == ["g1", "g 2", "sex"]
    assert list(series.kinds) == ["linear", "linear", "categorical"]
    assert list(series.samples) == ["1", "2"]
    assert series.values.tolist() == [[1.5, 4], [2.25, 5.5], [0, 1]]  # f, m in alphabetical order
    assert series.labels.tolist() == ["t", "n"]


def test_a_question_mark_is_a_missing_value(tmp_path):
    path = written(tmp_path, TUMOURS.replace("1.5", "?"))
    with refused("missing"):
        read_table(path, table_row(drop=("sex",)))
    assert read_table(path, table_row(drop=("sex",), missing="impute")).missing


def test_numeric_files_are_read_as_scipy_reads_them(tmp_path, rng):
    values = rng.normal(size=(30, 6)) * 10.0 ** rng.integers(-9, 9, size=6)
    labels = np.tile(["a b", "c"], 15)
    lines = ["@relation r", "@attribute class {'a b',c}"]
    lines += [f"@attribute 'g {i}' numeric" for i in range(6)]
    rows = [
        ",".join([f"'{label}'" if " " in label else label, *map(repr, row)])
        for label, row in zip(labels, values.tolist(), strict=True)
    ]
    text = "\n".join([*lines, "@data", *rows, ""])
    theirs, _ = arff.loadarff(io.StringIO(text))
    ours = read_table(written(tmp_path, text), DatasetEntry("x", "table", "x.arff", label="class"))
    for i, name in enumerate(ours.features):
        np.testing.assert_array_equal(ours.values[i], theirs[name])
    assert ours.labels.tolist() == [label.decode() for label in theirs["class"]]


@pytest.mark.parametrize(("old", "new", "message"), mistakes("arff"))
def test_a_file_that_scipy_does_not_read_is_refused(tmp_path, old, new, message):
    path = written(tmp_path, TUMOURS.replace(old, new))
    with refused(message):
        read_table(path, table_row(drop=("sex",)))


def cumida_files(samples=True):
    """A series in CuMiDa's two formats."""
    rng = np.random.default_rng(5)
    names, values = ["1007_s_at", "1053_at", "AFFX-BioB"], rng.normal(8, 2, size=(6, 3)).round(6)
    labels = ["normal", "HCC"] * 3
    csv = [",".join(["samples", "type", *names])]
    lines = ["@relation Liver_GSE1"]
    lines += ["@attribute samples numeric"] * samples + ["@attribute type {normal,HCC}"]
    lines += [f"@attribute '{name}' numeric" for name in names] + ["@data"]
    for i, (label, row) in enumerate(zip(labels, values.tolist(), strict=True)):
        cells = [label, *map(repr, row)]
        csv.append(",".join([f"{i}", *cells]))
        lines.append(",".join([f"{i}"] * samples + cells))
    return "\n".join([*csv, ""]), "\n".join([*lines, ""])


@pytest.mark.parametrize("samples", [True, False])
def test_both_formats_of_cumida_have_the_same_series(tmp_path, samples):
    csv, text = cumida_files(samples=samples)
    first = read_cumida_csv(written(tmp_path, csv, "x.csv"), DatasetEntry("x", "cumida"))
    other = _read_cumida_arff(written(tmp_path, text), DatasetEntry("x", "cumida"))
    np.testing.assert_array_equal(first.values, other.values)
    for attribute in ("features", "labels", "samples"):
        assert getattr(first, attribute).tolist() == getattr(other, attribute).tolist()


def test_the_source_fetches_the_arff_file_by_its_option(tmp_path):
    csv, text = cumida_files()
    folder = tmp_path / "mirror/Liver/GSE1"
    folder.mkdir(parents=True)
    written(folder, text, "Liver_GSE1.arff")
    bases = {"cumida": [str(tmp_path / "mirror")]}
    row = DatasetEntry("x", "cumida", "Liver/GSE1", options={"format": "arff"})
    series = acquire(row, downloads=tmp_path / "downloads", base_urls=bases)
    first = read_cumida_csv(written(tmp_path, csv, "x.csv"), DatasetEntry("x", "cumida"))
    np.testing.assert_array_equal(series.values, first.values)


def test_a_class_of_cumida_may_be_called_class(tmp_path):
    _, text = cumida_files()
    renamed = text.replace("@attribute type", "@attribute class")
    series = _read_cumida_arff(written(tmp_path, renamed), DatasetEntry("x", "cumida"))
    assert series.labels.tolist() == ["normal", "HCC"] * 3
    assert "class" not in series.features
