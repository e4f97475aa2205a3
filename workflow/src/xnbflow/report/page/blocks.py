"""What a section is made of: prose, facts, tables, figures, groups. No HTML is written here."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = [
    "Block",
    "Code",
    "Facts",
    "Figure",
    "Gallery",
    "Group",
    "Links",
    "Prose",
    "Section",
    "Table",
    "Waterfall",
    "figures_of",
]


@dataclass(frozen=True)
class Prose:
    """A paragraph. Plain text: the template escapes it.

    Attributes
    ----------
    text : str
        The words.
    role : {"plain", "headline", "warning"}
        What it is: a headline is set large, a warning stands out.
    """

    text: str
    role: Literal["plain", "headline", "warning"] = "plain"


@dataclass(frozen=True)
class Facts:
    """Terms with their values, short ones: sizes, versions, settings."""

    items: Mapping[str, str]


@dataclass(frozen=True)
class Code:
    """Text to be shown letter by letter: a configuration, a reference to copy."""

    text: str
    caption: str


@dataclass(frozen=True)
class Links:
    """Files beside the page.

    Attributes
    ----------
    items : sequence of (str, str, sequence of str)
        Name, what it is, and the files, relative to the page.
    """

    items: Sequence[tuple[str, str, Sequence[str]]]


@dataclass(frozen=True)
class Table:
    """A table that sorts and filters in the browser.

    Attributes
    ----------
    frame : DataFrame
        Shown as it is, columns in order, the first one names the row; every cell is escaped.
    caption : str
        What it shows and how to read it.
    formats : mapping of str to str
        Format specification per column, say ``".3f"``.
    best : frozenset of tuple of (row position, column)
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
        File name without ending, unique in the study; letters, digits, dots and hyphens.
    draw : callable
        A function of a module of `xnbflow.report.drawings` (or another that imports little: every
        process that draws imports it) that returns a matplotlib figure.
    arguments : mapping
        Keyword arguments of ``draw``: numbers, text, arrays, lists.
    caption : str
        What it shows and how to read it; empty where that of its gallery says all.
    alt : str
        The same for those who cannot see it: what is to be seen.
    """

    name: str
    draw: Callable[..., "Drawing"]
    arguments: Mapping[str, Any]
    caption: str
    alt: str


@dataclass(frozen=True)
class Gallery:
    """Small figures side by side, as many in a row as there is room for.

    Attributes
    ----------
    figures : sequence of Figure
        Small figures; up to 3 inches of width fit a telephone.
    caption : str
        How to read them all.
    """

    figures: Sequence[Figure]
    caption: str


@dataclass(frozen=True)
class Waterfall:
    """The contributions of features to the decision on a sample that the reader chooses.

    Attributes
    ----------
    models : sequence of mapping
        See `xnbflow.report.contributions.contributions`.
    caption : str
        How to read it.
    """

    models: Sequence[Mapping[str, Any]]
    caption: str


@dataclass(frozen=True)
class Group:
    """Blocks under a heading that the reader opens and closes.

    Attributes
    ----------
    title : str
        Heading, unique in its section.
    blocks : sequence of Block
        What it holds.
    note : str
        A few words beside the heading.
    opened : bool
        Whether it is open at first.
    """

    title: str
    blocks: Sequence["Block"]
    note: str = ""
    opened: bool = False


Block = Prose | Facts | Code | Links | Table | Figure | Gallery | Waterfall | Group


@dataclass(frozen=True)
class Section:
    """A chapter of the page.

    Attributes
    ----------
    id : str
        Anchor, unique on the page, and the folder of its figures.
    title : str
        Heading.
    lead : str
        One sentence that says how to read it.
    blocks : sequence of Block
        Its content, in order.
    """

    id: str
    title: str
    lead: str
    blocks: Sequence[Block]


def figures_of(blocks: Iterable[Block]) -> Iterator[Figure]:
    """Yield every figure of some blocks, those of groups and galleries included."""
    for block in blocks:
        if isinstance(block, Figure):
            yield block
        elif isinstance(block, Gallery):
            yield from block.figures
        elif isinstance(block, Group):
            yield from figures_of(block.blocks)
