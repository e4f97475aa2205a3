"""What each row and column of a table is, by the row of the sheet.

`turn` makes samples the rows or columns of a table, `Choices` are the names that the row of the
sheet has for its variables, and `assign_roles` gives each variable one `Role`. The reader uses them
with the options of the sheet. A proposal uses them as well: it is a set of options, so that it
describes what the reader does with them.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from pathlib import Path

import pandas as pd

from xnbflow.core.errors import did_you_mean
from xnbflow.core.refusals import Refusal
from xnbflow.sources.formats.cell_texts import complaint, is_missing
from xnbflow.sources.formats.raw_table import RawTable
from xnbflow.sources.orientation import SamplesInColumns, SamplesInRows, SampleTable
from xnbflow.sources.series.sequencing import BARCODE_PATIENT
from xnbflow.sources.sheet import SheetRow

#: The label of a table whose classes are parts of its samples' names.
SAMPLE_NAMES = "sample names"

#: Labels and groups that are made of the names of samples: no column has them.
_MADE_OF_NAMES = {("label", SAMPLE_NAMES), ("group", BARCODE_PATIENT)}

#: Periods of the units of angles.
_PERIODS = {"degrees": 360.0, "radians": 2 * math.pi}
#: Most columns that no option names and that are kept: as texts of samples, or to describe rows.
_MOST_UNNAMED_TEXTS = 50


class Role(Enum):
    """What a variable of a table is: a column of samples in rows, a row of samples in columns."""

    NAME = "the names of the samples"
    TEXT = "a text of each sample: label, group, batch, or another column of the phenotype"
    NUMBER = "a feature: a number"
    ANGLE = "a feature: an angle"
    CATEGORY = "a feature: a category"
    LEFT_OUT = "neither a feature nor a description of samples"


#: The roles of features.
FEATURES = frozenset({Role.NUMBER, Role.ANGLE, Role.CATEGORY})


_UNMATCHED_PATTERN = Refusal(
    code="roles.unmatched-pattern",
    sentence=(
        "{path}: the sheet's option {option} has {pattern!r}, but no name matches; there are "
        "{names:list} ({n_names} in all). Correct the option"
    ),
    sheet=True,
)


@dataclass(frozen=True, kw_only=True)
class Choices:
    """The names and patterns of names to which the row of the sheet gives a role.

    Attributes
    ----------
    key_of_text : dict of str to str
        The key of the sheet (``label``, ``group``, ...) by the name of the text of samples.
    drop, features, categorical : list of str
        Names and patterns of the options.
    angular : dict of str to float
        The period of each angle.
    """

    key_of_text: dict[str, str]
    drop: list[str]
    features: list[str]
    categorical: list[str]
    angular: dict[str, float]

    @classmethod
    def of(cls, dataset: SheetRow) -> "Choices":
        """Return the choices of a row of the sheet.

        Examples
        --------
        >>> row = SheetRow("x", "table", label="type", options={"angular": "hour:24"})
        >>> Choices.of(row).key_of_text, Choices.of(row).angular
        ({'type': 'label'}, {'hour': 24.0})
        """
        names_and_keys = [(dataset.label, "label")]
        names_and_keys += [(dataset.options.get(key), key) for key in ("group", "batch")]
        phenotype_columns = dataset.names("phenotype_columns")
        names_and_keys += [(name, "phenotype_columns") for name in phenotype_columns]
        return cls(
            key_of_text={name: key for name, key in names_and_keys if name},
            drop=dataset.names("drop"),
            features=dataset.names("features"),
            categorical=dataset.names("categorical"),
            angular=_angles(dataset) if "angular" in dataset.options else {},
        )

    def role_of(self, name: str) -> Role:
        """Return the role of a variable that the row does not name as a text of the samples."""
        if self.drop and matches(name, self.drop):
            return Role.LEFT_OUT
        if self.categorical and matches(name, self.categorical):
            return Role.CATEGORY
        if self.angular and matches(name, self.angular):
            return Role.ANGLE
        is_feature = not self.features or matches(name, self.features)
        return Role.NUMBER if is_feature else Role.TEXT

    def role_of_text(self, name: str) -> Role:
        """Return the role of a variable that the format declares to be a text of the samples."""
        role = self.role_of(name) if name else Role.LEFT_OUT
        return Role.TEXT if role is Role.NUMBER else role

    def refuse_unmatched(self, path: Path, names: Sequence[str]) -> None:
        """Refuse patterns that match no name."""
        for option in ("drop", "features", "categorical", "angular"):
            for pattern in getattr(self, option):
                if not any(matches(name, [pattern]) for name in names):
                    raise _UNMATCHED_PATTERN.error(
                        path=path,
                        option=option,
                        pattern=pattern,
                        names=names,
                        n_names=len(names),
                        key=option,
                    )


_WRONG_ANGLE = Refusal(
    code="roles.wrong-angle",
    sentence=(
        "data set {dataset}: the sheet's option angular has {text!r}; write name:degrees, "
        "name:radians or name:<period>, as hour:24"
    ),
    key="angular",
    sheet=True,
)


def _angles(dataset: SheetRow) -> dict[str, float]:
    """Return the periods of the option ``angular`` by name."""
    angles: dict[str, float] = {}
    for text in dataset.names("angular"):
        name, _, unit = text.rpartition(":")
        try:
            angles[name] = _PERIODS.get(unit) or float(unit)
        except ValueError:
            name = ""
        if not name or not 0 < angles[name] < math.inf:
            raise _WRONG_ANGLE.error(dataset=dataset.id, text=text)
    return angles


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a name is one of the patterns of an option, or matches one."""
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)


