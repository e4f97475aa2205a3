"""Records of jobs, and files that no job declares."""

from collections.abc import Collection
from pathlib import Path

import pandas as pd

__all__ = ["read_benchmark", "remove_undeclared"]


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
