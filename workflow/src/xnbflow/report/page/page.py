"""The page: sections become one self-contained HTML file, figures drawn in parallel."""

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from pathlib import Path

import jinja2
from joblib.externals.loky import get_reusable_executor

from xnbflow.data.atomic import write_atomically
from xnbflow.report.page.blocks import Figure, Gallery, Section, Table, figures_of
from xnbflow.report.page.style import nothing, render, render_png

__all__ = ["ENVIRONMENT", "write_page", "write_pictures"]

ENVIRONMENT = jinja2.Environment(
    loader=jinja2.PackageLoader("xnbflow.report.page"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
)
ENVIRONMENT.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "ensure_ascii": False}


#: Before the content of a figure that stands alone: it has no page to take its colours from.
_ALONE = (
    "<style>:root{color:#1b1f24;background:#fff}"
    "@media(prefers-color-scheme:dark){:root{color:#e6e8eb;background:#16191d}}</style>"
)


def write_page(
    path: Path, title: str, lead: str, sections: Iterable[Section], figures: Path, threads: int = 1
) -> None:
    """Draw the figures and write the page.

    Parameters
    ----------
    path : path
        The HTML file.
    title, lead : str
        Its heading and what it is about.
    sections : iterable of Section
        Its chapters; the figures of one are drawn while the next is made.
    figures : path
        Folder for each figure as a file of its own: ``{section}/{figure}.svg``.
    threads : int
        Processes that draw.

    Raises
    ------
    ValueError
        If two figures have the same name.
    """
    made: list[Section] = []
    drawn: dict[str, Future[str]] = {}
    with _artists(threads) as submit:
        for section in sections:
            made.append(section)
            for figure in figures_of(section.blocks):
                if figure.name in drawn:
                    msg = f"two figures are called {figure.name!r}; file names must differ"
                    raise ValueError(msg)
                drawn[figure.name] = submit(figure)
        svgs = {name: future.result() for name, future in drawn.items()}
    for section in made:
        for figure in figures_of(section.blocks):
            _write_figure(figures / section.id / f"{figure.name}.svg", svgs[figure.name])
    html = ENVIRONMENT.get_template("page.html").render(
        title=title,
        lead=lead,
        sections=made,
        kind=lambda block: type(block).__name__,
        refuse=_refuse,
        cells=_cells,
        size=_size,
        total=lambda gallery: _total(gallery, svgs),
        svgs=svgs,
        figures=os.path.relpath(figures, path.parent),
    )
    write_atomically(path, lambda part: part.write_text(html, encoding="utf-8"))


def write_pictures(sections: Iterable[Section], folder: Path, threads: int = 1) -> None:
    """Write every figure as PNG of 300 dots per inch: ``{section}/{figure}.png``.

    Parameters
    ----------
    sections : iterable of Section
        The chapters of a page.
    folder : path
        Where to write.
    threads : int
        Processes that draw.
    """
    with _processes(threads) as executor:
        figures = [
            (figure.draw, figure.arguments, folder / section.id / f"{figure.name}.png")
            for section in sections
            for figure in figures_of(section.blocks)
        ]
        for drawn in [executor.submit(render_png, *figure) for figure in figures]:
            drawn.result()


def _refuse(block: object) -> None:
    """Refuse a block that the template does not know: left out, nobody would miss it."""
    msg = f"the page knows no block of type {type(block).__name__}; add it to blocks.html"
    raise TypeError(msg)


#: Pixels to an inch and points to an inch, and the least height of text on a screen in pixels.
_PIXELS, _POINTS, _LEAST_TEXT = 96, 72, 10


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


#: Pixels between two figures of a gallery.
_GAP = 24


def _total(gallery: Gallery, svgs: Mapping[str, str]) -> int:
    """Return the pixels that the figures of a gallery take side by side."""
    return sum(_size(svgs[figure.name])[0] + _GAP for figure in gallery.figures)


@contextmanager
def _artists(threads: int) -> Iterator[Callable[[Figure], Future[str]]]:
    """Give a function that has a figure drawn, by other processes if there are several threads."""
    if threads == 1:
        yield _draw_now
        return
    with _processes(threads) as executor:
        yield lambda figure: executor.submit(render, figure.name, figure.draw, figure.arguments)


@contextmanager
def _processes(threads: int) -> Iterator[Executor]:
    """Give processes that draw; they are started now, while the first section is made."""
    executor = get_reusable_executor(max_workers=threads)
    for _ in range(threads):
        executor.submit(render, "", nothing, {})
    try:
        yield executor
    finally:
        executor.shutdown(wait=True)


def _draw_now(figure: Figure) -> Future[str]:
    future: Future[str] = Future()
    future.set_result(render(figure.name, figure.draw, figure.arguments))
    return future


def _write_figure(path: Path, svg: str) -> None:
    start = svg.index(">") + 1
    text = f'<?xml version="1.0" encoding="utf-8"?>\n{svg[:start]}{_ALONE}{svg[start:]}\n'
    write_atomically(path, lambda part: part.write_text(text, encoding="utf-8"))


def _cells(table: Table) -> list[list[tuple[str, bool, bool, str]]]:
    """Return a table's rows of cells: text, whether a number, whether the best, its link."""
    columns = list(table.frame.columns)
    specs = [column.format for column in table.headings]
    numeric = [table.frame[column].dtype.kind in "iuf" for column in columns]
    best = {(row, columns.index(column)) for row, column in table.best}
    links = {columns.index(column): addresses for column, addresses in table.links.items()}
    return [
        [
            (_text(value, spec), number, (i, j) in best, links[j][i] if j in links else "")
            for j, (value, spec, number) in enumerate(zip(row, specs, numeric, strict=True))
        ]
        for i, row in enumerate(table.frame.itertuples(index=False, name=None))
    ]


def _text(value: object, spec: str) -> str:
    """Return how a value is shown: text as it is, and nothing where it is missing."""
    if isinstance(value, str):
        return value
    missing = value is None or value != value  # noqa: PLR0124  NaN is not itself
    return "" if missing else format(value, spec)
