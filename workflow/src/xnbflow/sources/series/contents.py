"""From a table and its roles to a raw series: values, categories, names, and the phenotype."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted, either, listed
from xnbflow.data.note import Note
from xnbflow.sources.annotation import standard_names
from xnbflow.sources.dataset_entry import SAMPLE_NAMES, DatasetEntry
from xnbflow.sources.formats.cell_texts import (
    category_codes,
    is_date,
    is_missing,
    symbols_of_date,
)
from xnbflow.sources.formats.opening import suffix_of
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.formats.workbook import WORKBOOKS
from xnbflow.sources.roles import FEATURES, Role, period_of
from xnbflow.sources.series.class_labels import UNLABELLED, LabelRule
from xnbflow.sources.series.phenotype import join_samples, refuse_contradictions
from xnbflow.sources.series.raw_series import RawSeries
from xnbflow.sources.series.sequencing import (
    BARCODE_PATIENT,
    NAME_PATIENT,
    are_alignments,
    barcode_patients,
    is_total,
    name_patients,
    plain_sample_names,
    symbols_in_names,
    without_version,
)


def series_of_table(
    table: TextTable,
    roles: Sequence[Role],
    dataset: DatasetEntry,
    phenotype: pd.DataFrame | None = None,
    *,
    release: bool = True,
) -> RawSeries:
    """Return the features of a table with the texts of its samples and of a phenotype.

    In this order: values are read, features and samples without a name and without a value are
    left out, names are checked and shortened, and samples are joined with the phenotype. With
    ``release`` the texts of the table are removed from memory as they are converted.
    """
    path = Path(table.path)
    if not len(table):
        raise InputError(f"{path} has no rows below its header; get it again")
    series = _read(table, roles, dataset, release=release)
    if "" in series.features or "" in series.samples:
        series = _leave_out_empty(series)
    if dataset.samples == "columns":
        series = _leave_out_unnamed(series)
    last_names = [*series.features[-1:], *series.samples[-1:]]
    if any(is_total(str(name)) for name in last_names):
        series = _leave_out_totals(series)
    _refuse_bad_names(path, table, series)
    series = _shorten_names(series, has_phenotype=phenotype is not None)
    series = series.with_notes(_changed_names(path, series))
    # A text of the samples that has the name of a feature is left out.
    features = set(series.features) - {dataset.label}
    texts = [name for name in series.sample_metadata if name not in features]
    series = replace(series, sample_metadata=series.sample_metadata[texts])
    if phenotype is not None:
        series = _join_phenotype(series, dataset, phenotype)
    return _take_labels(series, dataset)


#: Least number of names of which the last may be a total.
_LEAST_SUMMED = 4
#: Largest relative difference of a total from the sum, due to rounding.
_ROUNDING_OF_TOTAL = 1e-3


def _read(
    table: TextTable, roles: Sequence[Role], dataset: DatasetEntry, *, release: bool
) -> RawSeries:
    """Read the values and texts of a table; categories become codes, and angles radians."""
    path = Path(table.path)
    positions = np.array([i for i, role in enumerate(roles) if role in FEATURES], dtype=np.intp)
    if not len(positions):
        msg = f"{path}: there are no features; check label, id, samples and drop"
        raise InputError(msg, file=str(path))
    texts = [i for i, role in enumerate(roles) if role is Role.TEXT]
    text_names = [table.names[i] for i in texts]
    metadata = pd.DataFrame(
        dict(zip(text_names, table.texts(texts), strict=True)),
        dtype=object,
        index=range(len(table.samples)),
    )
    names = np.array([table.names[i] for i in positions.tolist()], dtype=object)
    kinds = np.full(len(positions), "linear", dtype=object)
    is_category = np.array([roles[i] is Role.CATEGORY for i in positions.tolist()], dtype=bool)
    codes = None
    if is_category.any():  # before the texts are released
        codes = _codes(table, positions[is_category].tolist(), dataset)
    notes = tuple(table.notes)
    numbers = table.values(positions[~is_category].tolist(), release=release)
    values = numbers
    if codes is not None:
        kinds[is_category] = "categorical"
        values = np.empty((len(positions), len(table.samples)))
        values[~is_category] = numbers
        values[is_category] = codes
    for row in np.flatnonzero(~is_category).tolist() if dataset.angular else []:
        if names[row] in dataset.angular:
            values[row] *= 2 * math.pi / period_of(dataset.angular[names[row]])
            kinds[row] = "angular"
    annotation = pd.DataFrame(
        {name: [cells[i] for i in positions.tolist()] for name, cells in table.annotation.items()},
        dtype=object,
    )
    if is_category.any():
        annotation = pd.DataFrame()
    return RawSeries(
        where=f"data set {dataset.id}: {path}",
        values=values,
        features=names,
        samples=np.array(table.samples, dtype=object),
        labels=[UNLABELLED] * len(table.samples),  # for samples to predict
        sample_metadata=metadata,
        kinds=kinds,
        feature_metadata=annotation if len(annotation.columns) else None,
        feature_places=positions,
        sample_places=np.arange(len(table.samples)),
        place=lambda feature, sample: (
            f"{table.place_of_variable(feature)}, {table.place_of_sample(sample)}"
        ),
        notes=notes,
    )


def _codes(table: TextTable, variables: Sequence[int], dataset: DatasetEntry) -> np.ndarray:
    """Return the codes of categories, (n_variables, n_samples); NaN where a cell is missing."""
    codes = np.full((len(variables), len(table.samples)), np.nan)
    literal = set(dataset.literal)
    for row, cells in enumerate(table.texts(variables)):
        present = [i for i, cell in enumerate(cells) if cell in literal or not is_missing(cell)]
        codes[row, present] = category_codes([cells[i] for i in present])
    return codes


def _leave_out_empty(series: RawSeries) -> RawSeries:
    """Omit columns without a name and without a value, due to separators at the ends of lines.

    Such columns are features in a table with samples in rows, and samples in other tables. The
    result has a note.
    """
    is_unnamed_feature = np.array([name == "" for name in series.features], dtype=bool)
    is_unnamed_sample = np.array([name == "" for name in series.samples], dtype=bool)
    is_missing_value = np.isnan(series.values)
    features = np.flatnonzero(~(is_unnamed_feature & is_missing_value.all(axis=1)))
    is_empty_sample = is_unnamed_sample & is_missing_value.all(axis=0)
    for name in series.sample_metadata:
        is_empty_sample &= series.sample_metadata[name].map(is_missing).to_numpy(dtype=bool)
    samples = np.flatnonzero(~is_empty_sample)
    n_dropped = sum(series.values.shape) - len(features) - len(samples)
    if not n_dropped or not len(features) or not len(samples):
        return series
    what = either(n_dropped, "column or row was", "columns or rows were")
    note = f"{n_dropped:,} {what} left out, without a name and without a value"
    return series.with_features(features).with_samples(samples).with_notes([note])


def _leave_out_unnamed(series: RawSeries) -> RawSeries:
    """Omit features without a name, if most features have one, with a note about them."""
    rows = np.flatnonzero([name != "" for name in series.features])
    n_unnamed = len(series.features) - len(rows)
    has_categories = (series.kinds == "categorical").any()
    if not n_unnamed or has_categories or n_unnamed >= len(rows):
        return series
    verb = either(n_unnamed, "was", "were")
    note = f"{counted(n_unnamed, 'feature')} without a name {verb} left out"
    return series.with_features(rows).with_notes([note])


def _leave_out_totals(series: RawSeries) -> RawSeries:
    """Omit a last row (or column) that is named as a total and is one, with a note about it."""
    for axis, names, keep in (
        (0, series.features, RawSeries.with_features),
        (1, series.samples, RawSeries.with_samples),
    ):
        if len(names) < _LEAST_SUMMED or not is_total(str(names[-1])):
            continue
        values = np.moveaxis(series.values, axis, 0)
        if np.allclose(np.nansum(values[:-1], axis=0), values[-1], rtol=_ROUNDING_OF_TOTAL):
            note = f"{quoted(names[-1])} is the sum of all others and was left out"
            series = keep(series, np.arange(len(names) - 1)).with_notes([note])
    return series


def _refuse_bad_names(path: Path, table: TextTable, series: RawSeries) -> None:
    """Refuse missing names, and repeated names of samples; repeated features are merged later."""
    unnamed = np.flatnonzero([name == "" for name in series.features])
    if len(unnamed):
        place = table.place_of_variable(int(series.feature_places[unnamed[0]]))
        msg = f"{path}, {place}: the feature has no name; name it, or drop it"
        raise InputError(msg, file=str(path), key="drop")
    if not len(series.samples):
        msg = f"{path}: there are no samples; check label, id, samples and drop"
        raise InputError(msg, file=str(path))
    samples = pd.Series(series.samples, dtype=object)
    invalid = (samples == "") | samples.duplicated()
    if not invalid.any():
        return
    i = int(invalid.argmax())
    place = table.place_of_sample(int(series.sample_places[i]))
    if not samples[i]:
        msg = f"{path}, {place}: the sample has no name; name it, or drop it"
        raise InputError(msg, file=str(path), key="drop")
    first = int(series.sample_places[list(samples).index(samples[i])])
    msg = (
        f"{path}, {place}: sample name {quoted(samples[i])} occurs in "
        f"{table.place_of_sample(first)}, too; make them unique"
    )
    raise InputError(msg, file=str(path))


def _shorten_names(series: RawSeries, *, has_phenotype: bool) -> RawSeries:
    """Shorten Ensembl identifiers and names of files, and find symbols in names with a bar.

    With a phenotype, `join_samples` adapts the names of samples to the names in the phenotype.
    """
    features = list(series.features)
    if (identifiers := without_version(features)) is not None:
        pairs = zip(features, identifiers, strict=True)
        name, identifier = next(pair for pair in pairs if pair[0] != pair[1])
        note = f"versions of Ensembl identifiers were left out, as {name} became {identifier}"
        series = replace(series, features=np.array(identifiers, dtype=object)).with_notes([note])
    has_symbols = series.feature_metadata is not None and "symbol" in series.feature_metadata
    if not has_symbols and (symbols := symbols_in_names(features)) is not None:
        annotation = pd.DataFrame({"symbol": symbols}, dtype=object)
        if series.feature_metadata is not None:
            annotation = pd.concat([series.feature_metadata, annotation], axis=1)
        series = replace(series, feature_metadata=annotation)
    samples = list(series.samples)
    if not has_phenotype and are_alignments(samples):
        names = plain_sample_names(samples)
        if len(set(names)) == len(names):
            note = (
                "names of samples are paths of alignments and were shortened, as "
                f"{quoted(samples[0])} to {quoted(names[0])}"
            )
            series = replace(series, samples=np.array(names, dtype=object)).with_notes([note])
    return series


def _changed_names(path: Path, series: RawSeries) -> list[str]:
    """Note names that were lost: dates that Excel made, and words for a missing name."""
    notes: list[str] = []
    dates = [name for name in series.features if is_date(name)]
    if dates:
        genes = [f"{name} ({' or '.join(symbols_of_date(name)) or 'no gene'})" for name in dates]
        note = Note(
            f"{counted(len(dates), 'feature name', 'is a date', 'are dates')} that Excel has made "
            f"of gene symbols ({listed(genes)})",
            advice="correct them in the table",
        )
        notes.append(note)
    days = [name for name in series.samples if is_date(name)]
    if days and suffix_of(path) in WORKBOOKS:  # in text files, samples may be named by days
        note = Note(
            f"{counted(len(days), 'sample name', 'is a date', 'are dates')} ({listed(days)}): "
            "Excel makes dates of names such as 1-2",
            advice="correct them",
        )
        notes.append(note)
    missing = [name for name in series.features if is_missing(name)]
    if missing:
        note = Note(
            f"{counted(len(missing), 'feature', 'is', 'are')} called {listed(missing)}, as "
            "where a probe has no gene",
            advice="name a gene, or leave it out by drop",
        )
        notes.append(note)
    return notes


def _join_phenotype(series: RawSeries, dataset: DatasetEntry, phenotype: pd.DataFrame) -> RawSeries:
    """Return the samples that the phenotype has, with its columns.

    Columns of the phenotype replace columns of the table; labels and groups must agree.
    """
    joined = join_samples(series.where, series.samples, phenotype)
    series = replace(series, samples=joined.names).with_samples(np.flatnonzero(joined.keep))
    metadata = series.sample_metadata
    refuse_contradictions(
        where=series.where,
        dataset=dataset,
        samples=series.samples,
        table=metadata,
        phenotype=joined.rows,
    )
    metadata = metadata.drop(columns=list(joined.rows), errors="ignore")
    metadata = pd.concat([metadata, joined.rows], axis=1)
    return replace(series, sample_metadata=metadata).with_notes(joined.notes)


def _take_labels(series: RawSeries, dataset: DatasetEntry) -> RawSeries:
    """Take the texts of labels, and patients from names; give standard names to symbols."""
    metadata = series.sample_metadata
    labels = series.labels
    # The patients in TCGA's barcodes are a column where some have several samples.
    barcoded = barcode_patients(list(map(str, series.samples)))
    has_several = barcoded is not None and len(set(barcoded)) < len(barcoded)
    if has_several and BARCODE_PATIENT not in metadata:
        metadata = metadata.assign(**{BARCODE_PATIENT: barcoded})
    if dataset.label == SAMPLE_NAMES and SAMPLE_NAMES not in metadata:
        labels = list(series.samples)
        pattern = LabelRule.parse(dataset).pattern
        patients = None if pattern is None else name_patients(list(map(str, labels)), pattern)
        if patients is not None and BARCODE_PATIENT not in metadata:
            metadata = metadata.assign(**{NAME_PATIENT: patients})
    elif dataset.label is not None:
        labels = list(metadata[dataset.label])
        metadata = metadata.drop(columns=dataset.label)
    annotation = series.feature_metadata
    return replace(
        series,
        labels=labels,
        sample_metadata=metadata,
        features=series.features.astype(str),
        samples=series.samples.astype(str),
        feature_metadata=None if annotation is None else standard_names(annotation),
    )
