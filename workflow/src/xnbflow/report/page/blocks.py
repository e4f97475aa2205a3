"""The blocks of a section: prose, facts, tables, figures, groups. No HTML is written here.

``sources`` of a block are the files beside the page that hold its numbers.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from xnbflow.tables.contract import Column

#: Where a sentence of a caption ends.
_SENTENCE_END = re.compile(r"(?<=[.:]) (?=[A-Z“])")

if TYPE_CHECKING:
    from xnbflow.report.drawings.marks import Chart


@dataclass(frozen=True)
class Prose:
    """A paragraph; headlines are large, warnings are highlighted, help opens on demand.

    ``id`` is its anchor; ``rule`` the anchor of the rule for the verdict in it.
    """

    text: str
    role: Literal["plain", "headline", "warning", "help"] = "plain"
    sources: Sequence[str] = ()
    _: KW_ONLY
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
    are addresses that the cells of a column lead to, one per row, empty for none. ``caption``
    explains it on demand; ``title`` is always visible.
    """

    frame: pd.DataFrame
    caption: str
    columns: Mapping[str, Column | str] = field(default_factory=dict)
    _: KW_ONLY
    best: frozenset[tuple[int, str]] = frozenset()
    sources: Sequence[str] = ()
    links: Mapping[str, Sequence[str]] = field(default_factory=dict)
    title: str = ""

    @property
    def headings(self) -> list[Column]:
        """The columns of the frame, with their labels and formats."""
        headings = []
        for name in map(str, self.frame.columns):
            column = self.columns.get(name, "")
            if isinstance(column, str):  # the format of a column that no table declares
                column = Column("text", label=name, format=column)
            headings.append(column.shown(name))
        return headings


@dataclass(frozen=True)
class Figure:
    """A figure: a chart in the browser, and files on request (`xnbflow.report.figure_files`).

    ``name`` is its file name without ending, unique in the study: letters, digits, dots and
    hyphens. ``draw`` returns its `xnbflow.report.drawings.marks.Chart` from the keyword
    ``arguments``: numbers, text, arrays, lists. ``caption`` explains how to read it, empty if that
    of its gallery does; ``alt`` describes it for readers who cannot see it.
    """

    name: str
    draw: Callable[..., "Chart"]
    arguments: Mapping[str, Any]
    caption: str
    alt: str
    sources: Sequence[str] = ()

    def chart(self) -> "Chart":
        """Return its chart: marks, axes and texts."""
        return self.draw(**self.arguments)


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
    _: KW_ONLY
    mark: str = ""
    note: str = ""
    title: str = ""
    bold: bool = False


@dataclass(frozen=True, kw_only=True)
class ClassLine:
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


@dataclass(frozen=True, kw_only=True)
class Tile:
    """A number of a card, with its interval on an axis from ``low`` to ``high``.

    ``text`` is the number as it is shown; missing values are not drawn. ``reference`` is the value
    to compare with, named by ``note``. ``meaning`` explains the label under the pointer.
    """

    label: str
    text: str
    value: float = math.nan
    lower: float = math.nan
    upper: float = math.nan
    reference: float = math.nan
    low: float = 0.0
    high: float = 1.0
    note: str = ""
    meaning: str = ""


@dataclass(frozen=True, kw_only=True)
class GeneRow:
    """A row of the table of features of a card.

    Attributes
    ----------
    name : str
        The gene symbol if the feature has one, else its name.
    feature_id : str
        The name of the feature beside its symbol; empty if ``name`` is the name.
    label : str
        The class whose features contain it; empty on a card of two classes.
    mark, meaning : str
        The sign of its direction in the class, and the meaning of the sign.
    change, auc, share : float
        Its log2 fold change, its AUC, and the share of folds or halves that select it; a missing
        number has no bar.
    fdr : float
        Its false discovery rate; missing if it is not shown.
    core : bool
        Whether it is in the core set.
    note : str
        What makes its numbers doubtful, in a few words.
    """

    name: str
    feature_id: str = ""
    label: str = ""
    mark: str = ""
    meaning: str = ""
    change: float = math.nan
    auc: float = math.nan
    share: float = math.nan
    fdr: float = math.nan
    core: bool = False
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Card:
    """The result on one data set in short.

    Attributes
    ----------
    title, note : str
        The data set, and its size.
    verdict : str
        The verdict with its numbers, in a sentence that opens on demand.
    level : {"good", "fair", "open", "poor"}
        How well the verdict is supported, as a class of the page's style.
    facts : mapping of str to str
        Estimates and their intervals as text.
    lines : sequence of ClassLine
        The recall of each class.
    rule : str
        The anchor on the page of the rule of verdicts.
    details : mapping of str to str
        Further sentences by their heading, which open on demand.
    features_heading : str
        The heading of the features.
    feature_items : sequence of Item
        The features as text.
    features_rest : str
        How many features are not listed, such as "and 12 others".
    figure : Figure, optional
        Its picture.
    badge : str
        The level in words.
    short_reason : str
        The main reason of the level.
    tiles : sequence of Tile
        Its main numbers.
    feature_rows : sequence of GeneRow
        The features as a table.
    features_are_tested : bool
        Whether these features are those with the smallest p, and not those of a classifier.
    feature_notes : sequence of str
        Sentences below this table, such as which class has no features of its own.
    share_of : str
        What the shares in these rows are of, such as "folds"; empty if of different things.
    noun : str
        The word for a feature.
    warnings : sequence of str
        What makes the result doubtful, in boxes.
    next_step : str
        What to do next, in a box.
    anchor : str
        Its anchor on the page.
    """

    title: str
    note: str
    verdict: str
    level: Literal["good", "fair", "open", "poor"]
    facts: Mapping[str, str]
    lines: Sequence[ClassLine]
    rule: str = ""
    details: Mapping[str, str] = field(default_factory=dict)
    features_heading: str = ""
    feature_items: Sequence[Item] = ()
    features_rest: str = ""
    figure: Figure | None = None
    badge: str = ""
    short_reason: str = ""
    tiles: Sequence[Tile] = ()
    feature_rows: Sequence[GeneRow] = ()
    feature_notes: Sequence[str] = ()
    features_are_tested: bool = False
    share_of: str = ""
    noun: str = "gene"
    warnings: Sequence[str] = ()
    next_step: str = ""
    anchor: str = ""


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


