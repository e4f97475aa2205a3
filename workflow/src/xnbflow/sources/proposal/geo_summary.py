"""Summary of an accession of GEO from the head of its file, with a proposed entry."""

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted, either, listed
from xnbflow.core.yaml_text import flow_yaml
from xnbflow.sources.annotation import GEO_URLS, has_annotation
from xnbflow.sources.dataset_entry import DatasetEntry, is_accession, matching
from xnbflow.sources.formats.cell_texts import plain_text
from xnbflow.sources.formats.files import open_raw
from xnbflow.sources.formats.geo_head import GeoHead, read_head
from xnbflow.sources.geo import accession_path, naming_platforms
from xnbflow.sources.infer.class_keys import label_keys, propose_classes, propose_map
from xnbflow.sources.infer.column_kinds import suggested_keys
from xnbflow.sources.infer.label import (
    MOST_CLASSES,
    UNNAMED_CLASS,
    class_score,
    plausible_labels,
    remark_on_separating,
    remarks_on_others,
)
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.proposal.reasons import reasons_of
from xnbflow.sources.proposal.scale import sentence_of
from xnbflow.sources.proposal.summary import Summary, describe_fields
from xnbflow.sources.series.class_labels import class_expression
from xnbflow.sources.series.missing_values import propose_missing
from xnbflow.sources.series.scale_recognition import recognise_scale
from xnbflow.sources.series.scales import PROPOSED_COUNT_TRANSFORM

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


def summarise_series(request: DatasetEntry, downloads: Downloads) -> Summary:
    """Summarise a GEO accession or file, with a proposed entry.

    Only the beginning of a remote file is read.

    Parameters
    ----------
    request : DatasetEntry
        An accession, such as GSE5, or the path of a file, with the keys that the user names; these
        take precedence over proposed ones. Without a label, a field is proposed.
    downloads : Downloads
        The places and the folder of downloads.
    """
    location = request.location
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

    # The entry names the platform for gene symbols, unless they cannot be fetched.
    entry = summary.entry
    platform = summary.platform
    if entry is None or request.annotation or entry.annotation != platform:
        return summary
    if has_annotation(platform, downloads):
        return summary
    reason = (
        f"{summary.reason} WITHOUT GENE SYMBOLS: no file of {platform} can be had from here; "
        f"the study will run on probes. For symbols add annotation: {platform} where GEO "
        "can be reached, or annotation: FILE, a table of probes and symbols."
    )
    return replace(summary, entry=replace(entry, annotation=None), reason=reason)


def _summarise_stream(
    request: DatasetEntry, where: str, stream: "io.BufferedReader[Any]", downloads: Downloads
) -> Summary:
    """Summarise an open file of GEO.

    The entry ``request`` has the location and the keys that the user names; ``where`` is the
    address of the file, for messages.
    """
    # The description of the samples; the stream is then at the header of the table of values.
    head = read_head(where, stream)

    # The entry with its label, and the groups of the samples that have a label.
    proposal = _propose_entry(request, where, head)
    entry = proposal.entry
    reason = proposal.reason
    groups = None
    if entry and (group := head.field_named(entry.group or "")):
        groups = head.fields.loc[proposal.has_label, group].to_numpy(dtype=str)

    # The table of values: counts of RNA-seq are in another file, intensities need logarithms.
    recognised = None
    if entry and (not head.has_table or "sequencing" in head.facts.get("type", "")):
        entry, remark = _counts_entry(entry, head, downloads)
        reason += remark
    elif entry:
        first = _first_values(request, where, stream, head)
        if not request.transform and not request.scale:
            recognised = recognise_scale(
                first.to_numpy(),
                samples=list(first),
                features=list(first.index),
                is_array=True,
                are_genes=True,
            )
            if not recognised.is_logged:  # else the reader finds the base, as here
                entry = entry.with_defaults(**recognised.settings())
                reason += f" {sentence_of(recognised)}"
        missing, remark = propose_missing(first.to_numpy())
        if missing is not None and not entry.missing:
            entry = replace(entry, missing=missing)
            reason += f" {remark}"

    # The fields, from which the user may choose another label.
    labels = [] if proposal.labels is None else list(proposal.labels)
    shown = [name for name in head.fields if name in head.characteristics or name == "source"]
    fields = head.fields[[name for name in [*shown, "title"] if name in head.fields]]
    described = describe_fields(fields)
    return Summary(
        accession=head.accession,
        title=head.title,
        platform=head.platform,
        type=head.facts.get("type") or head.facts.get("dataset_type", ""),
        n_samples=len(head.samples),
        has_table=head.has_table and not (entry and entry.source == "table"),
        values=described.values,
        numbers=described.numbers,
        entry=entry,
        reason=reason,
        supplementary=tuple(dict.fromkeys(head.supplementary)),
        labels=proposal.labels,
        groups=groups,
        reasons={} if entry is None else reasons_of(entry, request, labels, groups, recognised),
    )


