"""Models from strangers: whatever their schema names, nothing of it is imported or called."""

import importlib
import io
import json
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from model_files import edited, packed, parts_of, two_classes
from toys import PROGRAMS

from xnbflow.core.errors import InputError
from xnbflow.models import fit_model, predict_table, read_model, write_model
from xnbflow.models.permitted_types import FIXED_TYPES, audit_schema, known_types
from xnbflow.running.cli import commands

CALLABLES = ["call", "Kind", "instance"]
SERIES = two_classes()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.skops"
    write_model(fit_model(SERIES, {"method": "gaussian_nb"}), path)
    return path


@pytest.fixture
def canary(tmp_path, monkeypatch):
    """Return a file that exists as soon as something of the canary modules is used."""
    program = (PROGRAMS / "canary.py").read_text()
    (tmp_path / "canary_known.py").write_text(program)
    (tmp_path / "canary_new.py").write_text(f"{program}call()\n")
    monkeypatch.syspath_prepend(tmp_path)
    __import__("canary_known")
    yield tmp_path / "tripped"
    for name in ("canary_known", "canary_new"):
        sys.modules.pop(name, None)


def node(loader, module="builtins", name="str", **more):
    return {"__loader__": loader, "__module__": module, "__class__": name, **more}


def plain(value):
    return node("JsonNode", content=json.dumps(value))


#: Nodes of schemas that would call or import something, by what they are.
ATTACKS = json.loads(Path(__file__).with_name("model_attacks.json").read_text())


#: Where they stand: in place of a part of the model, or in a field of the node of one.
PLACES = ("estimator", "attribute", "probe", "__reduce__", "type", "key_types")


#: Refusals by the audit of a schema; another error would mean that the attack was read further.
AUDITED = "could be called when it is read|types that are not trusted|of its schema"


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_a_known_attack_is_refused_and_calls_nothing(path, canary, attack):
    parts, file = parts_of(path), canary.parent / "m.skops"
    for place, protocol in product(PLACES, (0, 1, 2)):
        schema = json.loads(parts["schema.json"])
        schema["protocol"] = protocol
        content = schema["content"]
        if place == "attribute":
            content["estimator"]["content"]["content"]["var_smoothing"] = attack
        elif place in ("estimator", "probe"):
            content[place] = attack
        else:
            content["estimator"][place] = attack
        packed(parts | {"schema.json": json.dumps(schema).encode()}, file)
        message = AUDITED if protocol == 2 else f"it is of protocol {protocol} of skops, not 2"
        with pytest.raises(InputError, match=message):
            read_model(file)
    assert not canary.exists()
    assert "canary_new" not in sys.modules


def test_only_classes_can_be_trusted(path, canary):
    trusted = [f"canary_known.{name}" for name in CALLABLES]

    def functions(content):
        values = content["estimator"]["content"]["content"]
        values["priors"] = node("ObjectNode", "canary_known", "call")

    with pytest.raises(InputError, match="only classes can be trusted"):
        read_model(edited(path, canary.parent / "m.skops", functions), trusted)
    for attack in ("function", "constructor", "method", "partial"):
        change = {"probe": ATTACKS[attack]}
        with pytest.raises(InputError, match="could be called"):
            read_model(edited(path, canary.parent / "m.skops", lambda c: c.update(change)), trusted)  # noqa: B023
    assert not canary.exists()


def test_the_method_that_a_model_names_is_not_imported(path, canary):
    def renamed(content):
        notes = json.loads(json.loads(content["notes"]["content"]))
        notes["entry"] = {"method": "canary_new.Kind", "params": {"estimator": {"steps": []}}}
        content["notes"] = plain(json.dumps(notes))

    used(read_model(edited(path, canary.parent / "m.skops", renamed)))
    assert not canary.exists()
    assert "canary_new" not in sys.modules


def used(model):
    """Show a model and predict with it."""
    assert commands.summary_text(commands.model_summary(model), Path("m.skops"))
    assert commands.signature_text(model)
    assert len(predict_table(model, SERIES.frame()).table) == 40


#: The arrays of a file by their names; the second one makes the file large enough for 100 rows.
MEMBERS = {"0.npy": b"", "other": bytes(1000)}


def stored_array(shape, dtype="<f8", n_bytes=0):
    """Return an array's part of a file: its header, and bytes in place of its items."""
    stream = io.BytesIO()
    header = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    return stream.getvalue() + bytes(n_bytes)


@pytest.mark.parametrize(
    "array",
    [
        stored_array((10**18, 0)),
        stored_array((-1, -8), n_bytes=64),
        stored_array((100,), "<U0"),
        stored_array((8,), "|O", n_bytes=64),
        stored_array((4,), n_bytes=64),
    ],
    ids=["more rows than bytes", "negative", "items of no size", "objects", "another size"],
)
def test_an_array_is_refused_by_its_header_alone(array):
    with pytest.raises(ValueError, match="declares another array than it stores"):
        audit_schema({"protocol": 2}, MEMBERS | {"0.npy": array})


def test_an_array_of_numbers_is_accepted():
    members = MEMBERS | {"0.npy": stored_array((8,), n_bytes=64)}
    array = node("NdArrayNode", "numpy", "ndarray", type="numpy", file="0.npy", __id__=0)
    assert audit_schema({"protocol": 2, "array": array}, members) == (set(), set())


@pytest.mark.parametrize("protocol", [0, 1, 3, "2", None])
def test_another_protocol_is_refused(protocol):
    with pytest.raises(ValueError, match="of skops, not 2"):
        audit_schema({"protocol": protocol}, {})


def test_an_id_is_a_whole_number_and_no_truth_value():
    array = node("NdArrayNode", "numpy", "ndarray", type="numpy", file="True.npy", __id__=True)
    members = {"True.npy": stored_array((8,), n_bytes=64)}
    with pytest.raises(ValueError, match="another name than its part"):
        audit_schema({"protocol": 2, "array": array}, members)


def test_of_the_types_that_need_no_trust_one_is_a_function():
    """All others are classes, which skops creates without their code or by plain values."""
    functions = set()
    for name in FIXED_TYPES:
        module, _, attribute = name.rpartition(".")
        if not isinstance(getattr(importlib.import_module(module), attribute), type):
            functions.add(name)
    assert functions == {"sklearn.feature_selection._univariate_selection.f_classif"}


def test_estimators_that_can_open_files_are_not_known():
    text = "sklearn.feature_extraction.text"
    assert f"{text}.TfidfTransformer" in known_types()
    for name in ("CountVectorizer", "HashingVectorizer", "TfidfVectorizer"):
        assert f"{text}.{name}" not in known_types()
