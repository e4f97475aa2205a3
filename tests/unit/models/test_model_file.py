"""Models as files: what was written is read, and nothing that is damaged, foreign or untrusted."""

import io
import json
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
import skops.io
from model_files import edited, packed, parts_of, two_classes
from sklearn.preprocessing import StandardScaler
from toys import refused

from xnbflow.core.errors import InputError
from xnbflow.evaluation.methods import shipped_methods
from xnbflow.jobs.model_files import write_model_files
from xnbflow.models import cross_validate, fit_model, predict_table, read_model, write_model
from xnbflow.models.trained import series_digest
from xnbflow.tables.contract import MODEL_TABLES
from xnbflow.tables.storage import recorded_series_digest

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
    if method.kind == "transformer" and name not in ("adjust_covariates", "centre_groups")
}
CLASSIFIERS = {
    name: {"method": name, "params": PARAMS.get(name, {})}
    for name, method in shipped_methods().items()
    if method.kind == "classifier"
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
    edited(path, tmp_path / "older.skops", lambda c: c["version"].update(content="3"))
    popen = {"__class__": "Popen", "__module__": "subprocess"}
    edited(path, tmp_path / "popen.skops", lambda c: c["estimator"].update(popen))
    nested = json.loads("[" * 200 + "]" * 200)
    edited(path, tmp_path / "nested.skops", lambda c: c.update(more=nested))
    for name, message in {
        "nothing": "does not exist",
        "text": r"is damaged \(BadZipFile: .* zip file\)",
        "foreign": "not a model of xnbflow",
        "newer": "format 99, this program reads 4",
        "older": "format 3, this program reads 4",
        "nested": "nested more than 150 deep",
        "popen": r"not trusted: subprocess\.Popen",
    }.items():
        with pytest.raises(InputError, match=message):
            read_model(tmp_path / f"{name}.skops")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"probe": np.full((3, 2), 0.5)}, "gives other predictions here"),
        ({"quartiles": np.zeros((2, 8))}, "its arrays are not .* one model"),
        ({"versions": []}, "its versions is not of"),
    ],
)
def test_a_model_of_other_content_than_where_it_was_made_is_refused(
    path, tmp_path, change, message
):
    write_model(replace(read_model(path), **change), tmp_path / "m.skops")
    with pytest.raises(InputError, match=message):
        read_model(tmp_path / "m.skops")


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


def test_an_estimator_that_holds_a_function_is_not_written(tmp_path):
    entry = {"steps": [{"method": "sklearn.cluster.FeatureAgglomeration"}, {"method": "csnb"}]}
    with pytest.raises(InputError, match=r"numpy\.mean \(FunctionNode\).*another estimator"):
        write_model(fit_model(SERIES, entry), tmp_path / "m.skops")
    assert not (tmp_path / "m.skops").exists()


def test_an_altered_array_is_refused_by_the_digest(path, tmp_path):
    parts = parts_of(path)
    arrays = [name for name in parts if name.endswith(".npy")]
    assert len(arrays) > 10
    for name in arrays:
        altered = parts[name][:-1] + bytes([parts[name][-1] ^ 1])
        with zipfile.ZipFile(tmp_path / "m.skops", "w") as archive:  # its checksum is right
            for part_name, content in (parts | {name: altered}).items():
                archive.writestr(part_name, content)
        with pytest.raises(InputError, match="digest"):
            read_model(tmp_path / "m.skops")


def declaring(shape, dtype="<f8"):
    stream = io.BytesIO()
    header = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    return stream.getvalue() + bytes(64)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (declaring((10**13,)), "declares another array than it stores"),
        (declaring((-1, -8)), "declares another array than it stores"),
        (declaring((10**18, 0)), "declares another array than it stores"),
        (declaring((10**18,), "<U0"), "declares another array than it stores"),
        (declaring((8,), "|O"), "declares another array than it stores"),
        (b"no array", "the magic string is not correct"),
    ],
)
def test_an_array_that_declares_what_it_does_not_store_is_refused(path, tmp_path, array, message):
    parts = parts_of(path)
    name = next(name for name in parts if name.endswith(".npy"))
    with pytest.raises(InputError, match=message):
        read_model(packed(parts | {name: array}, tmp_path / "m.skops"))


