"""The commands about a finished study: figures, pack, gene, paper, export, open."""

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xnbflow.core.deferred import DeferredModule
from xnbflow.core.nouns import counted
from xnbflow.running.cli.options import Finished, Force, Width
from xnbflow.running.cli.output_files import (
    deliver,
    has_content,
    holds_figures,
    is_packed_study,
    is_paper,
    is_workbook,
)
from xnbflow.running.cli.terminal import print_text, progress, warn

if TYPE_CHECKING:
    from xnbflow.running.cli import finished_studies
else:
    # It imports the libraries of pages; `xnbflow --help` is printed without these.
    finished_studies = DeferredModule("xnbflow.running.cli.finished_studies")

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
    finished_studies.check_output(output, study, force, holds_figures)
    results = finished_studies.read_study(study)
    with progress("drawing"):
        widths = finished_studies.print_figures(results, output, width)
    for name, drawn_width in widths.items():
        if drawn_width > width + _ROUNDING_MM:
            warn(f"{name} is {drawn_width:.0f} mm wide: its labels need the room")
    n_figures = counted(len(widths), "figure")
    print_text(f"{output}: {n_figures}, {width:g} mm wide, and legends.md")


def pack(
    study: Annotated[str, typer.Argument(help="A finished study in this folder.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A zip file; STUDY.zip without.")
    ] = None,
    force: Force = False,
) -> None:
    """Write one zip file with the pages of a study and every file that they link to."""
    from xnbflow.report.pack import pack_study  # noqa: PLC0415

    path = output or Path(f"{study}.zip")
    finished_studies.check_output(path, study, force, is_packed_study)
    with progress("packing"):
        files = pack_study(study, path)
    print_text(f"{path}: {counted(len(files), 'file')}; unpack it and open index.html")


def gene(
    study: Finished,
    name: Annotated[str, typer.Argument(help="A gene symbol, or the name of a feature.")],
    *,
    data: Annotated[str, typer.Option(help="A data set of the study; all without.")] = "",
    width: Width = 85.0,
    output: Annotated[Path, typer.Option("--output", "-o", help="A folder.")] = Path("figures"),
    force: Force = False,
) -> None:
    """Draw the values of a gene by class as SVG, PDF and PNG, and print its rows of the genes."""
    from xnbflow.tables.storage import tsv  # noqa: PLC0415

    finished_studies.check_output(output, study, force, holds_figures)
    results = finished_studies.read_study(study)
    rows = finished_studies.print_genes(results, name, data, output, width)
    print_text(tsv(rows).rstrip())
    names = ", ".join(rows["figure"].drop_duplicates())
    warn(f"figures are in {output}, each as SVG, PDF and PNG: {names}")


def paper(
    study: Finished,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="A folder.")] = Path("paper"),
    force: Force = False,
) -> None:
    """Write methods, results, references, checklists and model cards of a study."""
    finished_studies.check_output(output, study, force, is_paper)
    names = finished_studies.write_paper(finished_studies.read_study(study), output)
    print_text(f"{output}: {', '.join(names)}")


def export(
    name: Annotated[str, typer.Argument(help="A study that has run here, or a data set of one.")],
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", help="NAME.xlsx of a study; else a name without ending")
    ] = "",
    force: Force = False,
) -> None:
    """Write a study as a workbook (-o NAME.xlsx), or a prepared data set as GCT and CLS."""
    from xnbflow.sources.formats.gct import gct_and_cls  # noqa: PLC0415

    with progress("writing"):
        if output.casefold().endswith(".xlsx"):
            finished_studies.check_output(Path(output), name, force, is_workbook)
            results = finished_studies.read_study(name)
            files = [finished_studies.write_workbook(results, Path(output))]
        else:
            files = []
            for end, text in gct_and_cls(finished_studies.read_series_of_study(name)).items():
                files.append(Path(f"{output or name}{end}"))
                is_earlier = has_content(text)
                finished_studies.check_output(files[-1], name, force, is_earlier)
                deliver(text, files[-1])
    print_text("\n".join(map(str, files)))


def open_study(study: Finished) -> None:
    """Open the page of a study in the browser."""
    page = finished_studies.page_of(study)
    if not webbrowser.open(page.resolve().as_uri()):
        warn("no browser can be started here")
    print_text(str(page))
