"""Keys that a series needs so that the reader accepts it, inferred from its values.

The table was read when its layout was recognised. Its roles and its steps are those of the reader
(`xnbflow.sources.table`); between the steps it is inferred what the following one needs.
"""

from dataclasses import replace

from xnbflow.core.errors import about_file
from xnbflow.core.nouns import either, listed
from xnbflow.data.dataset import DataSet
from xnbflow.data.note import Note
from xnbflow.sources.acquire import check_shape, notes_on_constants
from xnbflow.sources.annotation import fetch_annotation
from xnbflow.sources.formats.opening import read_raw_table, suffix_of
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.proposal.column_keys import set_aside
from xnbflow.sources.proposal.layout import InferredRoles
from xnbflow.sources.series.inferred_keys import InferredKeys
from xnbflow.sources.series.scale_recognition import of_other_scale
from xnbflow.sources.series.steps import finish
from xnbflow.sources.table import fetch_table, read_raw_series, with_phenotype_file


def propose_series(
    layout: InferredRoles, downloads: Downloads
) -> tuple[DataSet, InferredRoles, list[str]]:
    """Return the series of a table, its roles with the keys that its use needs, and its notes.

    The patients in the names of samples are the groups. Missing values are imputed in the training
    folds, of rows with one name the row of largest mean is kept, and features of another scale
    become phenotype. The table is read unless it was read before.
    """
    # The keys of the entry, with the local paths of its files.
    entry = layout.entry
    local = with_phenotype_file(entry, downloads) if entry.phenotype else entry
    if entry.annotation:
        local = fetch_annotation(local, downloads)
    path = fetch_table(downloads, entry.location, entry.id, entry.sha256)
    inferred = InferredKeys()
    with about_file(path):
        table = layout.raw
        if table is None:
            table = read_raw_table(path, local.reading)
        phenotype = layout.phenotype_text
        raw_series, local = read_raw_series(path, local, table, phenotype, release=False)
        series = finish(raw_series, local, inferred)
    entry = replace(entry, **inferred.keys)
    check_shape(entry, series)
    remarks = list(inferred.remarks)
    if "duplicates" in inferred.keys:  # what became of the repeated names is in a note
        notes = [note for note in series.notes if _has_code(note, "names repeat")]
        remarks += [f"The proposal is duplicates: max_mean: {note}." for note in notes[:1]]

    # Single features of another scale, such as an age among logarithms, are texts of the samples.
    has_settled_features = (
        bool(entry.features or entry.collapse or entry.duplicates)
        or suffix_of(entry.location) == ".h5ad"
    )
    lone: list[str] = []
    if not has_settled_features and (series.kinds == "linear").all():
        lone = series.features[of_other_scale(series.values)].tolist()
    if lone:
        entry = set_aside(entry, lone)
        local = set_aside(replace(local, **inferred.keys), lone)
        with about_file(path):
            series = finish(*read_raw_series(path, local, table, layout.phenotype_text))
        check_shape(entry, series)
        remarks.append(
            f"{listed(lone)} {either(len(lone), 'has', 'have')} another scale than the "
            f"features, and {either(len(lone), 'is', 'are')} proposed as phenotype, not as "
            "features (phenotype.columns)."
        )
    # Samples that only the table or only the phenotype file has.
    for note in series.notes:
        if _has_code(note, "without phenotype") or _has_code(note, "phenotype only"):
            remarks.append(f"{note[0].upper()}{note[1:]}.")
    notes = [*series.notes, *notes_on_constants(series)]
    return series, layout.with_keys(entry, remarks), notes


def _has_code(note: str, code: str) -> bool:
    """Return whether a note of the reader has a code."""
    return isinstance(note, Note) and note.code == code
