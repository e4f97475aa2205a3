"""A job of *combine*: several series of one question, and a model of all of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from xnbflow.core.study import Design
from xnbflow.data.dataset import DataSet
from xnbflow.jobs.model_files import write_model_files
from xnbflow.models.cohorts import combine
from xnbflow.tables.contract import ALL_COHORTS, COHORT_TABLES
from xnbflow.tables.storage import write_tables


def combine_series(
    series: Sequence[Path],
    entry: Mapping[str, Any],
    *,
    match: str,
    harmonise: str,
    label: str,
    designs: Mapping[str, Design],
    tables_folder: Path,
    model_folder: Path,
) -> None:
    """Combine several series; write their tables and the model of all into a folder each.

    For ``entry``, the configuration of the classifier, ``match`` and ``harmonise`` see
    `xnbflow.models.cohorts.combine`; ``label`` is the classifier's, ``designs`` those of the
    data sets by name.
    """
    cohorts = [DataSet.read(path) for path in series]
    tables, model, merged = combine(
        cohorts, entry, match=match, harmonise=harmonise, name=label, designs=designs
    )
    write_model_files(model, merged, model_folder, ALL_COHORTS["classifier"])
    write_tables(tables, tables_folder, COHORT_TABLES)
