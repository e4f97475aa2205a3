"""Run crates: whole ones verify; changed, unsafe and foreign ones are refused by name."""

import hashlib
import json
import os
import shutil
import sys
import zipfile
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from toys import dataset, refused

from xnbflow.core.errors import InputError
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.training import train
from xnbflow.running.crate import verify, write_crate
from xnbflow.tables import contract
from xnbflow.tables.storage import digest_of_file, read_parquet, write_parquet

METADATA = "ro-crate-metadata.json"
KEYS = {"dataset": "toy", "folds": "5-fold", "classifier": "csnb"}
KEPT = contract.TRAINED.of(**KEYS, table="predictions")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the crate of a finished study of one classifier; rocrate is an extra."""
    pytest.importorskip("rocrate")
    tmp_path = tmp_path_factory.mktemp("study")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        _write_study(tmp_path)
        write_crate("mine", tmp_path / "crate.zip")
        write_crate("mine", tmp_path / "nodata.zip", data=False)
    return tmp_path


@pytest.fixture
def crate(folder, tmp_path):
    return Path(shutil.copy(folder / "crate.zip", tmp_path))


def _write_study(tmp_path):
    rng, labels = np.random.default_rng(0), np.repeat(["a", "b"], 10)
    values = rng.normal(size=(12, 20)) + 2 * (labels == "b")
    series = dataset(values, labels)
    (tmp_path / "resources/series").mkdir(parents=True)
    series.write(contract.SERIES.of(dataset="toy"))
    folds = draw_folds(series, 5, 1)
    write_parquet(folds, contract.FOLDS.of(dataset="toy", folds="5-fold"), contract.FOLDS_TABLE)
    digest = digest_of_file(contract.SERIES.of(dataset="toy"))
    method, params = "xnbflow.naive_bayes.class_specific_nb.ClassSpecificNB", {"n_features": 3}
    entry = {"method": method, "params": params}
    for name, table in train(series, folds, entry).items():
        write_parquet(
            table, contract.TRAINED.of(**KEYS, table=name), contract.TRAINING_TABLES[name], digest
        )
    folder = tmp_path / contract.STUDY.of(study="mine")
    folder.mkdir(parents=True)
    (folder / "report.html").write_text("a page")
    study = {"title": "Mine", "datasets": ["toy"], "classifiers": ["csnb"], "folds": ["5-fold"]}
    own = {"label": "ClassSpecificNB", "method": "csnb", "params": params}
    run = {"studies": {"mine": study}, "datasets": {"toy": {}}, "classifiers": {"csnb": own}}
    run |= {"folds": {"5-fold": {"splits": 5}}, "diagnostics": {}}
    (tmp_path / contract.RECORD.of(study="mine")).write_text(json.dumps({"configuration": run}))


def packed(crate, change, *, with_digests=False):
    """Write the crate anew with its files changed, a mapping of name to bytes."""
    with zipfile.ZipFile(crate) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    if with_digests:
        metadata = json.loads(files[METADATA])
        for entity in metadata["@graph"]:
            if "sha256" in entity:
                entity["sha256"] = hashlib.sha256(files[entity["@id"]]).hexdigest()
        files[METADATA] = json.dumps(metadata).encode()
    path = crate.with_name("changed.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def test_a_crate_says_what_was_run_and_verifies(crate, folder):
    with zipfile.ZipFile(crate) as archive:
        graph = {entity["@id"]: entity for entity in json.loads(archive.read(METADATA))["@graph"]}
    action = next(each for each in graph.values() if each["@type"] == "CreateAction")
    assert {"@id": contract.SERIES.of(dataset="toy")} in action["object"]
    assert {"@id": KEPT} in action["result"]
    assert graph[KEPT]["sha256"] == digest_of_file(folder / KEPT)
    profiles = [each["@id"] for each in graph["./"]["conformsTo"]]
    assert "https://w3id.org/ro/wfrun/workflow/0.5" in profiles
    assert verify(crate).endswith("of csnb on toy, computed again, is the same.")


def test_one_changed_byte_is_refused_and_its_file_named_packed_or_not(crate):
    with zipfile.ZipFile(crate) as archive:
        names, part = {*archive.namelist()} - {METADATA}, archive.getinfo(KEPT)
    for name in names:

        def flip(files, name=name):
            files[name] = files[name][:-1] + bytes([files[name][-1] ^ 1])

        with refused(file=name):
            verify(packed(crate, flip))
    content, middle = crate.read_bytes(), part.header_offset + part.compress_size // 2
    crate.write_bytes(content[:middle] + b"broken" + content[middle + 6 :])
    with refused("was changed: ", file=KEPT):
        verify(crate)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda files: files.update({"more.txt": b"x"}), "'more.txt' is not both in the crate"),
        (lambda files: files.pop(KEPT), "is not both in the crate"),
        (lambda files: files.update({"../out.txt": b"x"}), "would leave the folder"),
        (lambda files: files.update({"/out.txt": b"x"}), "would leave the folder"),
        (lambda files: files.update({"bomb.bin": bytes(5 << 20)}), "to 5,242,880 bytes; refused"),
        (lambda files: files.update({"x": os.urandom(1 << 20)}), "to more than 8 GB; refused"),
        (lambda files: files.update({METADATA: b"{"}), "is no whole crate"),
        (lambda files: files.update({METADATA: b'{"@graph": [1]}'}), "is no whole crate"),
        (lambda files: files.update({METADATA: b" " * 20_001}), "is larger than 64 MB"),
    ],
)
def test_what_is_unlisted_missing_outside_or_a_bomb_is_refused(crate, monkeypatch, change, told):
    monkeypatch.setattr("xnbflow.running.crate._MOST_TEXT", 20_000)
    monkeypatch.setattr("xnbflow.running.crate._MOST_BYTES", 1 << 20)
    with pytest.raises(InputError, match=told):
        verify(packed(crate, change))
    assert not (crate.parent / "out.txt").exists()


FOREIGN = ["os.system", "antigravity.x", "xnbflow.running.cli.app.run"]
ENTRIES = [{"entries": {"toy": {"csnb": {"steps": [{"method": name}]}}}} for name in FOREIGN]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        *((change, "neither xnbflow nor scikit-learn") for change in ENTRIES),
        ({"trained": [["toy", "../../x", "csnb"]]}, "would leave the folder"),
    ],
)
def test_a_crate_names_no_code_of_others_and_no_file_elsewhere(crate, change, told):
    def foreign(files):
        files["run.json"] = json.dumps(json.loads(files["run.json"]) | change).encode()

    with pytest.raises(InputError, match=told):
        verify(packed(crate, foreign, with_digests=True))


@pytest.mark.parametrize("shift", [-0.01, -np.inf, np.nan])
def test_predictions_that_are_not_those_of_the_classifier_are_noticed(crate, folder, shift):
    table = read_parquet(folder / KEPT, contract.TRAINING_TABLES["predictions"])
    table["log_posterior.a"] += shift
    other = crate.parent / KEPT
    write_parquet(table, other, contract.TRAINING_TABLES["predictions"])
    content = other.read_bytes()
    changed = packed(crate, lambda files: files.update({KEPT: content}), with_digests=True)
    assert verify(changed).endswith("is NOT the same.")


def test_the_configuration_is_that_of_the_run(crate, tmp_path, monkeypatch):
    with zipfile.ZipFile(crate) as archive:
        run = json.loads(archive.read("run.json"))
    kernel = "xnbflow.naive_bayes.class_specific_nb.ClassSpecificNB"
    assert run["entries"] == {"toy": {"csnb": {"method": kernel, "params": {"n_features": 3}}}}
    monkeypatch.chdir(tmp_path)
    with refused(file=contract.RECORD.of(study="mine")):
        write_crate("mine", tmp_path / "c.zip")
    with zipfile.ZipFile(crate) as archive:
        archive.extractall(tmp_path)
    full = Mock(side_effect=OSError(28, ""))
    monkeypatch.setattr("rocrate.rocrate.ROCrate.stream_zip", lambda _: map(full, "x"))
    with refused("no space is left"):
        write_crate("mine", tmp_path / "c.zip")
    assert not (tmp_path / "c.zip").exists()
    Path(KEPT).unlink()
    with refused("is missing; run `xnbflow run mine` in this folder first", file=KEPT):
        write_crate("mine", tmp_path / "c.zip")
    monkeypatch.setitem(sys.modules, "rocrate.model", None)
    with pytest.raises(InputError, match="install xnbflow with its extra `crate`"):
        write_crate("mine", tmp_path / "c.zip")


def test_a_crate_without_data_takes_them_from_a_folder_and_no_others(folder, tmp_path):
    crate, series = folder / "nodata.zip", contract.SERIES.of(dataset="toy")
    with refused(file=series):
        verify(crate)
    assert verify(crate, (folder / series).parent).endswith("is the same.")
    (tmp_path / "toy.parquet").write_bytes((folder / series).read_bytes() + b" ")
    with pytest.raises(InputError):
        verify(crate, tmp_path)
