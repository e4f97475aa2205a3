"""The end of a run: the index of all pages, the pages of its studies, and what they lack."""

from collections.abc import Iterable
from pathlib import Path

from xnbflow.core.study import Study
from xnbflow.running.study_jobs import StudyPlanner
from xnbflow.tables.contract import INDEX, REPORT


def finish_run(planner: StudyPlanner, *, has_failed: bool = False) -> list[str]:
    """Write the index of all pages in this folder; return what a run prints at its end.

    These are a sentence for each page of a study of the run, and for each data set that was left
    out. After a run that ``has_failed`` a page may be of an earlier one. Without pages there is no
    index; results may be in a storage. The index is not the output of a rule, because it lists
    studies of earlier runs as well.
    """
    sentences = []
    if any(Path(INDEX).parent.glob(f"studies/*/{Path(REPORT).name}")):
        # imported at the end of a run: the templates are not needed for a plan
        from xnbflow.report.index import write_index  # noqa: PLC0415

        write_index(list(planner.plan.config.studies.values()), INDEX)
        kind = "The page of the study"
        if has_failed:
            kind = "A page of the study, perhaps of an earlier run"
        sentences += [f"{kind}: {page}" for page in planner.pages()]
    return [*sentences, *_left_out_sentences(planner.plan.planned.values())]


def _left_out_sentences(studies: Iterable[Study]) -> list[str]:
    """Return a sentence for each data set that studies run without, with the reason."""
    return [
        f"Left out of {study.id}: {name}; {reason}"
        for study in studies
        for name, reason in study.missing.items()
    ]
