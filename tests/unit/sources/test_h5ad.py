"""AnnData files are dense tables: matrices, tables obs and var, and what is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from toys import put, refused

from xnbflow.core.errors import InputError
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats import h5ad
from xnbflow.sources.table import read_table

pytest.importorskip("anndata", reason="needs the extra h5ad")

from anndata_files import GENES, TYPES, N, X, annotated, write_samples


@pytest.fixture
def path(tmp_path):
    barcodes = [f"b{i:02}" for i in range(N)]
    return write_samples(tmp_path / "samples.h5ad", barcode=barcodes)


def samples_entry(label="type", **options):
    return DatasetEntry("samples", "table", "x.h5ad", label=label, **options)


@pytest.mark.parametrize("matrix", ["X", "layers:columns", "layers:whole"])
def test_a_data_set_is_read(path, matrix):
    series = read_table(path, samples_entry(matrix=matrix, group="obs:donor"))
    np.testing.assert_array_equal(series.values.T, X)
    assert list(series.labels) == list(TYPES)
    assert list(series.groups[:3]) == ["p", "q", "p"]
    assert list(series.features) == [f"g{i}" for i in range(GENES)]
    assert series.feature_metadata["symbol"][1] == "G1"


@pytest.mark.parametrize("name", ["barcode", "obs:barcode"])
def test_a_column_of_obs_names_the_samples_in_place_of_the_index(path, name):
    series = read_table(path, replace(samples_entry(), id_column=name))
    assert series.samples[:2].tolist() == ["b00", "b01"]
    assert series.features.tolist() == [f"g{i}" for i in range(GENES)]
    assert list(series.sample_metadata) == ["donor"]


def test_a_column_of_names_that_obs_lacks_is_refused(path):
    with refused("did you mean 'barcode'", key="id"):
        read_table(path, replace(samples_entry(), id_column="barcodes"))


@pytest.mark.parametrize(("id_column", "names"), [(None, "c{}"), ("barcode", "b{:02}")])
def test_a_phenotype_file_describes_samples_by_their_names(path, id_column, names):
    """Its rows are in another order; the columns of obs stay beside its columns."""
    stages = pd.DataFrame({"sample": [names.format(i) for i in range(N)]})
    stages["stage"] = np.where(np.arange(N) % 5 == 0, "late", "early")
    phenotype = path.with_name("stages.tsv")
    stages[::-1].to_csv(phenotype, sep="\t", index=False)
    row = replace(samples_entry("stage", phenotype=str(phenotype)), id_column=id_column)
    series = read_table(path, row)
    assert series.labels.tolist() == stages["stage"].tolist()
    assert series.samples.tolist() == stages["sample"].tolist()
    assert series.sample_metadata["type"].tolist() == TYPES.tolist()


def test_a_phenotype_file_of_other_names_is_refused_with_both(path):
    phenotype = path.with_name("stages.tsv")
    phenotype.write_text("sample\tstage\nb00\tearly\nb01\tlate\n")
    with refused("table has c0, .* file b00, b01"):
        read_table(path, samples_entry("stage", phenotype=str(phenotype)))


def test_what_a_file_lacks_is_refused(path):
    with refused("may be X, layers:columns, layers:whole here"):
        read_table(path, samples_entry(matrix="raw"))
    rows = (
        samples_entry("obs:kind"),
        samples_entry(group="patient"),
        samples_entry(matrix="layers:z"),
    )
    for row in rows:
        with pytest.raises(InputError, match=r"kind|patient|layers:z"):
            read_table(path, row)


@pytest.mark.filterwarnings("ignore:Variable names are not unique:UserWarning")
def test_features_of_one_name_are_refused(tmp_path):
    data = annotated()
    data.var_names = ["g0", *data.var_names[:-1]]
    data.write_h5ad(tmp_path / "x.h5ad")
    with refused("g0"):
        read_table(tmp_path / "x.h5ad", samples_entry())


def test_a_matrix_of_more_values_than_the_limit_is_refused_before_it_is_read(path, monkeypatch):
    monkeypatch.setattr(h5ad, "_MOST_VALUES", N * GENES)
    assert read_table(path, samples_entry()).n_samples == N
    monkeypatch.setattr(h5ad, "_MOST_VALUES", N * GENES - 1)
    with refused("X has 90 samples and 12 features. At most 1,079"):
        read_table(path, samples_entry())


def test_a_file_that_is_damaged_or_older_than_anndata_0_7_is_refused(tmp_path, path):
    import h5py
    from anndata.io import write_elem

    content = path.read_bytes()
    damaged = put(tmp_path, content[: len(content) // 2], "half.h5ad")
    with refused("half.h5ad cannot be read as AnnData"):
        read_table(damaged, samples_entry())
    records = np.array([(b"c0", 1)], dtype=[("index", "S2"), ("kind", "i1")])
    with h5py.File(tmp_path / "old.h5ad", "w") as file:
        file["obs"], file["var"], file["X"] = records, records, np.ones((1, 1))
    with refused("obs is no table of anndata 0.7"):
        read_table(tmp_path / "old.h5ad", samples_entry("kind"))
    with h5py.File(path, "r+") as file:
        write_elem(file, "X", X[1:])
    with refused(r"X has shape \(89, 12\), not \(90, 12\)"):
        read_table(path, samples_entry())


def test_fractions_of_samples_are_phenotype_only_where_an_option_names_them(tmp_path):
    fractions = np.arange(N) / 8
    fractions[1] = np.nan
    path = write_samples(tmp_path / "x.h5ad", depth=fractions, age=fractions)
    assert list(read_table(path, samples_entry()).sample_metadata) == ["donor"]
    series = read_table(path, samples_entry(phenotype_columns=("depth",)))
    assert list(series.sample_metadata) == ["donor", "depth"]
    assert series.sample_metadata["depth"].tolist()[:3] == ["0.0", "", "0.25"]
    series = read_table(path, samples_entry(phenotype_columns=("age",)))
    assert list(series.sample_metadata) == ["donor", "age"]


def test_the_raw_matrix_has_features_of_its_own(tmp_path):
    data = annotated()
    data.raw = data.copy()
    data[:, :5].copy().write_h5ad(tmp_path / "x.h5ad")
    series = read_table(tmp_path / "x.h5ad", samples_entry(matrix="raw"))
    assert series.features.tolist() == [f"g{i}" for i in range(GENES)]
    np.testing.assert_array_equal(series.values.T, X)
    assert read_table(tmp_path / "x.h5ad", samples_entry()).n_features == 5


def test_infinite_values_are_refused_by_feature_and_sample(tmp_path):
    data = annotated()
    data.layers["whole"][:2, 1] = [np.inf, -np.inf]
    data.write_h5ad(tmp_path / "x.h5ad")
    with refused("feature 'g1', sample 'c0'"):
        read_table(tmp_path / "x.h5ad", samples_entry(matrix="layers:whole"))
    series = read_table(tmp_path / "x.h5ad", samples_entry(matrix="layers:whole", drop=("g1",)))
    assert series.features.tolist() == [f"g{i}" for i in range(GENES) if i != 1]
