"""A job of *compare*: the tables of a study from those of its data sets and classifiers."""

from collections.abc import Mapping
from typing import Any

from xnbflow.studies.description import description_tables
from xnbflow.studies.study_inputs import StudyInputs
from xnbflow.studies.study_tables import study_tables
from xnbflow.tables.contract import (
    DESCRIPTION_TABLE,
    DESCRIPTION_TABLES,
    GROUPS,
    STUDY_TABLE,
)
from xnbflow.tables.storage import write_tables


def compare_classifiers(
    inputs: StudyInputs,
    *,
    entries: Mapping[str, Mapping[str, Mapping[str, Any]]],
    alpha: float,
) -> None:
    """Make and write the tables of a study and of its description.

    Parameters
    ----------
    inputs : StudyInputs
    entries, alpha
        See `xnbflow.studies.study_tables.study_tables`.
    """
    tables = study_tables(inputs, entries, alpha=alpha)
    descriptions = description_tables(inputs, entries)
    study = inputs.study.id
    folder = inputs.root / STUDY_TABLE.parent.of(study=study)
    write_tables(tables, folder, GROUPS["study"].tables)
    folder = inputs.root / DESCRIPTION_TABLE.parent.of(study=study)
    write_tables(descriptions, folder, DESCRIPTION_TABLES)
