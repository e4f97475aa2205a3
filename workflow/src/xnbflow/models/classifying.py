"""A job of the stage *classify*: the classifiers of one data set and scheme of folds."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds_file import scheme_folds
from xnbflow.evaluation.gathering import remove_undeclared
from xnbflow.evaluation.training import train
from xnbflow.inference.halves import halves_table
from xnbflow.inference.learning_curve import learning_curve
from xnbflow.inference.permutation import adjusted_columns, label_test
from xnbflow.inference.random_genes import random_genes
from xnbflow.models.final import final_model, write_final
from xnbflow.tables.contract import CHECK_TABLES, FOLDS_TABLE, MODEL_TABLES, TRAINING_TABLES
from xnbflow.tables.storage import digest_of_file, write_parquet

_DECLARED = {**TRAINING_TABLES, **CHECK_TABLES}


def classify(
    files: Any,
    params: Any,
    outputs: Any,
    downloads: Mapping[str, Any],
    check: Callable[[], None],
) -> None:
    """Draw the folds, train classifiers, make the checks and models asked for, and write all.

    Parameters
    ----------
    files
        The rule's inputs: the ``series``, and the files of ``given`` folds.
    params
        The requests of the studies: the ``scheme`` of folds; by id ``entries``, the configuration
        of each classifier; ``tested``, for those with a label test and a learning curve, the class
        that is fitted for the curve, empty if none is fast; ``halved``, the pairs of disjoint
        halves, for those whose selection is tested for stability; ``final``, those that are fitted
        on all samples and kept; ``origin``, where the data set comes from.
    outputs
        The paths of each table, one per classifier that has it, in the order of the params.
    downloads
        How files are downloaded, see `xnbflow.evaluation.folds_file.scheme_folds`.
    check
        Called before files are written.
    """
    series, digest = DataSet.read(files.series), digest_of_file(files.series)
    folds = scheme_folds(series, params.scheme, files.given, downloads)
    # one test for all classifiers but those that adjust for columns
    tested = label_test(series) if params.tested else None
    for i, (name, entry) in enumerate(params.entries.items()):
        tables = train(series, folds, entry)
        paths = {table: outputs[table][i] for table in TRAINING_TABLES}
        if name in params.tested:
            j = list(params.tested).index(name)
            adjust = adjusted_columns(entry)
            checks = {
                "label_test": label_test(series, adjust=adjust) if adjust else tested,
                "random_genes": random_genes(series, tables["selected"], folds),
                "learning_curve": learning_curve(series, entry, params.tested[name]),
            }
            tables, paths = tables | checks, paths | {table: outputs[table][j] for table in checks}
        if name in params.halved:
            tables["halves"] = halves_table(series, entry, params.halved[name])
            paths["halves"] = outputs["halves"][list(params.halved).index(name)]
        check()
        for table, path in paths.items():
            write_parquet(tables[table], path, _DECLARED[table], digest)
        remove_undeclared(Path(paths["fits"]).parent, paths.values())
        if name in params.final:
            given = tables["predictions"], tables["selected"], params.origin, tables.get("halves")
            model = final_model(series, entry, *given)
            check()
            keys, j = ("model", "gene_sets", *MODEL_TABLES), list(params.final).index(name)
            write_final(model, series, {key: outputs[key][j] for key in keys}, digest)
    for path in outputs.folds:
        check()
        write_parquet(folds, path, FOLDS_TABLE)
