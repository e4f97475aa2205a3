"""Validation of values by JSON schemas, with errors in one plain sentence."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from xnbflow.core.errors import InputError, known_names, quoted
from xnbflow.core.nouns import counted, either, listed

#: JSON Schema's types, in words.
_TYPES = {
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "a mapping",
}
#: JSON Schema's bounds of numbers, in words.
_BOUNDS = {
    "exclusiveMinimum": "above",
    "minimum": "of at least",
    "exclusiveMaximum": "below",
    "maximum": "at most",
}


def check(
    value: object,
    schema: Mapping[str, Any],
    place: str,
    locate: Callable[[Sequence[Any]], str] | None = None,
) -> None:
    """Raise an `InputError` unless a value, as read from YAML, satisfies a JSON schema (2020-12).

    The check is stricter than the standard: 5.0 is not an integer, and infinity is not a number.
    The message has the ``place`` of the value and the schema's ``description``, if there is one.
    ``locate`` returns the file and line of a path of keys, which is added to the place.

    Examples
    --------
    >>> schema = {"properties": {"halves": {"type": "integer", "minimum": 1}}}
    >>> check({"halves": 5.0}, schema, "configuration")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    xnbflow.core.errors.InputError: configuration, halves: found 5.0; use a whole ...
    """
    if errors := list(_validator()(schema).iter_errors(value)):
        error = min(errors, key=lambda error: len(error.absolute_path))
        path = list(error.absolute_path)
        keys = ".".join(map(str, path))
        if len(keys) > 100:
            keys = f"{keys[:50]}...{keys[-45:]}"
        where = f"{place}, {keys}" if keys else place
        if locate is not None:
            is_unknown = error.validator == "additionalProperties"
            where += locate([*path, _unknown_key(error)] if is_unknown else path)
        raise InputError(f"{where}: {_complaint(error)}", key=_key_of(error))


def _unknown_key(error: Any) -> Any:
    """Return the key that a schema does not allow."""
    return next(key for key in error.instance if key not in error.schema.get("properties", {}))


def _key_of(error: Any) -> str | None:
    """Return the key that a person can correct: unknown, missing, or with a wrong value."""
    path = list(error.absolute_path)
    match error.validator:
        case "additionalProperties":
            key = _unknown_key(error)
        case "required":
            key = next(key for key in error.validator_value if key not in error.instance)
        case "oneOf":
            key = error.validator_value[0]["required"][0]
        case _:
            key = path[-1] if path else None
    return None if key is None else str(key)


def _schema_in_words(schema: Mapping[str, Any]) -> str:
    """Describe the values that satisfy a schema.

    Examples
    --------
    >>> _schema_in_words({"anyOf": [{"const": "all"}, {"type": "integer", "minimum": 1}]})
    "'all' or a whole number of at least 1"
    >>> _schema_in_words({"type": "number", "exclusiveMinimum": 0, "maximum": 1})
    'a number above 0 and at most 1'
    """
    if words := schema.get("description") or schema.get("$comment"):
        return words
    if "anyOf" in schema:
        return " or ".join(_schema_in_words(alternative) for alternative in schema["anyOf"])
    if "const" in schema:
        return repr(schema["const"])
    if "enum" in schema:
        words = ", ".join(schema["enum"])
        return f"one of {words}" if len(schema["enum"]) > 1 else words
    return _described_type(schema)


def _described_type(schema: Mapping[str, Any]) -> str:
    """Describe the type of a value and its items or bounds, for example "a number above 0"."""
    if schema.get("items"):
        return f"a list (each {_schema_in_words(schema['items'])})"
    if schema.get("additionalProperties"):
        return f"a mapping (each {_schema_in_words(schema['additionalProperties'])})"
    bounds = [f"{word} {schema[key]}" for key, word in _BOUNDS.items() if key in schema]
    types = schema.get("type", [])
    if isinstance(types, str):
        types = [types]
    kind = " or ".join(_TYPES[name] for name in types) or "another value"
    return f"{kind} {' and '.join(bounds)}" if bounds else kind


@cache
def _validator() -> Any:
    import jsonschema  # noqa: PLC0415  costs 0.1 s; not needed where nothing is checked

    types = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": _is_whole, "number": _is_number}
    )
    extend: Any = jsonschema.validators.extend
    return extend(jsonschema.Draft202012Validator, type_checker=types)


def _is_whole(_: Any, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(checker: Any, value: object) -> bool:
    return _is_whole(checker, value) or (isinstance(value, float) and math.isfinite(value))


def _complaint(error: Any) -> str:
    """Return what is wrong, without terms of JSON schemas.

    ``error.validator`` is the violated keyword of the schema, for example "enum", and ``expected``
    the value of this keyword, in the example the list of valid texts.
    """
    schema = error.schema
    value = error.instance
    expected = error.validator_value
    match error.validator:
        case "required":
            missing = [repr(key) for key in expected if key not in value]
            noun = either(len(missing), "the key", "the keys")
            verb = either(len(missing), "is", "are")
            text = f"{noun} {listed(missing)} {verb} missing. See config/README.md"
        case "additionalProperties":
            properties = list(schema.get("properties", {}))
            unknown = _unknown_key(error)
            text = f"unknown key {quoted(unknown)}; {known_names(str(unknown), properties)}"
        case "uniqueItems":
            twice = next(item for i, item in enumerate(value) if item in value[:i])
            text = f"{quoted(twice)} is listed twice; leave one out"
        case "minItems" | "maxItems":
            bound = "least" if error.validator == "minItems" else "most"
            text = f"found {counted(len(value), 'item')}; give at {bound} {expected}"
        case "enum" if isinstance(value, str):
            text = f"unknown {quoted(value)}; {known_names(value, expected)}"
        case "anyOf" if isinstance(value, str) and (names := _names_among(expected)):
            text = f"unknown {quoted(value)}; {known_names(value, names)}"
        case "oneOf":
            keys = [repr(alternative["required"][0]) for alternative in expected]
            end = "and not both" if len(keys) == 2 else "and no other of them"
            text = f"give either {' or '.join(keys)}, {end}"
        case "dependentRequired":
            text = f"{quoted(value)} lacks a key that another needs. See config/README.md"
        case _:
            text = f"found {quoted(value)}; use {_schema_in_words(schema)}"
    return text


def _names_among(schemas: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the texts that schemas list; none if one of the schemas allows any text."""
    if any(schema.get("type") == "string" for schema in schemas):
        return []
    return [name for schema in schemas for name in schema.get("enum", [])]
