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
from xnbflow.tables.storage import digest_of_file, refuse_other_series, write_tables


def compare_classifiers(
    inputs: StudyInputs,
    *,
    entries: Mapping[str, Mapping[str, Mapping[str, Any]]],
    alpha: float,
    check_code: Callable[[], None],
) -> None:
    """Make and write the tables of a study and of its description.

    Parameters
    ----------
    inputs : StudyInputs
    entries, alpha
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
    tables = study_tables(inputs, entries, alpha=alpha)
    descriptions = description_tables(inputs, entries)
    check_code()
    study = inputs.study.id
    # the model of a study has a verdict if both are of the same series
    digests = " ".join(map(digest_of_file, inputs.series_paths.values()))
    folder = inputs.root / STUDY_TABLE.parent.of(study=study)
    write_tables(tables, folder, GROUPS["study"].tables, digests)
    folder = inputs.root / DESCRIPTION_TABLE.parent.of(study=study)
    write_tables(descriptions, folder, DESCRIPTION_TABLES)
    remove_earlier_tables("compare", inputs.root / STUDY.of(study=study))
