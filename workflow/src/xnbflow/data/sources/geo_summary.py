"""What an accession of GEO holds, from the head of its file: the way to its row of the sheet."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from xnbflow.data.counts import counted
from xnbflow.data.errors import InputError
from xnbflow.data.sources.class_labels import plain_text
from xnbflow.data.sources.downloads import Downloads
from xnbflow.data.sources.files import open_raw
from xnbflow.data.sources.geo import BASE_URLS, accession_path, platforms_offered
from xnbflow.data.sources.geo_head import GeoHead, read_head
from xnbflow.data.sources.intensities import intensity_quantiles, is_not_logged
from xnbflow.data.sources.plausibility import suggested_group
from xnbflow.data.sources.sheet import SheetRow, is_accession, sheet_text

if TYPE_CHECKING:
    import io

__all__ = ["GeoSummary", "summarise"]

_CLASS = re.compile(
    r"disease|diagnos|tumou?r|cancer|status|state|histolog|pathol|condition|phenotype|group|"
    r"subtype|class|treatment|genotype|outcome|response|stage|grade",
    re.IGNORECASE,
)
_NO_CLASS = re.compile(
    r"^(sex|gender|age.*|race|ethnic.*|organism|.*batch.*|.*date.*|smok.*|.*individual.*|"
    r".*patient.*|.*subject.*|.*donor.*|.*survival.*|platform|.*\bid)$",
    re.IGNORECASE,
)
_TABLE_FILE = re.compile(r"\.(txt|tsv|csv|xlsx)(\.gz)?$", re.IGNORECASE)
_NUMBER = re.compile(rb"-?\d+(\.\d*)?([eE][+-]?\d+)?")
_FIRST_ROWS = 300
_SHOWN_VALUES = 12
_MOST_CLASSES = 10


@dataclass(frozen=True)
class GeoSummary:
    """What the head of a GEO file says, and a proposal for the sheet.

    ``values`` has a row per field and distinct value, with the number of ``samples``. ``row`` is
    the proposed row, None where nothing looks like a class; ``reason`` says why. A table that
    begins (``has_table``) may hold no row, as of RNA-seq.
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
        lines = [
            f"{self.accession}  {self.title}",
            f"platform  {self.platform}",
            f"type      {self.type}",
            f"samples   {self.n_samples}",
        ]
        for name, part in self.values.groupby("field", sort=False):
            lines += ["", f"{name} ({len(part)} distinct)"]
            shown = part.head(_SHOWN_VALUES)
            lines += [
                f"  {n:5d}  {v}" for v, n in zip(shown["value"], shown["samples"], strict=True)
            ]
            if len(part) > len(shown):
                lines.append(f"         ... {len(part) - len(shown)} more")
        proposes_counts = self.row is not None and self.row.source == "table"
        if proposes_counts or not self.has_table:
            lines += ["", "no table of values; supplementary files:", *self.supplementary[:8]]
        if proposes_counts:
            lines += ["", "The sheet takes one of them for the table of counts: look which it is."]
        lines += ["", self.reason]
        if self.row:
            lines += ["A sheet with this data set (tabs between cells):", "", self.sheet]
        return "\n".join(lines)


def summarise(location: str, downloads: Downloads) -> GeoSummary:
    """Say what a GEO accession or file holds; of a remote file only the head is read.

    Raises
    ------
    InputError
        If the file cannot be had. Where the accession has several platforms, it names them.
    """
    if not is_accession(location):
        with open_raw(location) as stream:
            return _summary(location, location, stream)
    path = accession_path(location)
    try:
        with downloads.open_head("geo", path, default=BASE_URLS) as (where, stream):
            return _summary(location, where, stream)
    except InputError as error:
        if offered := platforms_offered(location, downloads):
            msg = (
                f"{location} has several platforms, one file each; give one of {', '.join(offered)}"
            )
            raise InputError(msg) from error
        raise


