"""Models from strangers: whatever their schema names, nothing of it is imported or called."""

import copy
import json
import os
import sys
import warnings
from contextlib import suppress
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from model_files import edited, packed, parts_of, two_classes
from toys import PROGRAMS

from xnbflow.core.errors import InputError
from xnbflow.models import fit_model, predict_table, read_model, write_model
from xnbflow.running.cli import commands

COUNT = int(os.environ.get("XNBFLOW_FUZZ", "300"))
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


def listed(*content, name="list"):
    return node(f"{name.title()}Node", name=name, content=list(content))


#: Nodes of schemas that would call or import something, by what they are.
ATTACKS = json.loads(Path(__file__).with_name("model_attacks.json").read_text())


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_a_known_attack_is_refused_and_calls_nothing(path, canary, attack):
    parts, file = parts_of(path), canary.parent / "m.skops"
    for place, protocol in product(("estimator", "attribute", "beside"), (0, 1, 2)):
        schema = json.loads(parts["schema.json"])
        schema["protocol"] = protocol
        content = schema["content"]
        if place == "attribute":
            content["estimator"]["content"]["content"]["var_smoothing"] = attack
        else:
            content["estimator" if place == "estimator" else "probe"] = attack
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


#: What the grammar draws names from: known ones, the canaries, and callables that do no harm.
NAMES, KINDS = json.loads(Path(__file__).with_name("model_grammar.json").read_text()).values()
WORDS = ["numpy", "json", "call", "canary_known", "canary_new", "estimator", "1.npy", "[", "1e999"]


def drawn(rng, known, depth):
    """Return a random value of the grammar: a node, a part of the model, or plain JSON."""
    way = rng.integers(10)
    if way == 0 or (depth > 2 and way < 5):
        return [None, True, 7, -1.5, *WORDS, [], {}][rng.integers(len(WORDS) + 6)]
    if way == 1 or depth > 2:
        return copy.deepcopy(known[rng.integers(len(known))])
    if way == 2:
        return [drawn(rng, known, depth + 1) for _ in range(rng.integers(4))]
    module, name = NAMES[rng.integers(len(NAMES))]
    made = node(f"{KINDS[rng.integers(len(KINDS))]}Node", module, name)
    fields = ["content", "key_types", "__reduce__", "type", "file", "shape", "attrs", "__id__"]
    for field in rng.permutation(fields)[: rng.integers(len(fields))]:
        made[str(field)] = drawn(rng, known, depth + 1)
    if rng.random() < 0.5:  # what the kind has
        keys = [*WORDS[2:5], "func", "args", "kwds", "obj", "main", "default_factory"]
        parts = {key: drawn(rng, known, depth + 1) for key in keys}
        made |= {
            "content": [parts, list(parts.values())][rng.integers(2)],
            "key_types": listed(*(drawn(rng, known, 3) for _ in parts)),
            "__reduce__": {"args": listed(drawn(rng, known, depth + 1), name="tuple")},
            "type": WORDS[rng.integers(2)],
        }
    return made


def places(value):
    """Return every place of a schema, as a container and a key."""
    found, waiting = [], [value]
    while waiting:
        each = waiting.pop()
        keys = list(each) if isinstance(each, dict) else range(len(each))
        found += [(each, key) for key in keys]
        waiting += [each[key] for key in keys if isinstance(each[key], dict | list)]
    return found


def test_no_schema_of_a_grammar_calls_anything(path, canary):
    rng, parts, file = np.random.default_rng(29), parts_of(path), canary.parent / "m.skops"
    intact = json.loads(parts["schema.json"])
    known = [each[key] for each, key in places(intact)]
    read = 0
    for number in range(COUNT):
        schema = copy.deepcopy(intact)
        for _ in range(rng.integers(1, 4)):
            where = places(schema)
            container, key = where[rng.integers(len(where))]
            container[key] = drawn(rng, known, rng.integers(4))
        packed(parts | {"schema.json": json.dumps(schema).encode()}, file)
        trust = [] if number % 2 else [f"canary_known.{CALLABLES[number // 2 % 3]}"]
        trust = [name for name in trust if not name.endswith("Kind")]  # which may be made
        with warnings.catch_warnings(), suppress(InputError):
            warnings.simplefilter("ignore")
            used(read_model(file, trust))
            read += 1
        assert not canary.exists(), schema
    assert "canary_new" not in sys.modules
    assert read < COUNT
