"""What a user sees of a file before a study: its fields, their values, and a proposed entry."""

import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from xnbflow.core.natural_order import natural_key
from xnbflow.core.yaml_text import flow_yaml
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.infer.label import SHOWN_VALUES
from xnbflow.sources.infer.variables import Kind, kind_of
from xnbflow.sources.proposal.entry_text import entry_text

#: Supplementary files that are shown.
_SHOWN_FILES = 8

#: Number of classes from which a class and all others differ from a pair of classes.
_SEVERAL = 3

#: The columns of `Summary.numbers`.
_NUMBER_COLUMNS = ("field", "minimum", "median", "maximum", "samples", "missing")


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Description of a series before a study, and a proposed entry of the configuration.

    Attributes
    ----------
    accession : str
        The accession of GEO, or the path of a file.
    n_samples : int
        Number of samples.
    has_table : bool
        Whether it has a table of values; series of RNA-seq in GEO have none.
    values : DataFrame
        A row per field of text and distinct value, with the number of ``samples``.
    entry : DatasetEntry or None
        The proposed entry of the configuration; None if nothing looks like a class.
    reason : str
        Sentences on the proposal, or why there is none.
    title, platform, type : str
        Facts about the series, as far as they are known.
    numbers : DataFrame
        A row per numeric field: minimum, median, maximum, and the number of missing values.
    supplementary : tuple of str
        Addresses of supplementary files in GEO.
    labels, groups : ndarray of str, shape (n_labelled,), optional
        Label and group of each sample that has a label, by the proposed entry.
    design : mapping
        The values of the study's key ``design`` that a user has named.
    reasons : mapping
        The reason of each proposed key of the entry, see `xnbflow.sources.proposal.reasons`.
    """

    accession: str
    n_samples: int
    has_table: bool
    values: pd.DataFrame
    entry: DatasetEntry | None
    reason: str
    title: str = ""
    platform: str = ""
    type: str = ""
    numbers: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=_NUMBER_COLUMNS))
    supplementary: tuple[str, ...] = ()
    labels: np.ndarray | None = None
    groups: np.ndarray | None = None
    design: Mapping[str, Any] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def entry_text(self) -> str:
        """The proposed entry as YAML with the reason of each key; empty where there is none."""
        return entry_text(self.entry, self.reasons) if self.entry else ""

    def __str__(self) -> str:
        facts = {"platform": self.platform, "type": self.type, "samples": self.n_samples}
        lines = [f"{self.accession}  {self.title}".strip()]
        lines += [f"{name:8}  {fact}" for name, fact in facts.items() if fact]
        for name, rows in self.values.groupby("field", sort=False):
            lines += ["", f"{name} ({len(rows)} distinct)"]
            shown = rows.head(SHOWN_VALUES)
            for value, count in zip(shown["value"], shown["samples"], strict=True):
                lines.append(f"  {count:5d}  {value}")
            if len(rows) > len(shown):
                lines.append(f"         ... {len(rows) - len(shown)} more")
        lines += self._number_lines()
        if not self.has_table:
            lines += ["", "no table of values; supplementary files:"]
            lines += self.supplementary[:_SHOWN_FILES]
        lines += ["", self.reason]
        if self.entry:
            lines += ["The data set in a configuration:", "", "datasets:", self.entry_text]
        if self.design:
            lines += ["The design of its study:", ""]
            lines += [f"  {key}: {flow_yaml(value)}" for key, value in self.design.items()]
        lines += self._contrast_lines()
        return "\n".join(lines)

    def _contrast_lines(self) -> list[str]:
        """Return how to compare two of several classes, in the form of the study's ``design``."""
        if self.labels is None or "contrasts" in self.design:
            return []
        reference = self.entry.reference if self.entry else None
        classes = sorted({str(label) for label in self.labels} - {reference})
        if len({*self.labels}) < _SEVERAL:
            return []
        pair = json.dumps([f"{classes[1]} vs {classes[0]}"], ensure_ascii=False)
        return [
            "",
            "Genes of a class are compared with the mean of all other classes. To compare two",
            "classes as well, add to the study, with the names of these classes:",
            "",
            "  design:",
            f"    contrasts: {pair}",
        ]

    def _number_lines(self) -> list[str]:
        """Return two lines for each field of numbers: its name, and its range."""
        lines = []
        for row in self.numbers.itertuples(index=False):
            span = f"minimum {row.minimum:g}, median {row.median:g}, maximum {row.maximum:g}"
            missing = f"missing {row.missing} of {row.samples}"
            lines += ["", f"{row.field} (numbers)", f"  {span}, {missing}"]
        return lines


class DescribedFields(NamedTuple):
    """What the fields of samples contain.

    ``values`` has a row per field and distinct value, ``numbers`` a row per field of numbers; the
    columns are those of `Summary`.
    """

    values: pd.DataFrame
    numbers: pd.DataFrame


def describe_fields(fields: pd.DataFrame, categories: Collection[str] = ()) -> DescribedFields:
    """Return the distinct values of each field, and the limits of fields that are numbers.

    Values are ordered by their numbers of samples; those that are equally common are in natural
    order: 0 h, 6 h, 24 h. Fields of at most `SHOWN_VALUES` distinct numbers are categories, such as
    grades, as are those that are named so.

    Examples
    --------
    >>> ages = [str(age) for age in range(30, 50)] + ["NA"]
    >>> described = describe_fields(pd.DataFrame({"age": ages, "sex": ["f"] * 20 + ["m"]}))
    >>> described.numbers.to_csv(index=False).split()[1]
    'age,30.0,39.5,49.0,21,1'
    >>> described.values.to_csv(index=False).split()[1:]
    ['sex,f,20', 'sex,m,1']
    """
    value_rows = []
    number_rows = []
    for name, column in fields.loc[:, ~fields.columns.duplicated()].items():
        counts = Counter(map(str, column))
        is_number = (
            name not in categories
            and len(counts) > SHOWN_VALUES
            and kind_of(list(map(str, column))) is not Kind.TEXT
        )
        limits = _limits(str(name), column) if is_number else None
        if limits is not None:
            number_rows.append(limits)
            continue
        ordered = sorted(counts, key=lambda text: (-counts[text], natural_key(text)))
        value_rows += [(str(name), value or "(none)", counts[value]) for value in ordered]
    return DescribedFields(
        values=pd.DataFrame(value_rows, columns=["field", "value", "samples"]),
        numbers=pd.DataFrame(number_rows, columns=_NUMBER_COLUMNS),
    )


def _limits(name: str, column: pd.Series) -> dict[str, Any] | None:
    """Return minimum, median, maximum and missing values of a field; None without a number."""
    texts = pd.Series([str(cell).strip().replace(",", ".", 1) for cell in column])
    numbers = pd.to_numeric(texts, errors="coerce")
    if not numbers.notna().any():
        return None
    return {
        "field": name,
        "minimum": float(numbers.min()),
        "median": float(numbers.median()),
        "maximum": float(numbers.max()),
        "samples": len(numbers),
        "missing": int(numbers.isna().sum()),
    }
