"""A job of *permute*: the permutation test of one classifier on a data set."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from xnbflow.data.dataset import DataSet
from xnbflow.inference.label_test import label_test
from xnbflow.tables.contract import PERMUTATION_TABLES
from xnbflow.tables.storage import write_parquet


def permute_labels(
    series: Path,
    entry: Mapping[str, Any],
    *,
    n_permutations: int,
    table: Path,
) -> None:
    """Write the test of a classifier, by its configuration, on at most so many permutations."""
    test = label_test(DataSet.read(series), entry, n_permutations=n_permutations)
    write_parquet(test, table, PERMUTATION_TABLES["permutation"])
