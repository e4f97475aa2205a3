"""Summary of an accession of GEO from the head of its file, with a proposed row of the sheet."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from xnbflow.core.errors import InputError
from xnbflow.sources.annotation import GEO_URLS, has_annotation
from xnbflow.sources.formats.files import open_raw
from xnbflow.sources.formats.geo_head import GeoHead, read_head
from xnbflow.sources.geo import accession_path, naming_platforms
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.proposal.column_kinds import column_options
from xnbflow.sources.proposal.label import MOST_CLASSES, about_others, class_score, plausible_labels
from xnbflow.sources.proposal.scale import proposed_logarithm
from xnbflow.sources.proposal.summary import Summary, described_numbers, distinct_values
from xnbflow.sources.series.class_labels import LabelRule, label_options, propose_map
from xnbflow.sources.series.scales import PROPOSED_COUNT_TRANSFORM
from xnbflow.sources.sheet import SheetRow, is_accession

if TYPE_CHECKING:
    import io

#: Supplementary files that are tables.
_TABLE_FILE = re.compile(r"\.(txt|tsv|csv|xlsx)(\.gz)?$", re.IGNORECASE)
_NUMBER = re.compile(rb"-?\d+(\.\d*)?([eE][+-]?\d+)?")
#: First rows of values by which the scale is recognised.
_FIRST_ROWS = 300
#: Score of a field that looks like a class without the name of one (`class_score`).
_UNNAMED_CLASS = 2
#: Addresses of NCBI's list and files of counts that it has computed for series of RNA-seq.
_COUNTS_URLS = ("https://www.ncbi.nlm.nih.gov/geo",)
_LONGEST_PAGE = 1 << 20


def summarise_series(
    location: str, downloads: Downloads, label: str = "", options: Mapping[str, str] | None = None
) -> Summary:
    """Summarise a GEO accession or file; only the head of a remote file is read.

    The ``label`` and the ``options`` of the row are proposed where they are not given.
    """
    options = dict(options or {})
    request = SheetRow(location, "geo", location, label=label, options=options)
    if not is_accession(location):
        with open_raw(location) as stream:
            summary = _summarise_stream(request, location, stream, downloads)
    else:
        path = accession_path(location)
        with (
            naming_platforms(location, downloads),
            downloads.open_head("geo", path, default=GEO_URLS) as (where, stream),
        ):
            summary = _summarise_stream(request, where, stream, downloads)
    row = summary.row
    platform = summary.platform
    if row is None or "annotation" in options or row.options.get("annotation") != platform:
        return summary
    if has_annotation(platform, downloads):
        return summary
    probe_options = {key: value for key, value in row.options.items() if key != "annotation"}
    reason = (
        f"{summary.reason} WITHOUT GENE SYMBOLS: no file of {platform} can be had from here; "
        f"the study will run on probes. For symbols add annotation={platform} to the options "
        "where GEO can be reached, or annotation=FILE, a table of probes and symbols."
    )
    return replace(summary, row=replace(row, options=probe_options), reason=reason)


def _summarise_stream(
    request: SheetRow, where: str, stream: "io.BufferedReader[Any]", downloads: Downloads
) -> Summary:
    """Summarise an open file of GEO.

    The row ``request`` has the location, and the label and the options that the user names;
    ``where`` is the address of the file, for messages.
    """
    # The label, with the group of each sample that has one.
    head = read_head(where, stream)
    proposal = _propose_row(request, where, head)
    row = proposal.row
    reason = proposal.reason
    groups = None
    if row and (group := head.field_named(row.options.get("group", ""))):
        groups = head.fields.loc[proposal.keep, group].to_numpy(dtype=str)

    # The table of values: counts of RNA-seq are in another file, intensities need logarithms.
    if row and (not head.has_table or "sequencing" in head.facts.get("type", "")):
        row, remark = _counts_row(row, head, downloads)
        reason += remark
    elif row and "transform" not in request.options:
        row, remark = _with_logarithms(row, stream)
        reason += remark

    # The fields, from which the user may choose another label.
    shown = [name for name in head.fields if name in head.characteristics or name == "source"]
    fields = head.fields[[name for name in [*shown, "title"] if name in head.fields]]
    numbers = described_numbers(fields)
    is_number = fields.columns.isin(numbers["field"])
    return Summary(
        accession=head.accession,
        title=head.title,
        platform=head.platform,
        type=head.facts.get("type") or head.facts.get("dataset_type", ""),
        n_samples=len(head.samples),
        has_table=head.has_table and not (row and row.source == "table"),
        values=distinct_values(fields.loc[:, ~is_number]),
        numbers=numbers,
        row=row,
        reason=reason,
        supplementary=tuple(dict.fromkeys(head.supplementary)),
        labels=proposal.labels,
        groups=groups,
    )


def _with_logarithms(row: SheetRow, stream: "io.BufferedReader[Any]") -> tuple[SheetRow, str]:
    """Return the row with logarithms, and a sentence, where the first values are intensities."""
    values = []
    for line in islice(stream, 1, _FIRST_ROWS):  # the first line is the header
        if line.startswith(b"!"):
            continue
        cells = line.split(b"\t")[1:]
        values += [float(cell) for cell in cells if _NUMBER.fullmatch(cell.strip())]
    option, remark = proposed_logarithm(np.array([values]), np.array([]))
    return replace(row, options=row.options | option), remark


@dataclass(frozen=True)
class _Proposal:
    """A proposed row, None where no field looks like a class, and the reason.

    ``labels`` are the row's labels of the samples that have one, ``keep`` (n_samples,) which do.
    """

    row: SheetRow | None
    reason: str
    labels: np.ndarray | None = None
    keep: np.ndarray | None = None


def _propose_row(request: SheetRow, where: str, head: GeoHead) -> _Proposal:
    """Return the row of a series with its label, that of the user or the best candidate."""
    # The field of the label.
    stems = _title_stems(list(head.fields.get("title", [])))
    field = _choose_field(request, where, head, stems)
    if field is None:
        reason = (
            "No field looks like a class (2 to 10 values, each of several samples); choose one and "
            "name it by --label, with --option regex= and --option map= where it needs them."
        )
        return _Proposal(None, reason)

    # The row: a label, options that find the class in its texts, and a map of spellings.
    is_by_title = field == "title" and not request.label and _are_patterns(stems)
    texts = list(head.fields[field])
    options = {"regex": _pattern(stems)} if is_by_title else label_options(texts)
    label = f"characteristics:{field}" if field in head.characteristics else field
    row = replace(request, label=label, options=options | request.options)
    labels, keep, notes = LabelRule.parse(row).apply(where, head.samples, texts)
    map_remark = ""
    if "map" not in row.options:
        map_options, map_remark = propose_map(labels.tolist())
        row = replace(row, options=row.options | map_options)
        labels, keep, notes = LabelRule.parse(row).apply(where, head.samples, texts)

    # Patients and batches, by the classes of all samples.
    classes = np.full(len(texts), "", dtype=object)
    classes[keep] = labels
    row = _complete_row(request.location, head, row, classes)

    # The reason: the label with its classes, other candidates, and the map.
    left_out = "".join(f" ({note})" for note in notes)
    sizes = Counter(labels.tolist()).most_common(MOST_CLASSES)
    values = ", ".join(f"{label} ({n_samples})" for label, n_samples in sizes)
    reason = f"Proposed label: {field}{left_out}: {values}."
    if request.label:
        reason = f"Label: {field}{left_out}: {values}."
    if is_by_title:
        reason = f"Proposed label: title, which has {' or '.join(map(repr, stems))}."
    if not request.label:
        candidates = plausible_labels(head.fields.drop(columns=head.short))
        others = [name for name in candidates if name != field]
        reason = " ".join([reason, *about_others(head.fields, others)])
    if map_remark:
        reason = f"{reason} {map_remark}"
    return _Proposal(row, reason, labels, keep)


def _choose_field(request: SheetRow, where: str, head: GeoHead, stems: Sequence[str]) -> str | None:
    """Return the field of the label: that of the user, the titles, or the one of best score.

    ``stems`` are the classes in the titles, if they have any. None is the result if no field looks
    like a class.
    """
    if request.label:
        return head.label_texts(where, request.label)[0]
    candidates = plausible_labels(head.fields.drop(columns=head.short))
    has_class_titles = _are_patterns(stems)
    if not candidates:
        return "title" if has_class_titles else None
    best = candidates[0]
    texts = head.fields[best]
    if has_class_titles and not is_better_than_titles(class_score(best, texts), texts):
        return "title"
    return best


def _pattern(stems: Sequence[str]) -> str:
    """Return the regular expression that finds the class in each title."""
    escaped = [re.escape(stem).replace(r"\ ", " ") for stem in stems]
    return f"({'|'.join(escaped)})"


def _are_patterns(stems: Sequence[str]) -> bool:
    """Return whether titles have classes that an option of the sheet can contain."""
    return bool(stems) and ";" not in _pattern(stems)


def is_better_than_titles(score: int, texts: Iterable[str]) -> bool:
    """Return whether a field is a better label than titles that name a class in every sample.

    A field with the name of a class is better, and any other one if it has no rare class, whose
    samples would be left out.
    """
    leaves_samples_out = bool(propose_map(list(texts))[0])
    return score > _UNNAMED_CLASS or (score == _UNNAMED_CLASS and not leaves_samples_out)


def _title_stems(titles: Sequence[str]) -> list[str]:
    """Return the common parts of titles by class, without words with digits; may be empty."""
    counts = Counter(map(_title_stem, titles))
    if not 2 <= len(counts) <= MOST_CLASSES or min(counts.values()) < 2 or "" in counts:
        return []
    stems = sorted(counts, key=len, reverse=True)  # a longer one may contain a shorter
    for title in titles:
        if not any(stem.lower() in title.lower() for stem in stems):
            return []
    return stems


def _title_stem(title: str) -> str:
    """Return a title without its words with digits.

    Examples
    --------
    >>> _title_stem("colon tumour, patient 12")
    'colon tumour, patient'
    """
    words = [word for word in title.split() if not any(map(str.isdigit, word))]
    return " ".join(words).strip(" ,;:_-")


def _complete_row(location: str, head: GeoHead, row: SheetRow, labels: np.ndarray) -> SheetRow:
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
    options = {"phenotype": row.location, "transform": PROPOSED_COUNT_TRANSFORM.value} | options
    files = [file for file in head.supplementary if _TABLE_FILE.search(file)]
    counts = files[0].replace("ftp://", "https://", 1) if files else "data/counts.tsv.gz"
    remark = " The sheet uses the first supplementary file as its table: check what it contains."
    accession = row.location.partition("-")[0]
    if is_accession(accession):  # not for a user's file, since there may be no network
        computed = _computed_counts(accession, downloads)
        if computed is not None:
            address, names = computed
            counts = f"{address}&acc={accession}&file={names[0]}"
            if len(names) > 1:
                options["annotation"] = f"{address}&file={names[1]}"
            remark = f" The counts are those that NCBI has computed: {names[0]}."
    changed = replace(row, source="table", location=counts, orientation="columns", options=options)
    return changed, remark


def _computed_counts(accession: str, downloads: Downloads) -> tuple[str, list[str]] | None:
    """Return where NCBI serves counts, and the files of counts and of genes that it lists.

    The result is None where it cannot be reached, or has no counts of the series.
    """
    page = f"download/?acc={accession}"
    try:
        with downloads.open_head("geo", page, default=_COUNTS_URLS) as (where, stream):
            text = stream.read(_LONGEST_PAGE).decode(errors="replace")
    except InputError:
        return None
    counts = re.search(rf"{accession}_raw_counts_[\w.-]+?\.tsv\.gz", text)
    genes = re.search(r"\w[\w.-]+\.annot\.tsv\.gz", text)
    if counts is None:
        return None
    names = [match[0] for match in (counts, genes) if match is not None]
    return f"{where.partition('?')[0]}?type=rnaseq_counts&format=file", names
