"""Keys that a series needs so that the reader accepts it, inferred from its values.

The table was read when its layout was recognised. Its roles and its steps are those of the reader
(`xnbflow.sources.table`); between the steps it is inferred what the following one needs.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from xnbflow.core.errors import about_file
from xnbflow.core.nouns import either, listed
from xnbflow.data.dataset import DataSet
from xnbflow.data.note import Note
from xnbflow.sources.acquire import check_shape, notes_on_constants
from xnbflow.sources.annotation import fetch_annotation
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.opening import suffix_of
from xnbflow.sources.infer.column_keys import add_phenotype
from xnbflow.sources.infer.table_roles import InferredRoles, infer
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.series.inferred_keys import InferredKeys
from xnbflow.sources.series.scale_recognition import of_other_scale
from xnbflow.sources.series.steps import series_of_table
from xnbflow.sources.table_files import TableTexts


@dataclass(frozen=True, kw_only=True)
class ProposedSeries:
    """The series of a table as the reader has it by a completed entry.

    Attributes
    ----------
    entry : DatasetEntry
        The entry, with the keys that the reader needs.
    series : DataSet
        The series. Its values are transformed only if the user has named a transform.
    remarks : tuple of str
        The reasons of these keys, as sentences.
    notes : tuple of str
        The notes of the series, and one on constant features.
    """

    entry: DatasetEntry
    series: DataSet
    remarks: tuple[str, ...]
    notes: tuple[str, ...]


def propose_series(
    inferred: InferredRoles, texts: TableTexts, downloads: Downloads
) -> ProposedSeries:
    """Return the series of a table, and its entry with the keys that the series needs.

    The patients in the names of samples are the groups. Missing values are imputed in the training
    folds, of rows with one name the row of largest mean is kept, and features of another scale
    become phenotype: then the table is converted again, without them.
    """
    # The symbols are read from a local file; the proposed entry has the location that a user gave.
    entry = inferred.entry
    local = fetch_annotation(entry, downloads) if entry.annotation else entry
    keys = InferredKeys()
    path = Path(inferred.table.path)
    with about_file(path):
        series = series_of_table(
            inferred.table,
            inferred.roles,
            local,
            inferred.phenotype,
            release=False,
            inferred=keys,
        )
    entry = replace(entry, **keys.keys)
    check_shape(entry, series)
    remarks = list(keys.remarks)
    if "duplicates" in keys.keys:  # what became of the repeated names is in a note
        notes_on_names = [note for note in series.notes if _has_code(note, "names repeat")]
        remarks += [f"The proposal is duplicates: max_mean: {note}." for note in notes_on_names[:1]]

    # Single features of another scale, such as an age among logarithms, are texts of the samples,
    # unless the entry or the format determines which features there are.
    has_settled_features = (
        bool(entry.features or entry.collapse or entry.duplicates)
        or suffix_of(entry.location) == ".h5ad"
    )
    covariates: list[str] = []
    if (series.kinds == "linear").all() and not has_settled_features:
        covariates = series.features[of_other_scale(series.values)].tolist()
    if covariates:
        entry = add_phenotype(entry, covariates)
        local = add_phenotype(replace(local, **keys.keys), covariates)
        with about_file(path):
            again = infer(inferred.table, local, texts.phenotype)
            series = series_of_table(again.table, again.roles, local, again.phenotype)
        check_shape(entry, series)
        remarks.append(
            f"{listed(covariates)} {either(len(covariates), 'has', 'have')} another scale than "
            f"the features, and {either(len(covariates), 'is', 'are')} proposed as phenotype, not "
            "as features (phenotype.columns)."
        )
    # Samples that only the table or only the phenotype file has.
    for note in series.notes:
        if _has_code(note, "without phenotype") or _has_code(note, "phenotype only"):
            remarks.append(f"{note[0].upper()}{note[1:]}.")
    notes = (*series.notes, *notes_on_constants(series))
    return ProposedSeries(entry=entry, series=series, remarks=tuple(remarks), notes=notes)


def _has_code(note: str, code: str) -> bool:
    """Return whether a note of the reader has a code."""
    return isinstance(note, Note) and note.code == code
