"""The index: one page over all studies, those that have run and those that have not."""

import json
import shlex
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from xnbflow.core.atomic import write_atomically
from xnbflow.core.study import Study
from xnbflow.report.levels import LEVEL_STYLES
from xnbflow.report.page.environment import ENVIRONMENT, SCRIPT, policy_of
from xnbflow.tables.contract import RECORD, REPORT


def write_index(studies: Sequence[Study], path: str | Path) -> None:
    """Write a page with links to the reports of all studies.

    A configured study without a report is listed with the command that runs it. Reports of studies
    that are not among the configured ``studies`` are listed after these. ``path`` is the path of
    the HTML file, in the folder ``results``.
    """
    path = Path(path)
    written = None
    while True:  # another report may have appeared: the last to write lists all of them
        rows = [_row_of_study(study, path.parent / "studies" / study.id) for study in studies]
        configured = {study.id for study in studies}
        reports = sorted(path.parent.glob("studies/*/report.html"))
        rows += [_index_row(page.parent) for page in reports if page.parent.name not in configured]
        html = ENVIRONMENT.get_template("index.html").render(
            studies=rows, script=SCRIPT, policy=policy_of()
        )
        if html == written:
            return
        write_atomically(path, partial(Path.write_text, data=html, encoding="utf-8"))
        written = html


def _row_of_study(study: Study, folder: Path) -> dict[str, Any]:
    """Return the row of the index for a configured study, whose files are in a folder."""
    return _index_row(folder) | {
        "title": study.title,
        "summary": study.summary,
        "finished": (folder / Path(REPORT).name).exists(),
        "datasets": len(study.datasets),
        "command": shlex.join(["xnbflow", "run", study.id]),
    }


def _index_row(folder: Path) -> dict[str, Any]:
    """Return the row of the index for a finished study, from its record if there is one."""
    path = folder / Path(RECORD).name
    record: dict[str, Any] = {"study": {}}
    if path.exists():
        record = json.loads(path.read_text(encoding="utf-8"))
    study = record["study"]
    sizes = record.get("sizes", [])
    counts = Counter(record.get("verdicts", {}).values())
    levels = []
    for level, style in LEVEL_STYLES.items():
        if counts[level]:
            levels.append((style, level.capitalize(), counts[level]))
    date = ""
    if path.exists():
        date = datetime.fromtimestamp(path.stat().st_mtime).astimezone().date().isoformat()
    return {
        "id": folder.name,
        "finished": True,
        "title": study.get("title", folder.name),
        "summary": study.get("summary", ""),
        "headline": record.get("headline", ""),
        "judged": bool(record.get("chosen")),
        "levels": levels,
        "datasets": len(study.get("datasets", [])),
        "samples": sum(row["samples"] for row in sizes),
        "features": max((row["features"] for row in sizes), default=0),
        "date": date,
    }
