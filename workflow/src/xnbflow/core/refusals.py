"""Refusals of input: a code, a sentence with fields and a key, beside each rule."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from string import Formatter
from typing import Any

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted, either, listed

#: Fields that `Refusal.error` uses for the exception as well, or only for it.
_OF_ERROR = frozenset({"file", "key", "remedy"})


class _Sentences(Formatter):
    """The formats of the fields of a sentence, see `Refusal`."""

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        """Return a value in quotes, with its middle cut out if it is long, for ``!r``."""
        return quoted(value) if conversion == "r" else super().convert_field(value, conversion)

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return a count with its noun, one of two words, or a list."""
        if format_spec.startswith("#"):
            return counted(value, *format_spec[1:].split("|"))
        if "|" in format_spec:
            return either(value, *format_spec.split("|"))
        if format_spec.startswith("list"):
            most = format_spec.removeprefix("list")
            return listed(value, int(most)) if most else listed(value)
        return str(super().format_field(value, format_spec))


_SENTENCES = _Sentences()


def fill(sentence: str, **values: Any) -> str:
    """Return a sentence with its fields filled, in the formats of `Refusal`.

    Examples
    --------
    >>> fill("{n:#value|is|are} missing: {names:list3}", n=4, names=["a", "b", "c", "d"])
    '4 values are missing: a, b, c and 1 more'
    """
    return _SENTENCES.vformat(sentence, (), values)


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """A rule's refusal, declared as a constant beside the rule.

    Attributes
    ----------
    code : str
        A name that programs and tests use; no other refusal has it.
    sentence : str
        What was found, where, and what to do, with fields in braces. Beside Python's formats,
        ``{name!r}`` is a value in quotes that is cut if it is long, ``{n:#sample|has|have}`` a
        count with its noun (and verb), ``{n:is|are}`` a word by a count, and ``{names:list}`` or
        ``{names:list3}`` a list of at most eight or three names.
    key : str, optional
        The key of the data set that the sentence is about.
    sheet : bool
        Whether the remedy is a key of the data set.
    kind : type
        The class of the exception, `InputError` or one of its subclasses.

    Examples
    --------
    >>> unlabelled = Refusal(
    ...     code="example.unlabelled",
    ...     sentence="{path}: {n:#sample|has|have} no label: {names:list}. Label {n:it|them}",
    ...     key="label",
    ... )
    >>> error = unlabelled.error(path="a.csv", n=2, names=["s1", "s2"])
    >>> print(error)
    a.csv: 2 samples have no label: s1, s2. Label them
    >>> error.code, error.key, error.file, error.fields["n"]
    ('example.unlabelled', 'label', 'a.csv', 2)
    """

    code: str
    sentence: str
    key: str | None = None
    sheet: bool = False
    kind: type[InputError] = InputError

    @property
    def fields(self) -> AbstractSet[str]:
        """The names of the fields of the sentence."""
        return {name for _, name, _, _ in _SENTENCES.parse(self.sentence) if name}

    def error(self, **values: Any) -> InputError:
        """Return the exception, with a value for each field of the sentence.

        ``key``, ``file`` and ``remedy`` are also those of the exception, and need not be fields;
        its file is by default the field ``path``.

        Raises
        ------
        TypeError
            If a field has no value, or a value has no field (a bug).
        """
        fields = self.fields
        if fields - values.keys() or values.keys() - fields - _OF_ERROR:
            msg = f"{self.code} has the fields {sorted(fields)}, not {sorted(values)}"
            raise TypeError(msg)
        file = values.get("file", values.get("path"))
        return self.kind(
            fill(self.sentence, **values),
            file=None if file is None else str(file),
            key=values.get("key", self.key),
            remedy=values.get("remedy"),
            sheet=self.sheet,
            code=self.code,
            fields=values,
        )
