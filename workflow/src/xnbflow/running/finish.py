"""The end of a run: the index of all pages, and the pages of the studies that were run."""

from collections.abc import Iterable
from pathlib import Path

from xnbflow.core.study import Study
from xnbflow.tables.contract import INDEX, REPORT


def finish_run(studies: Iterable[Study], pages_of_run: Iterable[Path]) -> list[str]:
    """Write the index of all pages in this folder, and return a sentence for each page of the run.

    ``studies`` are all of the configuration. Without pages it does nothing; results may be in a
    storage. The index is not the output of a rule, because it lists studies of earlier runs as
    well.
    """
    pages = Path(INDEX).parent.glob(f"studies/*/{Path(REPORT).name}")
    if not any(pages):
        return []
    # imported at the end of a run: the templates are not needed for a plan
    from xnbflow.report.index import write_index  # noqa: PLC0415

    write_index(list(studies), INDEX)
    return [f"The page of the study: {page}" for page in pages_of_run]