def turn(raw: RawTable, dataset: SheetRow) -> SampleTable:
    """Return a table seen by its samples, by the orientation and id_column of the row.

    Samples in rows are named by ``id_column``, or by a first column without a name, as R and pandas
    write it. With samples in columns, ``id_column`` (by default the first column) has the names of
    the rows, and columns that the option ``drop`` names describe the rows.
    """
    header = raw.header
    path = Path(raw.path)
    if dataset.orientation == "rows":
        key = 0 if header[0] == "" else None
        if dataset.id_column:
            key = position_of(path, header, dataset.id_column, "id_column")
        return SamplesInRows(raw, key)
    key = 0
    if dataset.id_column:
        key = position_of(path, header, dataset.id_column, "id_column")
    drop = dataset.names("drop")
    annotation: list[int] = []
    samples: list[int] = []
    for position, name in enumerate(header):
        if position == key:
            continue
        if matches(name, drop):
            annotation.append(position)
        else:
            samples.append(position)
    # More dropped columns than this are left out, not kept as descriptions of the rows.
    if len(annotation) > _MOST_UNNAMED_TEXTS:
        annotation = []
    return SamplesInColumns(raw, key, annotation, samples)


def assign_roles(
    table: SampleTable, dataset: SheetRow, phenotype: pd.DataFrame | None = None
) -> list[Role]:
    """Return the role of each variable of a table, by the row of the sheet.

    A variable that the label or an option names is a text of the samples. Of the others, names that
    the option ``drop`` matches are left out, and features are the variables that the options
    ``categorical``, ``angular`` and ``features`` match, or all without the option ``features``. Up
    to 50 variables that remain are texts of the samples as well, unless they have one name. A
    variable that the format describes as a text, such as a column of ``obs`` in AnnData, is a
    feature only if ``categorical`` or ``angular`` names it.

    Parameters
    ----------
    table : SampleTable
        The table.
    dataset : SheetRow
        The row of the sheet.
    phenotype : DataFrame, optional
        The columns of a phenotype file. A variable that it has as well, but with other numbers, is
        a feature: the label ``ESR1``, positive or negative, may be in the phenotype beside the gene
        ``ESR1`` in the table.

    Raises
    ------
    InputError
        If the table (and the phenotype) lack a name, or have it several times.
    """
    # Patterns of the sheet that match no variable, no column of the phenotype and no sample.
    choices = Choices.of(dataset)
    path = Path(table.raw.path)
    has_patterns = bool(choices.drop or choices.features or choices.categorical or choices.angular)
    if has_patterns:
        phenotype_names = [] if phenotype is None else list(map(str, phenotype))
        columns = table.raw.header if isinstance(table, SamplesInColumns) else []
        choices.refuse_unmatched(path, [*table.names, *phenotype_names, *columns])

    # The role of each variable.
    sheet_texts = _texts_of_sheet(table, dataset, choices, phenotype)
    format_texts = set(table.described)
    format_text_names = {table.names[position] for position in format_texts}
    roles = []
    unnamed_texts = []
    for position, name in enumerate(table.names):
        if position == table.key:
            role = Role.NAME
        elif position in format_texts:
            role = Role.TEXT if name in sheet_texts else choices.role_of_text(name)
        elif (
            name in sheet_texts
            and name not in format_text_names
            and not _are_other_numbers(table, position, phenotype)
        ):
            role = Role.TEXT
        else:  # most rows have no patterns, and most tables thousands of names
            role = choices.role_of(name) if has_patterns else Role.NUMBER
            if role is Role.TEXT and name in sheet_texts:
                role = Role.LEFT_OUT
            elif role is Role.TEXT:
                unnamed_texts.append(position)
        if role is Role.CATEGORY:
            position_of(path, table.names, name, "categorical")
        roles.append(role)

    # Texts that no option names are left out where they are many, or have one name.
    names = pd.Series([table.names[position] for position in unnamed_texts])
    is_repeated = names.duplicated(keep=False)
    for position, repeated in zip(unnamed_texts, is_repeated, strict=True):
        if repeated or len(unnamed_texts) > _MOST_UNNAMED_TEXTS:
            roles[position] = Role.LEFT_OUT
    return roles


