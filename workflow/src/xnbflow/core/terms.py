"""Terms of ``adjust``: the columns for which comparisons of classes are adjusted."""

#: Around the name of a column that the key ``batch`` names, if the name does not mean a batch.
_BATCH, _END = "batch (", ")"


def batch_column(name: str) -> str:
    """Return the column of the samples that the key ``batch`` makes of a column.

    Examples
    --------
    >>> batch_column("day")
    'batch (day)'
    """
    return f"{_BATCH}{name}{_END}"


def is_batch_column(column: str) -> bool:
    """Return whether a column of the samples was named by the key ``batch``."""
    return column.startswith(_BATCH) and column.endswith(_END)


def configured_term(term: str) -> str:
    """Return a term of ``adjust`` as a configuration has it, which names columns as the table does.

    Examples
    --------
    >>> terms = ["factor(batch (day))", "batch (day)", "age"]
    >>> list(map(configured_term, terms))
    ['factor(day)', 'day', 'age']
    """
    column = column_of_term(term)
    if not is_batch_column(column):
        return term
    name = column.removeprefix(_BATCH).removesuffix(_END)
    return name if term == column else f"factor({name})"


def column_of_term(term: str) -> str:
    """Return the column that a term names.

    Examples
    --------
    >>> column_of_term("factor(plate)"), column_of_term("age")
    ('plate', 'age')
    """
    if term.startswith("factor(") and term.endswith(")"):
        return term.removeprefix("factor(").removesuffix(")")
    return term
