"""A phenotype file: what is known of samples, beside the file of their values."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.errors import InputError
from xnbflow.sources.dataset import DataSet
from xnbflow.sources.labels import listed
from xnbflow.sources.tabular import column_position, opened_table, table_texts

__all__ = ["joined", "read_phenotype"]


def read_phenotype(path: str | Path, dataset: DataSet) -> pd.DataFrame:
    """Read a phenotype file: every column as text, indexed by the sample's name.

    Parameters
    ----------
    path : path
        Any format of a table (`xnbflow.sources.table.read_table`), a row per sample.
    dataset : DataSet
        Its option ``phenotype_id`` names the column of sample names; without it, that is the
        column called as the sheet's ``id_column``, else the first.

    Raises
    ------
    InputError
        If a name repeats or is missing, or a column occurs twice.
    """
    path = Path(path)
    with opened_table(path, {}) as table:
        names = list(table.header)
        texts = table_texts(table, names)
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        msg = f"{path}: column {repeated[0]!r} occurs {names.count(repeated[0])} times; rename them"
        raise InputError(msg)
    wanted = dataset.options.get("phenotype_id")
    key = 0
    if wanted:
        key = column_position(path, names, wanted, "phenotype_id")
    elif dataset.id_column in names:
        key = names.index(dataset.id_column)
    frame = pd.DataFrame(dict(zip(names, texts, strict=True)), dtype=object)
    samples = frame.pop(names[key])
    if (samples == "").any() or samples.duplicated().any():
        bad = samples[(samples == "") | samples.duplicated()].iloc[0]
        what = f"sample {bad!r} stands twice" if bad else "a row has no sample name"
        msg = f"{path}, column {names[key]!r}: {what}; correct it, or name another phenotype_id"
        raise InputError(msg)
    return frame.set_index(pd.Index(samples, name=None))


def joined(
    where: str, samples: Sequence[str] | np.ndarray, phenotype: pd.DataFrame
) -> tuple[np.ndarray, pd.DataFrame, list[str]]:
    """Match samples with the rows of a phenotype.

    Returns
    -------
    keep : ndarray of bool, shape (n_samples,)
        Which samples have a row.
    rows : DataFrame
        Their rows, in the samples' order.
    notes : list of str
        Names the samples that stand on one side only.

    Raises
    ------
    InputError
        If no sample has a row.
    """
    names = pd.Index(np.asarray(samples, dtype=object))
    keep = names.isin(phenotype.index)
    if not keep.any():
        msg = (
            f"{where}: no sample of the table stands in the phenotype file; the table has "
            f"{listed(list(names))}, the phenotype {listed(list(phenotype.index))}. Name the "
            "columns by id_column and the option phenotype_id"
        )
        raise InputError(msg)
    notes = []
    if not keep.all():
        only = list(names[~keep])
        notes.append(f"{len(only)} samples are left out, without phenotype: {listed(only)}")
    beyond = list(phenotype.index[~phenotype.index.isin(names)])
    if beyond:
        notes.append(f"{len(beyond)} samples stand in the phenotype file only: {listed(beyond)}")
    return keep, phenotype.loc[names[keep]].reset_index(drop=True), notes
