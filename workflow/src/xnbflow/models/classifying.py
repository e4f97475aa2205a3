"""A job of the stage *classify*: the classifiers of one data set and scheme of folds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.gathering import remove_undeclared
from xnbflow.evaluation.training import train
from xnbflow.inference.halves import halves_table
from xnbflow.inference.learning_curve import learning_curve
from xnbflow.inference.permutation import label_test
from xnbflow.inference.random_genes import random_genes
from xnbflow.models.final import final_model, write_final
from xnbflow.tables.contract import CHECK_TABLES, MODEL_TABLES, TRAINING_TABLES
from xnbflow.tables.storage import write_parquet

__all__ = ["Asked", "classify"]

_DECLARED = {**TRAINING_TABLES, **CHECK_TABLES}


@dataclass(frozen=True)
class Asked:
    """The requests of the studies for the classifiers of a job, by their ids.

    Attributes
    ----------
    entries : dict
        The configuration of each classifier.
    tested : dict
        For those that have a label test and a learning curve: the class that is fitted for the
        curve, empty if none is fast.
    halved : dict of str to int
        Pairs of disjoint halves, for those whose selection is tested for stability.
    final : sequence of str
        Those that are fitted on all samples and kept.
    origin : dict of str to str
        Where the data set comes from, for the files of models.
    """

    entries: Mapping[str, Mapping[str, Any]]
    tested: Mapping[str, str]
    halved: Mapping[str, int]
    final: Sequence[str]
    origin: Mapping[str, str]


def classify(
    series: DataSet,
    folds: pd.DataFrame,
    asked: Asked,
    outputs: Mapping[str, Sequence[str]],
    digest: str,
    check: Callable[[], None],
) -> None:
    """Train classifiers on the folds, make the checks and models asked for, and write all tables.

    ``outputs`` has the paths of each table, one per classifier that has it, in the order of
    ``asked``. ``digest`` is that of the series, and ``check`` is called before files are written.
    """
    tested = label_test(series) if asked.tested else None  # the same for all classifiers
    for i, (name, entry) in enumerate(asked.entries.items()):
        tables = train(series, folds, entry)
        paths = {table: outputs[table][i] for table in TRAINING_TABLES}
        if name in asked.tested:
            j = list(asked.tested).index(name)
            checks = {
                "label_test": tested,
                "random_genes": random_genes(series, tables["selected"], folds),
                "learning_curve": learning_curve(series, entry, asked.tested[name]),
            }
            tables, paths = tables | checks, paths | {table: outputs[table][j] for table in checks}
        if name in asked.halved:
            tables["halves"] = halves_table(series, entry, asked.halved[name])
            paths["halves"] = outputs["halves"][list(asked.halved).index(name)]
        check()
        for table, path in paths.items():
            write_parquet(tables[table], path, _DECLARED[table], digest)
        remove_undeclared(Path(paths["fits"]).parent, paths.values())
        if name in asked.final:
            given = tables["predictions"], tables["selected"], asked.origin, tables.get("halves")
            model = final_model(series, entry, *given)
            check()
            keys, j = ("model", "gene_sets", *MODEL_TABLES), list(asked.final).index(name)
            write_final(model, series, {key: outputs[key][j] for key in keys}, digest)