@dataclass(frozen=True, kw_only=True)
class GeneExplorer:
    """All features: a plot of them, their table, and the values of the one that the reader chooses.

    ``pack`` calls `xnbflow.report.page.gene_content.gene_content`; the header needs
    ``contrasts`` (list of str), ``change`` and ``unit`` (labels of differences and values),
    ``name`` (of the downloaded file) and ``noun`` ("gene" or "feature"). ``series`` is the id of
    the data set. ``figures`` are files on request, which are not on the page; where they are drawn,
    nothing is packed.
    """

    pack: Callable[[], str]
    series: str
    figures: Gallery
    caption: str
    sources: Sequence[str] = ()

    @cached_property
    def content(self) -> str:
        """The packed features."""
        return self.pack()


@dataclass(frozen=True)
class Group:
    """Blocks under a heading, unique in its section, that the reader opens and closes."""

    title: str
    blocks: Sequence["Block"]
    note: str = ""
    opened: bool = False


Block = (
    Prose
    | Facts
    | Code
    | Links
    | Table
    | Figure
    | Gallery
    | Cards
    | Evidence
    | GeneExplorer
    | Group
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


def walk(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield every block, those in groups included."""
    for block in blocks:
        yield block
        if isinstance(block, Group):
            yield from walk(block.blocks)


def first_sentence(text: str) -> tuple[str, str]:
    """Return the first sentence of a caption, which is always visible, and the others.

    Examples
    --------
    >>> first_sentence("The series. A row is a data set, e.g. of CuMiDa.")
    ('The series.', 'A row is a data set, e.g. of CuMiDa.')
    """
    first, *others = _SENTENCE_END.split(text, maxsplit=1)
    return first, " ".join(others)


def explanations(blocks: Iterable[Block]) -> list[tuple[str, str]]:
    """Return how to read the blocks of a section: captions without repetitions.

    Each has the sentence that is visible below its figure or table, and the others. Prose that is
    help, and captions of blocks that explain themselves, have no visible sentence.
    """
    captions: dict[tuple[str, str], None] = {}
    for block in walk(blocks):
        if isinstance(block, Prose) and block.role == "help":
            captions["", block.text] = None
        elif isinstance(block, Cards | Evidence):
            captions["", block.caption] = None
        elif isinstance(block, Figure | Gallery | Table | GeneExplorer):
            figures = block.figures if isinstance(block, Gallery) else ()
            for caption in (block.caption, *(figure.caption for figure in figures)):
                first, others = first_sentence(caption)
                if others:
                    captions[first, others] = None
    return [explanation for explanation in captions if explanation[1]]


def figures_of(blocks: Iterable[Block]) -> Iterator[Figure]:
    """Return every figure of some blocks, also in their groups and galleries."""
    return (figure for figure, _ in with_legends(blocks))


def with_legends(blocks: Iterable[Block], around: str = "") -> Iterator[tuple[Figure, str]]:
    """Yield every figure with its legend: its content, and how to read it."""
    for block in blocks:
        if isinstance(block, Figure):
            yield block, " ".join(filter(None, [block.alt, block.caption, around]))
        elif isinstance(block, Gallery):
            yield from with_legends(block.figures, block.caption)
        elif isinstance(block, GeneExplorer):
            yield from with_legends([block.figures])
        elif isinstance(block, Cards):
            yield from with_legends([card.figure for card in block.cards if card.figure])
        elif isinstance(block, Group):
            yield from with_legends(block.blocks)
