"""A job of *check*: the checks of the classifiers that come first in a study on a data set."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xnbflow.core.progress import track
from xnbflow.core.study import Design
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.adjustment import covariates, with_known_covariates
from xnbflow.inference.halves import agreement_table, halves_table
from xnbflow.inference.label_test import label_test
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import write_stacked

if TYPE_CHECKING:
    import pandas as pd


def check_classifiers(
    series: Path,
    *,
    entries: Mapping[str, Mapping[str, Any]],
    label_test_classifiers: Collection[str],
    halves_classifiers: Collection[str],
    n_pairs: int,
    n_permutations: int,
    adjust: Sequence[str],
    folder: Path,
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
    n_permutations : int
        Permuted orders of the labels in the label test.
    adjust : sequence of str
        The columns for which the label test is adjusted.
    folder : Path
        The folder of the job. A table has the rows of all classifiers.
    """
    data = DataSet.read(series)
    tables: dict[str, dict[str, pd.DataFrame]] = {name: {} for name in GROUPS["check"].tables}
    if label_test_classifiers:
        # One test for all classifiers, of the samples with values in the columns to adjust for.
        design = Design(adjust=tuple(adjust))
        tested = with_known_covariates(data, design)
        test_of_labels = label_test(
            tested, columns=covariates(tested, design), n_permutations=n_permutations
        )
        for name in label_test_classifiers:
            tables["label_test"][name] = test_of_labels
    for name in track(halves_classifiers, "classifiers in halves of the samples"):
        halves = halves_table(data, entries[name], n_pairs)
        tables["halves"][name] = halves
        tables["agreement"][name] = agreement_table(data, halves)
    for table, schema in GROUPS["check"].tables.items():
        write_stacked(tables[table], folder / f"{table}.parquet", schema)
