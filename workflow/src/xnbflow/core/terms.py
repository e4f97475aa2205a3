"""Terms of ``adjust``: the columns for which comparisons of classes are adjusted."""


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
