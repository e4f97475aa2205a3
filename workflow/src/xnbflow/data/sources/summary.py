"""What a file or an accession holds, shown to a person, and the proposal of its row of the sheet.

`xnbflow.data.sources.geo_summary` and `xnbflow.data.sources.table_summary` fill it in.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from xnbflow.data.sources.class_labels import plain_text
from xnbflow.data.sources.intensities import intensity_quantiles, is_not_logged, looks_like_counts
from xnbflow.data.sources.sheet import SheetRow, sheet_text

__all__ = ["MOST_CLASSES", "Summary", "class_score", "distinct_values", "proposed_logarithm"]

_CLASS = re.compile(
    r"disease|diagnos|tumou?r|cancer|status|state|histolog|pathol|condition|phenotype|group|"
    r"subtype|class|type|label|treatment|genotype|outcome|response|stage|grade",
    re.IGNORECASE,
)
_NO_CLASS = re.compile(
    r"^(sex|gender|age.*|race|ethnic.*|organism|.*batch.*|.*date.*|smok.*|.*individual.*|"
    r".*patient.*|.*subject.*|.*donor.*|.*survival.*|platform|.*\bid)$",
    re.IGNORECASE,
)
_SHOWN_VALUES = 12
#: Of a label that is proposed.
MOST_CLASSES = 10


@dataclass(frozen=True)
class Summary:
    """What is known of a series before it is a study, and a proposal for the sheet.

    ``values`` has a row per field and distinct value, with the number of ``samples``. ``row`` is
    the proposed row, None where nothing looks like a class; ``reason`` says why. A table that
    begins (``has_table``) may hold no row, as of RNA-seq. ``accession`` is the file's path where it
    is none of GEO.
    """

    accession: str
    title: str
    platform: str
    type: str
    n_samples: int
    has_table: bool
    values: pd.DataFrame
    row: SheetRow | None
    reason: str
    supplementary: tuple[str, ...] = ()

    @property
    def sheet(self) -> str:
        """The proposed row as the text of a sheet, with its header; empty where there is none."""
        return sheet_text([self.row]) if self.row else ""

    def __str__(self) -> str:
        facts = {"platform": self.platform, "type": self.type, "samples": self.n_samples}
        lines = [f"{self.accession}  {self.title}".strip()]
        lines += [f"{name:8}  {fact}" for name, fact in facts.items() if fact]
        for name, part in self.values.groupby("field", sort=False):
            lines += ["", f"{name} ({len(part)} distinct)"]
            shown = part.head(_SHOWN_VALUES)
            lines += [
                f"  {n:5d}  {v}" for v, n in zip(shown["value"], shown["samples"], strict=True)
            ]
            if len(part) > len(shown):
                lines.append(f"         ... {len(part) - len(shown)} more")
        if not self.has_table:
            lines += ["", "no table of values; supplementary files:", *self.supplementary[:8]]
        lines += ["", self.reason]
        if self.row:
            lines += ["A sheet with this data set (tabs between cells):", "", self.sheet]
        return "\n".join(lines)


def distinct_values(fields: pd.DataFrame) -> pd.DataFrame:
    """Return the distinct values of each field, commonest first, with their numbers of samples.

    Examples
    --------
    >>> distinct_values(pd.DataFrame({"sex": ["f", "m", "f"]})).to_numpy().tolist()
    [['sex', 'f', 2], ['sex', 'm', 1]]
    """
    counts = [
        (str(name), value or "(none)", count)
        for name in fields
        for value, count in Counter(fields[name]).most_common()
    ]
    return pd.DataFrame(counts, columns=["field", "value", "samples"])


def class_score(name: str, texts: Iterable[str]) -> int:
    """Return how much a field looks like a class, by its name and its texts: 0 for not at all.

    Examples
    --------
    >>> class_score("diagnosis", "aabb"), class_score("sex", "aabb"), class_score("note", "abcd")
    (3, 0, 0)
    """
    found = list(map(plain_text, texts))
    counts = Counter(filter(None, found))
    if not 2 <= len(counts) <= MOST_CLASSES or _NO_CLASS.match(name) or name == "title":
        return 0
    if min(counts.values()) < 2 or sum(counts.values()) < len(found) / 2:
        return 0
    return 1 if name == "description" else 2 + bool(_CLASS.search(name))


def proposed_logarithm(
    values: np.ndarray, *, may_be_counts: bool = True
) -> tuple[dict[str, str], str]:
    """Return the option ``transform`` for values, shape (n_features, n_samples), and why.

    Examples
    --------
    >>> proposed_logarithm(np.array([[20.0, 300.0, 9000.5]]))[0]
    {'transform': 'log2'}
    >>> proposed_logarithm(np.array([[2.5, 7.1, 13.8]]))
    ({}, '')
    """
    if not values.size or not is_not_logged(quantiles := intensity_quantiles(values)):
        return {}, ""
    if may_be_counts and looks_like_counts(values):
        return {"transform": "log_cpm"}, (
            " The values look like counts of reads: transform=log_cpm. If they are intensities, "
            "write transform=log2."
        )
    if quantiles[0] <= 0:
        return {}, (
            " The values look like intensities that are not logged, and some are 0 or below, which "
            "have no logarithm: no transform is proposed."
        )
    return {"transform": "log2"}, " The values are not logged: transform=log2."
