"""The data set: features by samples with class labels, which flows through the whole workflow."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from xnbflow.core.counts import counted
from xnbflow.core.errors import InputError, known_names, quoted
from xnbflow.core.terms import column_of_term
from xnbflow.data.series_file import METADATA_KEY, read_header, row_groups
from xnbflow.tables.parquet import parquet_writer

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "KINDS",
    "DataSet",
]

#: The scale of counts of reads.
COUNTS = "counts"
#: How the model of a gene treats several samples of a group: see `DataSet.repeated`.
REPEATED = ("mean", "correlation")
#: What a feature may be: a real number, an angle in radians, or the code (0, 1, ...) of a category.
KINDS = ("linear", "angular", "categorical")

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
#: Some 4 MB: a reader holds a few groups beside the whole, and new pages of memory are dear.
_ROW_GROUP_VALUES = 500_000


@dataclass(frozen=True)
class DataSet:
    """Features by samples, with class labels.

    Attributes
    ----------
    name : str
        The data set's id.
    values : ndarray of float64, shape (n_features, n_samples)
        Feature-major and contiguous: the kernels run along a feature's samples.
    features : ndarray of str, shape (n_features,)
        Feature names, unique.
    samples : ndarray of str, shape (n_samples,)
        Sample names, unique.
    labels : ndarray of str, shape (n_samples,)
        The class label of each sample.
    kinds : ndarray of str, shape (n_features,)
        One of `KINDS` per feature; all ``"linear"`` where left out.
    groups : ndarray of str, shape (n_samples,), optional
        What must not stand on both sides of a fold: the patient, or the batch, of each sample.
    sample_metadata : DataFrame of str, n_samples rows, optional
        Columns of the phenotype; an empty cell is a missing value.
    feature_metadata : DataFrame of str, n_features rows, optional
        Say ``symbol`` and ``entrez_id``; an empty cell where a feature has none.
    missing : bool, default=False
        Whether values may be missing (NaN), for a pipeline that imputes them.
    notes : tuple of str
        What reading did that a reader of the results should know.
    scale : {"", "log2", "ln", "counts"}
        Which logarithms of intensities, or of counts, the linear features are; "counts" of reads
        that are normalised in the folds (`xnbflow.preprocessing.counts`); empty where that is not
        known.
    adjust : tuple of str
        Columns of ``sample_metadata`` for which comparisons of classes are adjusted. They are
        numbers if all cells are; ``factor(plate)`` is a column of categories in any case.
    trend : bool, default=False
        Whether the variance of a feature depends on its mean, as of logarithms of counts. Of
        counts, whether this replaces the weights of `xnbflow.diagnostics.voom`.

    reference : str
        The class with which the others are compared, say the control; empty where none is named.
    contrasts : tuple of str
        Further comparisons, see `xnbflow.diagnostics.contrasts`.
    repeated : {"mean", "correlation"}
        How the models of single features treat the samples of a group: by blocks and means
        (`xnbflow.data.class_design`), or as samples with a common correlation.

    Raises
    ------
    InputError
        If shapes disagree, names repeat, a label or a group is missing, a value is not finite (or
        missing without that mark) or a kind is unknown.

    Examples
    --------
    >>> series = DataSet("toy", np.eye(2), ["g1", "g2"], ["s1", "s2"], ["tumour", "normal"])
    >>> series.n_features, series.n_samples, list(series.classes)
    (2, 2, [np.str_('normal'), np.str_('tumour')])
    """

    name: str
    values: np.ndarray
    features: np.ndarray
    samples: np.ndarray
    labels: np.ndarray
    kinds: np.ndarray = field(default=None)  # type: ignore[arg-type]
    groups: np.ndarray | None = None
    sample_metadata: pd.DataFrame | None = None
    feature_metadata: pd.DataFrame | None = None
    missing: bool = False
    notes: tuple[str, ...] = ()
    scale: str = ""
    adjust: tuple[str, ...] = ()
    trend: bool = False
    reference: str = ""
    contrasts: tuple[str, ...] = ()
    repeated: str = "mean"

    if TYPE_CHECKING:  # arguments may be lists; attributes are arrays

        def __init__(
            self,
            name: str,
            values: ArrayLike,
            features: ArrayLike,
            samples: ArrayLike,
            labels: ArrayLike,
            kinds: ArrayLike | None = None,
            groups: ArrayLike | None = None,
            sample_metadata: pd.DataFrame | None = None,
            feature_metadata: pd.DataFrame | None = None,
            missing: bool = False,
            notes: Iterable[str] = (),
            scale: str = "",
            adjust: Iterable[str] = (),
            trend: bool = False,
            reference: str = "",
            contrasts: Iterable[str] = (),
            repeated: str = "mean",
        ) -> None: ...

    def __post_init__(self) -> None:
        kinds = np.full(len(self.features), "linear") if self.kinds is None else self.kinds
        self._refuse_missing("class label", self.labels, "label it")
        if self.groups is not None:
            self._refuse_missing("group", self.groups, "name its patient or batch")
        held: dict[str, Any] = {
            "values": np.ascontiguousarray(self.values, dtype=np.float64),
            "kinds": np.asarray(kinds, dtype=str),
            "notes": tuple(self.notes),
            "adjust": tuple(self.adjust),
            "contrasts": tuple(self.contrasts),
        }
        for key in ("features", "samples", "labels", "groups"):
            if (given := getattr(self, key)) is not None:
                held[key] = np.asarray(given, dtype=str)
        for key, names in (("sample_metadata", self.samples), ("feature_metadata", self.features)):
            if (table := getattr(self, key)) is not None:
                held[key] = _as_metadata(self.name, key, table, len(names))
        for key, array in held.items():
            object.__setattr__(self, key, array)
        self._check()

    @property
    def covariates(self) -> dict[str, np.ndarray]:
        """The columns of ``adjust`` by name: numbers, or texts, which are categories.

        Samples without a value are to be left out before, by
        `xnbflow.sources.sample_columns.with_known_covariates`.
        """
        found = {}
        known = pd.DataFrame() if self.sample_metadata is None else self.sample_metadata
        for term in self.adjust:
            name = column_of_term(term)
            cells = known[name].to_numpy()
            numbers = pd.to_numeric(known[name], errors="coerce").to_numpy(dtype=float)
            found[name] = numbers if name == term and np.isfinite(numbers).all() else cells
        return found

    @property
    def columns_by_kind(self) -> dict[str, np.ndarray]:
        """The positions of the features of each kind, for every one of `KINDS`."""
        return {kind: np.flatnonzero(self.kinds == kind) for kind in KINDS}

    def _refuse_missing(self, what: str, given: Any, remedy: str) -> None:
        cells = np.asarray(given, dtype=object)
        if len(cells) != len(self.samples):
            msg = f"{self.name}: one {what} per sample is needed, {len(cells)} are given"
            raise InputError(msg)
        missing = pd.isna(cells)
        if what == "group":
            missing[~missing] = cells[~missing] == ""
        if missing.any():
            sample = str(list(self.samples)[int(np.argmax(missing))])
            msg = (
                f"{self.name}: sample {sample!r} has no {what} "
                f"({counted(missing.sum(), 'sample', 'has', 'have')} none); {remedy}, or leave it "
                "out"
            )
            raise InputError(msg)

    def _check(self) -> None:
        expected = (len(self.features), len(self.samples))
        if self.values.shape != expected or len(self.kinds) != len(self.features):
            msg = (
                f"{self.name}: values have shape {self.values.shape}, the names need {expected}, "
                f"and there are {len(self.kinds)} kinds of features"
            )
            raise InputError(msg)
        for what, names in (("feature", self.features), ("sample", self.samples)):
            _refuse_duplicates(self.name, what, names)
            refuse_control_characters(self.name, f"{what} name", names)
        refuse_control_characters(self.name, "label", self.labels)
        refuse_control_characters(self.name, "group", () if self.groups is None else self.groups)
        known = () if self.sample_metadata is None else list(self.sample_metadata)
        if absent := [term for term in self.adjust if column_of_term(term) not in known]:
            msg = f"{self.name}: there is no column {quoted(absent[0])} of samples to adjust for"
            raise InputError(msg, key="adjust")
        if self.reference and self.reference not in self.labels:
            msg = (
                f"{self.name}: the reference {quoted(self.reference)} is not a class; "
                f"{known_names(self.reference, [str(label) for label in self.classes])}"
            )
            raise InputError(msg, key="reference")
        if unknown := sorted(set(self.kinds) - set(KINDS)):
            msg = (
                f"{self.name}: unknown feature kind {str(unknown[0])!r}; use one of "
                f"{', '.join(KINDS)}"
            )
            raise InputError(msg)
        for rows in row_slices(self.values.shape):
            values = self.values[rows]
            bad = np.isinf(values) if self.missing else ~np.isfinite(values)
            if bad.any():
                row, column = np.argwhere(bad)[0]
                feature, sample = self.features[rows][row], self.samples[column]
                msg = (
                    f"{self.name}: feature {str(feature)!r} of sample {str(sample)!r} is "
                    f"{values[row, column]}; remove or impute missing and infinite values first"
                )
                raise InputError(msg)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.features)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.samples)

    @property
    def classes(self) -> np.ndarray:
        """The distinct class labels, sorted."""
        return np.unique(self.labels)

    def take(self, samples: np.ndarray) -> "DataSet":
        """Return the series of some samples; ``samples`` is a mask, or positions."""
        place, phenotype = np.arange(self.n_samples)[samples], self.sample_metadata
        return replace(
            self,
            values=self.values.take(place, axis=1),
            samples=self.samples[place],
            labels=self.labels[place],
            groups=None if self.groups is None else self.groups[place],
            sample_metadata=None if phenotype is None else phenotype.iloc[place],
        )

    def frame(self, samples: np.ndarray | slice = slice(None)) -> pd.DataFrame:
        """Return samples by features as a DataFrame whose one block is feature-major.

        ``samples`` are the positions of those to take; all by default.
        """
        if isinstance(samples, slice):
            values = self.values[:, samples]
        else:  # indexing would return a sample-major array
            values = self.values.take(np.arange(self.n_samples)[samples], axis=1)
        return pd.DataFrame(
            values.T, index=self.samples[samples], columns=self._columns, copy=False
        )

    @cached_property
    def _columns(self) -> pd.Index:
        # of objects, as scikit-learn keeps names: those of each fit need no conversion
        return pd.Index(self.features, dtype=object)

    def write(self, path: str | Path) -> None:
        """Write the series to a Parquet file, atomically."""
        table, group = self._table(), max(1, _ROW_GROUP_VALUES // max(1, self.n_samples))
        with parquet_writer(path, table.schema, **_PARQUET) as writer:
            writer.write_table(table, row_group_size=group)

    def _table(self) -> pa.Table:
        columns = {
            "feature": pa.array(self.features),
            "kind": pa.array(self.kinds),
            "values": pa.FixedSizeListArray.from_arrays(
                pa.array(self.values.reshape(-1)), self.n_samples
            ),
        }
        known = self.feature_metadata
        for name, column in {} if known is None else known.items():
            columns[name] = pa.array(column.to_numpy(dtype=str))
        phenotype = self.sample_metadata
        header = {
            "name": self.name,
            "samples": list(self.samples),
            "labels": list(self.labels),
            "groups": None if self.groups is None else list(self.groups),
            "sample_metadata": None if phenotype is None else phenotype.to_dict("list"),
            "feature_columns": None if known is None else list(known),
            "missing": self.missing,
            "notes": list(self.notes),
            "scale": self.scale,
            "adjust": list(self.adjust),
            "trend": self.trend,
            "reference": self.reference,
            "contrasts": list(self.contrasts),
            "repeated": self.repeated if self.repeated != REPEATED[0] else "",
        }
        header = {key: value for key, value in header.items() if value}
        return pa.table(columns).replace_schema_metadata({METADATA_KEY: json.dumps(header)})

    @classmethod
    def read(cls, path: str | Path) -> "DataSet":
        """Read a series that `write` has written.

        Raises
        ------
        InputError
            If the file is not a series.
        """
        header = read_header(path)
        values = np.empty((header.n_features, len(header.samples)))
        columns, start = [pd.DataFrame(columns=["feature", "kind"], dtype=str)], 0
        for table, rows in row_groups(path):  # never twice in memory
            values[start : start + len(rows)] = rows
            start += len(rows)
            columns.append(table.drop_columns("values").to_pandas())
        rows = pd.concat(columns, ignore_index=True)
        known = list(header.feature_columns)
        shared = {key: vars(header)[key] for key in vars(header).keys() & cls.__annotations__}
        return cls(
            values=values,
            features=rows["feature"].to_numpy(),
            kinds=rows["kind"].to_numpy(),
            feature_metadata=rows[known] if known else None,
            **shared,
        )


_PARQUET = {
    "compression_level": 1,
    "use_dictionary": ["kind"],
    "column_encoding": {"values.list.element": "BYTE_STREAM_SPLIT"},
    "write_statistics": False,
}


def _as_metadata(name: str, key: str, table: pd.DataFrame, length: int) -> pd.DataFrame:
    """Return metadata as text, with rows numbered from 0."""
    table = pd.DataFrame(table)
    columns = [str(column) for column in table.columns]
    reserved = ["feature", "kind", "values"] if key == "feature_metadata" else []
    if len({*columns, *reserved}) < len(columns) + len(reserved) or len(table) != length:
        msg = (
            f"{name}: {key} has {counted(len(table), 'row')} and the columns {', '.join(columns)}; "
            f"give it {length} rows and columns that do not repeat"
            + (f" nor are called {', '.join(reserved)}" if reserved else "")
        )
        raise InputError(msg)
    cells = table.to_numpy(dtype=object)
    text = [["" if pd.isna(cell) else str(cell) for cell in row] for row in cells]
    return pd.DataFrame(text, index=range(length), columns=columns, dtype=object)


def row_slices(shape: tuple[int, int]) -> Iterator[slice]:
    """Yield the rows of a matrix some million values at a time, so that masks stay small."""
    step = max(1, 1_000_000 // max(1, shape[1]))
    for start in range(0, shape[0], step):
        yield slice(start, start + step)


def refuse_control_characters(name: str, what: str, texts: Iterable[str]) -> None:
    """Refuse control characters, which a terminal may obey and which cut names short."""
    if _CONTROL.search("".join(texts)):
        found = next(text for text in texts if _CONTROL.search(text))
        msg = f"{name}: the {what} {quoted(str(found))} has control characters; remove them"
        raise InputError(msg, key=what)


def _refuse_duplicates(name: str, what: str, names: np.ndarray) -> None:
    if len(set(names)) == len(names):
        return
    values, counts = np.unique(names, return_counts=True)
    repeated = values[counts > 1]
    msg = (
        f"{name}: {what} name {str(repeated[0])!r} occurs {counts[counts > 1][0]} times "
        f"({counted(len(repeated), 'name', 'repeats', 'repeat')}); make {what} names unique"
    )
    raise InputError(msg)
