"""A table seen by its samples, whether these are its rows or its columns.

A *variable* is what is measured or known of every sample: a column of a table with samples in rows,
a row of one with samples in columns. Both orientations have the same methods, so that most code
does not distinguish them.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence

import numpy as np

from xnbflow.core.errors import quoted
from xnbflow.sources.formats.raw_table import RawTable


class SampleTable(ABC):
    """A table of variables by samples.

    Attributes
    ----------
    raw : RawTable
        The table as its file contains it.
    names : list of str
        The names of the variables.
    key : int or None
        The variable that is the name of the samples.
    samples : list of str
        The names of the samples.
    annotation : dict of str to list of str
        What describes the variables, a text for each, by the name of its column.
    described : collection of int
        The variables that the format declares to be texts of the samples.
    """

    raw: RawTable
    names: list[str]
    key: int | None = None
    samples: list[str]
    annotation: dict[str, list[str]]
    described: Collection[int] = ()

    @abstractmethod
    def texts(self, variables: Sequence[int]) -> list[list[str]]:
        """Return a text for each sample, of some variables."""

    @abstractmethod
    def heads(self, n_samples: int) -> list[list[str]]:
        """Return the texts of the first samples, of every variable."""

    @abstractmethod
    def numbers(self, variables: Sequence[int], *, release: bool = False) -> np.ndarray:
        """Return the numbers of some variables, (n_variables, n_samples); NaN where missing.

        With ``release`` the texts are removed from memory as they are converted.
        """

    @abstractmethod
    def place_of_variable(self, variable: int) -> str:
        """Return where a variable is in the file."""

    @abstractmethod
    def place_of_sample(self, sample: int) -> str:
        """Return where a sample is in the file."""


class SamplesInRows(SampleTable):
    """A table with a row per sample; ``key`` is the column of their names, which may be None."""

    def __init__(self, raw: RawTable, key: int | None) -> None:
        self.raw = raw
        self.names = raw.header
        self.key = key
        self.annotation = raw.annotation
        self.described = raw.described
        if key is None:
            self.samples = [str(number) for number in range(len(raw))]
        else:
            (self.samples,) = raw.columns([key])

    def texts(self, variables: Sequence[int]) -> list[list[str]]:
        """Return columns as text."""
        return self.raw.columns(variables)

    def heads(self, n_samples: int) -> list[list[str]]:
        """Return the first cells of every column."""
        rows = self.raw.first_rows(n_samples)
        return [[cells[column] for cells in rows] for column in range(len(self.names))]

    def numbers(self, variables: Sequence[int], *, release: bool = False) -> np.ndarray:
        """Return columns as numbers."""
        return self.raw.numbers(variables, by_column=True, release=release)

    def place_of_variable(self, variable: int) -> str:
        """Return the number and the name of a column."""
        return self.raw.place(variable)

    def place_of_sample(self, sample: int) -> str:
        """Return the number of a row."""
        return self.raw.place_of_row(sample)


class SamplesInColumns(SampleTable):
    """A table with a column per sample.

    The column ``key_column`` has the names of the rows, the columns ``annotation`` describe the
    rows, and the columns ``samples`` are the samples.
    """

    def __init__(
        self, raw: RawTable, key_column: int, annotation: Sequence[int], samples: Sequence[int]
    ) -> None:
        self.raw = raw
        columns = raw.columns([key_column, *annotation])
        self.names = columns[0]
        self.annotation = {}
        for position, cells in zip(annotation, columns[1:], strict=True):
            self.annotation[raw.header[position]] = cells
        self.samples = [raw.header[position] for position in samples]
        self.described = raw.described
        self._columns = list(samples)

    def texts(self, variables: Sequence[int]) -> list[list[str]]:
        """Return rows as text."""
        rows = []
        for variable in variables:
            cells = self.raw.cells(variable)
            rows.append([cells[column] for column in self._columns])
        return rows

    def heads(self, n_samples: int) -> list[list[str]]:
        """Return the first cells of every row."""
        columns = self.raw.columns(self._columns[:n_samples])
        return [[cells[row] for cells in columns] for row in range(len(self.names))]

    def numbers(self, variables: Sequence[int], *, release: bool = False) -> np.ndarray:
        """Return rows as numbers."""
        return self.raw.numbers(self._columns, variables, release=release)

    def place_of_variable(self, variable: int) -> str:
        """Return the number and the name of a row."""
        return f"{self.raw.place_of_row(variable)} ({quoted(self.names[variable])})"

    def place_of_sample(self, sample: int) -> str:
        """Return the number and the name of a column."""
        return self.raw.place(self._columns[sample])
