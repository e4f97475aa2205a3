"""Models as files: what was written is read, and nothing that is damaged, foreign or untrusted."""

import sys
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
import skops.io
from model_files import edited, two_classes
from sklearn.preprocessing import StandardScaler
from toys import refused

from xnbflow.core.errors import InputError
from xnbflow.evaluation.methods import shipped_methods
from xnbflow.jobs.model_files import write_model_files
from xnbflow.models import cross_validate, fit_model, predict_table, read_model, write_model
from xnbflow.models.trained import _series_digest

SCALER = {"method": "sklearn.preprocessing.StandardScaler"}
#: Classifiers of scikit-learn behind a scaler, with their parameters.
BASELINE_PARAMS = {
    "calibration.CalibratedClassifierCV": {},
    "discriminant_analysis.LinearDiscriminantAnalysis": {"solver": "lsqr"},
    "linear_model.LogisticRegression": {},
    "linear_model.LogisticRegressionCV": {},
    "linear_model.RidgeClassifierCV": {},
    "linear_model.SGDClassifier": {},
    "neighbors.NearestCentroid": {},
    "neural_network.MLPClassifier": {"max_iter": 20},
    "svm.LinearSVC": {},
    "svm.SVC": {"probability": True},
}
BASELINES = {
    name: {"steps": [SCALER, {"method": f"sklearn.{name}", "params": params}]}
    for name, params in BASELINE_PARAMS.items()
}
BEST = {"method": "sklearn.feature_selection.SelectKBest", "params": {"k": 3}}
BASELINES["SelectKBest"] = {"steps": [BEST, {"method": "sklearn.svm.SVC"}]}
FOREST = {"method": "sklearn.ensemble.RandomForestClassifier", "params": {"n_estimators": 5}}
TREE = "sklearn.tree._tree.Tree"
PARAMS = {
    "selective_nb": {"estimator": {"method": "gaussian_nb"}, "cv": 3},
    "von_mises_fisher_nb": {"normalize": True},
}
STEPS = {
    name: {"steps": [{"method": name}, {"method": "csnb"}]}
    for name, method in shipped_methods().items()
    if method.kind == "transformer"
}
CLASSIFIERS = {
    name: {"method": name, "params": PARAMS.get(name, {})}
    for name, method in shipped_methods().items()
    if method.kind == "classifier"
}
CLASSIFIERS["csnb_cv, decorrelated"] = {
    "method": "csnb_cv",
    "params": {"cv": 3, "decorrelation": 0.2},
}

SERIES = two_classes()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    model = fit_model(SERIES, {"method": "csnb"}, cross_validate(SERIES, {"method": "csnb"}, 5))
    path = tmp_path_factory.mktemp("model") / "model.skops"
    write_model(model, path)
    return path


