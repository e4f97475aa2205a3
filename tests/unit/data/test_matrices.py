"""Sparse matrices are read as their sums, without a change of the argument."""

import numpy as np
from scipy import sparse

from xnbflow.data.matrices import (
    Rows,
    as_csr_by_feature,
    dense_feature_blocks,
    dense_sample_blocks,
    select_rows,
)

#: 1 and 2 in one cell, and 5 in another.
REPEATED = sparse.csr_array(([1.0, 2.0, 5.0], [1, 1, 0], [0, 3]), shape=(1, 2))


def test_repeated_cells_are_summed_in_a_copy():
    matrix = as_csr_by_feature(REPEATED)
    assert matrix.data.tolist() == [5.0, 3.0]
    assert matrix.indices.tolist() == [0, 1]
    assert REPEATED.data.tolist() == [1.0, 2.0, 5.0]


def test_whole_numbers_become_floats_and_single_precision_remains():
    assert as_csr_by_feature(sparse.csr_array(np.eye(2, dtype=int))).dtype == np.float64
    assert as_csr_by_feature(sparse.csr_array(np.eye(2, dtype=np.float32))).dtype == np.float32


def test_rows_of_rows_are_references_to_the_first_matrix():
    values = np.arange(12.0).reshape(4, 3)
    rows = select_rows(select_rows(values, np.array([3, 1, 0])), np.array([2, 0]))
    assert isinstance(rows, Rows)
    assert rows.values is values
    assert rows[:].tolist() == [[0, 1, 2], [9, 10, 11]]


def test_chunks_and_parts_are_the_matrix(monkeypatch):
    monkeypatch.setattr("xnbflow.data.matrices.SAMPLE_BLOCK_VALUES", 4)
    monkeypatch.setattr("xnbflow.data.matrices.FEATURE_BLOCK_VALUES", 6)
    values = np.arange(12.0).reshape(4, 3)
    columns = np.array([2, 0])
    for matrix in (values, sparse.csr_array(values)):
        chunks = list(dense_sample_blocks(matrix, columns, 1))
        assert [samples for samples, _ in chunks] == [slice(0, 2), slice(2, 3)]
        np.testing.assert_array_equal(np.hstack([chunk for _, chunk in chunks]), values[columns])
        parts = list(dense_feature_blocks(matrix))
        assert [len(rows) for rows in parts] == [2, 2]
        np.testing.assert_array_equal(np.vstack(parts), values)
