"""Files that no job declares."""

from collections.abc import Collection
from pathlib import Path

__all__ = ["remove_undeclared"]


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
