"""A job of *check*: the checks of the classifiers that come first in a study on a data set."""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xnbflow.core.progress import track
from xnbflow.data.dataset import DataSet
from xnbflow.inference.adjusted_discriminant import columns_of_steps
from xnbflow.inference.halves import agreement_table, halves_table
from xnbflow.inference.label_test import label_test
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import digest_of_file, write_stacked

if TYPE_CHECKING:
    import pandas as pd


def check_classifiers(
    series: Path,
    *,
    entries: Mapping[str, Mapping[str, Any]],
    label_test_classifiers: Collection[str],
    halves_classifiers: Collection[str],
    n_pairs: int,
    folder: Path,
    check_code: Callable[[], None],
) -> None:
    """Test the labels of a data set, and fit classifiers to halves of its samples.

    Parameters
    ----------
    series : Path
    entries : mapping of str to mapping
        The configuration of each classifier by id.
    label_test_classifiers : collection of str
        The classifiers with a label test.
    halves_classifiers : collection of str
        The classifiers whose selection is tested for stability, in ``n_pairs`` pairs of disjoint
        halves of the samples.
    folder : Path
        The folder of the job. A table has the rows of all classifiers.
    check_code : callable
        Called before files are written.
    """
    data = DataSet.read(series)
    tables: dict[str, dict[str, pd.DataFrame]] = {name: {} for name in GROUPS["check"].tables}
    if label_test_classifiers:
        # one test for all classifiers but those that adjust for columns
        test_of_labels = label_test(data)
        for name in label_test_classifiers:
            adjust = columns_of_steps(entries[name])
            tables["label_test"][name] = (
                label_test(data, adjust=adjust) if adjust else test_of_labels
            )
    for name in track(halves_classifiers, "classifiers in halves of the samples"):
        halves = halves_table(data, entries[name], n_pairs)
        tables["halves"][name] = halves
        tables["agreement"][name] = agreement_table(data, halves)
    check_code()
    digest = digest_of_file(series)
    for table, schema in GROUPS["check"].tables.items():
        write_stacked(tables[table], folder / f"{table}.parquet", schema, digest)
