"""Columns of the samples that options name: found, refused if absent, and their missing values."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted, listed
from xnbflow.core.terms import column_of_term
from xnbflow.data.dataset import DataSet
from xnbflow.sources.cell_texts import is_missing


def column_named(metadata: pd.DataFrame, wanted: str) -> str:
    """Return the column of a name; small and capital letters are alike if no name is equal."""
    columns = {column.lower(): column for column in metadata}
    return wanted if wanted in metadata else columns.get(wanted.lower(), wanted)


def require_columns(where: str, metadata: pd.DataFrame, option: str, names: Iterable[str]) -> None:
    """Refuse names in an option that are not columns of the samples."""
    for name in names:
        if name not in metadata:
            msg = (
                f"{where}: there is no {name!r}, which the sheet's option {option} names; there "
                f"are {listed(list(metadata.columns)) or 'no further columns'}"
            )
            raise InputError(msg, key=option, sheet=True)


def refuse_unknown(where: str, cells: pd.Series, samples: np.ndarray, option: str) -> None:
    """Refuse missing values of a column that an option names."""
    if unknown := list(samples[cells.map(is_missing)]):
        msg = (
            f"{where}: {counted(len(unknown), 'sample', 'has', 'have')} no {cells.name!r}, which "
            f"the option {option} names: {listed(unknown)}; fill it in, or leave the samples out"
        )
        raise InputError(msg, key=option)


def with_known_covariates(series: DataSet) -> DataSet:
    """Return a series without the samples that lack a value of a column to adjust for.

    Linear models of single features use these samples, as R's `model.matrix` does with
    ``na.action=na.omit``. Classifiers use all samples.

    Raises
    ------
    InputError
        If no sample of a class remains.

    Examples
    --------
    >>> phenotype = pd.DataFrame({"age": ["40", "NA", "51", "60"]})
    >>> series = DataSet("toy", np.zeros((1, 4)), ["g"], list("wxyz"), list("aabb"),
    ...                  sample_metadata=phenotype, adjust=["age"])
    >>> with_known_covariates(series).samples.tolist()
    ['w', 'y', 'z']
    """
    missing = missing_covariates(series)
    unknown = np.any(list(missing.values()), axis=0) if missing else np.zeros(0, dtype=bool)
    if not unknown.any():
        return series
    if absent := sorted({*series.labels} - {*series.labels[~unknown]}):
        columns = listed([repr(name) for name in missing])
        msg = (
            f"no sample of the class {listed(absent)} has a value of {columns}, so that no "
            "comparison can be adjusted; fill it in, or adjust for fewer columns"
        )
        raise InputError(msg, key="adjust")
    return series.take(~unknown)


def missing_covariates(series: DataSet) -> dict[str, np.ndarray]:
    """Return which samples lack a value of a column to adjust for, by column that has such."""
    metadata = pd.DataFrame() if series.sample_metadata is None else series.sample_metadata
    lacks_value = {}
    for name in map(column_of_term, series.adjust):
        mask = metadata[name].map(is_missing).to_numpy(dtype=bool)
        if mask.any():
            lacks_value[name] = mask
    return lacks_value
