"""What a configuration of an earlier version may contain, and what replaces it.

Without this table a removed key would be an unknown one, whose message names a similar key.
"""

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from xnbflow.core.errors import InputError, quoted


class Removed(NamedTuple):
    """A key or a value that configurations of an earlier version had.

    Attributes
    ----------
    place : str
        The key, below those that contain it: ``studies/*/design*/contrasts/*``. A ``*`` is any
        text, also several keys; items of a list have their numbers.
    value : str
        The removed value of the key, a regular expression; empty if the key itself was removed.
    replacement : str
        A sentence on what to write instead.
    """

    place: str
    value: str
    replacement: str


_ADJUSTED_CLASSIFIER = (
    "a classifier is trained on the values as they are. Adjust the comparisons of single genes by "
    "adjust in the design of the study, and name patients by group in the data set; the audit and "
    "the tests within batches show whether a batch or another column explains the classes"
)
_PAIRS_ONLY = (
    "comparisons are of two classes. Write A vs B, with classes that the key map of the data set "
    'can make of levels and numbers (map: {"<60": young, ">=60": old}), and adjust for other '
    "columns by adjust; test slopes, trends and interactions with limma"
)
#: Everything that was removed. Add a line for a key that goes, with what a person writes instead.
REMOVED = (
    Removed(
        "sheets",
        "",
        "data sets are entries of `datasets:` of the configuration, not rows of a sheet; see "
        "config/README.md",
    ),
    Removed("*/method", r"adjust_covariates|xnbflow\..*CovariateAdjuster", _ADJUSTED_CLASSIFIER),
    Removed("*/method", r"centre_groups|xnbflow\..*GroupCentrer", _ADJUSTED_CLASSIFIER),
    Removed(
        "studies/*/analyses/cells",
        "",
        "studies of single cells are no part of xnbflow; add their counts by sample and cell type "
        "(pseudo-bulk), and read the sums as an .h5ad or a table",
    ),
    Removed(
        "studies/*/analyses/signatures",
        "",
        "a study needs no analysis for it: name the classifiers, and the page compares their "
        "accuracy and their signatures",
    ),
    Removed("studies/*/design*/contrasts/*", r"(slope|levels|trend)\(((?! vs ).)*\)", _PAIRS_ONLY),
    Removed("studies/*/design*/contrasts/*", r"((?! vs ).)+:((?! vs ).)+", _PAIRS_ONLY),
)


def refuse_removed(raw: Mapping[str, Any]) -> None:
    """Raise an `InputError` that names the replacement of a removed key or value.

    Examples
    --------
    >>> refuse_removed({"studies": {"s": {"design": {"contrasts": ["b vs a"]}}}})
    >>> try:
    ...     refuse_removed({"studies": {"s": {"design": {"contrasts": ["slope(age)"]}}}})
    ... except InputError as error:
    ...     print(str(error)[:94])
    configuration, studies.s.design.contrasts.0: 'slope(age)' has been removed: comparisons are of
    """
    for place, value in _places(raw):
        for removed in REMOVED:
            if not fnmatchcase(place, removed.place):
                continue
            is_text = isinstance(value, str)
            if removed.value and not (is_text and re.fullmatch(removed.value, value)):
                continue
            subject = quoted(value) if removed.value else "this key"
            keys = place.replace("/", ".")
            msg = f"configuration, {keys}: {subject} has been removed: {removed.replacement}"
            raise InputError(msg, key=place.rpartition("/")[2])


def _places(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every key of a configuration and every item of a list, with its value."""
    if place:
        yield place, value
    items: Iterator[tuple[Any, Any]] = iter(())
    if isinstance(value, Mapping):
        items = iter(value.items())
    elif isinstance(value, list):
        items = iter(enumerate(value))
    for key, item in items:
        yield from _places(item, f"{place}/{key}" if place else str(key))
