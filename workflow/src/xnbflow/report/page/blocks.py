"""What a section is made of: prose, facts, tables, figures, groups. No HTML is written here."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from xnbflow.data.contract import Column

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = [
    "Block",
    "Card",
    "Cards",
    "Code",
    "Evidence",
    "Facts",
    "Figure",
    "Gallery",
    "Group",
    "Item",
    "Line",
    "Links",
    "Prose",
    "Section",
    "Table",
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
    sources : sequence of str
        Files beside the page that hold its numbers.
    """

    text: str
    role: Literal["plain", "headline", "warning"] = "plain"
    sources: Sequence[str] = ()


@dataclass(frozen=True)
class Facts:
    """Terms with their values, short ones: sizes, versions, settings.

    Attributes
    ----------
    items : mapping of str to str
    sources : sequence of str
        Files beside the page that hold their numbers.
    """

    items: Mapping[str, str]
    sources: Sequence[str] = ()


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
        Its rows, columns in order; the first one names the row; every cell is escaped.
    caption : str
        What it shows and how to read it.
    columns : mapping of str to Column or str
        How columns of the frame are shown, by name: as they are declared, with label, format and
        meaning, or the format alone of one that is not declared. Others are shown as they are.
    best : frozenset of tuple of (row position, column)
        Cells to mark as the best of theirs.
    sources : sequence of str
        Files beside the page that hold its numbers, or more of them.
    links : mapping of str to sequence of str
        Addresses that the cells of a column lead to, one per row; empty for none.
    """

    frame: pd.DataFrame
    caption: str
    columns: Mapping[str, Column | str] = field(default_factory=dict)
    best: frozenset[tuple[int, str]] = frozenset()
    sources: Sequence[str] = ()
    links: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def headings(self) -> list[Column]:
        """The columns of the frame, with their labels and formats."""
        found = {str(name): self.columns.get(name, "") for name in self.frame.columns}
        return [
            Column("text", "", name, column) if isinstance(column, str) else column.shown(name)
            for name, column in found.items()
        ]


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
    sources : sequence of str
        Files beside the page that hold its numbers.
    """

    name: str
    draw: Callable[..., "Drawing"]
    arguments: Mapping[str, Any]
    caption: str
    alt: str
    sources: Sequence[str] = ()


@dataclass(frozen=True)
class Gallery:
    """Small figures side by side, as many in a row as there is room for.

    Attributes
    ----------
    figures : sequence of Figure
        Small figures; up to 3 inches of width fit a telephone.
    caption : str
        How to read them all.
    sources : sequence of str
        Files beside the page that hold their numbers.
    """

    figures: Sequence[Figure]
    caption: str
    sources: Sequence[str] = ()


@dataclass(frozen=True)
class Item:
    """One thing of a list in a card.

    Attributes
    ----------
    text : str
        Its name.
    mark : str
        A sign before it.
    note : str
        A few words after it, smaller.
    title : str
        What mark and note mean, for those who point at it or cannot see it.
    """

    text: str
    mark: str = ""
    note: str = ""
    title: str = ""


@dataclass(frozen=True)
class Line:
    """A row of a card: a share with its interval as a bar, and the things that belong to it.

    Attributes
    ----------
    name, note : str
        What it is of, and a few words on it.
    share, lower, upper : float
        Between 0 and 1; missing ones are not drawn.
    items : sequence of Item
        The things.
    rest : str
        What stands after them, say how many there are more.
    warning : str
        Why the things must not be believed; empty where they may.
    """

    name: str
    note: str
    share: float
    lower: float
    upper: float
    items: Sequence[Item] = ()
    rest: str = ""
    warning: str = ""


@dataclass(frozen=True)
class Card:
    """A finding in short.

    Attributes
    ----------
    title, note : str
        Heading, and a few words beside it.
    verdict : str
        The finding in a sentence.
    level : {"good", "fair", "poor"}
        How far it may be believed.
    facts : mapping of str to str
        Terms with their values.
    lines : sequence of Line
        Details.
    """

    title: str
    note: str
    verdict: str
    level: Literal["good", "fair", "poor"]
    facts: Mapping[str, str]
    lines: Sequence[Line]


@dataclass(frozen=True)
class Cards:
    """Findings side by side.

    Attributes
    ----------
    cards : sequence of Card
    bar : str
        What the bars of the lines are.
    caption : str
        How to read them.
    sources : sequence of str
        Files beside the page that hold the numbers.
    """

    cards: Sequence[Card]
    bar: str
    caption: str
    sources: Sequence[str] = ()


@dataclass(frozen=True)
class Evidence:
    """What each feature says for and against each class, for a sample that the reader chooses.

    Attributes
    ----------
    models : sequence of mapping
        See `xnbflow.report.contributions.contributions`.
    caption : str
        How to read it.
    sources : sequence of str
        Files beside the page that hold the numbers.
    """

    models: Sequence[Mapping[str, Any]]
    caption: str
    sources: Sequence[str] = ()


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


Block = Prose | Facts | Code | Links | Table | Figure | Gallery | Cards | Evidence | Group


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
