"""Names that lines of a page do not break: a browser breaks HLA-A after its hyphen.

A word with such a place gets an element of its own, in which style.css permits no break. A long
word is shortened there where its column is too narrow, with its whole text under the pointer.
"""

import html
import re

#: Characters after which a browser may break a word (Unicode Standard Annex 14).
_BREAKS = re.compile(r"[-/‐–—…|?!}](?=\S)")
#: Letters of a word from which on it may be shortened, so that the pointer has the whole text.
_LONG = 16
#: Letters above which a word of a sentence, such as a path, is broken like any text.
_LONGEST = 40


class Html(str):
    """Text that is HTML already: a template inserts it as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        """Return the text, as templates ask for it."""
        return str(self)


def unbroken(text: object) -> Html:
    """Return a name as HTML whose words are not broken; one element, or plain text.

    Examples
    --------
    >>> print(unbroken("TP53"), unbroken("type HLA-A"))
    TP53 <span>type <span class="word">HLA-A</span></span>
    """
    marked = "".join(map(_mark_word, re.split(r"(\s+)", str(text))))
    return Html(f"<span>{marked}</span>" if "<span" in marked else marked)


def unbroken_sentence(text: str) -> str:
    """Return a text as HTML in which words such as Pro-B-ALL are not broken.

    Paths, and words in small letters such as cross-validation, are broken as in any text.

    Examples
    --------
    >>> print(unbroken_sentence("See results/studies/S/genes.parquet of B-ALL."))
    See results/studies/S/genes.parquet of <span class="word">B-ALL.</span>
    """
    pieces = []
    for word in re.split(r"(\s+)", text):
        escaped = html.escape(word)
        is_path = word.count("/") > 1 and "///" not in word
        is_name = _BREAKS.search(word) is not None and word != word.lower()
        if is_name and not is_path and len(word) <= _LONGEST:
            escaped = f'<span class="word">{escaped}</span>'
        pieces.append(escaped)
    return "".join(pieces)


def _mark_word(word: str) -> str:
    """Return a word as HTML, in an element if a browser or a narrow column may break it."""
    escaped = html.escape(word)
    if len(word) >= _LONG:
        return f'<span class="word" title="{escaped}">{escaped}</span>'
    if _BREAKS.search(word):
        return f'<span class="word">{escaped}</span>'
    return escaped
