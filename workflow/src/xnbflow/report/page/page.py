"""The page: sections become one self-contained HTML file, figures drawn in parallel."""

import math
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from joblib.externals.loky import ProcessPoolExecutor

from xnbflow.core.atomic import write_atomically
from xnbflow.report.page.blocks import (
    Card,
    Cards,
    Figure,
    GeneExplorer,
    Section,
    Table,
    Tile,
    figures_of,
    walk,
    with_legends,
)
from xnbflow.report.page.charts import chart_of
from xnbflow.report.page.environment import ENVIRONMENT, SCRIPT, policy_of
from xnbflow.report.page.library import drawing_library
from xnbflow.report.page.style import print_figure, render

#: The style in a figure's own file, since its colours are otherwise those of the page.
_ALONE = (
    "<style>:root{color:#1b1f24;background:#fff}"
    "@media(prefers-color-scheme:dark){:root{color:#e6e8eb;background:#16191d}}</style>"
)


def write_page(
    path: Path,
    title: str,
    lead: str,
    sections: Iterable[Section],
    figures: Path,
    threads: int = 1,
    second: Collection[str] = (),
) -> None:
    """Draw the figures and write the page.

    The figures of one of the ``sections`` are drawn by ``threads`` processes while the next is
    made. ``figures`` is the folder for each figure as a file of its own:
    ``{section}/{figure}.svg``. Sections whose ids are in ``second`` are on a second page,
    ``details.html`` beside the first, if there are any. Two figures with the same name are a
    `ValueError`.
    """
    finished, svgs = _draw_all(sections, figures, threads)
    charts = {}
    for section in finished:
        for figure in figures_of(section.blocks):
            charts[figure.name] = chart_of(figure)
    details = path.with_name("details.html")
    pages = {path: [section for section in finished if section.id not in second]}
    if any(section.id in second for section in finished):
        pages[details] = [section for section in finished if section.id in second]
    template = ENVIRONMENT.get_template("page.html")
    sizes = {name: _size(svg) for name, svg in svgs.items()}
    for page, on_page in pages.items():
        library = drawing_library() if _has_charts(on_page, charts) else None
        others = [(other, sections) for other, sections in pages.items() if other != page]
        html = template.render(
            title=title if page == path else f"{title}: details",
            lead=lead,
            name="/".join(page.parts[-2:]),
            sections=on_page,
            script=SCRIPT,
            policy=policy_of(library),
            library=library.packed if library else "",
            places=_cards(on_page),
            charts=charts,
            percent=_percent,
            others=_links_to(others),
            kind=lambda block: type(block).__name__,
            refuse=_refuse,
            cells=_cells,
            sizes=sizes,
            svgs=svgs,
            figures=os.path.relpath(figures, page.parent),
        )
        _write(page, html)


def _links_to(pages: Iterable[tuple[Path, Iterable[Section]]]) -> list[tuple[str, str]]:
    """Return address and title of the sections of other pages."""
    links = []
    for page, sections in pages:
        links += [(f"{page.name}#{section.id}", section.title) for section in sections]
    return links


def _has_charts(sections: Iterable[Section], charts: Mapping[str, object]) -> bool:
    """Return whether sections need the drawing library."""
    for section in sections:
        if any(isinstance(block, GeneExplorer) for block in walk(section.blocks)):
            return True
        if any(charts[figure.name] for figure in figures_of(section.blocks)):
            return True
    return False


