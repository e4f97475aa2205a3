"""What each row and column of a table is, by the entry of the data set.

`turn` makes samples the rows or columns of a table, and `assign_roles` gives each variable one
`Role`. The reader uses them with the entry of the configuration. A proposal uses them as well: it
is an entry, so that it describes what the reader does with it.
"""

import math
from collections.abc import Sequence
from enum import Enum
from pathlib import Path

import pandas as pd

from xnbflow.core.errors import InputError, did_you_mean, quoted
from xnbflow.core.nouns import listed
from xnbflow.sources.annotation import names_of_gene_columns
from xnbflow.sources.dataset_entry import SAMPLE_NAMES, DatasetEntry, NamePattern, matches
from xnbflow.sources.formats.cell_texts import is_missing, is_number
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.series.sample_names import BARCODE_PATIENT, NAME_PATIENT

#: Labels and groups that are made of the names of samples: no column has them.
_MADE_OF_NAMES = {
    ("label", SAMPLE_NAMES),
    ("group", BARCODE_PATIENT),
    ("group", NAME_PATIENT),
}

#: Periods of the units of angles.
_PERIODS = {"degrees": 360.0, "radians": 2 * math.pi}
#: Most columns that no key names and that are kept: as texts of samples, or to describe rows.
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


def keys_of_texts(dataset: DatasetEntry) -> dict[str, str]:
    """Return the key of the entry (``label``, ``group``, ...) by the text of samples that it names.

    Examples
    --------
    >>> keys_of_texts(DatasetEntry("x", "table", label="type", phenotype_columns=("age",)))
    {'type': 'label', 'age': 'phenotype.columns'}
    """
    names_and_keys = [
        (dataset.label, "label"),
        (dataset.group, "group"),
        (dataset.batch, "batch"),
    ]
    names_and_keys += [(name, "phenotype.columns") for name in dataset.phenotype_columns]
    return {name: key for name, key in names_and_keys if name}


def period_of(unit: str | float) -> float:
    """Return the period of an angle by its unit in the key ``angular``.

    Examples
    --------
    >>> period_of("degrees"), period_of(24)
    (360.0, 24.0)
    """
    return float(_PERIODS.get(str(unit), unit))


def _role_of(name: str, dataset: DatasetEntry) -> Role:
    """Return the role of a variable that the entry does not name as a text of the samples."""
    if matches(name, dataset.drop):
        return Role.LEFT_OUT
    if matches(name, dataset.categorical):
        return Role.CATEGORY
    if name in dataset.angular:
        return Role.ANGLE
    is_feature = not dataset.features or matches(name, dataset.features)
    return Role.NUMBER if is_feature else Role.TEXT


def _refuse_unmatched(path: Path, names: Sequence[str], dataset: DatasetEntry) -> None:
    """Refuse names that no variable has, and patterns that match none."""
    for key in ("drop", "features", "categorical", "angular"):
        for item in getattr(dataset, key):
            if not any(matches(name, [item]) for name in names):
                text = item.pattern if isinstance(item, NamePattern) else item
                similar = did_you_mean(text, names)
                msg = (
                    f"{path}: {key} has {quoted(text)}, but no name matches{similar}; there "
                    f"are {listed(names)} ({len(names)} in all). Correct {key}"
                )
                raise InputError(msg, file=str(path), key=key)


def turn(raw: TextTable, dataset: DatasetEntry) -> TextTable:
    """Return a table seen by its samples, by the keys ``samples`` and ``id`` of the entry.

    Samples in rows are named by the column ``id``, or by a first column without a name, as R and
    pandas write it. With samples in columns, the column ``id`` (by default the first) has the names
    of the rows, and columns that ``drop`` names describe the rows.
    """
    header = raw.header
    id_position = None
    if dataset.id_column:
        id_position = position_of(Path(raw.path), header, dataset.id_column, "id")
    if dataset.samples == "rows":
        if id_position is None and header[0] == "":
            id_position = 0
        return raw.with_samples_in_rows(id_position)
    if id_position is None:
        id_position = 0
    annotation: list[int] = []
    samples: list[int] = []
    for position, name in enumerate(header):
        if position == id_position:
            continue
        if matches(name, dataset.drop):
            annotation.append(position)
        else:
            samples.append(position)
    # Of more dropped columns than this, such as a detection p-value of each sample, only symbols
    # and identifiers are kept as descriptions of the rows.
    if len(annotation) > _MOST_UNNAMED_TEXTS:
        gene_columns = names_of_gene_columns([header[position] for position in annotation])
        annotation = [position for position in annotation if header[position] in gene_columns]
    return raw.with_samples_in_columns(id_position, annotation, samples)


