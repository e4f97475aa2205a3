"""The page: sections become one self-contained HTML file, figures drawn in parallel."""

from collections.abc import Sequence
from pathlib import Path

import jinja2
from joblib import Parallel, delayed

from xnbflow.report.blocks import Figure, Section, Table
from xnbflow.report.style import svg
from xnbflow.tables import write_atomically

__all__ = ["write_page"]

_ENVIRONMENT = jinja2.Environment(
    loader=jinja2.PackageLoader("xnbflow.report"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
)


def write_page(
    path: Path, title: str, lead: str, sections: Sequence[Section], figures: Path, threads: int = 1
) -> None:
    """Draw the figures and write the page.

    Parameters
    ----------
    path : path
        The HTML file.
    title, lead : str
        Its heading and what it is about.
    sections : sequence of Section
        Its chapters.
    figures : path
        Folder for each figure as a file of its own.
    threads : int
        Processes that draw.
    """
    blocks = [block for section in sections for block in section.blocks]
    wanted = [block for block in blocks if isinstance(block, Figure)]
    drawn = Parallel(n_jobs=threads)(delayed(_draw)(figure) for figure in wanted)
    figures.mkdir(parents=True, exist_ok=True)
    for figure, text in zip(wanted, drawn, strict=True):
        header = '<?xml version="1.0" encoding="utf-8"?>\n'
        (figures / f"{figure.name}.svg").write_text(header + text, encoding="utf-8")
    html = _ENVIRONMENT.get_template("page.html").render(
        title=title,
        lead=lead,
        sections=sections,
        kind=lambda block: type(block).__name__,
        cells=_cells,
        svgs=dict(zip((figure.name for figure in wanted), drawn, strict=True)),
    )
    write_atomically(path, lambda part: part.write_text(html, encoding="utf-8"))


def _draw(figure: Figure) -> str:
    return svg(figure.draw(**figure.arguments), figure.name)


def _cells(table: Table) -> list[list[dict[str, object]]]:
    """Return a table's rows of cells: ``text`` to show, ``value`` to sort by, ``best``."""
    rows = []
    for position, row in enumerate(table.frame.itertuples(index=False)):
        cells = []
        for column, value in zip(table.frame.columns, row, strict=True):
            missing = value is None or value != value  # noqa: PLR0124  NaN is not itself
            text = "" if missing else format(value, table.formats.get(column, ""))
            number = isinstance(value, int | float) and not isinstance(value, bool)
            cells.append(
                {
                    "text": text,
                    "value": "" if missing else value,
                    "number": number,
                    "best": (position, column) in table.best,
                }
            )
        rows.append(cells)
    return rows
