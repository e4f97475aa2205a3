"""The data set: features by samples with class labels, which flows through the whole workflow."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from xnbflow.core.refusals import Refusal
from xnbflow.data.canonical_order import canonical_order
from xnbflow.data.series_file import Stored, read_fields, stored, stored_fields, write_series

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "KINDS",
    "DataSet",
]

#: The scale of counts of reads.
COUNTS = "counts"
#: What a feature may be: a real number, an angle in radians, or the code (0, 1, ...) of a category.
KINDS = ("linear", "angular", "categorical")

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

_WRONG_LENGTH = Refusal(
    code="dataset.wrong-length",
    sentence="{name}: one {what} per sample is needed, {n} {n:is|are} given",
)

_NO_LABEL = Refusal(
    code="dataset.no-label",
    sentence=(
        "{name}: sample {sample!r} has no class label ({n:#sample|has|have} none); label it, or "
        "leave it out"
    ),
)

_NO_GROUP = Refusal(
    code="dataset.no-group",
    sentence=(
        "{name}: sample {sample!r} has no group ({n:#sample|has|have} none); name its patient or "
        "batch, or leave it out"
    ),
)

_WRONG_SHAPE = Refusal(
    code="dataset.wrong-shape",
    sentence=(
        "{name}: values have shape {shape}, the names need {expected}, and there are {n_kinds} "
        "kinds of features"
    ),
)

_UNKNOWN_KIND = Refusal(
    code="dataset.unknown-kind",
    sentence="{name}: unknown feature kind {kind!r}; use one of {kinds:list}",
)

_NOT_FINITE = Refusal(
    code="dataset.not-finite",
    sentence=(
        "{name}: feature {feature!r} of sample {sample!r} is {value}; remove or impute missing and "
        "infinite values first"
    ),
)

_WRONG_SAMPLE_METADATA = Refusal(
    code="dataset.wrong-sample-metadata",
    sentence=(
        "{name}: sample_metadata has {n:#row} and the columns {columns}; give it {length} rows and "
        "columns that do not repeat"
    ),
)

_WRONG_FEATURE_METADATA = Refusal(
    code="dataset.wrong-feature-metadata",
    sentence=(
        "{name}: feature_metadata has {n:#row} and the columns {columns}; give it {length} rows "
        "and columns that do not repeat nor are called {reserved:list}"
    ),
)

_CONTROL_CHARACTERS = Refusal(
    code="dataset.control-characters",
    sentence="{name}: the {what} {text!r} has control characters; remove them",
)

_REPEATED_NAME = Refusal(
    code="dataset.repeated-name",
    sentence=(
        "{name}: {what} name {repeated!r} occurs {times} times ({n:#name|repeats|repeat}); make "
        "{what} names unique"
    ),
)


@dataclass(frozen=True)
class DataSet:
    """Features by samples, with class labels.

    Attributes
    ----------
    name : str
        The data set's id.
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
    scale : {"", "log2", "ln", "counts"}
        The scale of the linear features: logarithms of intensities or counts; "counts" of reads,
        which are normalised in the folds (`xnbflow.preprocessing.counts`); empty if unknown.

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

    # A field is declared here alone: conversions, the file and `take` follow from its metadata.
    name: str = field(metadata=stored("text"))
    values: np.ndarray = field(metadata=stored("numbers", "feature", "values"))
    features: np.ndarray = field(metadata=stored("texts", "feature", "feature"))
    samples: np.ndarray = field(metadata=stored("texts", "sample"))
    labels: np.ndarray = field(metadata=stored("texts", "sample"))
    _: KW_ONLY
    kinds: np.ndarray = field(
        default=None,  # type: ignore[arg-type]
        metadata=stored("texts", "feature", "kind"),
    )
    groups: np.ndarray | None = field(default=None, metadata=stored("texts", "sample"))
    sample_metadata: pd.DataFrame | None = field(default=None, metadata=stored("table", "sample"))
    feature_metadata: pd.DataFrame | None = field(default=None, metadata=stored("table", "feature"))
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
        if self.kinds is None:
            object.__setattr__(self, "kinds", np.full(len(self.features), "linear"))
        self._refuse_missing("class label", self.labels, _NO_LABEL)
        if self.groups is not None:
            self._refuse_missing("group", self.groups, _NO_GROUP)
        converted = {
            name: self._as_declared(name, form) for name, form in stored_fields(self).items()
        }
        for attribute, value in converted.items():
            object.__setattr__(self, attribute, value)  # the dataclass is frozen
        self._check_names()
        if self.values is not None:
            self._check_values()

    def _as_declared(self, name: str, declared: Stored) -> Any:
        """Return a field in its form, for example a list of names as an array; None stays None."""
        content = getattr(self, name)
        if content is None:
            return None
        match declared.form:
            case "numbers":
                return np.ascontiguousarray(content, dtype=np.float64)
            case "texts":
                return np.asarray(content, dtype=str)
            case "table":
                length = len(self.samples if declared.axis == "sample" else self.features)
                return _as_metadata(self.name, name, content, length)
            case "sentences":
                return tuple(content)
        return content

    @property
    def columns_by_kind(self) -> dict[str, np.ndarray]:
        """The positions of the features of each kind, for every one of `KINDS`."""
        return {kind: np.flatnonzero(self.kinds == kind) for kind in KINDS}

    def _refuse_missing(self, what: str, column: Any, refusal: Refusal) -> None:
        """Raise an `InputError` unless a column has one value per sample."""
        cells = np.asarray(column, dtype=object)
        if len(cells) != len(self.samples):
            raise _WRONG_LENGTH.error(name=self.name, what=what, n=len(cells))
        missing = pd.isna(cells)
        if what == "group":
            missing[~missing] = cells[~missing] == ""
        if missing.any():
            sample = str(list(self.samples)[int(np.argmax(missing))])
            raise refusal.error(name=self.name, sample=sample, n=int(missing.sum()))

    def _check_names(self) -> None:
        """Check shapes, and that names are unique and can be printed."""
        expected = (len(self.features), len(self.samples))
        shape = expected if self.values is None else self.values.shape
        if shape != expected or len(self.kinds) != len(self.features):
            raise _WRONG_SHAPE.error(
                name=self.name, shape=shape, expected=expected, n_kinds=len(self.kinds)
            )
        _refuse_duplicates(self.name, "feature", self.features)
        refuse_control_characters(self.name, "feature name", self.features)
        _refuse_duplicates(self.name, "sample", self.samples)
        refuse_control_characters(self.name, "sample name", self.samples)
        refuse_control_characters(self.name, "label", self.labels)
        if self.groups is not None:
            refuse_control_characters(self.name, "group", self.groups)
        if unknown := sorted(set(self.kinds) - set(KINDS)):
            raise _UNKNOWN_KIND.error(name=self.name, kind=str(unknown[0]), kinds=KINDS)

    def _check_values(self) -> None:
        """Check that values are finite, or missing if the data set may have missing values."""
        for rows in row_slices(self.values.shape):
            values = self.values[rows]
            invalid = np.isinf(values) if self.missing else ~np.isfinite(values)
            if invalid.any():
                row, column = np.argwhere(invalid)[0]
                raise _NOT_FINITE.error(
                    name=self.name,
                    feature=str(self.features[rows][row]),
                    sample=str(self.samples[column]),
                    value=values[row, column],
                )

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

        The samples of a data set without values keep their places.
        """
        if self.values is None:
            return np.arange(self.n_samples)
        return canonical_order(self.values, self.labels, self.groups)

    def take(self, samples: np.ndarray) -> "DataSet":
        """Return the series of some samples; ``samples`` is a mask, or positions."""
        positions = np.arange(self.n_samples)[samples]
        taken: dict[str, Any] = {}
        for name, declared in stored_fields(self).items():
            content = getattr(self, name)
            if content is None:
                continue
            if declared.form == "numbers":
                taken[name] = content.take(positions, axis=1)
            elif declared.axis == "sample":
                rows = content.iloc if declared.form == "table" else content
                taken[name] = rows[positions]
        return replace(self, **taken)

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
        write_series(self, path, stored_fields(self) | _DERIVED)

    @classmethod
    def read(cls, path: str | Path, *, values: bool = True) -> "DataSet":
        """Read a series that `write` has written; without ``values`` its names and labels alone.

        Raises
        ------
        InputError
            If the file is not a series of this version.
        """
        content = read_fields(path, stored_fields(cls) | _DERIVED, values=values)
        order = content.pop("order", None)
        series = cls(**content)
        if order is not None:  # computed once, when the file was written
            vars(series)["order"] = order
        return series


#: What a file has beside the fields: values of which a data set without them has none.
_DERIVED = {"order": Stored("positions", "sample")}


def _as_metadata(name: str, key: str, table: pd.DataFrame, length: int) -> pd.DataFrame:
    """Return metadata as text, with rows numbered from 0."""
    table = pd.DataFrame(table)
    columns = [str(column) for column in table.columns]
    reserved = ["feature", "kind", "values"] if key == "feature_metadata" else []
    if len({*columns, *reserved}) < len(columns) + len(reserved) or len(table) != length:
        n = len(table)
        listed = ", ".join(columns)
        if reserved:
            raise _WRONG_FEATURE_METADATA.error(
                name=name, n=n, columns=listed, length=length, reserved=reserved
            )
        raise _WRONG_SAMPLE_METADATA.error(name=name, n=n, columns=listed, length=length)
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
        raise _CONTROL_CHARACTERS.error(name=name, what=what, text=str(text), key=what)


def _refuse_duplicates(name: str, what: str, names: np.ndarray) -> None:
    if len(set(names)) == len(names):
        return
    values, counts = np.unique(names, return_counts=True)
    repeated = values[counts > 1]
    raise _REPEATED_NAME.error(
        name=name,
        what=what,
        repeated=str(repeated[0]),
        times=int(counts[counts > 1][0]),
        n=len(repeated),
    )
