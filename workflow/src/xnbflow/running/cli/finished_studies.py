"""Commands about a finished study: its page, its figures, a workbook."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from xnbflow.core.errors import InputError
from xnbflow.core.plugins import known_analyses
from xnbflow.data.dataset import DataSet
from xnbflow.running.cli.output_files import refuse_to_replace
from xnbflow.tables.contract import REPORT, SERIES

if TYPE_CHECKING:
    from xnbflow.report.results import StudyResults


@contextmanager
def _workflow_extra() -> Iterator[None]:
    """Turn a missing package into an `InputError` that names the extra with it."""
    try:
        yield
    except ModuleNotFoundError as error:
        msg = f"the command needs {error.name}; install xnbflow with its extra `workflow`"
        raise InputError(msg) from error


def check_output(
    path: Path, name: str, force: bool, is_earlier_result: Callable[[Path], bool]
) -> None:
    """Refuse an output that is a file of a study or a data set; see `refuse_to_replace`."""
    folders = [Path(REPORT.of(study=name)).parent, Path(SERIES.of(dataset=name)).parent]
    refuse_to_replace(path, inputs=folders, force=force, is_earlier_result=is_earlier_result)


def read_series_of_study(dataset: str) -> DataSet:
    """Read a data set that the stage *acquire* of a study wrote in this folder."""
    path = Path(SERIES.of(dataset=dataset))
    if not path.is_file() and Path(REPORT.of(study=dataset)).is_file():
        msg = (
            f"{dataset!r} is a study, of which GCT cannot have all data sets: write its workbook "
            f"by -o {dataset}.xlsx, or name one of its data sets"
        )
        raise InputError(msg, file=str(path))
    if not path.is_file():
        msg = f"{path} does not exist; run a study that has the data set {dataset!r} in this folder"
        raise InputError(msg, file=str(path))
    return DataSet.read(path)


def read_study(study: str) -> "StudyResults":
    """Read a finished study."""
    with _workflow_extra():
        from xnbflow.report.study_page import read_record  # noqa: PLC0415
    return read_record(study, known_analyses())


def page_of(study: str) -> Path:
    """Return the page of a finished study; raise an `InputError` if there is none."""
    path = Path(REPORT.of(study=study))
    if not path.is_file():
        msg = f"{path} does not exist; run the study in this folder: xnbflow run {study}"
        raise InputError(msg, file=str(path))
    return path


def write_workbook(results: "StudyResults", path: Path) -> Path:
    """Write the workbook of a study; raise an `InputError` without the package openpyxl."""
    from xnbflow.report import workbook  # noqa: PLC0415

    try:
        workbook.write_workbook(results, path)
    except ModuleNotFoundError as error:
        msg = f"the command needs {error.name}; install xnbflow with its extra `excel`"
        raise InputError(msg) from error
    return path


def print_figures(results: "StudyResults", folder: Path, width: float) -> dict[str, float]:
    """Draw the figures of a study for print, on all cores."""
    from xnbflow.report import figure_files  # noqa: PLC0415

    return figure_files.print_figures(results, folder, width, os.cpu_count() or 1)
