"""Models as files: what was written is read, and nothing that is damaged, foreign or untrusted."""

import json
import shutil
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.preprocessing import StandardScaler

from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.evaluation.intervals import proportion_interval
from xnbflow.evaluation.methods import METHODS
from xnbflow.models import cross_validate, fit_model, predict_table, read_model, write_model

SVM = {
    "steps": [
        {"method": "sklearn.preprocessing.StandardScaler"},
        {"method": "sklearn.svm.LinearSVC"},
    ]
}
PARAMS = {
    "selective_nb": {"estimator": {"method": "gaussian_nb"}, "cv": 3},
    "von_mises_fisher_nb": {"normalize": True},
}
STEP_PARAMS = {"expression_filter": {"level": 1.0}}
STEPS = {
    name: {"steps": [{"method": name, "params": STEP_PARAMS.get(name, {})}, {"method": "csnb"}]}
    for name, method in METHODS.items()
    if method.kind == "transformer"
}
CLASSIFIERS = {
    name: {"method": name, "params": PARAMS.get(name, {})}
    for name, method in METHODS.items()
    if method.kind == "classifier"
}


def two_classes(n=40, p=8, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.array(["tumour", "normal"])[np.arange(n) % 2]
    values = rng.normal(8.0, 1.0, size=(p, n))
    values[0] += 4 * (labels == "tumour")
    values[1] -= 3 * (labels == "tumour")
    return DataSet("toy", values, [f"g{i}" for i in range(p)], [f"s{i}" for i in range(n)], labels)


SERIES = two_classes()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    model = fit_model(SERIES, {"method": "csnb"}, cross_validate(SERIES, {"method": "csnb"}, 5))
    path = tmp_path_factory.mktemp("model") / "model.skops"
    write_model(model, path)
    return path


@pytest.mark.parametrize(
    "entry", [*CLASSIFIERS.values(), *STEPS.values(), SVM], ids=[*CLASSIFIERS, *STEPS, "svm"]
)
def test_every_classifier_and_step_says_the_same_after_a_round_trip(entry, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of some methods about so small a series
        model = fit_model(SERIES, entry)
        write_model(model, tmp_path / "m.skops")
        read = read_model(tmp_path / "m.skops")
        new = two_classes(seed=1).frame()
        one, other = predict_table(model, new), predict_table(read, new)
    assert one.table.equals(other.table)
    assert one.notes == other.notes
    if len(model.signature):
        pd.testing.assert_frame_equal(read.signature, model.signature)
    assert list(read.signature) == list(model.signature)
    assert (read.entry, read.series, read.versions) == (model.entry, model.series, model.versions)


def test_figures_and_features_stay(path):
    model = read_model(path)
    assert model.figures["accuracy"]["of"] == 40
    assert model.figures["majority"]["share"] == 0.5
    assert {"g0", "g1"} <= set(model.required)
    assert model.signature["share_of_folds"].gt(0).all()


def test_intervals_are_those_of_the_page():
    figures = cross_validate(SERIES, {"method": "csnb"}, 5).figures()
    for told in [figures["accuracy"], *figures["recall"].values()]:
        limits = proportion_interval(told["right"], told["of"])
        assert (told["lower"], told["upper"]) == tuple(map(float, limits))


def test_nothing_in_it_is_a_pickle(path):
    with zipfile.ZipFile(path) as archive:
        assert {name.rpartition(".")[2] for name in archive.namelist()} <= {"json", "npy"}


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_refused(path, tmp_path, share):
    content = path.read_bytes()
    (tmp_path / "m.skops").write_bytes(content[: int(share * len(content))])
    with pytest.raises(InputError, match="damaged"):
        read_model(tmp_path / "m.skops")


def test_a_flipped_bit_is_refused_or_changes_nothing(path, tmp_path):
    content, intact = path.read_bytes(), read_model(path)
    refused = 0
    for place in np.linspace(0, len(content) - 1, 60).astype(int):
        damaged = bytearray(content)
        damaged[place] ^= 0x10
        (tmp_path / "m.skops").write_bytes(damaged)
        try:
            read = read_model(tmp_path / "m.skops")
        except InputError:
            refused += 1
        else:  # a bit that says nothing, say of a time stamp
            assert np.array_equal(read.probe, intact.probe)
            assert read.signature.equals(intact.signature)
    assert refused > 30


def test_other_files_are_refused(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        read_model(tmp_path / "nothing.skops")
    (tmp_path / "text.skops").write_text("g0,g1\n1,2\n")
    with pytest.raises(InputError, match="no model, or damaged"):
        read_model(tmp_path / "text.skops")
    skops.io.dump(StandardScaler(), tmp_path / "foreign.skops")
    with pytest.raises(InputError, match="no model of xnbflow"):
        read_model(tmp_path / "foreign.skops")


def edited(path, to, change):
    """Copy a model with its schema changed."""
    shutil.copy(path, to)
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(to, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "schema.json":
                schema = json.loads(content)
                change(schema["content"])
                content = json.dumps(schema)
            new.writestr(name, content)
    return to


def test_a_newer_format_is_refused(path, tmp_path):
    newer = edited(path, tmp_path / "m.skops", lambda c: c["version"].update(content="99"))
    with pytest.raises(InputError, match="format 99, this program reads 1"):
        read_model(newer)


def test_types_that_are_not_trusted_are_named(path, tmp_path):
    def foreign(content):
        content["estimator"].update(__class__="Popen", __module__="subprocess")

    with pytest.raises(InputError, match=r"not trusted: subprocess\.Popen"):
        read_model(edited(path, tmp_path / "m.skops", foreign))


def test_a_model_that_says_something_else_than_where_it_was_made_is_refused(path, tmp_path):
    model = read_model(path)
    model.probe[0] = model.probe[0][::-1] + 0.5
    write_model(model, tmp_path / "m.skops")
    with pytest.raises(InputError, match="says something else here"):
        read_model(tmp_path / "m.skops")
