"""The jobs that train, check and keep classifiers write what later stages read."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.methods import resolved
from xnbflow.jobs.check import check_classifiers
from xnbflow.jobs.classify import train_classifiers
from xnbflow.jobs.models import fit_kept_model
from xnbflow.models.model_file import read_model
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import read_stacked

ENTRIES = {
    "nb": resolved({"method": "gaussian_nb"}),
    "csnb": resolved({"method": "csnb", "params": {"n_features": 2}}),
}
SCHEME = {"splits": 3, "repeats": 2, "file": None}


@pytest.fixture(scope="module")
def series():
    rng = np.random.default_rng(0)
    codes = np.arange(24) % 2
    values = rng.normal(size=(12, 24))
    values[:3] += 3.0 * codes
    features = [f"g{i}" for i in range(12)]
    samples = [f"s{i}" for i in range(24)]
    return DataSet(
        "toy", values, features=features, samples=samples, labels=np.array(["a", "b"])[codes]
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory, series):
    """A folder with the files of a job of *classify* and one of *check*."""
    folder = tmp_path_factory.mktemp("jobs")
    series.write(folder / "series.parquet")
    train_classifiers(
        folder / "series.parquet",
        scheme=SCHEME,
        folds_file=None,
        downloads={"base_urls": {}},
        entries=ENTRIES,
        random_gene_classifiers=["csnb"],
        folder=folder,
    )
    check_classifiers(
        folder / "series.parquet",
        entries=ENTRIES,
        label_test_classifiers=["csnb"],
        halves_classifiers=["csnb"],
        n_pairs=2,
        n_permutations=99,
        adjust=(),
        folder=folder,
    )
    return folder


def test_a_job_of_training_writes_the_tables_of_all_its_classifiers(folder):
    predictions = read_stacked(
        folder / "predictions.parquet", GROUPS["training"].tables["predictions"], ["nb", "csnb"]
    )
    assert {name: len(table) for name, table in predictions.items()} == {"nb": 48, "csnb": 48}
    folds = [predictions[name][["repeat", "fold", "sample"]] for name in ("nb", "csnb")]
    pd.testing.assert_frame_equal(*folds)
    compared = read_stacked(
        folder / "random_genes.parquet", GROUPS["training"].tables["random_genes"], ["nb", "csnb"]
    )
    assert compared["nb"].empty
    assert len(compared["csnb"]) == 1


def test_a_job_of_checks_has_the_label_test_of_each_tested_and_the_halves_of_each_halved(folder):
    for table in ("label_test", "halves"):
        stacked = read_stacked(folder / f"{table}.parquet", GROUPS["check"].tables[table], ["csnb"])
        assert len(stacked["csnb"]), table
    halves = read_stacked(folder / "halves.parquet", GROUPS["check"].tables["halves"], ["csnb"])[
        "csnb"
    ]
    assert halves["halves"].unique().tolist() == [4]


def kept_model(folder, target):
    """Run the job that keeps the classifier csnb, and return the path of the model."""
    fit_kept_model(
        "csnb",
        ENTRIES["csnb"],
        series=folder / "series.parquet",
        origin={"location": "toy.csv"},
        training=folder,
        trained_classifiers=["nb", "csnb"],
        checks=folder,
        halves_classifiers=["csnb"],
        folder=target,
    )
    return target / "csnb.skops"


def test_a_model_has_the_figures_of_its_own_rows_and_the_share_of_halves(folder, tmp_path, series):
    model = read_model(kept_model(folder, tmp_path))
    predictions = read_stacked(
        folder / "predictions.parquet", GROUPS["training"].tables["predictions"], ["nb", "csnb"]
    )
    of_csnb = predictions["csnb"]
    assert model.figures["accuracy"]["value"] == pytest.approx(
        (of_csnb["true"] == of_csnb["predicted"]).groupby(of_csnb["sample"]).mean().mean()
    )
    assert model.signature["share_of_halves"].notna().all()
