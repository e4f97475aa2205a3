"""The jobs that train, check and keep classifiers write what later stages read."""

from types import SimpleNamespace

import numpy as np
import pytest
from toys import refused

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.methods import METHODS, resolved
from xnbflow.models.checking import check
from xnbflow.models.classifying import classify
from xnbflow.models.final import fit_final
from xnbflow.models.model_file import read_model
from xnbflow.running.plan import MODEL_FILES
from xnbflow.tables.contract import CHECK_TABLES, GROUPS, TRAINING_TABLES
from xnbflow.tables.storage import read_parquet, read_stacked, series_of

ENTRIES = {
    "nb": resolved({"method": "gaussian_nb"}),
    "csnb": resolved({"method": "csnb", "params": {"n_features": 2}}),
}
SCHEME = {"splits": 3, "repeats": 2, "file": None}


class Files(dict):
    """Inputs or outputs of a rule by name."""

    __getattr__ = dict.__getitem__


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
    inputs = Files(series=folder / "series.parquet", given=[])
    calls = []
    tables = [*GROUPS["folds"].tables, *TRAINING_TABLES, "random_genes"]
    outputs = Files({name: folder / f"{name}.parquet" for name in tables})
    params = SimpleNamespace(entries=ENTRIES, scheme=SCHEME, tested=["csnb"])
    classify(
        inputs,
        params,
        outputs=outputs,
        downloads={"base_urls": {}},
        check_code=lambda: calls.append("classify"),
    )
    checks = Files({name: folder / f"{name}.parquet" for name in GROUPS["check"].tables})
    params = SimpleNamespace(
        entries=ENTRIES,
        tested={"csnb": METHODS["csnb"].quick},
        halved=["csnb"],
        n_pairs=2,
    )
    check(inputs, params, checks, lambda: calls.append("check"))
    assert calls == ["classify", "check"]  # before files are written
    return folder


def test_a_job_of_training_writes_the_tables_of_all_its_classifiers(folder):
    predictions = read_stacked(
        folder / "predictions.parquet", TRAINING_TABLES["predictions"], ["nb", "csnb"]
    )
    assert {name: len(table) for name, table in predictions.items()} == {"nb": 48, "csnb": 48}
    folds = read_parquet(folder / "folds.parquet", GROUPS["folds"].tables["folds"])
    keys = ["repeat", "fold", "sample"]
    tested = set(map(tuple, predictions["csnb"][keys].to_numpy().tolist()))
    assert tested == set(map(tuple, folds[keys].to_numpy().tolist()))
    compared = read_stacked(
        folder / "random_genes.parquet", CHECK_TABLES["random_genes"], ["nb", "csnb"]
    )
    assert compared["nb"].empty
    assert len(compared["csnb"]) == 1


def test_a_job_of_checks_has_the_label_test_of_each_tested_and_the_halves_of_each_halved(folder):
    for table in ("label_test", "learning_curve", "halves"):
        stacked = read_stacked(folder / f"{table}.parquet", CHECK_TABLES[table], ["csnb"])
        assert len(stacked["csnb"]), table
    halves = read_stacked(folder / "halves.parquet", CHECK_TABLES["halves"], ["csnb"])["csnb"]
    assert halves["halves"].unique().tolist() == [4]


def final(folder, tmp_path, **inputs):
    """Run the job that keeps the classifier csnb; returns the path of the model."""
    names = ("series", "predictions", "selected", "halves")
    files = Files({name: folder / f"{name}.parquet" for name in names} | inputs)
    params = SimpleNamespace(
        entry=ENTRIES["csnb"],
        origin={"location": "toy.csv"},
        classifiers={"training": ["nb", "csnb"], "halves": ["csnb"]},
    )
    outputs = {key: str(tmp_path / f"{key}{path[-4:]}") for key, path in MODEL_FILES.items()}
    outputs |= {name: str(tmp_path / f"{name}.parquet") for name in GROUPS["model"].tables}
    outputs |= {"model": str(tmp_path / "csnb.skops")}
    fit_final("csnb", files, params=params, outputs=Files(outputs), check_code=lambda: None)
    return outputs


def test_a_model_has_the_figures_of_its_own_rows_and_the_share_of_halves(folder, tmp_path, series):
    outputs = final(folder, tmp_path)
    model = read_model(outputs["model"])
    predictions = read_stacked(
        folder / "predictions.parquet", TRAINING_TABLES["predictions"], ["nb", "csnb"]
    )
    of_csnb = predictions["csnb"]
    assert model.figures["accuracy"]["value"] == pytest.approx(
        (of_csnb["true"] == of_csnb["predicted"]).groupby(of_csnb["sample"]).mean().mean()
    )
    assert model.signature["share_of_halves"].notna().all()
    assert series_of(outputs["signature"]) == series_of(folder / "predictions.parquet")


def test_a_model_is_not_made_of_training_on_another_series(folder, tmp_path, series):
    other = DataSet(
        "toy",
        series.values + 1.0,
        features=series.features,
        samples=series.samples,
        labels=series.labels,
    )
    other.write(tmp_path / "series.parquet")
    with refused("was not computed from"):
        final(folder, tmp_path, series=tmp_path / "series.parquet")
