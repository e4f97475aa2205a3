"""Numbers of sentences: p-values, counts and shares, in one form everywhere."""

import re
from collections.abc import Sequence

#: p-values at which the page decides: of verdicts and of the audit.
_LEVELS = (0.025, 0.05)
#: Most digits of a p-value that lies beside a level.
_MOST_DIGITS = 9
#: Smaller numbers are not distinguished from 0.
_SMALLEST = 1e-300


def p_digits(p: float) -> int:
    """Return the digits of a p-value: two, or as many as show on which side of a level it lies.

    Examples
    --------
    >>> p_digits(0.0123), p_digits(0.025), p_digits(0.0250004), p_digits(float("nan"))
    (2, 2, 6, 2)
    """
    for digits in range(2, _MOST_DIGITS):
        shown = float(f"{p:.{digits}g}")
        if all(_side(p, level) == _side(shown, level) for level in _LEVELS):
            return digits
    return _MOST_DIGITS


def _side(p: float, level: float) -> int:
    """Return 1 above a level, -1 below it, and 0 on it or for a missing p."""
    return int(p > level) - int(p < level)


def format_p(p: float) -> str:
    """Return a p-value with its `p_digits`.

    Examples
    --------
    >>> format_p(0.0123), format_p(0.025), format_p(0.0250004), format_p(0.0499)
    ('0.012', '0.025', '0.0250004', '0.0499')
    """
    return f"{p:.{p_digits(p)}g}"


def p_equals(p: float) -> str:
    """Return a p-value with its letter.

    Examples
    --------
    >>> p_equals(0.0123), p_equals(0.0)
    ('p = 0.012', 'p < 1e-300')
    """
    return f"p = {format_p(p)}" if p > _SMALLEST else f"p < {_SMALLEST:g}"


def format_number(number: float, spec: str) -> str:
    """Return a number in a format; decimals agree with the percentage of the same number.

    57 of 80 are 71.25%, which ``.1%`` rounds to 71.2%, and ``.3f`` to 0.713, because the double of
    0.7125 is slightly larger. One number with both digits on a page would seem to be two.

    Examples
    --------
    >>> f"{57 / 80:.1%}", f"{57 / 80:.3f}", format_number(57 / 80, ".3f")
    ('71.2%', '0.713', '0.712')
    >>> f"{37 / 40:.0%}", f"{37 / 40:.2f}", format_number(37 / 40, ".2f")
    ('92%', '0.93', '0.92')
    """
    decimals = re.fullmatch(r"\.([2-9])f", spec)
    if decimals:
        percentage = f"{number:.{int(decimals[1]) - 2}%}"
        number = float(percentage.removesuffix("%")) / 100
    return format(number, spec)


def format_count(number: float) -> str:
    """Return a number of features: a mean of less than 1,000 has one decimal unless it is whole.

    Examples
    --------
    >>> format_count(200.0), format_count(66.67), format_count(1234.5)
    ('200', '66.7', '1,234')
    """
    return f"{number:,.0f}" if number >= 1000 or number == round(number) else f"{number:.1f}"


def join_words(words: Sequence[str]) -> str:
    """Return words with commas and "and" before the last.

    Examples
    --------
    >>> join_words(["a", "b", "c"]), join_words(["a"]), join_words([])
    ('a, b and c', 'a', '')
    """
    if len(words) <= 1:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def capitalized(sentence: str) -> str:
    """Return a sentence with its first letter in upper case; the others stay as they are."""
    return f"{sentence[:1].upper()}{sentence[1:]}"
