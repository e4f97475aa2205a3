"""A job of *compare*: the tables of a study from those of its data sets and classifiers."""

from collections.abc import Mapping
from typing import Any

from xnbflow.studies.study_reader import StudyReader
from xnbflow.studies.study_tables import study_tables
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import write_tables


def compare_classifiers(
    inputs: StudyReader,
    *,
    entries: Mapping[str, Mapping[str, Mapping[str, Any]]],
    alpha: float,
) -> None:
    """Make and write the tables of a study.

    Parameters
    ----------
    inputs : StudyReader
    entries, alpha
        See `xnbflow.studies.study_tables.study_tables`.
    """
    group = GROUPS["study"]
    folder = inputs.root / group.path.parent.of(study=inputs.study.id)
    write_tables(study_tables(inputs, entries, alpha=alpha), folder, group.tables)
