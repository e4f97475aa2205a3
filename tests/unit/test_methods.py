"""The entry of a method says what its class says; the documents say what the entries say."""

import inspect
import itertools
from pathlib import Path

import pytest

from xnbflow.core.entries import Method
from xnbflow.core.errors import InputError
from xnbflow.core.schemas import check
from xnbflow.evaluation.build import build_estimator, import_estimator
from xnbflow.evaluation.methods import shipped_methods
from xnbflow.inference.intervals import CROSS_VALIDATED, TUNED, inflation_of
from xnbflow.running.manual import configuration_reference

ROOT = Path(__file__).parents[2]
#: What parameters are probed with: inside and at the edges of the ranges of all methods.
PROBES = [
    *(-1, 0, 1, 2, 3, 4, 5, 1000, 1001, 10_000, 10_001, 100_000),
    *(-0.5, 0.0, 1e-9, 0.5, 1.0, 1.5, 2.0, 6.3, True, None, "", "x", "@linear", [0], ["a"]),
]


@pytest.mark.parametrize("name", shipped_methods())
def test_an_entry_has_the_parameters_of_the_class_in_order_and_accepts_its_defaults(name):
    method = shipped_methods()[name]
    signature = inspect.signature(import_estimator(method.estimator))
    assert list(method.parameters) == list(signature.parameters)
    assert method.title
    assert method.source
    for key, parameter in signature.parameters.items():
        default = parameter.default
        if default is not inspect.Parameter.empty:
            check(list(default) if default == () else default, method.parameters[key], key)
    for key, values in method.rules.items():
        if key in signature.parameters:
            assert next(iter(values)) == signature.parameters[key].default
            assert set(values) == set(method.parameters[key]["enum"])
        else:  # what the class always does
            assert len(values) == 1


def test_a_method_declares_that_it_tunes_itself(monkeypatch):
    assert {name for name, each in shipped_methods().items() if each.tunes_itself} == {
        name for name, each in shipped_methods().items() if "cv" in each.parameters
    }
    for entry in ({"method": "csnb_cv"}, {"method": shipped_methods()["csnb_cv"].estimator}):
        assert inflation_of({"steps": [{"method": "imputer"}, entry]}) == TUNED
    lasso = {"method": "sklearn.linear_model.LogisticRegressionCV"}
    assert inflation_of(lasso) == TUNED  # no entry: scikit-learn's name
    added = Method("lasso", lasso["method"], "", "")
    monkeypatch.setattr("xnbflow.inference.intervals.known_methods", lambda: {"lasso": added})
    assert inflation_of(lasso) == CROSS_VALIDATED


def satisfied(schema, value):
    try:
        check(value, schema, "")
    except InputError:
        return False
    return True


def words(schema):
    """Every word that a schema lists, in whatever part of it."""
    if isinstance(schema, dict):
        own = schema.get("enum", [])
        return {*own, *itertools.chain.from_iterable(map(words, schema.values()))}
    parts = schema if isinstance(schema, list) else ()
    return set(itertools.chain.from_iterable(map(words, parts)))


#: Parameters whose entries say more than the class declares: it looks at the rest in `fit`.
STRICTER = {"blocks", "estimator", "groups", "priors", "random_state"}


@pytest.mark.parametrize("name", shipped_methods())
def test_an_entry_allows_what_the_class_allows(name):
    """Where the class declares what its parameters may be, as scikit-learn's do."""
    method = shipped_methods()[name]
    declared = getattr(import_estimator(method.estimator), "_parameter_constraints", None)
    if not declared:
        pytest.skip("the class declares nothing")
    parameters = pytest.importorskip("xnbflow.core.parameters")
    for key, schema in method.parameters.items():
        for value in [*PROBES, *words(schema)]:
            if isinstance(value, str) and value.startswith("@"):
                continue  # stands for a list of columns
            allowed = any(parameters.satisfies(value, each) for each in declared[key])
            if isinstance(value, float) and value.is_integer():
                continue  # a whole number to Python, none to the configuration
            if key in STRICTER:
                assert allowed or not satisfied(schema, value), f"{name}.{key}: {value!r}"
            else:
                assert satisfied(schema, value) == allowed, f"{name}.{key}: {value!r}"


@pytest.mark.parametrize(
    "entry",
    [
        {"method": "subprocess.Popen", "params": {"args": "false"}},
        {"method": "xnbflow.naive_bayes.xnb.XNB", "params": {"priors": "@angulr"}},
        {"method": "sklearn.naive_bayes.GaussianNB", "params": {"smoothing": 1}},
    ],
)
def test_what_is_no_estimator_column_or_parameter_is_refused(entry):
    with pytest.raises(InputError, match=r"subprocess\.Popen|'angular'|'smoothing'"):
        build_estimator(entry, {})


def test_the_reference_of_the_configuration_is_the_entries():
    text = (ROOT / "config/README.md").read_text()
    assert configuration_reference() in text, "make manual, then look at config/README.md"
