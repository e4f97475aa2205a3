"""Finished studies of other configurations, whose folds a run must not replace.

Configurations that share a working directory share folds and trained classifiers by their ids. If
two of them use one id for different folds, each would overwrite what the other has trained.
"""

import csv
from functools import cache
from pathlib import Path

from xnbflow.core.errors import InputError
from xnbflow.running.config import Config
from xnbflow.tables.contract import STUDY, STUDY_TABLE, text_of

__all__ = ["refuse_other_folds"]


def refuse_other_folds(config: Config, dataset: str, folds: str, root: str | Path = "") -> None:
    """Refuse folds of a data set that would replace those of a study of another configuration.

    Studies of this configuration may be edited. More repeats of the same folds replace nothing.
    Predefined folds and folds by groups of samples depend on files, and are not compared. ``root``
    is the folder that holds ``results``.
    """
    scheme = config.folds[folds]
    if scheme.file is not None or scheme.splits is None:
        return
    metrics = STUDY_TABLE.of(study="*", table="metrics")
    for path in sorted(Path(root).glob(text_of(metrics))):
        study = path.parent.name
        used = {} if study in config.studies else _folds_of(path)
        repeats, splits = used.get((dataset, folds), (0, scheme.splits))
        if splits != scheme.splits or repeats > scheme.repeats:
            remedy = (
                "Give one of the schemes another id or run in another folder. "
                f"If the study {study} is no longer needed, delete {STUDY.of(study=study)}"
            )
            msg = (
                f"configuration, folds.{folds}: {scheme.repeats} x {scheme.splits} folds of "
                f"{dataset}, but the study {study}, which is not in this configuration, used "
                f"{repeats} x {splits} folds of this id. This run would replace them and the "
                f"classifiers trained on them. {remedy}"
            )
            raise InputError(msg, file=str(path), key=f"folds.{folds}", remedy=remedy)


@cache
def _folds_of(path: Path) -> dict[tuple[str, str], tuple[int, int]]:
    """Return repeats and splits of the folds of a study by data set and scheme."""
    used: dict[tuple[str, str], tuple[int, int]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            key = (row["dataset"], row["folds"])
            repeats, splits = used.get(key, (0, 0))
            used[key] = (max(repeats, int(row["repeat"]) + 1), max(splits, int(row["fold"]) + 1))
    return used
