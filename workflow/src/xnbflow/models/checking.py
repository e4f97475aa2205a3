"""A job of the stage *check*: the checks of the classifiers that come first in a study."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from xnbflow.data.dataset import DataSet
from xnbflow.inference.halves import halves_table
from xnbflow.inference.learning_curve import learning_curve
from xnbflow.inference.permutation import adjusted_columns, label_test
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import digest_of_file, write_stacked

if TYPE_CHECKING:
    import pandas as pd


def check(files: Any, params: Any, outputs: Any, check_code: Callable[[], None]) -> None:
    """Test the labels of a data set, forecast accuracies, and fit classifiers to halves.

    Parameters
    ----------
    files
        The rule's inputs: the ``series``.
    params
        By id, ``entries``, the configuration of each classifier, and ``tested``, for those with a
        label test and a learning curve, the class that is fitted for the curve, empty if none is
        fast; ``halved``, those whose selection is tested for stability, in ``n_pairs`` pairs of
        disjoint halves.
    outputs
        The path of each table, which has the rows of all classifiers.
    check_code
        Called before files are written.
    """
    series = DataSet.read(files.series)
    tables: dict[str, dict[str, pd.DataFrame]] = {
        "label_test": {},
        "learning_curve": {},
        "halves": {},
    }
    if params.tested:
        # one test for all classifiers but those that adjust for columns
        test_of_labels = label_test(series)
        for name, fast_class in params.tested.items():
            entry = params.entries[name]
            adjust = adjusted_columns(entry)
            tables["label_test"][name] = (
                label_test(series, adjust=adjust) if adjust else test_of_labels
            )
            tables["learning_curve"][name] = learning_curve(series, entry, fast_class)
    for name in params.halved:
        tables["halves"][name] = halves_table(series, params.entries[name], params.n_pairs)
    check_code()
    digest = digest_of_file(files.series)
    for table, schema in GROUPS["check"].tables.items():
        write_stacked(tables[table], outputs[table], schema, digest)
