"""The page: sections become one self-contained HTML file, figures charts of the browser."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from xnbflow.core.atomic import write_atomically
from xnbflow.report.numbers import format_number
from xnbflow.report.page.blocks import (
    Card,
    Cards,
    GeneExplorer,
    Prose,
    Section,
    Table,
    Tile,
    explanations,
    figures_of,
    first_sentence,
    walk,
)
from xnbflow.report.page.bokeh_js import drawing_library
from xnbflow.report.page.charts import chart_json
from xnbflow.report.page.environment import ENVIRONMENT, SCRIPT, policy_of


def write_page(
    path: Path,
    title: str,
    lead: str,
    sections: Iterable[Section],
    second: Collection[str] = (),
) -> None:
    """Write the page.

    Sections whose ids are in ``second`` are on a second page, ``details.html`` beside the first, if
    there are any. Two figures with the same name are a `ValueError`.
    """
    finished = list(sections)

    # Names of figures are names of files.
    figures = (figure for section in finished for figure in figures_of(section.blocks))
    counts = Counter(figure.name for figure in figures)
    repeated = [name for name, n in counts.items() if n > 1]
    if repeated:
        msg = f"two figures are called {repeated[0]!r}; file names must differ"
        raise ValueError(msg)

    details = path.with_name("details.html")
    pages = {path: [section for section in finished if section.id not in second]}
    if any(section.id in second for section in finished):
        pages[details] = [section for section in finished if section.id in second]
    template = ENVIRONMENT.get_template("page.html")
    for page, on_page in pages.items():
        library = drawing_library() if _has_charts(on_page) else None

        # Address and title of the sections of other pages.
        links = []
        for other, on_other in pages.items():
            if other != page:
                links += [(f"{other.name}#{section.id}", section.title) for section in on_other]

        html = template.render(
            title=title if page == path else f"{title}: details",
            lead=lead,
            name="/".join(page.parts[-2:]),
            sections=on_page,
            script=SCRIPT,
            policy=policy_of(library),
            library=library.packed if library else "",
            places=_cards(on_page),
            chart=lambda figure: chart_json(figure.chart()),
            percent=_axis_percent,
            place=partial(_place_of_anchor, pages, page),
            others=links,
            kind=lambda block: type(block).__name__,
            refuse=_refuse,
            cells=_table_cells,
            first_sentence=first_sentence,
            explanations=explanations,
        )
        write_atomically(page, partial(Path.write_text, data=html, encoding="utf-8"))


def _place_of_anchor(pages: Mapping[Path, Sequence[Section]], page: Path, anchor: str) -> str:
    """Return the address of the prose with an anchor, on the ``page`` or beside it."""
    for other, sections in pages.items():
        blocks = (block for section in sections for block in walk(section.blocks))
        if any(isinstance(block, Prose) and block.id == anchor for block in blocks):
            return f"#{anchor}" if other == page else f"{other.name}#{anchor}"
    return f"#{anchor}"


def _has_charts(sections: Iterable[Section]) -> bool:
    """Return whether sections need the drawing library."""
    for section in sections:
        if any(isinstance(block, GeneExplorer) for block in walk(section.blocks)):
            return True
        if any(figures_of(section.blocks)):
            return True
    return False


def _cards(sections: Iterable[Section]) -> list[Card]:
    """Return the cards of sections that links can lead to."""
    cards: list[Card] = []
    for section in sections:
        for block in section.blocks:
            if isinstance(block, Cards):
                cards += [card for card in block.cards if card.anchor]
    return cards


def _axis_percent(tile: Tile, value: float) -> float:
    """Return where a value lies on the axis of a tile, in per cent."""
    share = (value - tile.low) / (tile.high - tile.low)
    return round(100 * min(1.0, max(0.0, share)), 1)


def _refuse(block: object) -> None:
    msg = f"there is no template for blocks of type {type(block).__name__}; add it to blocks.html"
    raise TypeError(msg)


def _table_cells(table: Table) -> list[list[tuple[str, bool, bool, str]]]:
    """Return a table's rows of cells: text, whether a number, whether the best, its link."""
    columns = table.frame.columns.tolist()
    formats = [column.format for column in table.headings]
    is_number = [table.frame[column].dtype.kind in "iuf" for column in columns]
    rows = []
    for i, values in enumerate(table.frame.itertuples(index=False, name=None)):
        row = []
        for j, value in enumerate(values):
            column = columns[j]
            link = table.links[column][i] if column in table.links else ""
            text = _text(value, formats[j])
            row.append((text, is_number[j], (i, column) in table.best, link))
        rows.append(row)
    return rows


def _text(value: object, spec: str) -> str:
    """Return a value as text; empty if it is missing."""
    if isinstance(value, str):
        return value
    missing = value is None or value != value  # noqa: PLR0124  NaN is not itself
    if missing:
        return ""
    return format_number(value, spec) if isinstance(value, float) else format(value, spec)
