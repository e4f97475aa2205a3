"""What the training jobs of one classifier wrote, put together; what none of them wrote goes."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pandas as pd

from xnbflow.contract import GATHERED_TABLES, JOBS_TABLE, TRAINING_TABLES
from xnbflow.errors import InputError
from xnbflow.tables import read_parquet, write_parquet

__all__ = ["gather", "read_benchmark", "remove_undeclared"]


def gather(
    batches: Sequence[str], files: Mapping[str, Sequence[str]], outputs: Mapping[str, str]
) -> None:
    """Write each table of a classifier over all batches of folds as one file.

    What else lies in the classifier's folder stems from another scheme of folds, or another number
    of folds per job, and is removed.

    Parameters
    ----------
    batches : sequence of str
        The names of the batches.
    files : mapping of str to sequence of path
        Per training table the file of each batch, and under ``jobs`` Snakemake's record of each.
    outputs : mapping of str to path
        Where each table goes; all in the classifier's folder.
    """
    declared = [path for name in TRAINING_TABLES for path in files[name]]
    declared += [outputs[name] for name in GATHERED_TABLES]
    remove_undeclared(Path(outputs["jobs"]).parent, declared)
    for name, table in TRAINING_TABLES.items():
        parts = [read_parquet(path, table) for path in files[name]]
        write_parquet(pd.concat(parts, ignore_index=True), outputs[name], table)
    jobs = pd.concat([read_benchmark(path) for path in files["jobs"]], ignore_index=True)
    jobs.insert(0, "batch", list(batches))
    write_parquet(jobs, outputs["jobs"], JOBS_TABLE)


def read_benchmark(path: str | Path) -> pd.DataFrame:
    """Read what Snakemake recorded of a job, one row with ``seconds`` and ``max_memory_mb``.

    Raises
    ------
    InputError
        If the file is no such record.
    """
    try:
        record = pd.read_csv(path, sep="\t", na_values=["-", "NA"], nrows=1)
        chosen = record[["s", "max_rss"]].astype(float)
    except (KeyError, ValueError) as error:
        msg = f"{path} is no record of Snakemake's; delete it and run the workflow again"
        raise InputError(msg) from error
    return chosen.set_axis(["seconds", "max_memory_mb"], axis="columns")


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