@pytest.mark.parametrize(
    "entry",
    [*CLASSIFIERS.values(), *STEPS.values(), *BASELINES.values()],
    ids=[*CLASSIFIERS, *STEPS, *BASELINES],
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


def test_other_files_are_refused(path, tmp_path):
    (tmp_path / "text.skops").write_text("g0,g1\n1,2\n")
    skops.io.dump(StandardScaler(), tmp_path / "foreign.skops")
    edited(path, tmp_path / "newer.skops", lambda c: c["version"].update(content="99"))
    edited(path, tmp_path / "older.skops", lambda c: c["version"].update(content="4"))
    popen = {"__class__": "Popen", "__module__": "subprocess"}
    edited(path, tmp_path / "popen.skops", lambda c: c["estimator"].update(popen))
    for name, message in {
        "nothing": "does not exist",
        "text": r"is damaged \(BadZipFile: .* zip file\)",
        "foreign": "not a model of xnbflow",
        "newer": "format 99, this program reads 5",
        "older": "format 4, this program reads 5",
        "popen": r"not trusted: subprocess\.Popen",
    }.items():
        with pytest.raises(InputError, match=message):
            read_model(tmp_path / f"{name}.skops")


def test_a_file_or_a_memory_that_fails_is_no_damage_of_the_model(path, monkeypatch):
    monkeypatch.setattr(
        "xnbflow.models.model_file.predict_quartiles", Mock(side_effect=MemoryError)
    )
    with pytest.raises(MemoryError):
        read_model(path)
    monkeypatch.setattr(Path, "read_bytes", Mock(side_effect=OSError(5, "Input/output error")))
    with refused(r"cannot be read \(Input/output error\); remove the cause", file=path):
        read_model(path)


def test_a_forest_is_read_where_its_trees_are_trusted(tmp_path):
    model = fit_model(SERIES, FOREST)
    write_model(model, tmp_path / "m.skops")
    with pytest.raises(InputError, match=rf"not trusted: {TREE}\. .*--trust"):
        read_model(tmp_path / "m.skops")
    read = read_model(tmp_path / "m.skops", [TREE])
    new = two_classes(seed=1).frame()
    assert np.array_equal(model.estimator.predict_proba(new), read.estimator.predict_proba(new))


def test_a_function_that_an_estimator_holds_is_named_to_be_trusted(tmp_path):
    entry = {"steps": [{"method": "sklearn.cluster.FeatureAgglomeration"}, {"method": "csnb"}]}
    write_model(fit_model(SERIES, entry), tmp_path / "m.skops")
    with pytest.raises(InputError, match=r"not trusted: numpy\.mean\. .*--trust"):
        read_model(tmp_path / "m.skops")
    read_model(tmp_path / "m.skops", ["numpy.mean"])


@pytest.mark.parametrize("loader", ["FunctionNode", "ObjectNode", "TypeNode"])
def test_what_a_file_names_is_neither_imported_nor_called(path, tmp_path, loader):
    """The module `this` prints a poem when it is imported; nothing else imports it."""
    node = {"__loader__": loader, "__module__": "this", "__class__": "s", "__reduce__": {}}
    edited(path, tmp_path / "m.skops", lambda content: content.update(estimator=node))
    with pytest.raises(InputError, match=r"not trusted: this\.s"):
        read_model(tmp_path / "m.skops")
    assert "this" not in sys.modules


def test_damaged_parts_are_refused(path, tmp_path):
    """ZIP files have a checksum of each part."""
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        parts = archive.infolist()
    assert len(parts) > 10
    for part in parts:
        # A part of an archive follows a header of 30 bytes, its name and further fields.
        end = part.header_offset + 30 + len(part.filename) + part.file_size
        damaged = bytearray(content)
        damaged[end - 1] ^= 1
        (tmp_path / "m.skops").write_bytes(damaged)
        with pytest.raises(InputError, match="make or copy it again"):
            read_model(tmp_path / "m.skops")


@pytest.mark.parametrize("share", [0.1, 0.9])
def test_a_file_that_ends_early_is_refused(path, tmp_path, share):
    content = path.read_bytes()
    (tmp_path / "m.skops").write_bytes(content[: int(share * len(content))])
    with pytest.raises(InputError, match=r"is damaged \(BadZipFile"):
        read_model(tmp_path / "m.skops")


def test_gene_sets_name_their_series_and_a_copied_model_is_read(tmp_path):
    model = fit_model(SERIES, {"method": "csnb", "params": {"n_features": 2}})
    folder = tmp_path / "results/toy/models/csnb"
    write_model_files(model, SERIES, folder, "csnb")
    sets = (folder / "csnb.gmt").read_text().splitlines()
    assert all(line.split("\t")[1].endswith(model.series["digest"][:12]) for line in sets)
    copy = folder.with_name("nb") / "nb.skops"
    copy.parent.mkdir()
    copy.write_bytes((folder / "csnb.skops").read_bytes())
    assert read_model(copy).series["digest"] == _series_digest(SERIES)


def test_a_probability_may_differ_by_a_millionth(path, tmp_path):
    model = read_model(path)
    write_model(replace(model, probe=model.probe + 5e-7), tmp_path / "m.skops")
    read_model(tmp_path / "m.skops")
    write_model(replace(model, probe=model.probe + 5e-6), tmp_path / "m.skops")
    with pytest.raises(InputError, match="gives other predictions here"):
        read_model(tmp_path / "m.skops")
