"""The canonical order of samples: what changes it, and what does not."""

import numpy as np
import pytest
from toys import dataset

from xnbflow.data.canonical_order import canonical_order, in_canonical_order, order_of
from xnbflow.data.dataset import DataSet


@pytest.fixture
def values(rng):
    return rng.normal(8.0, 1.0, (40, 12))


LABELS = np.array(list("aabbbaababab"))


def test_rows_columns_and_units_do_not_change_the_order(values, rng):
    order = canonical_order(values, LABELS)
    rows = rng.permutation(12)
    features = rng.permutation(40)
    in_other_units = np.exp2(values) * rng.uniform(0.1, 10, (40, 1))
    other = in_other_units[features][:, rows]
    assert rows[canonical_order(other, LABELS[rows])].tolist() == order.tolist()


def test_another_value_may_change_the_order_but_no_label_does(values, rng):
    order = canonical_order(values, LABELS).tolist()
    assert canonical_order(values, rng.permutation(LABELS)).tolist() == order
    changed = values.copy()
    changed[:, 3] = rng.normal(size=40)
    assert canonical_order(changed, LABELS).tolist() != order


def test_samples_with_the_same_ranks_are_told_apart_by_the_features():
    """Either sample is first in one feature and second in the other: their ranks add up equally.

    With a third sample the first feature has the ranks 0, 1, 2 and the second 1, 0, 0; a sum of
    ranks does not separate samples 0 and 1 if features are not.
    """
    values = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 2.0], [0.0, 1.0, 1.0]])
    labels = np.array(["a", "a", "a"])
    order = canonical_order(values, labels)
    for rows in ([2, 0, 1], [1, 0, 2], [2, 1, 0]):
        for features in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
            other = values[features][:, rows]
            assert np.array(rows)[canonical_order(other, labels)].tolist() == order.tolist()


def test_copies_are_ordered_by_class_and_group_not_by_their_names(values):
    """Samples 0 and 11 are copies with different labels, 1 and 2 with different patients."""
    copied = values.copy()
    copied[:, 11] = copied[:, 0]
    copied[:, 2] = copied[:, 1]
    labels = np.array(list("aaabbaababab"))
    groups = np.array(list("aabcdefghijk"))
    order = canonical_order(copied, labels, groups)
    renamed = np.where(labels == "a", "z", "y")
    other_groups = np.char.add("patient ", groups[::-1])[::-1]
    assert canonical_order(copied, renamed, other_groups).tolist() == order.tolist()
    rows = np.arange(12)[::-1]
    reversed_order = rows[canonical_order(copied[:, rows], labels[rows], groups[rows])]
    assert reversed_order.tolist() == order.tolist()


def test_missing_values_have_a_rank_of_their_own(values):
    holes = values.copy()
    holes[3, 5] = np.nan
    order = canonical_order(holes, LABELS)
    rows = np.arange(12)[::-1]
    assert rows[canonical_order(holes[:, rows], LABELS[rows])].tolist() == order.tolist()


def test_a_file_keeps_the_order(values, tmp_path):
    series = dataset(values, LABELS)
    series.write(tmp_path / "series.parquet")
    header = DataSet.read(tmp_path / "series.parquet", values=False)
    assert header.order.tolist() == series.order.tolist()
    read = DataSet.read(tmp_path / "series.parquet")
    assert read.order.tolist() == canonical_order(values, LABELS).tolist()
    without = DataSet("labels alone", None, [], series.samples, LABELS)
    assert order_of(without).tolist() == list(range(12))


def test_groups_are_numbered_in_canonical_order(values):
    groups = np.repeat(["p10", "p9", "p8", "p7"], 3)
    ordered = in_canonical_order(dataset(values, LABELS, groups=groups))
    assert ordered.order.tolist() == list(range(12))
    first = ordered.groups[np.sort(np.unique(ordered.groups, return_index=True)[1])]
    assert first.tolist() == sorted(first.tolist())
    assert len(first) == 4
