"""Studies of other configurations that stand in results/, and what a run would take from them.

Configurations that share a folder share what is trained in it. Where two of them call different
schemes of folds the same, either would remove the other's batches and train its own, for hours and
without a word. A study that is configured here may be edited as one likes: what no longer belongs
to it goes.
"""

from collections.abc import Collection, Iterator
from pathlib import Path

from xnbflow.data.contract import STUDY, STUDY_TABLE, STUDY_TABLES
from xnbflow.data.errors import InputError
from xnbflow.workflow.config import Config, Folds

__all__ = ["check_standing"]


def check_standing(config: Config, asked: Collection[str], root: str | Path = "") -> None:
    """Refuse to draw other folds where a study of another configuration stands on them.

    Parameters
    ----------
    config : Config
    asked : collection of str
        Ids of the studies that are to run.
    root : path
        The working directory, which holds ``results``.

    Raises
    ------
    InputError
        Naming the data set, both schemes and the study. More repeats of the same folds take
        nothing from anyone; folds that are predefined, or follow from groups of samples, depend on
        the data set and are not compared.
    """
    wanted = {
        (dataset, folds): config.folds[folds]
        for name in asked
        for dataset, folds, _ in config.studies[name].trained
    }
    for study, place, splits, repeats in _others(config, Path(root)):
        mine = wanted.get(place)
        if mine is None or mine.file is not None or mine.splits is None:
            continue
        if mine.splits != splits or mine.repeats < repeats:
            raise InputError(_refusal(study, place, mine, splits, repeats))


def _refusal(study: str, place: tuple[str, str], mine: Folds, splits: int, repeats: int) -> str:
    dataset, folds = place
    return (
        f"configuration, folds.{folds}: {mine.repeats} x {mine.splits} folds, but the study "
        f"{study}, which is not in this configuration, was made with {repeats} x {splits} folds of "
        f"that name on {dataset}; this run would remove what they trained. Give one of the schemes "
        f"another id, or run in another folder; or, if nobody wants it, delete "
        f"{STUDY.of(study=study)}"
    )


def _others(config: Config, root: Path) -> Iterator[tuple[str, tuple[str, str], int, int]]:
    """Yield study, data set and folds, splits and repeats of finished studies not configured."""
    for path in sorted(root.glob(STUDY_TABLE.of(study="*", table="metrics"))):
        study = path.parent.name
        if study not in config.studies:
            from xnbflow.data.tables import read_parquet  # noqa: PLC0415 - not in every cluster job

            metrics = read_parquet(path, STUDY_TABLES["metrics"])
            for place, rows in metrics.groupby(["dataset", "folds"], sort=True):
                yield study, place, int(rows["fold"].max()) + 1, int(rows["repeat"].max()) + 1
