"""The entry of a method has the parameters of its class, and allows the same values."""

import inspect
from itertools import product

import pytest

from xnbflow.core.errors import InputError
from xnbflow.core.parameters import _declared_constraints, satisfies
from xnbflow.core.schemas import check
from xnbflow.evaluation.build import import_estimator
from xnbflow.evaluation.methods import shipped_methods
from xnbflow.running.parameter_files import parameter_files


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


def test_the_schemas_that_planning_reads_are_those_of_the_classes():
    for path, text in parameter_files().items():
        assert path.read_text() == text, f"{path}: run `python -m xnbflow.running.parameter_files`"


#: Parameters of which the class declares less than the entry: it looks at the rest in `fit`.
STRICTER = {"blocks", "estimator", "groups", "priors", "random_state"}
PROBES = [-1, 0, 1, 2, 3, 1000, 1001, 10_000, 10_001, -0.5, 0.5, 1.5, 6.3, None, "", "x"]


@pytest.mark.parametrize("name", shipped_methods())
def test_an_entry_allows_what_the_class_allows(name):
    method = shipped_methods()[name]
    declared = _declared_constraints(import_estimator(method.estimator))
    for key, value in product(declared, PROBES):
        allowed = any(satisfies(value, constraint) for constraint in declared[key])
        try:
            check(value, method.parameters[key], key)
        except InputError:
            assert not allowed or key in STRICTER, f"{key}: {value!r}"
        else:
            assert allowed, f"{key}: {value!r}"
