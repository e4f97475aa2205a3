"""Removal of files that no job declares."""

from collections.abc import Collection
from pathlib import Path


def remove_undeclared(folder: str | Path, declared: Collection[str | Path]) -> None:
    """Remove undeclared tables from a folder and its subfolders, and empty folders.

    All tables in the folder, and temporary files of killed jobs, belong to the workflow.
    """
    kept = {Path(path) for path in declared}
    for path in sorted(Path(folder).rglob("*"), reverse=True):  # contents before their folder
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()
        elif path.suffix in {".parquet", ".part"} and path not in kept:
            path.unlink()
