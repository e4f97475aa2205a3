"""Results without Snakemake's records of their jobs, such as a folder ``results`` copied alone.

Snakemake keeps the parameters of jobs in ``.snakemake``. Without them it repeats no job after a
change of the configuration or of the code, and a new page would show old tables. The record of a
study, ``run.json``, has the configuration and the code with which its page was made.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from xnbflow.core.nouns import counted
from xnbflow.running.provenance import code_of_stages
from xnbflow.running.study_jobs import StudyPlanner
from xnbflow.tables.contract import RECORD

#: Begins each sentence, by which the terminal of `xnbflow run` recognises it.
UNRECORDED = "The results of"


def unrecorded_changes(planner: StudyPlanner, dag: Any) -> Iterator[str]:
    """Yield a sentence for each planned study that a run could mix with earlier results.

    Its results were made by another configuration or code, and Snakemake would keep files of which
    it has no record.

    Parameters
    ----------
    planner : StudyPlanner
    dag : object
        Snakemake's graph of the planned jobs, ``workflow.dag``.
    """
    kept = [job for job in dag.jobs if dag.reason(job).no_metadata and not dag.needrun(job)]
    if not kept:
        return
    for study in planner.plan.planned:
        if changes := _changes(planner, study):
            difference = f"were made with another {' and another '.join(changes)}"
            jobs = f"{counted(len(kept), 'job')} of which .snakemake has no record"
            yield (
                f"{UNRECORDED} {study} {difference}. Snakemake would keep the files of {jobs}. "
                "Copy .snakemake together with results, or repeat all jobs by --forceall"
            )


def _changes(planner: StudyPlanner, study: str) -> list[str]:
    """Return what differs between the record of a study and its plan; nothing without a record."""
    path = Path(RECORD.of(study=study))
    if not path.is_file():
        return []
    record = json.loads(path.read_text(encoding="utf-8"))
    planned = planner.configuration(SimpleNamespace(study=study))
    planned = json.loads(json.dumps(planned))  # lists for tuples, as in the record
    recorded = record["configuration"]
    keys = [key for key in planned if planned[key] != recorded.get(key)]
    changes = [f"configuration ({', '.join(keys)})"] if keys else []
    if record["provenance"]["code"] != code_of_stages():
        changes.append("version of the code")
    return changes
