"""What GEO says of a series and its samples, whichever kind of file says it."""

from dataclasses import dataclass, field

import pandas as pd

from xnbflow.data.errors import InputError
from xnbflow.data.sources.labels import plain_text

__all__ = ["GeoHead", "joined_texts"]


@dataclass
class GeoHead:
    """What a file says before its table.

    Attributes
    ----------
    accession, title, platform : str
    samples : list of str
        Accessions (GSM...), in the file's order.
    fields : DataFrame of str, shape (n_samples, n_fields)
        ``title``, ``source``, ``description``, ..., and each characteristic by its key; in a GDS
        each type of subset. Empty where a sample has none.
    characteristics : list of str
        Which of those fields are characteristics or subsets.
    supplementary : list of str
        Files beside the table.
    facts : dict of str to str
        Other records of the series, the first of each name.
    lines : int
        How many lines were read, that which begins the table included.
    short : list of str
        Fields with another number of values than samples.
    has_table : bool
        Whether a table begins.
    table_end : str
        The line that ends it.
    """

    accession: str
    title: str
    platform: str
    samples: list[str]
    fields: pd.DataFrame
    characteristics: list[str]
    supplementary: list[str] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    lines: int = 0
    short: list[str] = field(default_factory=list)
    has_table: bool = True
    table_end: str = ""

    def label_texts(self, where: str, label: str) -> tuple[str, list[str]]:
        """Return the field that the sheet's ``label`` names, and each sample's text in it.

        ``characteristics:diagnosis`` or ``diagnosis``, ``title``, ``source``, ``description``;
        small and capital letters are alike.

        Raises
        ------
        InputError
            If there is no such field, or it is not of all samples.
        """
        if (name := self.field_named(label)) is not None:
            if name in self.short:
                msg = (
                    f"{where}: {name!r} has another number of values than there are samples, "
                    "so that nobody knows whose they are; get the file again, or name another "
                    "label"
                )
                raise InputError(msg)
            return name, list(self.fields[name])
        keys = ", ".join(f"characteristics:{name}" for name in self.characteristics) or "none"
        msg = (
            f"{where}: there is no {label!r}, which the sheet's label names; there are title, "
            f"source, description, and characteristics: {keys}"
        )
        raise InputError(msg)

    def field_named(self, label: str) -> str | None:
        """Return the field that a name of the sheet means, as `label_texts` reads it."""
        wanted = plain_text(label).lower()
        for prefix in ("characteristics:", "subset:", "characteristics_ch1:"):
            wanted = wanted.removeprefix(prefix).strip()
        return next((name for name in self.fields if name.lower() == wanted), None)


def joined_texts(before: str, text: str) -> str:
    """Return both of two texts that are said of the same, each once.

    Examples
    --------
    >>> joined_texts("", "adenoma"), joined_texts("adenoma", "stage 2")
    ('adenoma', 'adenoma; stage 2')
    """
    return f"{before}; {text}" if before and text and before != text else before or text
