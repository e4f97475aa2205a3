"""A job of *check*: the checks of the classifiers that come first in a study on a data set."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xnbflow.core.progress import track
from xnbflow.data.dataset import DataSet
from xnbflow.inference.adjusted_discriminant import columns_of_steps
from xnbflow.inference.halves import agreement_table, halves_table
from xnbflow.inference.label_test import label_test
from xnbflow.inference.learning_curve import learning_curve
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import write_stacked

if TYPE_CHECKING:
    import pandas as pd


def check_classifiers(
    series: Path,
    *,
    entries: Mapping[str, Mapping[str, Any]],
    fast_classes: Mapping[str, str],
    halves_classifiers: Collection[str],
    n_pairs: int,
    folder: Path,
) -> None:
    """Test the labels of a data set, forecast accuracies, and fit classifiers to halves.

    Parameters
    ----------
    series : Path
    entries : mapping of str to mapping
        The configuration of each classifier by id.
    fast_classes : mapping of str to str
        For the classifiers with a label test and a learning curve, the class that is fitted for
        the curve; empty if none is fast.
    halves_classifiers : collection of str
        The classifiers whose selection is tested for stability, in ``n_pairs`` pairs of disjoint
        halves of the samples.
    folder : Path
        The folder of the job. A table has the rows of all classifiers.
    """
    data = DataSet.read(series)
    tables: dict[str, dict[str, pd.DataFrame]] = {name: {} for name in GROUPS["check"].tables}
    if fast_classes:
        # one test for all classifiers but those that adjust for columns
        test_of_labels = label_test(data)
        for name, fast_class in fast_classes.items():
            entry = entries[name]
            adjust = columns_of_steps(entry)
            tables["label_test"][name] = (
                label_test(data, adjust=adjust) if adjust else test_of_labels
            )
            tables["learning_curve"][name] = learning_curve(data, entry, fast_class)
    for name in track(halves_classifiers, "classifiers in halves of the samples"):
        halves = halves_table(data, entries[name], n_pairs)
        tables["halves"][name] = halves
        tables["agreement"][name] = agreement_table(data, halves)
    for table, schema in GROUPS["check"].tables.items():
        write_stacked(tables[table], folder / f"{table}.parquet", schema)
