"""A job of *validate*: models of a study on second cohorts."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from xnbflow.data.dataset import DataSet
from xnbflow.models.validation import validate_all
from xnbflow.tables.contract import VALIDATION_TABLES
from xnbflow.tables.storage import write_tables


def validate_models(
    series: Sequence[Path],
    *,
    entries: Mapping[str, Mapping[str, Mapping[str, Any]]],
    pairs: Sequence[Mapping[str, Any]],
    folder: Path,
) -> None:
    """Test models on second cohorts, and write the tables of all pairs into a folder.

    For ``entries`` and ``pairs`` see `xnbflow.models.validation.validate_all`.
    """
    cohorts = {cohort.name: cohort for cohort in map(DataSet.read, series)}
    tables = validate_all(cohorts, entries, pairs)
    write_tables(tables, folder, VALIDATION_TABLES)
