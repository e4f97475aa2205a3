"""A table as its file contains it, whatever the format: names, cells, and the place of each.

Cells are kept as the text of the file until the roles of rows and columns are known
(`xnbflow.sources.roles`): only then is it decided which of them are numbers. Many rows are
converted at once; if a cell is not a number, cells are converted one by one, so that the error
names the cell.

A *variable* is what is measured or known of every sample: a column of a table with samples in rows,
a row of one with samples in columns. `TextTable.with_samples_in_rows` and `with_samples_in_columns`
choose one of them, and the methods on variables are the same for both.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted
from xnbflow.sources.formats.cell_texts import (
    DECIMAL_COMMA,
    fault_of_number,
    is_missing,
    numbers_of,
    text_of_cell,
)

#: Number of cells that are converted at once.
_CELLS_AT_ONCE = 200_000


@dataclass(kw_only=True)
class TextTable:
    """A table as its file contains it.

    Attributes
    ----------
    path : path
        The file, for messages.
    header : list of str
        The names of the columns.
    rows : list of str or of list
        The rows below the header: lines, which are divided when their cells are needed and take
        much less memory than these, and lists of cells. These are texts, some of which contain the
        separator, or in a workbook also numbers.
    separator : str
        What divides the lines.
    lines : sequence of int or of str
        The number of each row in the file, or its name.
    unit : str
        The word for a row in messages.
    decimal : {".", ","}
        The decimal sign of its numbers.
    advice : str, optional
        The remedy for a cell that is not a finite number; by default it depends on the cell.
    notes : list of str
        Notes about how the file was read.
    sheets : list of str
        The names of all sheets of a workbook, if the first was read because none was named.
    has_number_cells : bool
        Whether cells are numbers or texts by their type, as in a workbook. Numbers have the sign
        ``decimal`` where variables are read as numbers, as the texts among them have; where they
        are read as text, decimal commas are points.
    encoding : str
        The encoding of lines that are not UTF-8; empty if there are none.
    is_header_short : bool
        Whether the header in the file has one name less than the rows have cells, as R writes it.
    column_unit : str
        The word for a column in messages; columns have numbers only where it is ``column``.
    described : sequence of int
        The variables (columns of samples in rows, rows of samples in columns) that the format
        declares to be texts of the samples.
    annotation : dict of str to list of str
        Texts of the variables, by the name of each kind of text.
    samples_are_rows : bool
        Whether samples are the rows of the table, and not its columns.
    names, samples : list of str
        The names of the variables and of the samples; empty until it is known which are rows.
    key : int, optional
        The variable that is the name of the samples.

    Examples
    --------
    >>> table = TextTable(
    ...     path=Path("x.csv"),
    ...     header=["id", "type", "g1", "g2"],
    ...     rows=["s1,t,1.5,NA", "s2,n,3,4"],
    ...     lines=[2, 3],
    ...     separator=",",
    ...     unit="line",
    ... )
    >>> table.columns([1]), table.values([2, 3]).tolist()
    ([['t', 'n']], [[1.5, 3.0], [nan, 4.0]])
    >>> table.place(2, row=1)
    "column 3 ('g1'), line 3"
    """

    path: str | Path
    header: list[str]
    rows: list[str | list[Any]] = field(default_factory=list)
    lines: Sequence[int] | Sequence[str]
    separator: str = "\t"
    unit: str = "row"
    decimal: str = "."
    advice: str | None = None
    notes: list[str] = field(default_factory=list)
    sheets: list[str] = field(default_factory=list)
    has_number_cells: bool = False
    encoding: str = ""
    is_header_short: bool = False
    column_unit: str = "column"
    described: Sequence[int] = ()
    annotation: Mapping[str, list[str]] = field(default_factory=dict)
    samples_are_rows: bool = True
    names: list[str] = field(default_factory=list)
    samples: list[str] = field(default_factory=list)
    key: int | None = None
    _columns_of_samples: Sequence[int] = ()

    def __len__(self) -> int:
        """Return the number of rows below the header."""
        return len(self.lines)

    def with_samples_in_rows(self, key: int | None) -> "TextTable":
        """Return the table whose samples are rows, named by the column ``key`` or by numbers."""
        samples = list(map(str, range(len(self.lines)))) if key is None else self.columns([key])[0]
        return replace(self, names=self.header, samples=samples, key=key)

    def with_samples_in_columns(
        self, key: int, annotation: Sequence[int], samples: Sequence[int]
    ) -> "TextTable":
        """Return the table whose samples are some columns.

        The column ``key`` has the names of the rows, and the columns ``annotation`` describe them.
        """
        names, *descriptions = self.columns([key, *annotation])
        headings = [self.header[position] for position in annotation]
        return replace(
            self,
            samples_are_rows=False,
            names=names,
            samples=[self.header[position] for position in samples],
            key=None,
            annotation=dict(zip(headings, descriptions, strict=True)),
            _columns_of_samples=samples,
        )

    def texts(self, variables: Sequence[int]) -> list[list[str]]:
        """Return a text for each sample, of some variables."""
        if self.samples_are_rows:
            return self.columns(variables)
        texts = []
        for variable in variables:
            cells = self.cells(variable)
            texts.append([cells[column] for column in self._columns_of_samples])
        return texts

    def first_samples(self, n_samples: int) -> list[list[str]]:
        """Return the texts of every variable, for each of the first samples."""
        if self.samples_are_rows:
            return self.first_rows(n_samples)
        return self.columns(self._columns_of_samples[:n_samples])

    def place_of_variable(self, variable: int) -> str:
        """Return where a variable is in the file: the number and the name of a column or row."""
        if self.samples_are_rows:
            return self.place(variable)
        return f"{self.place_of_row(variable)} ({quoted(self.names[variable])})"

    def place_of_sample(self, sample: int) -> str:
        """Return where a sample is in the file."""
        if self.samples_are_rows:
            return self.place_of_row(sample)
        return self.place(self._columns_of_samples[sample])

    def cells(self, row: int) -> list[str]:
        """Return the cells of a row as text, without spaces around them."""
        line = self.rows[row]
        cells = line.split(self.separator) if isinstance(line, str) else line
        if not self.has_number_cells:
            return [cell.strip() for cell in cells]
        texts = [text_of_cell(cell, self.decimal) for cell in cells]
        return _with_points(texts) if self.decimal == "," else texts

    def first_rows(self, n_rows: int) -> list[list[str]]:
        """Return the cells of the first rows as text; fewer where the table has fewer."""
        return [self.cells(row) for row in range(min(n_rows, len(self.lines)))]

    def columns(self, positions: Sequence[int]) -> list[list[str]]:
        """Return the cells of some columns as text. A line is divided up to the last of them."""
        columns: list[list[str]] = [[] for _ in positions]
        n_divided = max(positions, default=0) + 1
        for row in self.rows:
            cells = row.split(self.separator, n_divided) if isinstance(row, str) else row
            for column, position in zip(columns, positions, strict=True):
                cell = cells[position]
                text = text_of_cell(cell, self.decimal) if self.has_number_cells else cell.strip()
                column.append(text)
        has_commas = self.has_number_cells and self.decimal == ","
        return list(map(_with_points, columns)) if has_commas else columns

    def values(self, variables: Sequence[int], *, release: bool = False) -> np.ndarray:
        """Return variables as numbers, (n_variables, n_samples); NaN where a value is missing.

        With ``release``, rows are removed from memory as they are converted.

        Raises
        ------
        InputError
            If a cell is not a finite number; it names the cell.
        """
        # The rows and columns of the file that have the values.
        if self.samples_are_rows:
            rows: Sequence[int] = range(len(self.lines))
            columns = variables
            numbers = np.empty((len(columns), len(rows)))
        else:
            rows = variables
            columns = self._columns_of_samples
            numbers = np.empty((len(rows), len(columns)))

        # Where the columns are all from this one on, only the separators of a line are replaced,
        # which is several times as fast as dividing it.
        width = len(self.header)
        are_last = len(columns) > 0 and list(columns) == list(range(columns[0], width))
        first_column = columns[0] if are_last else None

        # The cells of many rows are converted at once, as a column of numbers.
        step = max(1, _CELLS_AT_ONCE // max(1, width))
        for start in range(0, len(rows), step):
            batch = rows[start : start + step]
            texts = []
            for row in batch:
                line = self.rows[row]
                if isinstance(line, str) and first_column is not None:
                    last_cells = line.split(self.separator, first_column)[first_column]
                    texts.append(last_cells.replace(self.separator, "\n"))
                else:
                    cells = self._divided(line)
                    texts.append("\n".join([cells[column].strip() for column in columns]))
            block = numbers_of("\n".join(texts), len(batch) * len(columns), self.decimal)
            if block is None:
                block = self._numbers_one_by_one(batch, columns)
            block = block.reshape(len(batch), len(columns))
            if self.samples_are_rows:
                numbers[:, start : start + step] = block.T
            else:
                numbers[start : start + step] = block
            if release:
                for row in batch:
                    self.rows[row] = ""
        return numbers

    def _divided(self, row: str | list[Any]) -> list[str]:
        """Return the cells of a row as text."""
        if isinstance(row, str):
            return row.split(self.separator)
        if self.has_number_cells:
            return [text_of_cell(cell, self.decimal) for cell in row]
        return row

    def place(self, column: int, row: int | None = None) -> str:
        """Return where a column is, or a cell of it: ``column 3 ('TP53'), line 7``."""
        place = f"{self.column_unit} {quoted(self.header[column])}"
        if self.column_unit == "column":
            place = f"column {column + 1} ({quoted(self.header[column])})"
        return place if row is None else f"{place}, {self.place_of_row(row)}"

    def place_of_row(self, row: int) -> str:
        """Return where a row is: ``line 7``."""
        return f"{self.unit} {self.lines[row]}"

    def _numbers_one_by_one(self, rows: Sequence[int], columns: Sequence[int]) -> np.ndarray:
        """Return the numbers of some rows, converted cell by cell.

        The cells are those that cannot be converted at once; an `InputError` names the first one
        that is not a number.
        """
        numbers = []
        for row in rows:
            cells = self._divided(self.rows[row])
            numbers += [self.number(cells[column], column, row) for column in columns]
        return np.array(numbers)

    def number(self, cell: str, column: int, row: int) -> float:
        """Return the number in a cell; an `InputError` names the cell if it has none."""
        text = cell.strip()
        if is_missing(text):
            return math.nan
        fault = fault_of_number(text, self.decimal)
        if fault is None:
            return float(text.replace(",", ".", 1) if self.decimal == "," else text)
        remedy = fault.remedy
        key: str | None = fault.key
        if self.advice:
            remedy = self.advice
            key = None
        elif not self.header[column].strip():
            remedy = (
                "its column has no name in the header: delete the cell if it is a remark beside "
                "the table, or else name the column"
            )
            key = None
        msg = f"{self.path}, {self.place(column, row)}: {fault.clause}; {remedy}"
        raise InputError(msg, file=str(self.path), key=key, remedy=remedy)


def _with_points(texts: list[str]) -> list[str]:
    """Return texts in which the decimal commas of numbers are points."""
    return [text.replace(",", ".") if DECIMAL_COMMA.fullmatch(text) else text for text in texts]


def other_width(path: str | Path, place: str, n_cells: int, width: int) -> InputError:
    """Return the refusal of a row whose number of cells is not that of the header, ``width``."""
    msg = (
        f"{path}, {place}: {counted(n_cells, 'cell')}, but the header has {width}; correct it, "
        "or get the file again if it ends there"
    )
    return InputError(msg, file=str(path))
