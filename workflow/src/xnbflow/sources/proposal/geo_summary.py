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
from xnbflow.sources.proposal.label import (
    MOST_CLASSES,
    UNNAMED_CLASS,
    class_score,
    plausible_labels,
    remarks_on_others,
)
from xnbflow.sources.proposal.scale import proposed_logarithm
from xnbflow.sources.proposal.summary import Summary, described_numbers, distinct_values
from xnbflow.sources.series.class_labels import LabelRule, label_options, propose_map
from xnbflow.sources.series.scales import PROPOSED_COUNT_TRANSFORM
from xnbflow.sources.sheet import SheetRow, is_accession

if TYPE_CHECKING:
    import io

#: Supplementary files that are tables.
_TABLE_FILE = re.compile(r"\.(txt|tsv|csv|xlsx)(\.gz)?$", re.IGNORECASE)
#: A cell of the table that is a number, such as ``-1.5e3``; not ``null`` and not a name in quotes.
_NUMBER = re.compile(rb"-?\d+(\.\d*)?([eE][+-]?\d+)?")
#: First lines of the table of values, with its header, by which the scale is recognised.
_FIRST_LINES = 300
#: Least number of samples whose titles have a class, as for a class in a column (`class_score`).
_LEAST_OF_TITLE = 2
#: Name of a data set of a file that names no accession.
_NAME_WITHOUT_ACCESSION = "mine"
#: Address of NCBI's lists and files of counts that it has computed for series of RNA-seq.
_COUNTS_URLS = ("https://www.ncbi.nlm.nih.gov/geo",)
#: Most bytes that are read of such a list, if a much longer page answers instead.
_LONGEST_PAGE = 1 << 20


