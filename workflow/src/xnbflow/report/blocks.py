"""What a section is made of: prose, tables and figures. No HTML is written here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Drawing

__all__ = ["Block", "Figure", "Prose", "Section", "Table"]


@dataclass(frozen=True)
class Prose:
    """A paragraph. Plain text: the template escapes it."""

    text: str


@dataclass(frozen=True)
class Table:
    """A table that sorts and filters in the browser.

    Attributes
    ----------
    frame : DataFrame
        Shown as it is, columns in order; every cell is escaped.
    caption : str
        What it shows and how to read it.
    formats : mapping of str to str
        Format specification per column, say ``".3f"``.
    best : set of tuple of (row position, column)
        Cells to mark as the best of theirs.
    """

    frame: pd.DataFrame
    caption: str
    formats: Mapping[str, str] = field(default_factory=dict)
    best: frozenset[tuple[int, str]] = frozenset()


@dataclass(frozen=True)
class Figure:
    """A figure, drawn later and in another process.

    Attributes
    ----------
    name : str
        File name without ending, unique in the study; letters, digits and hyphens.
    draw : callable
        A module-level function that returns a matplotlib figure.
    arguments : mapping
        Keyword arguments of ``draw``.
    caption : str
        What it shows and how to read it.
    alt : str
        The same for those who cannot see it: what is to be seen.
    """

    name: str
    draw: Callable[..., Drawing]
    arguments: Mapping[str, Any]
    caption: str
    alt: str


Block = Prose | Table | Figure


@dataclass(frozen=True)
class Section:
    """A chapter of the page.

    Attributes
    ----------
    id : str
        Anchor, unique on the page.
    title : str
        Heading.
    lead : str
        One sentence that says how to read it.
    blocks : list of Block
        Its content, in order.
    """

    id: str
    title: str
    lead: str
    blocks: list[Block]