def kept_columns(phenotype: pd.DataFrame, dataset: SheetRow) -> pd.DataFrame:
    """Return a phenotype without the columns that the option ``drop`` matches.

    A column that the label or another option names is kept.
    """
    choices = Choices.of(dataset)
    columns = [
        name
        for name in phenotype
        if name in choices.key_of_text or not matches(str(name), choices.drop)
    ]
    return phenotype[columns]


def _texts_of_sheet(
    table: SampleTable, dataset: SheetRow, choices: Choices, phenotype: pd.DataFrame | None
) -> set[str]:
    """Return the variables of the table that the label and options name as texts of the samples.

    A name may be in the phenotype alone, and must be unique in a table without it.
    """
    path = Path(table.raw.path)
    table_names = set(table.names)
    format_text_names = [table.names[position] for position in table.described]
    sheet_texts = set()
    for name, key in choices.key_of_text.items():
        in_phenotype = phenotype is not None and name in phenotype
        if name not in table_names:
            is_made_of_names = (key, name) in _MADE_OF_NAMES
            if in_phenotype or is_made_of_names:
                continue
            if phenotype is not None:
                _refuse_absent(dataset, name, key, phenotype)
        if not in_phenotype:
            # among the texts of the format first: a gene may have the name of a column of obs
            names = format_text_names if name in format_text_names else table.names
            position_of(path, names, name, key)
        sheet_texts.add(name)
    return sheet_texts


_REPEATED_NAME = Refusal(
    code="roles.repeated-name",
    sentence=(
        "{path}: {name!r}, which the sheet's {key} names, occurs {count} times; rename or "
        "remove all but one"
    ),
    sheet=True,
)

_ABSENT_NAME = Refusal(
    code="roles.absent-name",
    sentence=(
        "{path}: there is no {name!r}, which the sheet's {key} names{similar}; there are "
        "{names:list} ({n_names} in all). Correct {key}, or the orientation or separator, in the "
        "sheet"
    ),
    sheet=True,
)


def position_of(path: Path, names: Sequence[str], name: str, key: str) -> int:
    """Return the position of the only occurrence of a name, which is the value of the sheet's key.

    ``key`` is the column or option of the sheet, for messages.
    """
    count = list(names).count(name)
    if count == 1:
        return list(names).index(name)
    if count:
        raise _REPEATED_NAME.error(path=path, name=name, key=key, count=count)
    raise _ABSENT_NAME.error(
        path=path,
        name=name,
        key=key,
        similar=did_you_mean(name, names),
        names=names,
        n_names=len(names),
    )


_ABSENT_COLUMN = Refusal(
    code="roles.absent-column",
    sentence=(
        "data set {dataset}: neither the phenotype file nor the table has {name!r}, which the"
        " sheet's {key} names; the phenotype has {columns:list}{similar}"
    ),
    sheet=True,
)


def _refuse_absent(dataset: SheetRow, name: str, key: str, phenotype: pd.DataFrame) -> None:
    """Refuse a name of the sheet that neither the table nor the phenotype file has."""
    raise _ABSENT_COLUMN.error(
        dataset=dataset.id,
        name=name,
        key=key,
        columns=list(phenotype.columns),
        similar=did_you_mean(name, map(str, phenotype)),
    )


def _are_other_numbers(table: SampleTable, position: int, phenotype: pd.DataFrame | None) -> bool:
    """Return whether a variable has the name of a column of the phenotype, but other numbers.

    It is a feature then, as the gene ``ESR1`` beside the label of this name. If its cells are no
    numbers, or are numbers that all occur in the column, it repeats the phenotype.
    """
    name = table.names[position]
    if phenotype is None or name not in phenotype:
        return False
    (cells,) = table.texts([position])
    texts = [cell.replace(table.raw.decimal, ".", 1) for cell in cells if not is_missing(cell)]
    if any(complaint(text) for text in texts):
        return False
    phenotype_numbers = {float(cell) for cell in phenotype[name] if complaint(cell) is None}
    return not texts or not {float(text) for text in texts} <= phenotype_numbers
