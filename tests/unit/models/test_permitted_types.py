"""Models from strangers: whatever their schema names, nothing of it is imported or called."""

import json
import sys
from itertools import product
from pathlib import Path

import pytest
from model_files import edited, packed, parts_of, two_classes
from toys import PROGRAMS

from xnbflow.core.errors import InputError
from xnbflow.models import fit_model, predict_table, read_model, write_model
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
    (tmp_path / "canary_known.py").write_text(PROGRAMS["canary"])
    (tmp_path / "canary_new.py").write_text(PROGRAMS["canary"] + "call()\n")
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
        with pytest.raises(InputError):
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
    assert commands.as_text(commands.summary(model), Path("m.skops"))
    assert commands.signature_text(model)
    assert len(predict_table(model, SERIES.frame()).table) == 40