def assign_roles(
    table: TextTable, dataset: DatasetEntry, phenotype: pd.DataFrame | None = None
) -> list[Role]:
    """Return the role of each variable of a table, by the entry of the data set.

    A variable that the label or another key names is a text of the samples. Of the others, those
    that ``drop`` names are left out, and features are the variables that ``categorical``,
    ``angular`` and ``features`` name, or all without ``features``. Up
    to 50 variables that remain are texts of the samples as well, unless they have one name. A
    variable that the format describes as a text, such as a column of ``obs`` in AnnData, is a
    feature only if ``categorical`` or ``angular`` names it.

    Parameters
    ----------
    table : TextTable
        The table.
    dataset : DatasetEntry
        The entry of the data set.
    phenotype : DataFrame, optional
        The columns of a phenotype file. A variable that it has as well, but with other numbers, is
        a feature: the label ``ESR1``, positive or negative, may be in the phenotype beside the gene
        ``ESR1`` in the table.

    Raises
    ------
    InputError
        If the table (and the phenotype) lack a name, or have it several times.
    """
    # Names and patterns that are no variable, no column of the phenotype and no sample.
    path = Path(table.path)
    has_patterns = bool(dataset.drop or dataset.features or dataset.categorical or dataset.angular)
    if has_patterns:
        phenotype_names = [] if phenotype is None else list(map(str, phenotype))
        columns = [] if table.samples_are_rows else table.header
        _refuse_unmatched(path, [*table.names, *phenotype_names, *columns], dataset)

    # The role of each variable.
    named_texts = _named_texts(table, dataset, phenotype)
    format_texts = set(table.described)
    format_text_names = {table.names[position] for position in format_texts}
    roles = []
    for position, name in enumerate(table.names):
        is_named = name in named_texts
        if position == table.key:
            role = Role.NAME
        elif position in format_texts:
            role = _role_of_format_text(name, dataset, is_named=is_named)
        elif (
            is_named
            and name not in format_text_names
            and (phenotype is None or not _are_other_numbers(table, position, phenotype))
        ):
            role = Role.TEXT
        elif has_patterns:
            role = _role_of(name, dataset)
            if is_named and role is Role.TEXT:  # the format, or the phenotype, has the named text
                role = Role.LEFT_OUT
        else:  # most entries name no features, and most tables have thousands of names
            role = Role.NUMBER
        if role is Role.CATEGORY:
            position_of(path, table.names, name, "categorical")
        roles.append(role)

    # Texts that no key names are left out where they are many, or have one name.
    unnamed_texts = []
    for position, role in enumerate(roles):
        is_of_key = position in format_texts or table.names[position] in named_texts
        if role is Role.TEXT and not is_of_key:
            unnamed_texts.append(position)
    names = pd.Series([table.names[position] for position in unnamed_texts])
    is_repeated = names.duplicated(keep=False)
    for position, repeated in zip(unnamed_texts, is_repeated, strict=True):
        if repeated or len(unnamed_texts) > _MOST_UNNAMED_TEXTS:
            roles[position] = Role.LEFT_OUT
    return roles


def _role_of_format_text(name: str, dataset: DatasetEntry, *, is_named: bool) -> Role:
    """Return the role of a variable that the format describes as a text of the samples.

    It is a feature only if ``categorical`` or ``angular`` names it. ``is_named`` is whether the
    label or another key names it.
    """
    if is_named:
        return Role.TEXT
    if not name:
        return Role.LEFT_OUT
    role = _role_of(name, dataset)
    return Role.TEXT if role is Role.NUMBER else role


def kept_columns(phenotype: pd.DataFrame, dataset: DatasetEntry) -> pd.DataFrame:
    """Return a phenotype without the columns that ``drop`` names.

    A column that the label or another key names is kept.
    """
    named = keys_of_texts(dataset)
    columns = [name for name in phenotype if name in named or not matches(str(name), dataset.drop)]
    return phenotype[columns]


def _named_texts(
    table: TextTable, dataset: DatasetEntry, phenotype: pd.DataFrame | None
) -> set[str]:
    """Return the variables of the table that the label and other keys name as texts of the samples.

    A name may be in the phenotype alone, and must be unique in a table without it.
    """
    path = Path(table.path)
    table_names = set(table.names)
    format_text_names = [table.names[position] for position in table.described]
    named_texts = set()
    for name, key in keys_of_texts(dataset).items():
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
        named_texts.add(name)
    return named_texts


def position_of(path: Path, names: Sequence[str], name: str, key: str) -> int:
    """Return the position of the only occurrence of a name, which is the value of a key."""
    count = list(names).count(name)
    if count == 1:
        return list(names).index(name)
    if count:
        msg = (
            f"{path}: {quoted(name)}, which {key} names, occurs {count} times; rename or remove "
            "all but one"
        )
        raise InputError(msg, file=str(path), key=key)
    msg = (
        f"{path}: there is no {quoted(name)}, which {key} names{did_you_mean(name, names)}; there "
        f"are {listed(names)} ({len(names)} in all). Correct {key}, samples (rows or columns) or "
        "separator"
    )
    raise InputError(msg, file=str(path), key=key)


def _refuse_absent(dataset: DatasetEntry, name: str, key: str, phenotype: pd.DataFrame) -> None:
    """Refuse a name that neither the table nor the phenotype file has."""
    columns = list(map(str, phenotype))
    msg = (
        f"data set {dataset.id}: neither the phenotype file nor the table has {quoted(name)}, "
        f"which {key} names; the phenotype has {listed(columns)}{did_you_mean(name, columns)}"
    )
    raise InputError(msg, key=key)


def _are_other_numbers(table: TextTable, position: int, phenotype: pd.DataFrame) -> bool:
    """Return whether a variable has the name of a column of the phenotype, but other numbers.

    It is a feature then, as the gene ``ESR1`` beside the label of this name. If its cells are no
    numbers, or are numbers that all occur in the column, it repeats the phenotype.
    """
    name = table.names[position]
    if name not in phenotype:
        return False
    (cells,) = table.texts([position])
    texts = [cell.replace(table.decimal, ".", 1) for cell in cells if not is_missing(cell)]
    if not all(map(is_number, texts)):
        return False
    phenotype_numbers = {float(cell) for cell in phenotype[name] if is_number(cell)}
    return not texts or not {float(text) for text in texts} <= phenotype_numbers