def _summary(location: str, where: str, stream: "io.BufferedReader[Any]") -> GeoSummary:
    head = read_head(where, stream)
    shown = [name for name in head.fields if name in head.characteristics or name == "source"]
    counts = [
        (name, value or "(none)", count)
        for name in [*shown, "title"]
        if name in head.fields
        for value, count in Counter(head.fields[name]).most_common()
    ]
    row, reason = _proposal(location, head)
    if row and row.source == "geo" and head.has_table:
        values = [
            float(cell)
            for line in islice(stream, 1, _FIRST_ROWS)
            if not line.startswith(b"!")
            for cell in line.split(b"\t")[1:]
            if _NUMBER.fullmatch(cell.strip())
        ]
        if values and is_not_logged(intensity_quantiles(np.array([values]))):
            row = replace(row, options=row.options | {"transform": "log2"})
            reason += " The first values of the table are not logged: transform=log2."
    return GeoSummary(
        head.accession,
        head.title,
        head.platform,
        head.facts.get("type") or head.facts.get("dataset_type", ""),
        len(head.samples),
        head.has_table,
        pd.DataFrame(counts, columns=["field", "value", "samples"]),
        row,
        reason,
        tuple(dict.fromkeys(head.supplementary)),
    )


def _proposal(location: str, head: GeoHead) -> tuple[SheetRow | None, str]:
    """Return the row of the best-looking label, and the reason."""
    scores = {
        name: _score(name, head.fields[name]) for name in head.fields if name not in head.short
    }
    best = max(scores, key=scores.__getitem__, default=None)
    stems = _title_stems(list(head.fields.get("title", [])))
    regex = "|".join(re.escape(stem).replace(r"\ ", " ") for stem in stems)
    if stems and max(scores.values(), default=0) < 2 and ";" not in regex:
        row = _row(location, head, "title", {"regex": f"({regex})"})
        return row, f"Proposed label: title, which says {' or '.join(map(repr, stems))}."
    if best is None or not scores[best]:
        return None, (
            "No field looks like a class (2 to 10 values, each of several samples); choose one and "
            "name it as label, with regex= and map= where it needs them."
        )
    counts = Counter(head.fields[best])
    missing = counts.pop("", 0)
    label = best if best in ("source", "description") else f"characteristics:{best}"
    left_out = (
        f" ({counted(missing, 'sample', 'has', 'have')} none and would be left out)"
        if missing
        else ""
    )
    values = ", ".join(f"{v} ({n})" for v, n in counts.most_common())
    row = _row(location, head, label, {"unlabelled": "drop"} if missing else {})
    return row, f"Proposed label: {best}{left_out}: {values}."


def _score(name: str, texts: Iterable[str]) -> int:
    """Return how much a field looks like a class: 0 for not at all."""
    found = list(map(plain_text, texts))
    counts = Counter(filter(None, found))
    if not 2 <= len(counts) <= _MOST_CLASSES or _NO_CLASS.match(name) or name == "title":
        return 0
    if min(counts.values()) < 2 or sum(counts.values()) < len(found) / 2:
        return 0
    return 1 if name == "description" else 2 + bool(_CLASS.search(name))


def _title_stems(titles: Sequence[str]) -> list[str]:
    """Return what titles share by class once words with digits are left out; none if that fails."""
    words = [[w for w in title.split() if not any(c.isdigit() for c in w)] for title in titles]
    stems = Counter(" ".join(found).strip(" ,;:_-") for found in words)
    if not 2 <= len(stems) <= _MOST_CLASSES or min(stems.values()) < 2 or "" in stems:
        return []
    found = sorted(stems, key=len, reverse=True)  # a longer one may contain a shorter
    matched = all(any(s.lower() in title.lower() for s in found) for title in titles)
    return found if matched else []


def _row(location: str, head: GeoHead, label: str, options: dict[str, str]) -> SheetRow:
    group = suggested_group(head.fields[head.characteristics], [""] * len(head.samples))
    if group and group != label.removeprefix("characteristics:"):
        options = options | {"group": group}
    name = location if is_accession(location) else head.accession or "mine"
    if not head.has_table or "sequencing" in head.facts.get("type", ""):
        files = [file for file in head.supplementary if _TABLE_FILE.search(file)]
        counts = files[0].replace("ftp://", "https://", 1) if files else "data/counts.tsv.gz"
        options = {"phenotype": location, **options, "transform": "log_cpm"}
        return SheetRow(name, "table", counts, label=label, orientation="columns", options=options)
    if re.fullmatch(r"GPL\d+", head.platform) and not location.startswith("GDS"):
        options = options | {"annotation": head.platform}
    return SheetRow(name, "geo", location, label=label, options=options)
