"""The features of a table beside their values: names, kinds, and annotation."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted, either, listed, noun
from xnbflow.core.yaml_text import flow_yaml
from xnbflow.data.note import Note
from xnbflow.sources.annotation import read_annotation, standard_names
from xnbflow.sources.dataset_entry import DatasetEntry, local_path
from xnbflow.sources.formats.cell_texts import is_date, is_missing, symbols_of_date
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.platforms import FEWEST_PROBES, probes_note
from xnbflow.sources.roles import Role
from xnbflow.sources.series.feature_names import (
    CONTROL,
    TALLY,
    symbols_in_names,
    without_version,
)

#: The kind of a feature, as in `DataSet`, by its role in the table.
_KINDS = {Role.NUMBER: "linear", Role.ANGLE: "angular", Role.CATEGORY: "categorical"}


@dataclass(frozen=True, kw_only=True)
class Features:
    """What is known of the features of a table beside their values.

    Attributes
    ----------
    names : ndarray of str, shape (n_features,)
        Their names, which may repeat until they are merged.
    kinds : ndarray of str, shape (n_features,)
        The kind of each, as in `xnbflow.data.dataset.DataSet`.
    places : ndarray of int, shape (n_features,)
        The position of each among the variables of the table.
    annotation : DataFrame
        Symbols and other texts, a row per feature; without columns where nothing is known.
    """

    names: np.ndarray
    kinds: np.ndarray
    places: np.ndarray
    annotation: pd.DataFrame

    def take(self, rows: np.ndarray) -> "Features":
        """Return the features at some positions."""
        return Features(
            names=self.names[rows],
            kinds=self.kinds[rows],
            places=self.places[rows],
            annotation=self.annotation.iloc[rows].reset_index(drop=True),
        )


def find_features(table: TextTable, roles: Sequence[Role]) -> Features:
    """Return the features of a table, by the roles of its variables."""
    places = [i for i, role in enumerate(roles) if role in _KINDS]
    if not places:
        msg = f"{table.path}: there are no features; check label, id, samples and drop"
        raise InputError(msg, file=str(table.path))
    kinds = np.array([_KINDS[roles[i]] for i in places], dtype=object)
    columns = {}
    if "categorical" not in kinds:
        columns = {name: [cells[i] for i in places] for name, cells in table.annotation.items()}
    return Features(
        names=np.array([table.names[i] for i in places], dtype=object),
        kinds=kinds,
        places=np.array(places, dtype=np.intp),
        annotation=pd.DataFrame(columns, dtype=object, index=range(len(places))),
    )


def name_features(
    table: TextTable, features: Features, entry: DatasetEntry, notes: list[str]
) -> Features:
    """Return features with the names that a data set has, and with the symbols in the names.

    Names of all features are needed, but they may repeat, since repeated names are merged later.
    Versions of Ensembl identifiers are left out. The ``notes`` get sentences on changed names, and
    on names that were lost: dates that Excel made, and words for a missing name. Tallies of reads
    are refused, which would change sums.
    """
    names = features.names.tolist()
    if "" in names:
        place = table.place_of_variable(int(features.places[names.index("")]))
        msg = f"{table.path}, {place}: the feature has no name; name it, or drop it"
        raise InputError(msg, file=str(table.path), key="drop")
    tallies = [name for name in names if TALLY.fullmatch(name)]
    if tallies:
        msg = (
            f"data set {entry.id}: {table.path}: {listed(tallies)} are reads that belong to no "
            f"gene, not features; set drop: {flow_yaml(tallies)}"
        )
        raise InputError(msg, key="drop")

    # Symbols, of the file or in the names, and identifiers without their versions.
    annotation = features.annotation
    may_have_symbols = any("|" in name for name in names) and "symbol" not in annotation
    if may_have_symbols and (symbols := symbols_in_names(names)):
        annotation = annotation.assign(symbol=pd.Series(symbols, dtype=object))
    if len(annotation.columns):
        annotation = standard_names(annotation)
    has_identifiers = any(name.startswith("ENS") for name in names)
    if has_identifiers and (identifiers := without_version(names)):
        pairs = zip(names, identifiers, strict=True)
        name, identifier = next(pair for pair in pairs if pair[0] != pair[1])
        notes.append(
            f"versions of Ensembl identifiers were left out, as {name} became {identifier}"
        )
        names = identifiers

    # Names that were lost. A date has a hyphen.
    dates = [name for name in names if "-" in name and is_date(name)]
    if dates:
        notes.append(_about_dates(dates))
    missing = [name for name in names if is_missing(name)]
    if missing:
        note = Note(
            f"{counted(len(missing), 'feature', 'is', 'are')} called {listed(missing)}, as "
            "where a probe has no gene",
            advice="name a gene, or leave it out by drop",
        )
        notes.append(note)
    return replace(features, names=np.array(names, dtype=str), annotation=annotation)


def _about_dates(names: Sequence[str]) -> Note:
    """Return a note on names of features that are dates, with the genes that they may be."""
    genes = [f"{name} ({' or '.join(symbols_of_date(name)) or 'no gene'})" for name in names]
    return Note(
        f"{counted(len(names), 'feature name', 'is a date', 'are dates')} that Excel has made "
        f"of gene symbols ({listed(genes)})",
        advice="correct them in the table",
    )


def select_features(
    features: Features, entry: DatasetEntry, notes: list[str], platforms: str = ""
) -> Features:
    """Return the features without control probes of an array, with their annotation.

    The keys are ``controls`` and ``annotation``. A table of controls alone keeps them. Probes
    without the key ``annotation`` get a note with the line that adds their symbols, unless the
    table has symbols. ``platforms`` are accessions that the file names, separated by spaces.
    """
    is_control = np.array([CONTROL.fullmatch(name) is not None for name in features.names])
    if entry.controls != "keep" and 0 < is_control.sum() < len(is_control):
        note = Note(
            f"{counted(int(is_control.sum()), 'control probe', 'was', 'were')} left out "
            f"({listed(features.names[is_control], 3)})",
            advice="controls: keep keeps them",
        )
        notes.append(note)
        features = features.take(np.flatnonzero(~is_control))
    if entry.annotation:
        return _annotate(features, entry.annotation, notes, platforms)
    may_be_probes = bool(platforms) or len(features.names) >= FEWEST_PROBES
    if may_be_probes and "symbol" not in features.annotation:
        probes = probes_note(features.names.tolist(), platforms)
        notes += [] if probes is None else [probes]
    return features


def _annotate(features: Features, location: str, notes: list[str], platforms: str = "") -> Features:
    """Return features with the annotation in a file beside that of the table.

    ``location`` is the value of the key ``annotation``. The ``notes`` get the number of features
    with a symbol, and a difference from the ``platforms`` of the series, accessions separated by
    spaces.
    """
    if location == "none":
        return features
    n_features = len(features.names)
    path = local_path(location) or location
    annotation, platform = read_annotation(path, features.names.tolist())
    if platform and platforms and platform not in platforms.split():
        notes.append(f"the annotation is of {platform}, the series of {platforms}")
    n_symbols = int((annotation["symbol"] != "").sum())
    notes.append(
        f"{n_symbols} of {n_features} {noun(n_features, 'feature')} "
        f"{either(n_symbols, 'has', 'have')} a symbol in the annotation"
    )
    others = features.annotation.drop(columns=list(annotation), errors="ignore")
    return replace(features, annotation=pd.concat([others, annotation], axis=1))
