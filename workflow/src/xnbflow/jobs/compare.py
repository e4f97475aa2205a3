"""A job of *compare*: the tables of a study from those of its data sets and classifiers."""

from collections.abc import Callable, Mapping
from typing import Any

from xnbflow.studies.description import description_tables
from xnbflow.studies.study_inputs import StudyInputs
from xnbflow.studies.study_tables import study_tables
from xnbflow.tables.contract import (
    DESCRIPTION_TABLE,
    DESCRIPTION_TABLES,
    GROUPS,
    STUDY,
    STUDY_TABLE,
)
from xnbflow.tables.earlier import remove_earlier_tables
from xnbflow.tables.storage import refuse_other_series, write_tables


def compare_classifiers(
    inputs: StudyInputs,
    *,
    labels: Mapping[str, str],
    entries: Mapping[str, Mapping[str, Mapping[str, Any]]],
    alpha: float,
    check_code: Callable[[], None],
) -> None:
    """Make and write the tables of a study and of its description.

    Parameters
    ----------
    inputs : StudyInputs
    labels, entries, alpha
        See `xnbflow.studies.study_tables.study_tables`.
    check_code : callable
        Called before files are written.

    Raises
    ------
    InputError
        If a table of a classifier is of another series than the study's.
    """
    for dataset, series in inputs.series_paths.items():
        refuse_other_series(inputs.training_paths(dataset), series)
    tables = study_tables(inputs, labels, entries, alpha=alpha)
    descriptions = description_tables(inputs, entries)
    check_code()
    study = inputs.study.id
    write_tables(tables, inputs.root / STUDY_TABLE.parent.of(study=study), GROUPS["study"].tables)
    folder = inputs.root / DESCRIPTION_TABLE.parent.of(study=study)
    write_tables(descriptions, folder, DESCRIPTION_TABLES)
    remove_earlier_tables("compare", inputs.root / STUDY.of(study=study))
