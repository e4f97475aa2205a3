"""AnnData files (.h5ad) as data sets: a matrix of cells, dense or sparse, with obs and var."""

from collections.abc import Container
from pathlib import Path

import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import listed
from xnbflow.core.terms import column_of_term
from xnbflow.data.dataset import DataSet
from xnbflow.data.matrices import as_dense
from xnbflow.sources.anndata_file import matrix_of, opened, table_of
from xnbflow.sources.annotation import standard_names
from xnbflow.sources.assembly import assemble
from xnbflow.sources.class_labels import UNLABELLED
from xnbflow.sources.draft import Draft
from xnbflow.sources.sheet import SheetRow


def read_h5ad(path: str | Path, dataset: SheetRow) -> DataSet:
    """Read a matrix of an AnnData file, genes by cells, and the texts of ``obs`` and ``var``.

    The row's ``label`` (and the option ``group``) name columns of ``obs``, with or without ``obs:``
    before them. The option ``matrix`` is ``X`` (default), ``raw`` or ``layers:<name>``; the other
    options are those of `xnbflow.sources.assembly.assemble`.
    """
    path = Path(path)
    named = {"label": dataset.label, "group": dataset.options.get("group")}
    with opened(path) as file:
        matrix, var = matrix_of(path, file, dataset.options.get("matrix", "X"))
        kept = {*dataset.names("phenotype_columns"), dataset.options.get("batch")}
        kept |= {*map(column_of_term, dataset.names("adjust"))}
        cells = _texts(table_of(path, file, "obs"), kept)
        genes = standard_names(_texts(var))
        for key, name in named.items():
            column = name and name.removeprefix("obs:").strip()
            if column and column not in cells:
                msg = (
                    f"{path}: obs has no {column!r}, which the sheet's {key} names; its columns of "
                    f"text are {listed(list(cells.columns))}"
                )
                raise InputError(msg, file=str(path), key=key)
            named[key] = column
    label, group = named.values()
    names = list(map(str, cells.index))
    draft = Draft(
        f"data set {dataset.id}: {path}",
        as_dense(matrix.T),
        list(map(str, var.index)),
        names,
        [UNLABELLED] * len(names) if label is None else list(cells.pop(label)),
        f"obs {label!r}",
        cells.reset_index(drop=True),
        feature_metadata=genes.reset_index(drop=True) if len(genes.columns) else None,
        place=lambda gene, cell: f"gene {var.index[gene]!r}, cell {names[cell]!r}",
    )
    options = dataset.options | ({"group": group} if group else {})
    row = SheetRow(dataset.id, dataset.source, dataset.location, label=label, options=options)
    return assemble(row, draft)


def cells_of(path: str | Path) -> pd.DataFrame:
    """Return the columns of ``obs`` that are text, categories, truth values or whole numbers."""
    with opened(path) as file:
        return _texts(table_of(path, file, "obs"))


def _texts(table: pd.DataFrame, kept: Container[str | None] = ()) -> pd.DataFrame:
    """Return the columns that are text, categories, truth values or whole numbers, as text.

    Those of other numbers are among them if they are to be ``kept``.
    """
    kept = {
        str(name): [("" if pd.isna(cell) else str(cell)) for cell in table[name]]
        for name in table
        if name in kept or not pd.api.types.is_float_dtype(table[name].dtype)
    }
    return pd.DataFrame(kept, dtype=object, index=table.index)