def summarise_series(
    location: str, downloads: Downloads, label: str = "", options: Mapping[str, str] | None = None
) -> Summary:
    """Summarise a GEO accession or file, with a proposed row of the sheet.

    Only the beginning of a remote file is read.

    Parameters
    ----------
    location : str
        An accession, such as GSE5, or the path of a file.
    downloads : Downloads
        The places and the folder of downloads.
    label : str
        The field of the label that the user names; if empty, a field is proposed.
    options : mapping, optional
        Options of the sheet that the user names; they take precedence over proposed options.
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

    # The row names the platform for gene symbols, unless they cannot be fetched.
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
    # The description of the samples; the stream is then at the header of the table of values.
    head = read_head(where, stream)

    # The row of the sheet with its label, and the groups of the samples that have a label.
    proposal = _propose_row(request, where, head)
    row = proposal.row
    reason = proposal.reason
    groups = None
    if row and (group := head.field_named(row.options.get("group", ""))):
        groups = head.fields.loc[proposal.has_label, group].to_numpy(dtype=str)

    # The table of values: counts of RNA-seq are in another file, intensities need logarithms.
    if row and (not head.has_table or "sequencing" in head.facts.get("type", "")):
        row, remark = _counts_row(row, head, downloads)
        reason += remark
    elif row and "transform" not in request.options:
        option, remark = proposed_logarithm(_first_values(stream), samples=np.array([]))
        row = replace(row, options=row.options | option)
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


def _first_values(stream: "io.BufferedReader[Any]") -> np.ndarray:
    """Return the numbers in the first lines of the table of values, shape (1, n_numbers).

    The ``stream`` is at the header of the table, where `read_head` leaves it.
    """
    values = []
    for line in islice(stream, 1, _FIRST_LINES):  # without the header
        if line.startswith(b"!"):  # the end of a short table
            continue
        cells = line.split(b"\t")[1:]
        values += [float(cell) for cell in cells if _NUMBER.fullmatch(cell.strip())]
    return np.array([values])


@dataclass(frozen=True)
class _Proposal:
    """A proposed row of the sheet.

    Attributes
    ----------
    row : SheetRow or None
        None if no field looks like a class.
    reason : str
        Sentences on the choice.
    labels : ndarray, shape (n_labelled,), optional
        The labels of the samples that have one.
    has_label : ndarray of bool, shape (n_samples,), optional
        Whether each sample has a label.
    """

    row: SheetRow | None
    reason: str
    labels: np.ndarray | None = None
    has_label: np.ndarray | None = None


def _propose_row(request: SheetRow, where: str, head: GeoHead) -> _Proposal:
    """Return the row of a series with its label: the user's label, or the best candidate."""
    # The field of the label.
    title_classes = _title_classes(list(head.fields.get("title", [])))
    field = _choose_field(request, where, head, title_classes)
    if field is None:
        reason = (
            "No field looks like a class (2 to 10 values, each of several samples); choose one and "
            "name it by --label, with --option regex= and --option map= where it needs them."
        )
        return _Proposal(None, reason)

    # The row: a label, options that find the class in its texts, and a map of spellings.
    is_by_title = field == "title" and not request.label and bool(title_classes)
    texts = list(head.fields[field])
    options = {"regex": _pattern(title_classes)} if is_by_title else label_options(texts)
    label = f"characteristics:{field}" if field in head.characteristics else field
    row = replace(request, label=label, options=options | request.options)
    labels, has_label, notes = LabelRule.parse(row).apply(where, head.samples, texts)
    map_remark = ""
    if "map" not in row.options:
        map_options, map_remark = propose_map(labels.tolist())
        row = replace(row, options=row.options | map_options)
        labels, has_label, notes = LabelRule.parse(row).apply(where, head.samples, texts)

    # Patients and batches, by the classes of all samples.
    classes = np.full(len(texts), "", dtype=object)
    classes[has_label] = labels
    row = _complete_row(request.location, head, row, classes)

    # The reason: the label with its classes, other candidates, and the map.
    left_out = "".join(f" ({note})" for note in notes)
    sizes = Counter(labels.tolist()).most_common(MOST_CLASSES)
    class_sizes = ", ".join(f"{label} ({n_samples})" for label, n_samples in sizes)
    if request.label:
        sentences = [f"Label: {field}{left_out}: {class_sizes}."]
    elif is_by_title:
        parts = " or ".join(map(repr, title_classes))
        sentences = [f"Proposed label: title, which has {parts}."]
    else:
        sentences = [f"Proposed label: {field}{left_out}: {class_sizes}."]
    if not request.label:
        candidates = plausible_labels(head.fields.drop(columns=head.short))
        others = [name for name in candidates if name != field]
        sentences += remarks_on_others(head.fields, others)
    if map_remark:
        sentences.append(map_remark)
    return _Proposal(row, " ".join(sentences), labels, has_label)


def _choose_field(
    request: SheetRow, where: str, head: GeoHead, title_classes: Sequence[str]
) -> str | None:
    """Return the field of the label: the user's field, the titles, or the field of best score.

    ``title_classes`` are the classes in the titles, if they have any. None is the result if no
    field looks like a class.
    """
    if request.label:
        return head.label_texts(where, request.label)[0]
    candidates = plausible_labels(head.fields.drop(columns=head.short))
    if not candidates:
        return "title" if title_classes else None
    best = candidates[0]
    texts = head.fields[best]
    if title_classes and not is_better_than_titles(class_score(best, texts), texts):
        return "title"
    return best


def is_better_than_titles(score: int, texts: Iterable[str]) -> bool:
    """Return whether a field is a better label than titles that name a class in every sample.

    A field with the name of a class is better. A field that only looks like a class is better if
    it has no rare class, whose samples would be left out.

    Parameters
    ----------
    score : int
        The `class_score` of the field.
    texts : iterable of str
        The text of each sample in the field.
    """
    leaves_samples_out = bool(propose_map(list(texts))[0])
    return score > UNNAMED_CLASS or (score == UNNAMED_CLASS and not leaves_samples_out)


