"""The commands about a finished study: figures, export, open."""

import re
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from xnbflow.core.nouns import counted
from xnbflow.running.cli.options import Finished, Force, Width
from xnbflow.running.cli.output_files import deliver, has_content, holds_figures, is_workbook
from xnbflow.running.cli.terminal import print_text, progress, warn

#: A figure is reported as wider than requested if it is by more millimetres than rounding adds.
_ROUNDING_MM = 0.5


def figures(
    study: Finished,
    *,
    width: Width = 85.0,
    output: Annotated[Path, typer.Option("--output", "-o", help="A folder.")] = Path("figures"),
    force: Force = False,
) -> None:
    """Draw the figures of a study for print: SVG, PDF and PNG of one width, with legends."""
    from xnbflow.running.cli import finished_studies  # noqa: PLC0415  the libraries of pages

    finished_studies.check_output(output, study, force, holds_figures)
    results = finished_studies.read_study(study)
    with progress("drawing"):
        widths = finished_studies.print_figures(results, output, width)
    for name, drawn_width in widths.items():
        if drawn_width > width + _ROUNDING_MM:
            warn(f"{name} is {drawn_width:.0f} mm wide: its labels need the room")
    n_figures = counted(len(widths), "figure")
    print_text(f"{output}: {n_figures}, {width:g} mm wide, and legends.md")


def export(
    name: Annotated[str, typer.Argument(help="A study that has run here, or a data set of one.")],
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", help="NAME.xlsx of a study; else a name without ending")
    ] = "",
    force: Force = False,
) -> None:
    """Write a study as a workbook (-o NAME.xlsx), or a prepared data set as GCT and CLS."""
    from xnbflow.running.cli import finished_studies  # noqa: PLC0415  the libraries of pages
    from xnbflow.sources.formats.gct import gct_and_cls  # noqa: PLC0415

    with progress("writing"):
        if output.casefold().endswith(".xlsx"):
            finished_studies.check_output(Path(output), name, force, is_workbook)
            results = finished_studies.read_study(name)
            files = [finished_studies.write_workbook(results, Path(output))]
        else:
            files = []
            stem = re.sub(r"\.(gct|cls)$", "", output, flags=re.IGNORECASE) or name
            for end, text in gct_and_cls(finished_studies.read_series_of_study(name)).items():
                files.append(Path(f"{stem}{end}"))
                is_earlier = has_content(text)
                finished_studies.check_output(files[-1], name, force, is_earlier)
                deliver(text, files[-1])
    print_text("\n".join(map(str, files)))


def open_study(study: Finished) -> None:
    """Open the page of a study in the browser."""
    from xnbflow.running.cli import finished_studies  # noqa: PLC0415  the libraries of pages

    page = finished_studies.page_of(study)
    if not webbrowser.open(page.resolve().as_uri()):
        warn("no browser can be started here")
    print_text(str(page))