def _first_values(
    request: DatasetEntry, where: str, stream: "io.BufferedReader[Any]", head: GeoHead
) -> pd.DataFrame:
    """Return the numbers in the first lines of the table of values, (n_rows, n_samples).

    The index names the features, the columns the samples. The ``stream`` is at the header of the
    table, where `read_head` leaves it. A table without values, and samples without any, are
    refused.
    """
    header = [cell.strip().strip('"') for cell in next(stream, b"").decode().split("\t")]
    features = []
    rows = []
    for line in islice(stream, _FIRST_LINES - 1):
        if line.startswith(b"!"):  # the end of a short table
            break
        cells = [cell.strip().strip(b'"') for cell in line.split(b"\t")]
        if len(cells) != len(header):
            continue  # the reader refuses it
        features.append(cells[0].decode(errors="replace"))
        rows.append([float(cell) if _NUMBER.fullmatch(cell) else np.nan for cell in cells])
    dropped = matching(head.samples, request.drop)
    samples = [name for name in head.samples if name in header and name not in dropped]
    positions = [header.index(name) for name in samples]
    values = np.array(rows).reshape(len(rows), len(header))[:, positions]
    if np.isnan(values).all():
        raise InputError(
            f"{where}: the table of values is empty. The values may be in a supplementary file of "
            f"the series ({listed(head.supplementary) or 'it names none'}): make a study of that "
            f"file, with phenotype: {{accession: {head.accession}}}",
            key="accession",
        )
    without_values = [
        name
        for name, is_empty in zip(samples, np.isnan(values).all(axis=0), strict=True)
        if is_empty
    ]
    if without_values:
        raise InputError(
            f"{where}: {counted(len(without_values), 'sample')} of {len(samples)} "
            f"{either(len(without_values), 'has', 'have')} no values in the first {len(rows)} "
            f"rows: {listed(without_values)}. Leave them out by "
            f"--set {shlex.quote(f'drop={flow_yaml(without_values)}')}",
            key="drop",
        )
    return pd.DataFrame(values, index=features, columns=samples)


@dataclass(frozen=True)
class _Proposal:
    """A proposed entry.

    Attributes
    ----------
    entry : DatasetEntry or None
        None if no field looks like a class.
    reason : str
        Sentences on the choice.
    labels : ndarray, shape (n_labelled,), optional
        The labels of the samples that have one.
    has_label : ndarray of bool, shape (n_samples,), optional
        Whether each sample has a label.
    """

    entry: DatasetEntry | None
    reason: str
    labels: np.ndarray | None = None
    has_label: np.ndarray | None = None


def _propose_entry(request: DatasetEntry, where: str, head: GeoHead) -> _Proposal:
    """Return the entry of a series with its label: the user's label, or the best candidate."""
    # The field of the label.
    title_classes = _title_classes(list(head.fields.get("title", [])))
    field = _choose_field(request, where, head, title_classes)
    if field is None:
        reason = (
            "No field looks like a class (2 to 10 values, each of several samples); choose one and "
            "name it by --label, with --set label.classes=[a,b] and --set map={...} where it needs "
            "them."
        )
        return _Proposal(None, reason)

    # The entry: a label, keys that find the class in its texts, and a map of spellings.
    is_by_title = field == "title" and not request.label and bool(title_classes)
    texts = list(head.fields[field])
    label = f"characteristics:{field}" if field in head.characteristics else field
    entry = replace(request, label=label)
    if not is_by_title:
        entry = entry.with_defaults(**label_keys(texts))
    elif not entry.label_classes and not entry.label_pattern:
        entry = replace(entry, **_fields_of_classes(title_classes, texts))
    entry, labelled, remarks_on_map = propose_classes(entry, where, head.samples, texts)
    labels, has_label, notes = labelled

    # Patients and batches, by the classes of all samples.
    classes = np.full(len(texts), "", dtype=object)
    classes[has_label] = labels
    entry = _complete_entry(request.location, head, entry, classes)

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
        if remark := remark_on_separating(head.fields, others, classes):
            sentences.append(remark)
    return _Proposal(entry, " ".join([*sentences, *remarks_on_map]), labels, has_label)