def test_what_is_not_one_plain_zip_file_is_refused(path, tmp_path):
    parts, content = parts_of(path), path.read_bytes()
    other = tmp_path / "m.skops"
    packed(parts | {"1.npy": declaring((10**7,)) + bytes(8 * 10**7)}, other,
           compression=zipfile.ZIP_DEFLATED)  # fmt: skip
    files = [other.read_bytes(), b"\x80\x04N." + content, content + b"\n", content + content]
    for file_content in files:
        other.write_bytes(file_content)
        with pytest.raises(InputError, match="ZIP file"):
            read_model(other)
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(other, "w") as new:
        for name in [*old.namelist(), "schema.json"]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                new.writestr(name, old.read(name))
    with pytest.raises(InputError, match="two parts of one name"):
        read_model(other)


def test_a_compressed_part_is_refused_whatever_its_size(path, tmp_path):
    parts = parts_of(path) | {"more": b"short"}
    packed(parts, tmp_path / "stored.skops")
    read_model(tmp_path / "stored.skops")
    with zipfile.ZipFile(tmp_path / "m.skops", "w") as archive:
        for name, content in parts_of(tmp_path / "stored.skops").items():
            compression = zipfile.ZIP_DEFLATED if name == "more" else zipfile.ZIP_STORED
            archive.writestr(name, content, compression)
    with pytest.raises(InputError, match="not one uncompressed ZIP file"):
        read_model(tmp_path / "m.skops")


def test_a_part_that_declares_more_bytes_than_the_file_has_is_refused(path, tmp_path):
    content = bytearray(path.read_bytes())
    directory = content.index(b"PK\x01\x02")
    content[directory + 24 : directory + 28] = (2**31 - 1).to_bytes(4, "little")  # its size
    (tmp_path / "m.skops").write_bytes(content)
    with pytest.raises(InputError, match="not one uncompressed ZIP file"):
        read_model(tmp_path / "m.skops")


DEEP = 100_000


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (b"", r"is damaged \(JSONDecodeError: .* line 1 column 1"),
        (b'{"content": 1}', r"is damaged \(KeyError: '__loader__'\)"),
        (b'{"__loader__": "DictNode"}', "but not a model of xnbflow"),
        (
            b'{"__loader__": "DictNode", "content": {"format": {"__loader__": "JsonNode"}}}',
            r"is damaged \(KeyError: 'content'\)",
        ),
        (b"[" * DEEP + b"]" * DEEP, r"is damaged \(RecursionError"),
        (b'{"a": ' * DEEP + b"1" + b"}" * DEEP, r"is damaged \(RecursionError"),
    ],
    ids=["empty", "no node", "no content", "no format", "nested lists", "nested mappings"],
)
def test_a_schema_without_a_valid_content_is_refused(path, tmp_path, schema, message):
    with pytest.raises(InputError, match=message) as error:
        read_model(packed(parts_of(path) | {"schema.json": schema}, tmp_path / "m.skops"))
    assert len(str(error.value)) < 1000


