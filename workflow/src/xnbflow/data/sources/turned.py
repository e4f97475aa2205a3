"""A table turned so that features are rows, whichever way its samples stand."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.data.errors import InputError
from xnbflow.data.sources.blocks import Columns
from xnbflow.data.sources.growing import GrowingColumns, GrowingRows
from xnbflow.data.sources.kinds import FeatureKinds, matches
from xnbflow.data.sources.labels import listed
from xnbflow.data.sources.sheet_row import SheetRow
from xnbflow.data.sources.tabular import OpenTable, column_position

__all__ = ["Content", "samples_in_columns", "samples_in_rows"]

#: So many columns (or rows) that are no features are kept as what is known of samples.
_KEPT_TEXTS = 50


@dataclass
class Content:
    """What a table holds.

    Attributes
    ----------
    samples, features : list of str
    values : ndarray of shape (n_features, n_samples)
        NaN where a value is missing; rows in `coded` are filled later, from `texts`.
    texts : dict of str to list of str
        Columns (or rows) that are no numbers: a text for each sample.
    coded : list of int
        The features whose values are categories.
    place : callable
        Given a feature and a sample, says where in the file its value stands.
    sample_place, feature_place : callable
        Given a sample or a feature, says where its name stands.
    feature_texts : dict of str to list of str
        What the file says of each feature.
    notes : list of str
        What a user should know.
    """

    samples: list[str]
    features: list[str]
    values: np.ndarray
    texts: dict[str, list[str]]
    coded: list[int]
    place: Callable[[int, int], str]
    sample_place: Callable[[int], str]
    feature_place: Callable[[int], str]
    feature_texts: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def samples_in_rows(
    path: Path,
    dataset: SheetRow,
    kinds: FeatureKinds,
    table: OpenTable,
    phenotype: pd.DataFrame | None,
) -> Content:
    """Read a table with a row for each sample."""
    names = table.header
    key = _key_of_rows(path, dataset, names)
    wanted = _texts_wanted(dataset, phenotype, names)
    for name, option in wanted.items():
        column_position(path, names, name, option)
    nominal = set(getattr(table, "nominal", ()))
    own = {*wanted, *([names[key]] if key is not None else [])}
    aside = {name for name in names if name not in own and not kinds.is_feature(name)}
    kept = own if len(aside) > _KEPT_TEXTS else own | aside
    texts = [p for p, name in enumerate(names) if p == key or name in kept]
    order = [p for p, name in enumerate(names) if p != key and name not in own | aside]
    coded = [p for p in order if names[p] in nominal or kinds.is_category(names[p])]
    numbers = sorted(set(order).difference(coded)) if coded else order
    _refuse_no_features(path, order)
    columns = Columns(names, (*texts, *coded), tuple(numbers))
    lines, values = [], GrowingColumns(len(order))
    rows = np.searchsorted(order, numbers) if coded else None
    cells: list[list[str]] = [[] for _ in columns.text]
    for block in table.blocks(columns):
        lines += block.lines
        values.append(block.numbers, rows)
        for whole, part in zip(cells, block.texts, strict=True):
            whole.extend(part)
    if not lines:
        msg = f"{path} has nothing below its header; get it again"
        raise InputError(msg)
    found = {names[place]: text for place, text in zip(columns.text, cells, strict=True)}
    samples = [str(n) for n in range(len(lines))] if key is None else found.pop(names[key])

    def sample_place(sample: int) -> str:
        return f"{table.unit} {lines[sample]}"

    def feature_place(feature: int) -> str:
        return f"column {order[feature] + 1} ({names[order[feature]]!r})"

    return Content(
        samples,
        [names[place] for place in order],
        values.finished(),
        found,
        np.searchsorted(order, coded).tolist(),
        lambda feature, sample: f"{feature_place(feature)}, {sample_place(sample)}",
        sample_place,
        feature_place,
    )


def _key_of_rows(path: Path, dataset: SheetRow, names: Sequence[str]) -> int | None:
    if dataset.id_column:
        return column_position(path, names, dataset.id_column, "id_column")
    return 0 if names[0] == "" else None  # the row names that R and pandas write


def samples_in_columns(
    path: Path,
    dataset: SheetRow,
    kinds: FeatureKinds,
    table: OpenTable,
    phenotype: pd.DataFrame | None,
) -> Content:
    """Read a table with a column for each sample."""
    names = table.header
    key = column_position(path, names, dataset.id_column or names[0], "id_column")
    aside = [p for p, name in enumerate(names) if p != key and matches(name, kinds.drop)]
    places = [p for p in range(len(names)) if p != key and p not in set(aside)]
    wanted = _texts_wanted(dataset, phenotype, None)
    kept_aside = aside if len(aside) <= _KEPT_TEXTS else []
    is_special = _SpecialRows.of(kinds, set(wanted))
    columns = Columns(names, (key, *kept_aside), tuple(places), is_special, key)
    values, features, lines = GrowingRows(len(places)), [], []
    special: list[tuple[int, list[str]]] = []
    feature_texts: list[list[str]] = [[] for _ in kept_aside]
    for block in table.blocks(columns):
        values.append(block.numbers)
        features += block.texts[0]
        lines += block.lines
        special += block.special
        for whole, part in zip(feature_texts, block.texts[1:], strict=True):
            whole.extend(part)
    texts: dict[str, list[str]] = {}
    special_lines = {cells[key]: line for line, cells in special}
    seen_names = Counter(cells[key] for _, cells in special)
    for name, option in wanted.items():
        seen = [*seen_names.elements(), *features]
        if phenotype is not None and name not in phenotype and name not in seen:
            raise InputError(_nowhere(dataset, name, option, phenotype))
        column_position(path, [text for text in seen if text == name] or seen, name, option)
    for _, cells in special:
        if seen_names[cells[key]] == 1:
            texts[cells[key]] = [cells[p] for p in places]
    codes = [name for name in seen_names if kinds.is_category(name)]
    numbers, n_plain = values.finished(), len(features)
    order = list(range(n_plain))
    features, lines = features + codes, lines + [special_lines[name] for name in codes]
    if codes:
        order = sorted(range(len(lines)), key=lambda i: lines[i])
        numbers = np.vstack([numbers, np.full((len(codes), len(places)), np.nan)])[order]
    _refuse_no_features(path, order)
    extra = {names[p]: text for p, text in zip(kept_aside, feature_texts, strict=True)}

    def sample_place(sample: int) -> str:
        return f"column {places[sample] + 1} ({names[places[sample]]!r})"

    def feature_place(feature: int) -> str:
        return f"{table.unit} {lines[order[feature]]} ({features[order[feature]]!r})"

    return Content(
        [names[place] for place in places],
        [features[i] for i in order],
        numbers,
        texts,
        [row for row, i in enumerate(order) if i >= n_plain],
        lambda feature, sample: f"{feature_place(feature)}, {sample_place(sample)}",
        sample_place,
        feature_place,
        extra if not codes else {},
    )


@dataclass(frozen=True)
class _SpecialRows:
    """Which rows, by their names, are no rows of numbers."""

    exact: frozenset[str]
    patterns: tuple[str, ...]
    only: tuple[str, ...]

    @classmethod
    def of(cls, kinds: FeatureKinds, wanted: set[str]) -> "_SpecialRows | None":
        """Return those that are wanted as text, dropped or categories; None if there are none."""
        named = [*kinds.drop, *kinds.categorical]
        exact = frozenset(wanted.union(named))
        patterns = tuple(name for name in named if set(name) & set("*?["))
        return cls(exact, patterns, tuple(kinds.only)) if exact or kinds.only else None

    def __call__(self, name: str) -> bool:
        return (
            name in self.exact
            or matches(name, self.patterns)
            or bool(self.only and not matches(name, self.only))
        )

    def may_be_in(self, data: bytes) -> bool:
        """Return whether some rows may hold a special one."""
        if self.patterns or self.only or any('"' in name for name in self.exact):
            return True
        return any(name.encode() in data for name in self.exact)


def _texts_wanted(
    dataset: SheetRow, phenotype: pd.DataFrame | None, names: Sequence[str] | None
) -> dict[str, str]:
    """Return the names of the table's label and group, each with its key of the sheet."""
    wanted = {}
    for key, name in (("label", dataset.label), ("group", dataset.options.get("group"))):
        if not name:
            continue
        elsewhere = phenotype is not None and name in phenotype
        if not elsewhere:
            if phenotype is not None and names is not None and name not in names:
                raise InputError(_nowhere(dataset, name, key, phenotype))
            wanted[name] = key
        elif names is not None and name in names:
            wanted[name] = key  # no feature, whichever file it is taken from
    return wanted


def _nowhere(dataset: SheetRow, name: str, key: str, phenotype: pd.DataFrame) -> str:
    return (
        f"data set {dataset.id}: neither the phenotype file nor the table has {name!r}, which the "
        f"sheet's {key} names; the phenotype has {listed(list(phenotype.columns))}"
    )


def _refuse_no_features(path: Path, order: Sequence[object]) -> None:
    if not order:
        msg = f"{path}: there are no features; check label, id_column, orientation and drop"
        raise InputError(msg)
