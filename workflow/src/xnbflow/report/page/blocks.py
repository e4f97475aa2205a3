"""The blocks of a section: prose, facts, tables, figures, groups. No HTML is written here.

``sources`` of a block are the files beside the page that hold its numbers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from xnbflow.tables.contract import Column

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


@dataclass(frozen=True)
class Prose:
    """A paragraph; headlines are large, warnings are highlighted.

    ``id`` is its anchor; ``rule`` the anchor of the rule for the verdict in it.
    """

    text: str
    role: Literal["plain", "headline", "warning"] = "plain"
    sources: Sequence[str] = ()
    rule: str = ""
    id: str = ""


@dataclass(frozen=True)
class Facts:
    """Terms with their values, short ones: sizes, versions, settings."""

    items: Mapping[str, str]
    sources: Sequence[str] = ()


@dataclass(frozen=True)
class Code:
    """Text in a fixed font: a configuration, a reference to copy."""

    text: str
    caption: str


@dataclass(frozen=True)
class Links:
    """Files beside the page: name, description, and paths relative to the page."""

    items: Sequence[tuple[str, str, Sequence[str]]]


@dataclass(frozen=True)
class Table:
    """A table that sorts and filters in the browser.

    The first column of the ``frame`` names the row. ``columns`` are the declarations of columns, by
    name: with label, format and meaning, or the format alone of an undeclared column; other columns
    have no format. ``best`` are the cells, row and column, to mark as the best of theirs. ``links``
    are addresses that the cells of a column lead to, one per row, empty for none.
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

    ``name`` is its file name without ending, unique in the study: letters, digits, dots and
    hyphens. ``draw`` is of a module that imports little, and returns a matplotlib figure of the
    keyword ``arguments``: numbers, text, arrays, lists. ``caption`` explains how to read it, empty
    if that of its gallery does; ``alt`` describes it for readers who cannot see it. ``points`` are
    the coordinates that its features have in the `GeneSearch` of its group.
    """

    name: str
    draw: Callable[..., "Drawing"]
    arguments: Mapping[str, Any]
    caption: str
    alt: str
    sources: Sequence[str] = ()
    points: tuple[str, str] | None = None


@dataclass(frozen=True)
class Gallery:
    """Small figures side by side; up to 3 inches of width fit a telephone."""

    figures: Sequence[Figure]
    caption: str
    sources: Sequence[str] = ()


@dataclass(frozen=True)
class Item:
    """A feature in a card: a sign before it, a few words after it, and their meaning."""

    text: str
    mark: str = ""
    note: str = ""
    title: str = ""
    bold: bool = False


@dataclass(frozen=True)
class Line:
    """A class in a card: its recall with the interval as a bar, and its features.

    ``share``, ``lower`` and ``upper`` lie between 0 and 1; missing ones are not drawn. ``warning``
    is the reason why the features are unreliable.
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
    """A finding in short; ``level`` is how well the verdict is supported, by which ``rule``.

    ``details`` are sentences below the verdict. ``genes`` are the features of a card whose classes
    have the same, under the heading ``of``; ``figure`` is its picture.
    """

    title: str
    note: str
    verdict: str
    level: Literal["good", "fair", "poor"]
    facts: Mapping[str, str]
    lines: Sequence[Line]
    rule: str = ""
    details: Mapping[str, str] = field(default_factory=dict)
    of: str = ""
    genes: Sequence[Item] = ()
    rest: str = ""
    figure: Figure | None = None


@dataclass(frozen=True)
class Cards:
    """Findings side by side."""

    cards: Sequence[Card]
    caption: str
    sources: Sequence[str] = ()


@dataclass(frozen=True)
class Evidence:
    """The evidence of each feature for each class, for a sample that the reader chooses.

    ``models`` are made by `xnbflow.report.sections.samples.contributions`.
    """

    models: Sequence[Mapping[str, Any]]
    caption: str
    sources: Sequence[str] = ()


@dataclass(frozen=True)
class GeneSearch:
    """A search for a feature, which shows its values, and names points in figures of its group.

    ``content`` is made by `xnbflow.report.page.gene_search.search_content`; ``statistics`` are
    headings with the names of its points, ``command`` draws any feature in place of its ``{}``.
    """

    content: Mapping[str, Any]
    statistics: Sequence[tuple[str, str]]
    command: str
    caption: str
    sources: Sequence[str] = ()


@dataclass(frozen=True)
class Group:
    """Blocks under a heading, unique in its section, that the reader opens and closes."""

    title: str
    blocks: Sequence["Block"]
    note: str = ""
    opened: bool = False


Block = (
    Prose | Facts | Code | Links | Table | Figure | Gallery | Cards | Evidence | GeneSearch | Group
)


@dataclass(frozen=True)
class Section:
    """A chapter of the page.

    ``id`` is its anchor, unique on the page, and the folder of its figures; ``lead`` explains in a
    sentence how to read it.
    """

    id: str
    title: str
    lead: str
    blocks: Sequence[Block]


def figures_of(blocks: Iterable[Block]) -> Iterator[Figure]:
    """Return every figure of some blocks, those of groups and galleries included."""
    return (figure for figure, _ in with_legends(blocks))


def with_legends(blocks: Iterable[Block], around: str = "") -> Iterator[tuple[Figure, str]]:
    """Yield every figure with its legend: its content, and how to read it."""
    for block in blocks:
        if isinstance(block, Figure):
            yield block, " ".join(filter(None, [block.alt, block.caption, around]))
        elif isinstance(block, Gallery):
            yield from with_legends(block.figures, block.caption)
        elif isinstance(block, Cards):
            yield from with_legends([card.figure for card in block.cards if card.figure])
        elif isinstance(block, Group):
            yield from with_legends(block.blocks)
