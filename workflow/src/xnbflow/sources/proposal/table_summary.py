"""Summary of a table with a proposed entry of the configuration.

The files are read once (`reading_keys`). What rows and columns are is inferred by
`xnbflow.sources.infer.table_roles.infer`, which the reader of the entry calls as well. Then follow
what the values need (`series_keys`) and their scale (`scale`).
"""

import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.core.nouns import counted, listed
from xnbflow.data.note import NoteWarning
from xnbflow.sources.annotation import propose_annotation
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.opening import suffix_of
from xnbflow.sources.infer.label import plausible_labels, remark_on_separating
from xnbflow.sources.infer.table_roles import InferredRoles, infer
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.places.retries import RetryPolicy
from xnbflow.sources.proposal.reading_keys import read_request
from xnbflow.sources.proposal.reasons import reasons_of
from xnbflow.sources.proposal.scale import propose_scale
from xnbflow.sources.proposal.series_keys import propose_series
from xnbflow.sources.proposal.summary import Summary, describe_fields
from xnbflow.sources.series.column_meaning import Meaning, meaning_of


def summarise_table(
    request: DatasetEntry, retry: RetryPolicy | None = None, annotations: Downloads | None = None
) -> Summary:
    """Summarise a table, and propose keys that its entry does not have.

    The proposal has the label, the column of sample names, the orientation, a decimal comma,
    columns that are not features, patients, the batch, rare classes, repeated names, and
    logarithms. The whole table is read, with the same refusals as in the stage *acquire*; one at a
    URL is downloaded within the limits of ``retry``. With ``annotations``, from where the gene
    symbols of known arrays can be had, they are proposed for probes.
    """
    with tempfile.TemporaryDirectory() as folder:
        downloads = Downloads(Path(folder), retry=retry or RetryPolicy(), temporary=True)
        texts = read_request(request, downloads)
        inferred = infer(texts.table, texts.entry, texts.phenotype, complete=True)
        remarks = [*texts.remarks, *inferred.remarks]
        if not inferred.entry.label:
            return _without_proposal(inferred, remarks)

        # What the values show: keys that the reader needs, and the scale.
        proposed = propose_series(inferred, texts, downloads)
        series = proposed.series
        of_scale = propose_scale(proposed.entry, series)
        entry = of_scale.entry
        symbol_remarks: list[str] = []
        if annotations is not None:
            entry, symbol_remarks = propose_annotation(entry, series, annotations)

    # The sentence on the scale has the finding of the reader's note, and what is proposed.
    for note in proposed.notes:
        if not of_scale.sentence or of_scale.scale is None or note != of_scale.scale.reason:
            warnings.warn(NoteWarning(series.name, note), stacklevel=2)
    fields = pd.DataFrame({entry.label: series.labels})
    separating = ""
    if series.sample_metadata is not None:
        fields = pd.concat([fields, series.sample_metadata], axis=1)
        separating = _remark_on_separating(entry, series.sample_metadata, series.labels)
    described = describe_fields(fields, categories=[str(entry.label)])
    sentences = [
        f"Label: {entry.label}. {counted(series.n_features, 'feature')}.",
        of_scale.sentence,
        *remarks,
        *proposed.remarks,
        *symbol_remarks,
        separating,
    ]
    return Summary(
        accession=entry.location,
        type=suffix_of(entry.location)[1:],
        n_samples=series.n_samples,
        has_table=True,
        values=described.values,
        numbers=described.numbers,
        entry=entry,
        reason=" ".join(filter(None, sentences)),
        labels=series.labels,
        groups=series.groups,
        reasons=reasons_of(entry, request, series.labels, series.groups, of_scale.scale),
    )


def _remark_on_separating(entry: DatasetEntry, metadata: pd.DataFrame, labels: np.ndarray) -> str:
    """Return a sentence on columns that are the class in other words, or its cause.

    Patients are no such columns, and neither is how samples were measured.
    """
    names = [
        name
        for name in plausible_labels(metadata)
        if name not in (entry.group, entry.batch)
        and not meaning_of(name) & (Meaning.TECHNICAL | Meaning.PATIENT)
    ]
    return remark_on_separating(metadata, names, labels)


def _without_proposal(inferred: InferredRoles, remarks: Sequence[str]) -> Summary:
    """Return the summary of a table in which no column looks like a class."""
    entry = inferred.entry
    fields = inferred.fields
    described = describe_fields(fields)
    reason = (
        "No column of text looks like a class (2 to 10 values, each of several samples). Name "
        "the column of the class labels by --label; columns of text: "
        f"{listed(list(map(str, fields))) or 'none'}. Where samples are columns, set "
        "--samples columns, and name the file of labels by --phenotype"
    )
    return Summary(
        accession=entry.location,
        type=suffix_of(entry.location)[1:],
        n_samples=len(fields),
        has_table=True,
        values=described.values,
        numbers=described.numbers,
        entry=None,
        reason=" ".join([*remarks, reason]),
    )
