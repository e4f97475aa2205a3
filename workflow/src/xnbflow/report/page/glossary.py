"""Terms of the glossary in a text of the page, each with its meaning under the pointer."""

import html
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from xnbflow.report.page.unbroken import Html, unbroken_sentence

#: Code in a text.
_CODE = re.compile(r"`([^`]+)`")


@cache
def glossary() -> Mapping[str, str]:
    """Return the meaning of each term of ``glossary.toml``."""
    text = files(__package__).joinpath("glossary.toml").read_text(encoding="utf-8")
    terms: Mapping[str, str] = tomllib.loads(text)
    return terms


@cache
def _pattern() -> re.Pattern[str]:
    """Return a pattern of any term as whole words, also as the first of a sentence or in plural."""
    words = []
    for term in sorted(glossary(), key=len, reverse=True):
        first = f"[{term[0].upper()}{term[0]}]"
        words.append(f"{first}{re.escape(term[1:])}")
    return re.compile(rf"(?<![\w-])({'|'.join(words)})(?=s?(?![\w-]))")


def with_terms(text: str) -> Html:
    """Return a text as HTML in which the first occurrence of each term has its meaning.

    Text between back quotes is code.

    Examples
    --------
    >>> print(with_terms("Write `adjust: [plate]`."))
    Write <code>adjust: [plate]</code>.
    >>> print(with_terms("Write `validate: [{model: csnb-cv, train: one, test: recall}]`."))
    Write <code>validate: [{model: csnb-cv, train: one, test: recall}]</code>.
    >>> print(with_terms("Recall < 1: the recall of a class."))
    <abbr title="Share of the samples of a class that are predicted as this class.">Recall</abbr> \
&lt; 1: the recall of a class.
    """
    meanings = dict(glossary())
    parts = []
    for i, part in enumerate(_CODE.split(text)):
        is_code = i % 2 == 1  # between two back quotes
        parts.append(f"<code>{html.escape(part)}</code>" if is_code else _explained(part, meanings))
    return Html("".join(parts))


def _explained(text: str, meanings: dict[str, str]) -> str:
    """Return a text without code as HTML; terms that it explains leave the mapping."""
    parts = []
    end = 0
    for match in _pattern().finditer(text):
        word = match[0]
        term = word if word in glossary() else f"{word[0].lower()}{word[1:]}"
        meaning = meanings.pop(term, "")
        if meaning:
            title = html.escape(meaning)
            parts.append(unbroken_sentence(text[end : match.start()]))
            parts.append(f'<abbr title="{title}">{word}</abbr>')
            end = match.end()
    parts.append(unbroken_sentence(text[end:]))
    return "".join(parts)
