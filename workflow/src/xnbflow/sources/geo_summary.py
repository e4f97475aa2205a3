"""Summary of an accession of GEO from the head of its file, with a proposed row of the sheet."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from xnbflow.core.errors import InputError
from xnbflow.sources.annotation import BASE_URLS, has_annotation
from xnbflow.sources.class_labels import LabelRule, label_options, propose_map
from xnbflow.sources.downloads import Downloads
from xnbflow.sources.files import open_raw
from xnbflow.sources.geo import accession_path, naming_platforms
from xnbflow.sources.geo_head import GeoHead, read_head
from xnbflow.sources.sequencing import PROPOSED_COUNT_TRANSFORM
from xnbflow.sources.sheet import SheetRow, is_accession
from xnbflow.sources.summary import (
    MOST_CLASSES,
    Summary,
    class_score,
    column_options,
    described_numbers,
    distinct_values,
    proposed_logarithm,
)

if TYPE_CHECKING:
    import io

_TABLE_FILE = re.compile(r"\.(txt|tsv|csv|xlsx)(\.gz)?$", re.IGNORECASE)
_NUMBER = re.compile(rb"-?\d+(\.\d*)?([eE][+-]?\d+)?")
_FIRST_ROWS = 300
#: Score of a field that looks like a class without the name of one (`class_score`).
_UNNAMED_CLASS = 2
#: Addresses of NCBI's list and files of counts that it has computed for series of RNA-seq.
_COUNTS_URLS = ("https://www.ncbi.nlm.nih.gov/geo",)
_LONGEST_PAGE = 1 << 20


def summarise(
    location: str, downloads: Downloads, label: str = "", options: Mapping[str, str] | None = None
) -> Summary:
    """Summarise a GEO accession or file; only the head of a remote file is read.

    The ``label`` and the ``options`` of the row are proposed where they are not given.
    """
    given = (label, dict(options or {}), downloads)
    if not is_accession(location):
        with open_raw(location) as stream:
            found = _summary(location, location, stream, *given)
    else:
        path = accession_path(location)
        with (
            naming_platforms(location, downloads),
            downloads.open_head("geo", path, default=BASE_URLS) as (where, stream),
        ):
            found = _summary(location, where, stream, *given)
    row = found.row
    if row is None or "annotation" in given[1] or row.options.get("annotation") != found.platform:
        return found
    if has_annotation(found.platform, downloads):
        return found
    options = {key: value for key, value in row.options.items() if key != "annotation"}
    reason = (
        f"{found.reason} WITHOUT GENE SYMBOLS: no file of {found.platform} can be had from here; "
        f"the study will run on probes. For symbols add annotation={found.platform} to the options "
        "where GEO can be reached, or annotation=FILE, a table of probes and symbols."
    )
    return replace(found, row=replace(row, options=options), reason=reason)


def _summary(
    location: str,
    where: str,
    stream: "io.BufferedReader[Any]",
    label: str,
    options: dict[str, str],
    downloads: Downloads,
) -> Summary:
    head = read_head(where, stream)
    shown = [name for name in head.fields if name in head.characteristics or name == "source"]
    row, reason, labels, keep = _proposal(location, where, head, label, options)
    groups = None
    if row and (group := head.field_named(row.options.get("group", ""))):
        groups = head.fields.loc[keep, group].to_numpy(dtype=str)
    if row and (not head.has_table or "sequencing" in head.facts.get("type", "")):
        row, remark = _counts_row(row, head, downloads)
        reason += remark
    elif row and "transform" not in options:
        row, remark = _logged(row, stream)
        reason += remark
    fields = head.fields[[n for n in [*shown, "title"] if n in head.fields]]
    numbers = described_numbers(fields)
    return Summary(
        accession=head.accession,
        title=head.title,
        platform=head.platform,
        type=head.facts.get("type") or head.facts.get("dataset_type", ""),
        n_samples=len(head.samples),
        has_table=head.has_table and not (row and row.source == "table"),
        values=distinct_values(fields.loc[:, ~fields.columns.isin(numbers["field"])]),
        numbers=numbers,
        row=row,
        reason=reason,
        supplementary=tuple(dict.fromkeys(head.supplementary)),
        labels=labels,
        groups=groups,
    )


def _logged(row: SheetRow, stream: "io.BufferedReader[Any]") -> tuple[SheetRow, str]:
    """Return the row with logarithms, and a sentence, where the first values are intensities."""
    values = [
        float(cell)
        for line in islice(stream, 1, _FIRST_ROWS)
        if not line.startswith(b"!")
        for cell in line.split(b"\t")[1:]
        if _NUMBER.fullmatch(cell.strip())
    ]
    option, remark = proposed_logarithm(np.array([values]), np.array([]))
    return replace(row, options=row.options | option), remark


def _proposal(
    location: str, where: str, head: GeoHead, label: str, given: dict[str, str]
) -> tuple[SheetRow | None, str, np.ndarray | None, np.ndarray | None]:
    """Return the row with its label, the best candidate if none is given, and the reason.

    The further results are the labels, and the positions of the samples that have one.
    """
    scores = {
        name: class_score(name, head.fields[name]) for name in head.fields if name not in head.short
    }
    best = max(scores, key=scores.__getitem__, default=None)
    if label:
        best, _ = head.label_texts(where, label)
    stems = _title_stems(list(head.fields.get("title", [])))
    regex = "|".join(re.escape(stem).replace(r"\ ", " ") for stem in stems)
    by_title = not label and bool(stems) and ";" not in regex
    if by_title and best is not None:
        by_title = not _is_better_than_titles(scores[best], head.fields[best])
    if by_title:
        best = "title"
        options = {"regex": f"({regex})"} | given
    elif best is None or not (label or scores[best]):
        reason = (
            "No field looks like a class (2 to 10 values, each of several samples); choose one and "
            "name it by --label, with --option regex= and --option map= where it needs them."
        )
        return None, reason, None, None
    else:
        options = label_options(list(head.fields[best])) | given
    named = f"characteristics:{best}" if best in head.characteristics else best
    row = SheetRow(location, "geo", location, label=named, options=options)
    texts = list(head.fields[best])
    labels, keep, notes = LabelRule.parse(row).apply(where, head.samples, texts)
    remark = ""
    if "map" not in options:
        proposed, remark = propose_map(labels.tolist())
        row = replace(row, options=row.options | proposed)
        labels, keep, notes = LabelRule.parse(row).apply(where, head.samples, texts)
    classes = np.full(len(texts), "", dtype=object)
    classes[keep] = labels
    row = _row(location, head, row, classes)
    left_out = "".join(f" ({note})" for note in notes)
    values = ", ".join(f"{v} ({n})" for v, n in Counter(labels.tolist()).most_common(MOST_CLASSES))
    reason = f"{'L' if label else 'Proposed l'}abel: {best}{left_out}: {values}."
    if by_title:
        reason = f"Proposed label: title, which has {' or '.join(map(repr, stems))}."
    if remark:
        reason = f"{reason} {remark}"
    return row, reason, labels, keep


def _is_better_than_titles(score: int, texts: Iterable[str]) -> bool:
    """Return whether a field is a better label than titles that name a class in every sample.

    A field with the name of a class is better, and any other one if it has no rare class, whose
    samples would be left out.
    """
    leaves_samples_out = bool(propose_map(list(texts))[0])
    return score > _UNNAMED_CLASS or (score == _UNNAMED_CLASS and not leaves_samples_out)


def _title_stems(titles: Sequence[str]) -> list[str]:
    """Return the common parts of titles by class, without words with digits; may be empty."""
    words = [[w for w in title.split() if not any(c.isdigit() for c in w)] for title in titles]
    stems = Counter(" ".join(found).strip(" ,;:_-") for found in words)
    if not 2 <= len(stems) <= MOST_CLASSES or min(stems.values()) < 2 or "" in stems:
        return []
    found = sorted(stems, key=len, reverse=True)  # a longer one may contain a shorter
    matched = all(any(s.lower() in title.lower() for s in found) for title in titles)
    return found if matched else []


def _row(location: str, head: GeoHead, row: SheetRow, labels: np.ndarray) -> SheetRow:
    """Return the row with the platform, and with columns of patients and batches as options."""
    field = str(row.label).removeprefix("characteristics:")
    others = [name for name in head.characteristics if name != field]
    options = column_options(head.fields[others], labels, row.options) | row.options
    name = location if is_accession(location) else head.accession or "mine"
    if re.fullmatch(r"GPL\d+", head.platform) and not location.startswith("GDS"):
        options = {"annotation": head.platform} | options
    return replace(row, id=name, options=options)


def _counts_row(row: SheetRow, head: GeoHead, downloads: Downloads) -> tuple[SheetRow, str]:
    """Return the row of a table of counts with the series as its phenotype, and a remark.

    The counts are those that NCBI has computed of human and mouse series (GEO, "NCBI-generated
    RNA-seq count data"), where it lists them; else the first supplementary file.
    """
    options = {key: value for key, value in row.options.items() if key != "annotation"}
    options = {"phenotype": row.location, "transform": PROPOSED_COUNT_TRANSFORM} | options
    files = [file for file in head.supplementary if _TABLE_FILE.search(file)]
    counts = files[0].replace("ftp://", "https://", 1) if files else "data/counts.tsv.gz"
    remark = " The sheet uses the first supplementary file as its table: check what it contains."
    accession = row.location.partition("-")[0]
    if is_accession(accession):  # not for a user's file, since there may be no network
        with suppress(InputError):
            address, found = _computed_counts(accession, downloads)
            counts = f"{address}&acc={accession}&file={found[0]}"
            options |= {"annotation": f"{address}&file={found[1]}"} if len(found) > 1 else {}
            remark = f" The counts are those that NCBI has computed: {found[0]}."
    changed = replace(row, source="table", location=counts, orientation="columns", options=options)
    return changed, remark


def _computed_counts(accession: str, downloads: Downloads) -> tuple[str, list[str]]:
    """Return where NCBI serves counts, and the files of counts and of genes that it lists."""
    page = f"download/?acc={accession}"
    with downloads.open_head("geo", page, default=_COUNTS_URLS) as (where, stream):
        text = stream.read(_LONGEST_PAGE).decode(errors="replace")
    names = (rf"{accession}_raw_counts_[\w.-]+?\.tsv\.gz", r"\w[\w.-]+\.annot\.tsv\.gz")
    found = [match[0] for name in names if (match := re.search(name, text))]
    if not found or not found[0].startswith(accession):
        raise InputError(f"NCBI has no counts of {accession}")
    return f"{where.partition('?')[0]}?type=rnaseq_counts&format=file", found