def test_a_model_and_its_tables_say_whose_they_are(tmp_path):
    """A copy in another's place is refused, gene sets and tables name the series."""
    model = fit_model(SERIES, {"method": "csnb", "params": {"n_features": 2}})
    folder = tmp_path / "results/toy/models/csnb"
    paths = {name: str(folder / f"{name}.parquet") for name in MODEL_TABLES}
    outputs = {"model": str(folder / "csnb.skops"), **paths}
    write_model_files(model, SERIES, folder, "csnb", "0123456789abcdef")
    assert {recorded_series_digest(path) for path in paths.values()} == {"0123456789abcdef"}
    sets = (folder / "csnb.gmt").read_text().splitlines()
    assert all(line.split("\t")[1].endswith(model.series["digest"][:12]) for line in sets)
    write_model(fit_model(SERIES, model.entry), tmp_path / "again.skops")
    parts, again = parts_of(outputs["model"]), parts_of(tmp_path / "again.skops")
    assert [name for name in parts if parts[name] != again[name]] == ["schema.json", "digest.json"]
    write_model(fit_model(SERIES, model.entry), outputs["model"])
    assert read_model(outputs["model"]).series["digest"] == series_digest(SERIES)
    (tmp_path / "mine.skops").write_bytes(Path(outputs["model"]).read_bytes())
    read_model(tmp_path / "mine.skops")
    other = folder.with_name("nb")
    other.mkdir()
    (other / "nb.skops").write_bytes(Path(outputs["model"]).read_bytes())
    read_model(other / "nb.skops")  # of somebody whose folder has the name of ours
    (other / "signature.parquet").write_bytes(Path(outputs["signature"]).read_bytes())
    with pytest.raises(InputError, match=r"copy of results/toy/models/csnb/csnb\.skops"):
        read_model(other / "nb.skops")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"used": np.array([8])}, "its arrays are not .* one model"),
        ({"used": np.array([0.0])}, "its arrays are not .* one model"),
        ({"quartiles": np.zeros((3, 8), dtype=int)}, "its arrays are not .* one model"),
        ({"symbols": {"g0": "TP53\x1b"}}, "control character"),
        ({"series": {"name": "toy"}}, r"is damaged \(KeyError: 'samples'\)"),
    ],
)
def test_arrays_names_and_items_of_another_form_are_refused(path, tmp_path, change, message):
    write_model(replace(read_model(path), **change), tmp_path / "m.skops")
    with pytest.raises(InputError, match=message):
        read_model(tmp_path / "m.skops")


def test_a_file_has_no_time_of_writing(path):
    """Equal models have equal bytes."""
    with zipfile.ZipFile(path) as archive:
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_a_used_feature_beyond_the_last_is_refused(path, tmp_path):
    model = read_model(path)
    used = model.used.copy()
    used[-1] = 8  # of features 0 to 7
    write_model(replace(model, used=used), tmp_path / "m.skops")
    with pytest.raises(InputError, match="its arrays are not those of one model"):
        read_model(tmp_path / "m.skops")


def test_typicality_of_another_shape_is_refused(path, tmp_path):
    model = read_model(path)
    typicality = model.typicality
    for name in ("centres", "bandwidths"):
        cut = replace(typicality, **{name: getattr(typicality, name)[:, 1:]})
        write_model(replace(model, typicality=cut), tmp_path / "m.skops")
        with pytest.raises(InputError, match="its arrays are not those of one model"):
            read_model(tmp_path / "m.skops")


@pytest.mark.parametrize(
    "recalibration",
    [
        {"slope": 1.0, "intercept": [0.0, 0.0, 0.0]},
        {"slope": 1.0, "intercept": [0.0]},
        {"slope": float("inf"), "intercept": [0.0, 0.0]},
    ],
)
def test_a_recalibration_of_other_classes_or_infinite_is_refused(path, tmp_path, recalibration):
    model = read_model(path)
    changed = replace(model, series={**model.series, "recalibration": recalibration})
    write_model(changed, tmp_path / "m.skops")
    with pytest.raises(InputError, match="slope and intercepts are not those of its classes"):
        read_model(tmp_path / "m.skops")


def test_a_probability_may_differ_by_a_millionth(path, tmp_path):
    model = read_model(path)
    write_model(replace(model, probe=model.probe + 5e-7), tmp_path / "m.skops")
    read_model(tmp_path / "m.skops")
    write_model(replace(model, probe=model.probe + 5e-6), tmp_path / "m.skops")
    with pytest.raises(InputError, match="gives other predictions here"):
        read_model(tmp_path / "m.skops")