def _choose_field(
    request: DatasetEntry, where: str, head: GeoHead, title_classes: Sequence[str]
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
    if title_classes and not _is_better_than_titles(class_score(best, texts), texts):
        return "title"
    return best


def _is_better_than_titles(score: int, texts: Iterable[str]) -> bool:
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

    The result is empty if the titles show no classes.

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
    return classes


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


def _fields_of_classes(title_classes: Sequence[str], titles: Sequence[str]) -> dict[str, Any]:
    """Return the field by which the classes are found in titles: the classes, or a pattern.

    A pattern is needed where a class is a part of a longer word.
    """
    words = re.compile(class_expression(title_classes), re.IGNORECASE)
    parts = re.compile(_pattern(title_classes), re.IGNORECASE)
    for title in map(plain_text, titles):
        word = words.search(title)
        part = parts.search(title)
        if word is None or part is None or word[1] != part[1]:
            return {"label_pattern": parts.pattern}
    return {"label_classes": tuple(title_classes)}


def _title_class(title: str) -> str:
    """Return a title without its words with digits.

    Examples
    --------
    >>> _title_class("colon tumour, patient 12")
    'colon tumour, patient'
    """
    words = [word for word in title.split() if not any(map(str.isdigit, word))]
    return " ".join(words).strip(" ,;:_-")


def _complete_entry(
    location: str, head: GeoHead, entry: DatasetEntry, classes: np.ndarray
) -> DatasetEntry:
    """Return the entry with its name, the platform, and the fields of patients and batches.

    The ``classes`` (n_samples,) are empty for samples without a label.
    """
    field = str(entry.label).removeprefix("characteristics:")
    others = [name for name in head.characteristics if name != field]
    entry = entry.with_defaults(**suggested_keys(head.fields[others], classes))
    name = location if is_accession(location) else head.accession or _NAME_WITHOUT_ACCESSION
    # The table of a GDS has gene symbols; a series needs the annotation of its platform.
    if re.fullmatch(r"GPL\d+", head.platform) and not location.startswith("GDS"):
        entry = entry.with_defaults(annotation=head.platform)
    return replace(entry, id=name)


def _counts_entry(
    entry: DatasetEntry, head: GeoHead, downloads: Downloads
) -> tuple[DatasetEntry, str]:
    """Return the entry of a table of counts with the series as its phenotype, and a remark.

    The counts are those that NCBI has computed of human and mouse series (GEO, "NCBI-generated
    RNA-seq count data"), if it lists them. Otherwise the first supplementary file that is a table
    is proposed.
    """
    # A user's file is not looked up, since there may be no network.
    accession = entry.location.partition("-")[0]
    computed = _computed_counts(accession, downloads) if is_accession(accession) else None
    annotation = None
    if computed is not None:
        counts = f"{computed.address}&acc={accession}&file={computed.counts_file}"
        if computed.genes_file is not None:
            annotation = f"{computed.address}&file={computed.genes_file}"
        remark = f" The counts are those that NCBI has computed: {computed.counts_file}."
    else:
        files = [file for file in head.supplementary if _TABLE_FILE.search(file)]
        if not files:
            raise InputError(
                f"{entry.location}: the series has no table of values, and names no supplementary "
                f"table of them ({listed(head.supplementary) or 'no file at all'}). Make the table "
                f"of counts, then: xnbflow study counts.tsv --phenotype {entry.location}",
                key="accession",
            )
        counts = files[0].replace("ftp://", "https://", 1)
        remark = (
            " The data set has the first supplementary file as its table: check what it contains."
        )
    counts_entry = replace(
        entry.with_defaults(phenotype=entry.location, transform=PROPOSED_COUNT_TRANSFORM.value),
        source="table",
        location=counts,
        samples="columns",
        annotation=annotation,
    )
    return counts_entry, remark


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
