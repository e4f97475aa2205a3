"""Some rows of a matrix are references, and blocks of features and samples are the matrix."""

import numpy as np

from xnbflow.data.matrices import Rows, as_array, feature_blocks, sample_blocks, select_rows


def test_rows_of_rows_are_references_to_the_first_matrix():
    values = np.arange(12.0).reshape(4, 3)
    rows = select_rows(select_rows(values, np.array([3, 1, 0])), np.array([2, 0]))
    assert isinstance(rows, Rows)
    assert rows.values is values
    assert as_array(rows).tolist() == [[0, 1, 2], [9, 10, 11]]


def test_chunks_and_parts_are_the_matrix(monkeypatch):
    monkeypatch.setattr("xnbflow.data.matrices._SAMPLE_BLOCK_VALUES", 4)
    monkeypatch.setattr("xnbflow.data.matrices._FEATURE_BLOCK_VALUES", 6)
    values = np.arange(12.0).reshape(4, 3)
    columns = np.array([2, 0])
    for matrix in (values, Rows(values, np.arange(4))):
        chunks = list(sample_blocks(matrix, columns, 1))
        assert [samples for samples, _ in chunks] == [slice(0, 2), slice(2, 3)]
        np.testing.assert_array_equal(np.hstack([chunk for _, chunk in chunks]), values[columns])
        parts = list(feature_blocks(matrix))
        assert [len(rows) for rows in parts] == [2, 2]
        np.testing.assert_array_equal(np.vstack(parts), values)
