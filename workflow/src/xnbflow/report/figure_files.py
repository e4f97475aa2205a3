"""The figures of a study as files for print: SVG, PDF and PNG."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from xnbflow.core.atomic import write_atomically
from xnbflow.report.outline import figure_labels
from xnbflow.report.page.blocks import Figure, Section, with_legends
from xnbflow.report.results import StudyResults
from xnbflow.report.static.image_files import print_figure
from xnbflow.report.study_page import sections_with_figures


def _write_figures(
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
    tasks = [(_print_figure, figure, folder / name, width) for name, figure in figures.items()]
    widths = _call_all(threads, tasks)
    path = folder / "legends.md"
    write_atomically(path, lambda part: part.write_text("\n".join(legends), encoding="utf-8"))
    return dict(zip(figures, widths, strict=True))


def print_figures(
    results: StudyResults, folder: Path, width: float, threads: int = 1
) -> dict[str, float]:
    """Write a study's figures for print, see `_write_figures`."""
    study = results.study
    datasets = list(study.datasets)
    for settings in study.analyses.values():
        datasets += settings.get("datasets", [])

    def subject(figure: str) -> str:
        labels = figure_labels(figure, datasets, study.folds, study.classifiers)
        classifier = results.labels.get(labels["classifier"], "")
        return ", ".join(filter(None, [labels["data set"], classifier, labels["folds"]]))

    return _write_figures(
        sections_with_figures(results), folder=folder, width=width, subject=subject, threads=threads
    )


def _print_figure(figure: Figure, path: Path, width: float) -> float:
    return print_figure(figure.chart(), path, width)


def _call_all(threads: int, tasks: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Return the results of functions with arguments, each called as soon as it is yielded."""
    if threads == 1:
        return [function(*arguments) for function, *arguments in tasks]
    from joblib.externals.loky import ProcessPoolExecutor  # noqa: PLC0415  a tenth of a second

    with ProcessPoolExecutor(threads) as pool:
        futures = [pool.submit(*task) for task in tasks]
        return [future.result() for future in futures]