def _title_classes(titles: Sequence[str]) -> list[str]:
    """Return the classes in the titles: what titles share apart from words with digits.

    The result is empty if the titles show no classes, or classes that an option of the sheet
    cannot contain.

    Examples
    --------
    >>> _title_classes(["tumour 1", "tumour 2", "normal colon 1", "normal colon 2"])
    ['normal colon', 'tumour']
    """
    counts = Counter(map(_title_class, titles))
    if not 2 <= len(counts) <= MOST_CLASSES or "" in counts:
        return []
    if min(counts.values()) < _LEAST_OF_TITLE:
        return []
    classes = sorted(counts, key=len, reverse=True)  # a longer one may contain a shorter one
    # Where words with digits are between the words of a class, it does not occur in its titles.
    for title in titles:
        if not any(name.lower() in title.lower() for name in classes):
            return []
    # A semicolon separates options.
    return [] if ";" in _pattern(classes) else classes


def _pattern(title_classes: Sequence[str]) -> str:
    """Return the regular expression that finds the class in each title.

    Examples
    --------
    >>> _pattern(["normal colon", "tumour"])
    '(normal colon|tumour)'
    """
    # `re.escape` puts a backslash before a space, which only verbose expressions need.
    escaped = [re.escape(name).replace(r"\ ", " ") for name in title_classes]
    return f"({'|'.join(escaped)})"


def _title_class(title: str) -> str:
    """Return a title without its words with digits.

    Examples
    --------
    >>> _title_class("colon tumour, patient 12")
    'colon tumour, patient'
    """
    words = [word for word in title.split() if not any(map(str.isdigit, word))]
    return " ".join(words).strip(" ,;:_-")


def _complete_row(location: str, head: GeoHead, row: SheetRow, classes: np.ndarray) -> SheetRow:
    """Return the row with its name, the platform, and the fields of patients and batches.

    The ``classes`` (n_samples,) are empty for samples without a label.
    """
    field = str(row.label).removeprefix("characteristics:")
    others = [name for name in head.characteristics if name != field]
    options = column_options(head.fields[others], classes, row.options) | row.options
    name = location if is_accession(location) else head.accession or _NAME_WITHOUT_ACCESSION
    # The table of a GDS has gene symbols; a series needs the annotation of its platform.
    if re.fullmatch(r"GPL\d+", head.platform) and not location.startswith("GDS"):
        options = {"annotation": head.platform} | options
    return replace(row, id=name, options=options)


def _counts_row(row: SheetRow, head: GeoHead, downloads: Downloads) -> tuple[SheetRow, str]:
    """Return the row of a table of counts with the series as its phenotype, and a remark.

    The counts are those that NCBI has computed of human and mouse series (GEO, "NCBI-generated
    RNA-seq count data"), if it lists them. Otherwise the first supplementary file that is a table
    is proposed.
    """
    # A user's file is not looked up, since there may be no network.
    accession = row.location.partition("-")[0]
    computed = _computed_counts(accession, downloads) if is_accession(accession) else None
    options = {key: value for key, value in row.options.items() if key != "annotation"}
    options = {"phenotype": row.location, "transform": PROPOSED_COUNT_TRANSFORM.value} | options
    if computed is not None:
        counts = f"{computed.address}&acc={accession}&file={computed.counts_file}"
        if computed.genes_file is not None:
            options["annotation"] = f"{computed.address}&file={computed.genes_file}"
        remark = f" The counts are those that NCBI has computed: {computed.counts_file}."
    else:
        files = [file for file in head.supplementary if _TABLE_FILE.search(file)]
        counts = files[0].replace("ftp://", "https://", 1) if files else "data/counts.tsv.gz"
        remark = (
            " The sheet uses the first supplementary file as its table: check what it contains."
        )
    counts_row = replace(
        row, source="table", location=counts, orientation="columns", options=options
    )
    return counts_row, remark


@dataclass(frozen=True)
class _ComputedCounts:
    """The counts that NCBI has computed of a series: their address, and names of its files."""

    address: str
    counts_file: str
    genes_file: str | None


def _computed_counts(accession: str, downloads: Downloads) -> _ComputedCounts | None:
    """Return where NCBI serves counts of a series; None if it cannot be reached or has none."""
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
    address = f"{where.partition('?')[0]}?type=rnaseq_counts&format=file"
    return _ComputedCounts(address, counts[0], None if genes is None else genes[0])
