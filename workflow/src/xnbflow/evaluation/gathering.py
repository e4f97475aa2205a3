"""What the training jobs of one classifier wrote, put together; what none of them wrote goes."""

import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.data.contract import FOLDS_TABLE, GATHERED_TABLES, TRAINING_TABLES
from xnbflow.data.errors import InputError
from xnbflow.data.parquet import REMEDY
from xnbflow.data.tables import read_parquet, write_parquet

__all__ = ["gather", "read_benchmark", "remove_undeclared"]


def gather(batches: Sequence[str], files: Mapping[str, Any], outputs: Mapping[str, str]) -> None:
    """Write each table of a classifier over all batches of folds as one file.

    What else lies in the classifier's folder stems from another scheme of folds, or another number
    of folds per job, and is removed.

    Parameters
    ----------
    batches : sequence of str
        The names of the batches.
    files : mapping of str to sequence of path
        Per training table the file of each batch, under ``jobs`` the record of each job, and
        under ``folds`` the path of the folds.
    outputs : mapping of str to path
        Where each table goes; all in the classifier's folder.

    Raises
    ------
    InputError
        If a file is damaged, or a batch has tested other samples than the folds say.
    """
    declared = [path for name in TRAINING_TABLES for path in files[name]]
    declared += [outputs[name] for name in GATHERED_TABLES]
    remove_undeclared(Path(outputs["jobs"]).parent, declared)
    tables = {
        name: pd.concat([read_parquet(path, table) for path in files[name]], ignore_index=True)
        for name, table in TRAINING_TABLES.items()
    }
    _refuse_other_folds(tables, read_parquet(files["folds"], FOLDS_TABLE), files)
    jobs = pd.concat([read_benchmark(path) for path in files["jobs"]], ignore_index=True)
    jobs.insert(0, "batch", list(batches))
    for name, frame in {**tables, "jobs": jobs}.items():
        write_parquet(frame, outputs[name], GATHERED_TABLES[name])


def _refuse_other_folds(
    tables: Mapping[str, pd.DataFrame], folds: pd.DataFrame, files: Mapping[str, Any]
) -> None:
    """Refuse predictions unless they are of the samples that the folds which were fitted test."""
    fits, place = tables["fits"], ["repeat", "fold"]
    expected = pd.MultiIndex.from_frame(folds)
    every = pd.MultiIndex.from_frame(folds[place]).unique()
    fitted = pd.MultiIndex.from_frame(fits.loc[fits["status"] == "ok", place])
    expected = expected[pd.MultiIndex.from_frame(folds[place]).isin(fitted)]
    found = pd.MultiIndex.from_frame(tables["predictions"][folds.columns])
    complete = every.sort_values().equals(pd.MultiIndex.from_frame(fits[place]).sort_values())
    if not complete or not found.sort_values().equals(expected.sort_values()):
        batches = Path(files["fits"][0]).parents[1]
        msg = f"{batches} does not hold the folds of {files['folds']}"
        raise InputError(f"{msg}; delete both and run the workflow again")


def read_benchmark(path: str | Path) -> pd.DataFrame:
    """Read what a job recorded of itself, one row with ``seconds`` and ``max_memory_mb``.

    Raises
    ------
    InputError
        If the file is no such record.
    """
    try:
        names, values = Path(path).read_text(encoding="utf-8").splitlines()[:2]
        record = dict(zip(names.split("\t"), values.split("\t"), strict=True))
        seconds, memory = float(record["s"]), _known(record["max_rss"])
    except (KeyError, ValueError) as error:
        msg = f"{path} is no record of a job; {REMEDY}"
        raise InputError(msg) from error
    return pd.DataFrame({"seconds": [seconds], "max_memory_mb": [memory]})


def _known(number: str) -> float:
    """Return a number that Snakemake may not have measured: of a short job, on macOS."""
    return math.nan if number in {"-", "NA"} else float(number)


def remove_undeclared(folder: str | Path, declared: Collection[str | Path]) -> None:
    """Remove tables that are not declared from a folder and those in it, and what becomes empty.

    Parameters
    ----------
    folder : path
        Its tables, and the temporary files of killed jobs, are all the workflow's own.
    declared : collection of path
        The tables that stay.
    """
    kept = {Path(path) for path in declared}
    paths = sorted(Path(folder).rglob("*"), reverse=True)  # what is in a folder comes before it
    for path in paths:
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.suffix in {".parquet", ".part"} and path not in kept:
            path.unlink()
