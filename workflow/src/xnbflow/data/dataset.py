"""The data set: features by samples with class labels, which flows through the whole workflow."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from xnbflow.core.errors import InputError, known_names, quoted
from xnbflow.core.nouns import counted, either
from xnbflow.core.terms import column_of_term
from xnbflow.data.canonical_order import canonical_order
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
#: Number of values in a row group, about 4 MB: a reader holds several groups in memory, and
#: allocation is slow.
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
        One of `KINDS` per feature; all ``"linear"`` by default.
    groups : ndarray of str, shape (n_samples,), optional
        The patient, or the batch, of each sample. All samples of a group are in the same fold.
    sample_metadata : DataFrame of str, n_samples rows, optional
        Columns of the phenotype; an empty cell is a missing value.
    feature_metadata : DataFrame of str, n_features rows, optional
        For example ``symbol`` and ``entrez_id``; an empty cell is a missing value.
    missing : bool, default=False
        Whether values may be missing (NaN), for a pipeline that imputes them.
    notes : tuple of str
        Changes of the data by the reader, for the report.
    scale : {"", "log2", "ln", "counts"}
        The scale of the linear features: logarithms of intensities or counts; "counts" of reads,
        which are normalised in the folds (`xnbflow.preprocessing.counts`); empty if unknown.
    adjust : tuple of str
        Columns of ``sample_metadata`` for which comparisons of classes are adjusted. They are
        numbers if all cells are; ``factor(plate)`` is a column of categories in any case.
    trend : bool, default=False
        Whether the variance of a feature depends on its mean, as with logarithms of counts. For
        counts, whether this replaces the weights of `xnbflow.diagnostics.voom`.
    reference : str
        The class with which the others are compared, for example the control; empty without one.
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
    _: KW_ONLY
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
            *,
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
        converted: dict[str, Any] = {
            "values": np.ascontiguousarray(self.values, dtype=np.float64),
            "features": np.asarray(self.features, dtype=str),
            "samples": np.asarray(self.samples, dtype=str),
            "labels": np.asarray(self.labels, dtype=str),
            "kinds": np.asarray(kinds, dtype=str),
            "notes": tuple(self.notes),
            "adjust": tuple(self.adjust),
            "contrasts": tuple(self.contrasts),
        }
        if self.groups is not None:
            converted["groups"] = np.asarray(self.groups, dtype=str)
        if self.sample_metadata is not None:
            converted["sample_metadata"] = _as_metadata(
                self.name, "sample_metadata", self.sample_metadata, len(self.samples)
            )
        if self.feature_metadata is not None:
            converted["feature_metadata"] = _as_metadata(
                self.name, "feature_metadata", self.feature_metadata, len(self.features)
            )
        for attribute, value in converted.items():
            object.__setattr__(self, attribute, value)  # the dataclass is frozen
        self._check_names()
        self._check_settings()
        self._check_values()

    @property
    def covariates(self) -> dict[str, np.ndarray]:
        """The columns of ``adjust`` by name: numbers, or texts, which are categories.

        Samples without a value are left out earlier, by
        `xnbflow.sources.sample_columns.with_known_covariates`.
        """
        columns: dict[str, np.ndarray] = {}
        phenotype = pd.DataFrame() if self.sample_metadata is None else self.sample_metadata
        for term in self.adjust:
            name = column_of_term(term)
            columns[name] = phenotype[name].to_numpy()
            is_factor = name != term
            numbers = pd.to_numeric(phenotype[name], errors="coerce").to_numpy(dtype=float)
            if not is_factor and np.isfinite(numbers).all():
                columns[name] = numbers
        return columns

    @property
    def columns_by_kind(self) -> dict[str, np.ndarray]:
        """The positions of the features of each kind, for every one of `KINDS`."""
        return {kind: np.flatnonzero(self.kinds == kind) for kind in KINDS}

    def _refuse_missing(self, what: str, column: Any, remedy: str) -> None:
        """Raise an `InputError` unless a column has one value per sample."""
        cells = np.asarray(column, dtype=object)
        if len(cells) != len(self.samples):
            verb = either(len(cells), "is", "are")
            msg = f"{self.name}: one {what} per sample is needed, {len(cells)} {verb} given"
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

    def _check_names(self) -> None:
        """Check shapes, and that names are unique and can be printed."""
        expected = (len(self.features), len(self.samples))
        if self.values.shape != expected or len(self.kinds) != len(self.features):
            msg = (
                f"{self.name}: values have shape {self.values.shape}, the names need {expected}, "
                f"and there are {len(self.kinds)} kinds of features"
            )
            raise InputError(msg)
        _refuse_duplicates(self.name, "feature", self.features)
        refuse_control_characters(self.name, "feature name", self.features)
        _refuse_duplicates(self.name, "sample", self.samples)
        refuse_control_characters(self.name, "sample name", self.samples)
        refuse_control_characters(self.name, "label", self.labels)
        if self.groups is not None:
            refuse_control_characters(self.name, "group", self.groups)

    def _check_settings(self) -> None:
        """Check that columns to adjust for, the reference and kinds of features exist."""
        columns = () if self.sample_metadata is None else list(self.sample_metadata)
        if absent := [term for term in self.adjust if column_of_term(term) not in columns]:
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

    def _check_values(self) -> None:
        """Check that values are finite, or missing if the data set may have missing values."""
        for rows in row_slices(self.values.shape):
            values = self.values[rows]
            invalid = np.isinf(values) if self.missing else ~np.isfinite(values)
            if invalid.any():
                row, column = np.argwhere(invalid)[0]
                feature = str(self.features[rows][row])
                sample = str(self.samples[column])
                msg = (
                    f"{self.name}: feature {feature!r} of sample {sample!r} is "
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

    @cached_property
    def order(self) -> np.ndarray:
        """Positions of the samples in canonical order, see `xnbflow.data.canonical_order`."""
        return canonical_order(self.values, self.labels, self.groups)

    def take(self, samples: np.ndarray) -> "DataSet":
        """Return the series of some samples; ``samples`` is a mask, or positions."""
        positions = np.arange(self.n_samples)[samples]
        phenotype = self.sample_metadata
        return replace(
            self,
            values=self.values.take(positions, axis=1),
            samples=self.samples[positions],
            labels=self.labels[positions],
            groups=None if self.groups is None else self.groups[positions],
            sample_metadata=None if phenotype is None else phenotype.iloc[positions],
        )

    def frame(self, samples: np.ndarray | slice = slice(None)) -> pd.DataFrame:
        """Return samples by features as a DataFrame whose one block is feature-major.

        ``samples`` are the positions of the samples; all by default.
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
        # Scikit-learn stores names as objects: an index of objects needs no conversion in each fit.
        return pd.Index(self.features, dtype=object)

    def write(self, path: str | Path) -> None:
        """Write the series to a Parquet file, atomically."""
        table = self._table()
        group_size = max(1, _ROW_GROUP_VALUES // max(1, self.n_samples))
        with parquet_writer(path, table.schema, **_PARQUET) as writer:
            writer.write_table(table, row_group_size=group_size)

    def _table(self) -> pa.Table:
        """Return features as rows, and everything about samples in the metadata of the table."""
        values = pa.array(self.values.reshape(-1))
        columns = {
            "feature": pa.array(self.features),
            "kind": pa.array(self.kinds),
            "values": pa.FixedSizeListArray.from_arrays(values, self.n_samples),
        }
        annotation = self.feature_metadata
        if annotation is not None:
            for name, column in annotation.items():
                columns[name] = pa.array(column.to_numpy(dtype=str))
        phenotype = self.sample_metadata
        header = {
            "name": self.name,
            "samples": list(self.samples),
            "labels": list(self.labels),
            "groups": None if self.groups is None else list(self.groups),
            "sample_metadata": None if phenotype is None else phenotype.to_dict("list"),
            "feature_columns": None if annotation is None else list(annotation),
            "missing": self.missing,
            "notes": list(self.notes),
            "scale": self.scale,
            "adjust": list(self.adjust),
            "trend": self.trend,
            "reference": self.reference,
            "contrasts": list(self.contrasts),
            "repeated": self.repeated if self.repeated != REPEATED[0] else "",
            "order": self.order.tolist(),
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
        # A series without features has no row group, so the first table has the columns only.
        tables = [pd.DataFrame(columns=["feature", "kind"], dtype=str)]
        start = 0
        for table, group_values in row_groups(path):  # values are never twice in memory
            values[start : start + len(group_values)] = group_values
            start += len(group_values)
            tables.append(table.drop_columns("values").to_pandas())
        features = pd.concat(tables, ignore_index=True)
        feature_columns = list(header.feature_columns)
        of_samples = {
            key: value for key, value in vars(header).items() if key in cls.__annotations__
        }
        series = cls(
            values=values,
            features=features["feature"].to_numpy(),
            kinds=features["kind"].to_numpy(),
            feature_metadata=features[feature_columns] if feature_columns else None,
            **of_samples,
        )
        if header.order is not None:  # computed once, when the file was written
            vars(series)["order"] = header.order
        return series


#: Options of the Parquet writer: doubles compress best by separate streams of their bytes.
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
        )
        if reserved:
            msg += f" nor are called {', '.join(reserved)}"
        raise InputError(msg)
    cells = table.to_numpy(dtype=object)
    missing = pd.isna(cells)
    texts = np.array([str(cell) for cell in cells.ravel()], dtype=object).reshape(cells.shape)
    texts[missing] = ""
    return pd.DataFrame(texts, index=range(length), columns=columns, dtype=object)


def row_slices(shape: tuple[int, int]) -> Iterator[slice]:
    """Yield the rows of a matrix about a million values at a time, so that masks stay small."""
    step = max(1, 1_000_000 // max(1, shape[1]))
    for start in range(0, shape[0], step):
        yield slice(start, start + step)


def refuse_control_characters(name: str, what: str, texts: Iterable[str]) -> None:
    """Refuse control characters, which a terminal may obey and which cut names short."""
    if _CONTROL.search("".join(texts)):
        text = next(text for text in texts if _CONTROL.search(text))
        msg = f"{name}: the {what} {quoted(str(text))} has control characters; remove them"
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
