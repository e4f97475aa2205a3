"""What each row and column of a table is, by the entry of the data set.

`turn` makes samples the rows or columns of a table, and `assign_roles` gives each variable one
`Role`. The reader uses them with the entry of the configuration. A proposal uses them as well: it
is an entry, so that it describes what the reader does with it.
"""

from collections import Counter
from collections.abc import Sequence
from enum import Enum
from pathlib import Path

import pandas as pd

from xnbflow.core.errors import InputError, did_you_mean, quoted
from xnbflow.core.nouns import listed
from xnbflow.sources.annotation import names_of_gene_columns
from xnbflow.sources.dataset_entry import SAMPLE_NAMES, DatasetEntry, NamePattern, matching
from xnbflow.sources.formats.cell_texts import is_missing, is_number
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.series.sample_names import BARCODE_PATIENT, NAME_PATIENT

#: Labels and groups that are made of the names of samples: no column has them.
_MADE_OF_NAMES = {
    ("label", SAMPLE_NAMES),
    ("group", BARCODE_PATIENT),
    ("group", NAME_PATIENT),
}

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


def turn(table: TextTable, dataset: DatasetEntry) -> TextTable:
    """Return a table seen by its samples, by the keys ``samples`` and ``id`` of the entry.

    Samples in rows are named by the column ``id``, or by a first column without a name, as R and
    pandas write it. With samples in columns, the column ``id`` (by default the first) has the names
    of the rows, and columns that ``drop`` names describe the rows; a first column without a name
    beside ``id`` is left out.
    """
    header = table.header
    id_position = None
    if dataset.id_column:
        id_position = position_of(Path(table.path), header, dataset.id_column, "id")
    if dataset.samples == "rows":
        if id_position is None and header[0] == "":
            id_position = 0
        return table.with_samples_in_rows(id_position)
    if id_position is None:
        id_position = 0
    dropped = matching(header, dataset.drop)
    others = [position for position in range(len(header)) if position != id_position]
    if not header[0]:
        others = [position for position in others if position > 0]
    annotation = [position for position in others if header[position] in dropped]
    samples = [position for position in others if header[position] not in dropped]
    # Of more dropped columns than this, such as a detection p-value of each sample, only symbols
    # and identifiers are kept as descriptions of the rows.
    if len(annotation) > _MOST_UNNAMED_TEXTS:
        gene_columns = names_of_gene_columns([header[position] for position in annotation])
        annotation = [position for position in annotation if header[position] in gene_columns]
    return table.with_samples_in_columns(id_position, annotation, samples)


