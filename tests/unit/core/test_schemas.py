"""Values of YAML are checked more strictly than the standard of JSON schemas asks."""

import math

import pytest
from toys import refused

from xnbflow.core.schemas import _schema_in_words, check

WHOLE = {"type": "integer", "minimum": 1}


@pytest.mark.parametrize("value", [1.0, True, "1"])
def test_a_whole_number_is_neither_a_float_nor_a_truth_value(value):
    check(1, WHOLE, "place")
    with refused("use a whole number of at least 1"):
        check(value, WHOLE, "place")


@pytest.mark.parametrize("value", [math.inf, math.nan, True])
def test_a_number_is_finite(value):
    check(0.5, {"type": "number"}, "place")
    with refused("use a number"):
        check(value, {"type": "number"}, "place")


def test_the_outermost_error_is_reported_with_its_keys():
    schema = {"properties": {"a": {"properties": {"b": WHOLE}, "required": ["c"]}}}
    with refused("^place, a: the key 'c' is missing"):
        check({"a": {"b": 0}}, schema, "place")


def test_all_missing_keys_are_reported_at_once():
    with refused("place: the keys 'a', 'c' are missing"):
        check({"b": 0}, {"required": ["a", "b", "c"]}, "place")


def test_long_keys_are_cut_in_the_middle():
    key = "k" * 120
    with refused(f"^place, {'k' * 50}...{'k' * 45}: found 0"):
        check({key: 0}, {"properties": {key: WHOLE}}, "place")


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param(
            {"type": "number", "minimum": 0, "maximum": 1},
            "a number of at least 0 and at most 1",
            id="a range",
        ),
        pytest.param({"enum": ["a"]}, "a", id="one value"),
        pytest.param({"enum": ["a", "b"]}, "one of a, b", id="two values"),
        pytest.param(
            {"type": "array", "items": {"type": "string"}}, "a list (each text)", id="a list"
        ),
        pytest.param({"type": ["string", "null"]}, "text or null", id="two types"),
        pytest.param({}, "another value", id="anything"),
    ],
)  # fmt: skip
def test_a_schema_is_described_in_words(schema, expected):
    assert _schema_in_words(schema) == expected


def test_one_of_two_keys_is_asked_for_by_their_names():
    schema = {"oneOf": [{"required": ["method"]}, {"required": ["steps"]}]}
    check({"method": "nb"}, schema, "place")
    for value in ({}, {"method": "nb", "steps": []}):
        with refused("^place: give either 'method' or 'steps', and not both$"):
            check(value, schema, "place")
