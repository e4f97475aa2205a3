"""The end of a run: the index of all pages, and the pages of the studies that were run."""

import json
from pathlib import Path

from xnbflow.running.planners.targets import TargetPlanner
from xnbflow.tables.contract import INDEX, REPORT


def finish_run(targets: TargetPlanner) -> list[str]:
    """Write the index of all pages in this folder, and return a sentence for each page of the run.

    Optional data sets that could not be had are sought again by the next run.

    Without pages it does nothing; results may be in a storage. The index is not the output of a
    rule, because it lists studies of earlier runs as well.
    """
    # The files of *seek* of data sets that could not be had.
    for path in map(Path, targets.sought(*targets.plan.config.studies)):
        if path.is_file() and not json.loads(path.read_text(encoding="utf-8"))["available"]:
            path.unlink()

    pages = Path(INDEX).parent.glob(f"studies/*/{Path(REPORT).name}")
    if not any(pages):
        return []
    # imported at the end of a run: the templates are not needed for a plan
    from xnbflow.report.index import write_index  # noqa: PLC0415

    write_index(list(targets.plan.config.studies.values()), INDEX)
    return [f"The page of the study: {page}" for page in targets.pages()]
