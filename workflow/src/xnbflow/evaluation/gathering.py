"""What the training jobs of one classifier wrote, put together."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.tables.contract import TRAINING_TABLES
from xnbflow.tables.storage import read_parquet

__all__ = ["gather", "read_benchmark", "remove_undeclared"]


def gather(
    files: Mapping[str, Sequence[str | Path]], folds: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """Return each table of a classifier over all batches of folds.

    ``files`` has per table of `xnbflow.tables.contract.TRAINING_TABLES` the file of each batch,
    ``folds`` are those of the scheme. An `InputError` is raised if a file is damaged, or a batch
    has tested other samples than the folds say.
    """
    tables = {
        name: pd.concat([read_parquet(path, table) for path in files[name]], ignore_index=True)
        for name, table in TRAINING_TABLES.items()
    }
    fits, place = tables["fits"], ["repeat", "fold"]
    every = pd.MultiIndex.from_frame(folds[place]).unique()
    fitted = pd.MultiIndex.from_frame(fits.loc[fits["status"] == "ok", place])
    expected = pd.MultiIndex.from_frame(folds)
    expected = expected[pd.MultiIndex.from_frame(folds[place]).isin(fitted)]
    found = pd.MultiIndex.from_frame(tables["predictions"][folds.columns])
    complete = every.sort_values().equals(pd.MultiIndex.from_frame(fits[place]).sort_values())
    if not complete or not found.sort_values().equals(expected.sort_values()):
        batches = Path(files["fits"][0]).parents[1]
        msg = f"{batches} does not hold the folds of the configured scheme; delete this folder"
        raise InputError(f"{msg} and run the workflow again")
    return tables


def read_benchmark(path: str | Path) -> pd.DataFrame:
    """Read Snakemake's record of a job, one row with ``seconds`` and ``max_memory_mb``.

    Memory is missing where Snakemake has not measured it: of a short job, or on macOS.
    """
    record = pd.read_csv(path, sep="\t", na_values="-")
    return record[["s", "max_rss"]].set_axis(["seconds", "max_memory_mb"], axis=1)


def remove_undeclared(folder: str | Path, declared: Collection[str | Path]) -> None:
    """Remove tables that are not declared from a folder and those in it, and what becomes empty.

    The folder's tables, and the temporary files of killed jobs, are all the workflow's own.
    """
    kept = {Path(path) for path in declared}
    for path in sorted(Path(folder).rglob("*"), reverse=True):  # what is in a folder before it
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()
        elif path.suffix in {".parquet", ".part"} and path not in kept:
            path.unlink()
