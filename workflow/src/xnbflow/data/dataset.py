"""The data set: features by samples with class labels, which flows through the whole workflow."""

import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted, either, listed
from xnbflow.data.canonical_order import canonical_order
from xnbflow.data.series_file import Stored, read_fields, stored, stored_fields, write_series

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "KINDS",
    "DataSet",
]

_LOG = logging.getLogger(__name__)
#: The scale of a data set of counts of reads.
COUNTS = "counts"
#: What a feature may be: a real number, an angle in radians, or the code (0, 1, ...) of a category.
KINDS = ("linear", "angular", "categorical")

#: Control characters, and Unicode's marks of the direction of writing, which hide parts of a name.
_CONTROL_CHARACTER = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
#: Names of columns in the file of a series, which columns of ``feature_metadata`` cannot have.
_RESERVED_COLUMNS = ["feature", "kind", "values"]
#: Values that are checked at a time: their mask takes 1 MB.
_CHECKED_AT_ONCE = 1_000_000
#: The file has the canonical order as well, which takes the values to compute: a data set that is
#: read without its values could not compute it.
_STORED_ORDER = {"order": Stored(form="positions", axis="sample")}


@dataclass(frozen=True)
class DataSet:
    """Features by samples, with class labels.

    Attributes
    ----------
    name : str
        The id of the data set.
    values : ndarray of float64, shape (n_features, n_samples)
        Feature-major and contiguous: the kernels run along a feature's samples. None in a data set
        of names and labels alone (`read` with ``values=False``).
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
    scale : {"", "log2", "ln", "log10", "counts"}
        The scale of the linear features: logarithms to base 2, e or 10 of intensities or counts, or
        counts of reads, which are normalised in the folds (`xnbflow.preprocessing.counts`); empty
        if unknown.

    Raises
    ------
    InputError
        If shapes disagree, names repeat, a label or a group is missing, a kind is unknown, or a
        value is infinite, or missing (NaN) although ``missing`` is false.

    Examples
    --------
    >>> series = DataSet("toy", np.eye(2), ["g1", "g2"], ["s1", "s2"], ["tumour", "normal"])
    >>> series.n_features, series.n_samples, list(series.classes)
    (2, 2, [np.str_('normal'), np.str_('tumour')])
    """

    # The metadata of a field (`Stored`) has the form of its content, the axis that it describes,
    # and its column in the file. The file and `take` follow from these.
    name: str = field(metadata=stored("text"))
    values: np.ndarray = field(metadata=stored("numbers", axis="feature", column="values"))
    features: np.ndarray = field(metadata=stored("texts", axis="feature", column="feature"))
    samples: np.ndarray = field(metadata=stored("texts", axis="sample"))
    labels: np.ndarray = field(metadata=stored("texts", axis="sample"))
    _: KW_ONLY
    kinds: np.ndarray = field(
        default=None,  # type: ignore[arg-type]
        metadata=stored("texts", axis="feature", column="kind"),
    )
    groups: np.ndarray | None = field(default=None, metadata=stored("texts", axis="sample"))
    sample_metadata: pd.DataFrame | None = field(
        default=None, metadata=stored("table", axis="sample")
    )
    feature_metadata: pd.DataFrame | None = field(
        default=None, metadata=stored("table", axis="feature")
    )
    missing: bool = field(default=False, metadata=stored("flag"))
    notes: tuple[str, ...] = field(default=(), metadata=stored("sentences"))
    scale: str = field(default="", metadata=stored("text"))

    if TYPE_CHECKING:  # arguments may be lists; attributes are arrays

        def __init__(
            self,
            name: str,
            values: ArrayLike | None,
            features: ArrayLike,
            samples: ArrayLike,
            labels: ArrayLike,
            **further_fields: Any,
        ) -> None: ...

    def __post_init__(self) -> None:
        # Lists become arrays, and cells of metadata become texts. Missing labels and groups are
        # recognised before, since the conversion makes a text of None.
        converted: dict[str, Any] = {
            "features": np.asarray(self.features, dtype=str),
            "samples": np.asarray(self.samples, dtype=str),
            "labels": self._complete("class label", self.labels, remedy="label it"),
            "notes": tuple(self.notes),
        }
        kinds = self.kinds
        if kinds is None:
            kinds = np.full(len(self.features), "linear")
        converted["kinds"] = np.asarray(kinds, dtype=str)
        if self.values is not None:
            converted["values"] = np.ascontiguousarray(self.values, dtype=np.float64)
        if self.groups is not None:
            remedy = "name its patient or batch"
            converted["groups"] = self._complete("group", self.groups, remedy=remedy)
        for name, content in converted.items():
            object.__setattr__(self, name, content)  # although the dataclass is frozen
        self._check_names()
        for name, n_rows in (
            ("sample_metadata", self.n_samples),
            ("feature_metadata", self.n_features),
        ):
            if getattr(self, name) is not None:
                table = _convert_metadata(self.name, name, getattr(self, name), n_rows)
                object.__setattr__(self, name, table)
        if self.values is not None:
            self._check_values()

    def _complete(self, what: str, column: Any, *, remedy: str) -> np.ndarray:
        """Return labels or groups as texts; refuse another number than one of each sample."""
        cells = np.asarray(column, dtype=object)
        n_samples = len(self.samples)
        if len(cells) != n_samples:
            msg = (
                f"{self.name}: one {what} per sample is needed, {len(cells)} "
                f"{either(len(cells), 'is', 'are')} given"
            )
            raise InputError(msg)
        is_missing = pd.isna(cells)
        is_missing[~is_missing] = cells[~is_missing] == ""
        if is_missing.any():
            sample = str(list(self.samples)[int(np.argmax(is_missing))])
            msg = (
                f"{self.name}: sample {quoted(sample)} has no {what} "
                f"({counted(int(is_missing.sum()), 'sample', 'has', 'have')} none); {remedy}, or "
                "leave it out"
            )
            raise InputError(msg)
        return np.asarray(column, dtype=str)

    def _check_names(self) -> None:
        """Check shapes and kinds, and that names are unique and can be printed."""
        expected = (self.n_features, self.n_samples)
        shape = expected if self.values is None else self.values.shape
        if shape != expected or len(self.kinds) != self.n_features:
            msg = (
                f"{self.name}: values have shape {shape}, the names need {expected}, and there "
                f"are {len(self.kinds)} kinds of features; give a row for each feature, and a "
                "column for each sample"
            )
            raise InputError(msg)
        if unknown := sorted(set(self.kinds) - set(KINDS)):
            msg = (
                f"{self.name}: unknown feature kind {quoted(str(unknown[0]))}; use one of "
                f"{listed(KINDS)}"
            )
            raise InputError(msg)
        for what, names in (("feature", self.features), ("sample", self.samples)):
            if len(set(names.tolist())) < len(names):
                raise _repeated(self.name, what, names)
        groups: Iterable[str] = [] if self.groups is None else self.groups
        all_texts = "".join([*self.features, *self.samples, *self.labels, *groups])
        if _CONTROL_CHARACTER.search(all_texts):
            refuse_control_characters(self.name, "feature name", self.features)
            refuse_control_characters(self.name, "sample name", self.samples)
            refuse_control_characters(self.name, "label", self.labels)
            refuse_control_characters(self.name, "group", groups)

    def _check_values(self) -> None:
        """Check that values are finite, or missing if the data set may have missing values."""
        for rows in row_slices(self.values.shape):
            values = self.values[rows]
            invalid = np.isinf(values) if self.missing else ~np.isfinite(values)
            if invalid.any():
                row, column = np.argwhere(invalid)[0]
                value = values[row, column]
                msg = (
                    f"{self.name}: feature {quoted(str(self.features[rows][row]))} of sample "
                    f"{quoted(str(self.samples[column]))} is {value}; remove or impute missing "
                    "and infinite values first"
                )
                raise InputError(msg)

    @property
    def columns_by_kind(self) -> dict[str, np.ndarray]:
        """The positions of the features of each kind, for every one of `KINDS`."""
        return {kind: np.flatnonzero(self.kinds == kind) for kind in KINDS}

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
        """Positions of the samples in canonical order, see `xnbflow.data.canonical_order`.

        The samples of a data set without values keep their order.
        """
        if self.values is None:
            return np.arange(self.n_samples)
        return canonical_order(self.values, self.labels, self.groups)

    def take(self, samples: np.ndarray) -> "DataSet":
        """Return the data set of some samples; ``samples`` is a mask, or positions."""
        positions = np.arange(self.n_samples)[samples]
        selected: dict[str, Any] = {}
        for name, declared in stored_fields(self).items():
            content = getattr(self, name)
            if content is None:
                continue
            if declared.form == "numbers":
                selected[name] = content.take(positions, axis=1)
            elif declared.axis == "sample" and declared.form == "table":
                selected[name] = content.iloc[positions]
            elif declared.axis == "sample":
                selected[name] = content[positions]
        return replace(self, **selected)

    def frame(self, samples: np.ndarray | slice = slice(None)) -> pd.DataFrame:
        """Return the values as a DataFrame of samples by features, feature-major in memory.

        ``samples`` are the positions of the samples; all by default. The frame of all samples is a
        view of the values.
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
        """The names of the features as objects, which scikit-learn need not convert in each fit."""
        return pd.Index(self.features, dtype=object)

    def write(self, path: str | Path) -> None:
        """Write the data set to a Parquet file, its series, atomically."""
        write_series(self, path, stored_fields(self) | _STORED_ORDER)

    @classmethod
    def read(cls, path: str | Path, *, values: bool = True) -> "DataSet":
        """Read a data set from its series; without ``values`` only its names and labels.

        Raises
        ------
        InputError
            If the file is not a series of this version.
        """
        content = read_fields(path, stored_fields(cls) | _STORED_ORDER, values=values)
        order = content.pop("order", None)
        data_set = cls(**content)
        if order is not None:
            vars(data_set)["order"] = order  # the value of the cached property
        n_samples = len(data_set.samples)
        _LOG.info("%s: %s samples, %s features", data_set.name, n_samples, len(data_set.features))
        return data_set


def _convert_metadata(name: str, field_name: str, table: Any, n_rows: int) -> pd.DataFrame:
    """Return metadata of samples or features as text, with rows numbered from 0.

    Missing cells are empty. Another number of rows, repeated columns, and columns of features that
    the file of the series has itself are refused.
    """
    table = pd.DataFrame(table)
    columns = list(map(str, table.columns))
    reserved = _RESERVED_COLUMNS if field_name == "feature_metadata" else []
    all_columns = [*columns, *reserved]
    if len(set(all_columns)) < len(all_columns) or len(table) != n_rows:
        allowed = f" nor are called {listed(reserved)}" if reserved else ""
        msg = (
            f"{name}: {field_name} has {counted(len(table), 'row')} and the columns "
            f"{', '.join(columns)}; give it {n_rows} rows and columns that do not repeat{allowed}"
        )
        raise InputError(msg)
    cells = table.to_numpy(dtype=object)
    is_missing = pd.isna(cells)
    texts = np.array([str(cell) for cell in cells.ravel()], dtype=object).reshape(cells.shape)
    texts[is_missing] = ""
    return pd.DataFrame(texts, index=range(n_rows), columns=columns, dtype=object)


def row_slices(shape: tuple[int, int]) -> Iterator[slice]:
    """Yield the rows of a matrix about a million values at a time, so that masks stay small."""
    step = max(1, _CHECKED_AT_ONCE // max(1, shape[1]))
    for start in range(0, shape[0], step):
        yield slice(start, start + step)


def refuse_control_characters(name: str, what: str, texts: Iterable[str]) -> None:
    """Refuse control characters, which a terminal may obey and which cut names short."""
    if _CONTROL_CHARACTER.search("".join(texts)):
        text = next(text for text in texts if _CONTROL_CHARACTER.search(text))
        msg = f"{name}: the {what} {quoted(str(text))} has control characters; remove them"
        raise InputError(msg)


def _repeated(name: str, what: str, names: np.ndarray) -> InputError:
    """Return the refusal of names that repeat, of features or of samples."""
    values, counts = np.unique(names, return_counts=True)
    repeated = values[counts > 1]
    times = int(counts[counts > 1][0])
    msg = (
        f"{name}: {what} name {quoted(str(repeated[0]))} occurs {times} times "
        f"({counted(len(repeated), 'name', 'repeats', 'repeat')}); make {what} names unique"
    )
    return InputError(msg)