def _draw_all(
    sections: Iterable[Section], folder: Path, threads: int
) -> tuple[list[Section], dict[str, str]]:
    """Draw and write every figure; return the sections, and the drawings by name."""
    finished: list[Section] = []

    def drawings() -> Iterator[Any]:
        for section in sections:
            finished.append(section)
            for figure in figures_of(section.blocks):
                yield render, figure.name, figure.draw, figure.arguments

    # `drawings` fills `finished` while it is consumed, so that figures of one section are drawn
    # while the next section is made.
    drawn = _call_all(threads, drawings())
    places = []
    for section in finished:
        places += [(section.id, figure.name) for figure in figures_of(section.blocks)]
    names = [name for _, name in places]
    repeated = [name for name, n in Counter(names).items() if n > 1]
    if repeated:
        msg = f"two figures are called {repeated[0]!r}; file names must differ"
        raise ValueError(msg)
    for (section_id, name), svg in zip(places, drawn, strict=True):
        alone = svg.replace(">", f">{_ALONE}", 1)
        text = f'<?xml version="1.0" encoding="utf-8"?>\n{alone}\n'
        _write(folder / section_id / f"{name}.svg", text)
    return finished, dict(zip(names, drawn, strict=True))


def write_figures(
    sections: Iterable[Section],
    folder: Path,
    width: float,
    subject: Callable[[str], str],
    threads: int = 1,
) -> dict[str, float]:
    """Write every figure for print, and ``legends.md``, which has a legend for each.

    They are ``{section}/{figure}.svg``, ``.pdf`` and ``.png`` of the folder, ``width`` millimetres
    wide; ``subject`` returns the subject of a figure by its name, ``threads`` processes draw. The
    result has the drawn widths by ``{section}/{figure}``.
    """
    figures: dict[str, Figure] = {}
    legends = []
    for section in sections:
        for figure, legend in with_legends(section.blocks):
            name = f"{section.id}/{figure.name}"
            figures[name] = figure
            legends.append(f"**{name}** {section.title}, {subject(figure.name)}. {legend}\n")
    tasks = []
    for name, figure in figures.items():
        tasks.append((print_figure, figure.draw, figure.arguments, folder / name, width))
    widths = _call_all(threads, tasks)
    _write(folder / "legends.md", "\n".join(legends))
    return dict(zip(figures, widths, strict=True))


def _call_all(threads: int, tasks: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Return the results of functions with arguments, each called as soon as it is yielded."""
    if threads == 1:
        return [function(*arguments) for function, *arguments in tasks]
    with ProcessPoolExecutor(threads) as pool:
        futures = [pool.submit(*task) for task in tasks]
        return [future.result() for future in futures]


def _write(path: Path, text: str) -> None:
    write_atomically(path, lambda part: part.write_text(text, encoding="utf-8"))


def _cards(sections: Iterable[Section]) -> list[Card]:
    """Return the cards of sections that links can lead to."""
    cards: list[Card] = []
    for section in sections:
        for block in section.blocks:
            if isinstance(block, Cards):
                cards += [card for card in block.cards if card.anchor]
    return cards


def _percent(tile: Tile, value: float) -> float:
    """Return where a value lies on the axis of a tile, in per cent."""
    share = (value - tile.low) / (tile.high - tile.low)
    return round(100 * min(1.0, max(0.0, share)), 1)


def _refuse(block: object) -> None:
    msg = f"there is no template for blocks of type {type(block).__name__}; add it to blocks.html"
    raise TypeError(msg)


#: Pixels and points of an inch.
_PIXELS = 96
_POINTS = 72
#: Least height of text on a screen in pixels.
_LEAST_TEXT = 10


def _size(svg: str) -> tuple[int, int]:
    """Return a figure's width in pixels, and the width below which its text gets too small.

    Examples
    --------
    >>> _size('<svg width="216.0pt"><text style="font-size:8px">a</text></svg>')
    (288, 270)
    """
    (points, *_) = re.findall(r'\bwidth="([\d.]+)pt"', svg)
    width = float(points) * _PIXELS / _POINTS
    sizes = map(float, re.findall(r'style="[^"]*?\b([\d.]+)px', svg))
    least = _LEAST_TEXT / (min(sizes, default=_POINTS) * _PIXELS / _POINTS)
    return round(width), math.ceil(width * min(least, 1.0))


def _cells(table: Table) -> list[list[tuple[str, bool, bool, str]]]:
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
    return "" if missing else format(value, spec)