def assign_roles(
    table: TextTable, dataset: DatasetEntry, phenotype: pd.DataFrame | None = None
) -> list[Role]:
    """Return the role of each variable of a table, by the entry of the data set.

    A variable that the label or another key names is a text of the samples. Of the others, those
    that ``drop`` names are left out, and features are the variables that ``categorical``,
    ``angular`` and ``features`` name, or all without ``features``. Up to 50 variables that remain
    are texts of the samples as well, unless they have one name.

    A variable that the format describes as a text, such as a column of ``obs`` in AnnData, is a
    feature only if ``categorical`` or ``angular`` names it. A first column without a name beside a
    column of names, as pandas and R write the numbers of the rows, is left out.

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
    # Features, and what is left out. Most entries name neither, and most tables have thousands of
    # features.
    has_patterns = bool(dataset.drop or dataset.features or dataset.categorical or dataset.angular)
    roles = [Role.NUMBER] * len(table.names)
    if has_patterns:
        roles = _roles_by_patterns(table, dataset, phenotype)
    format_texts = set(table.described)
    for position in format_texts:
        if not table.names[position]:
            roles[position] = Role.LEFT_OUT
        elif roles[position] is Role.NUMBER:
            roles[position] = Role.TEXT

    # The texts that keys name: each is one variable, or in the phenotype.
    names_and_keys = [(getattr(dataset, key), key) for key in ("label", "group", "batch")]
    names_and_keys += [(name, "phenotype.columns") for name in dataset.phenotype_columns]
    key_of_text = {name: key for name, key in names_and_keys if name}
    positions_of_text: dict[str, list[int]] = {name: [] for name in key_of_text}
    for position, name in enumerate(table.names):
        if name in key_of_text:
            positions_of_text[name].append(position)
    for name, positions in positions_of_text.items():
        texts = _positions_of_text(table, dataset, phenotype, name, key_of_text[name], positions)
        for position in positions:
            if position in texts:
                roles[position] = Role.TEXT
            elif roles[position] is Role.TEXT:  # the format, or the phenotype, has the named text
                roles[position] = Role.LEFT_OUT

    if table.samples_are_rows and not table.names[0]:  # numbers or names of the rows
        roles[0] = Role.LEFT_OUT
    if table.key is not None:
        roles[table.key] = Role.NAME
    if has_patterns:
        _settle_patterns(table, roles, set(key_of_text))
    return roles


def _roles_by_patterns(
    table: TextTable, dataset: DatasetEntry, phenotype: pd.DataFrame | None
) -> list[Role]:
    """Return the role of each variable by ``drop``, ``categorical``, ``angular``, ``features``.

    Names that no variable has, no column of the phenotype and no sample, are refused, as are
    patterns that match none.
    """
    names = list(table.names)
    names += [] if phenotype is None else map(str, phenotype)
    names += [] if table.samples_are_rows else table.header
    every_name = set(names)
    for key in ("drop", "features", "categorical", "angular"):
        for item in getattr(dataset, key):
            if item not in every_name and not matching(names, [item]):
                text = item.pattern if isinstance(item, NamePattern) else item
                similar = did_you_mean(text, names)
                msg = (
                    f"{table.path}: {key} has {quoted(text)}, but no name matches{similar}; there "
                    f"are {listed(names)} ({len(names)} in all). Correct {key}"
                )
                raise InputError(msg, file=str(table.path), key=key)
    dropped = matching(table.names, dataset.drop)
    categories = matching(table.names, dataset.categorical)
    features = matching(table.names, dataset.features)
    roles = []
    for name in table.names:
        if name in dropped:
            role = Role.LEFT_OUT
        elif name in categories:
            role = Role.CATEGORY
        elif name in dataset.angular:
            role = Role.ANGLE
        elif not dataset.features or name in features:
            role = Role.NUMBER
        else:
            role = Role.TEXT
        roles.append(role)
    return roles


def _settle_patterns(table: TextTable, roles: list[Role], named_texts: set[str]) -> None:
    """Refuse categories of one name, and leave out, in ``roles``, texts that no key names.

    These are left out where they are many, or have one name.
    """
    unnamed_texts = []
    for position, (name, role) in enumerate(zip(table.names, roles, strict=True)):
        if role is Role.CATEGORY:
            position_of(Path(table.path), table.names, name, "categorical")
        if role is Role.TEXT and name not in named_texts and position not in table.described:
            unnamed_texts.append(position)
    counts = Counter(table.names[position] for position in unnamed_texts)
    for position in unnamed_texts:
        is_repeated = counts[table.names[position]] > 1
        if is_repeated or len(unnamed_texts) > _MOST_UNNAMED_TEXTS:
            roles[position] = Role.LEFT_OUT


def kept_columns(phenotype: pd.DataFrame, dataset: DatasetEntry) -> pd.DataFrame:
    """Return a phenotype without the columns that ``drop`` names.

    A column that the label or another key names is kept.
    """
    named = {dataset.label, dataset.group, dataset.batch, *dataset.phenotype_columns}
    dropped = matching(map(str, phenotype), dataset.drop) - named
    return phenotype[[name for name in phenotype if str(name) not in dropped]]


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


def _positions_of_text(
    table: TextTable,
    dataset: DatasetEntry,
    phenotype: pd.DataFrame | None,
    name: str,
    key: str,
    positions: Sequence[int],
) -> set[int]:
    """Return the variables that are the text of the samples that a key names.

    Of the ``positions`` that have the ``name`` it is one, or those that repeat the phenotype. Of
    others, none or several are refused; but labels and groups that are made of the names of samples
    are no variables.
    """
    # Among the texts of the format first: a gene may have the name of a column of obs.
    format_texts = set(table.described)
    texts = format_texts.intersection(positions) or set(positions)
    if phenotype is not None and name in phenotype:
        return {
            position
            for position in texts
            if position in format_texts or not _are_other_numbers(table, position, phenotype)
        }
    is_made_of_names = not texts and (key, name) in _MADE_OF_NAMES
    if len(texts) == 1 or is_made_of_names:
        return texts
    if not texts and phenotype is not None:
        columns = list(map(str, phenotype))
        msg = (
            f"data set {dataset.id}: neither the phenotype file nor the table has "
            f"{quoted(name)}, which {key} names; the phenotype has "
            f"{listed(columns)}{did_you_mean(name, columns)}"
        )
        raise InputError(msg, key=key)
    names = [table.names[position] for position in texts] or table.names
    position_of(Path(table.path), names, name, key)
    return texts


def _are_other_numbers(table: TextTable, position: int, phenotype: pd.DataFrame) -> bool:
    """Return whether a variable has the name of a column of the phenotype, but other numbers.

    It is a feature then, as the gene ``ESR1`` beside the label of this name. If its cells are no
    numbers, or are numbers that all occur in the column, it repeats the phenotype.
    """
    name = table.names[position]
    (cells,) = table.texts([position])
    texts = [cell.replace(table.decimal, ".", 1) for cell in cells if not is_missing(cell)]
    if not all(map(is_number, texts)):
        return False
    phenotype_numbers = {float(cell) for cell in phenotype[name] if is_number(cell)}
    return not texts or not {float(text) for text in texts} <= phenotype_numbers
