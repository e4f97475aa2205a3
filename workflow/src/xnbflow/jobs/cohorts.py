"""A job of *cohorts*: models in second cohorts, and several series of one question."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.core.study import Design
from xnbflow.data.dataset import DataSet
from xnbflow.jobs.model_files import write_model_files
from xnbflow.models.cohorts import combine
from xnbflow.models.validation import validate_all
from xnbflow.tables.contract import ALL_COHORTS, GROUPS
from xnbflow.tables.storage import write_tables


def compare_cohorts(
    series: Sequence[Path],
    *,
    pairs: Sequence[Mapping[str, Any]],
    entries: Mapping[str, Mapping[str, Mapping[str, Any]]],
    combination: Mapping[str, Any] | None,
    tables_folder: Path,
    model_folder: Path,
) -> None:
    """Test models on second cohorts, combine series, or both, as the study asks.

    Parameters
    ----------
    series : sequence of Path
        The file of each data set.
    pairs, entries
        The second cohorts and the configurations of the tested models, see
        `xnbflow.models.validation.validate_all`; no pair where the study has none.
    combination : mapping or None
        What is combined: ``datasets``, their ``designs``, and the ``entry`` and the id (``model``)
        of the classifier, ``match`` and ``harmonise``, see `xnbflow.models.cohorts.combine`. None
        where the study combines no series.
    tables_folder, model_folder : Path
        Where the tables are written, and the model of all series with its tables. Both exist
        afterwards.
    """
    cohorts = {one.name: one for one in map(DataSet.read, series)}
    tables_folder.mkdir(parents=True, exist_ok=True)
    model_folder.mkdir(parents=True, exist_ok=True)
    tables: dict[str, pd.DataFrame] = {}
    tests = []
    if pairs:
        tables |= validate_all(cohorts, entries, pairs)
        tests.append(tables["cohort_tests"])
    if combination is not None:
        combined, model, merged = combine(
            [cohorts[name] for name in combination["datasets"]],
            combination["entry"],
            match=combination["match"],
            harmonise=combination["harmonise"],
            name=combination["model"],
            designs={name: Design(**fields) for name, fields in combination["designs"].items()},
        )
        classifier = ALL_COHORTS["classifier"]
        write_model_files(model, merged, model_folder / classifier, classifier)
        tables |= combined
        tests.append(tables["cohort_tests"])
    tables["cohort_tests"] = pd.concat(tests, ignore_index=True)
    write_tables(tables, tables_folder, GROUPS["cohorts"].tables)
