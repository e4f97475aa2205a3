"""Matrices: values, texts, names and frames of cells."""

import numpy as np

from xnbflow.report.drawings.matrix import draw_matrix


def test_a_confusion_matrix_has_shares_of_true_classes_and_counts():
    chart = draw_matrix(
        values=np.array([[0.8, 0.2], [0.0, 1.0]]),
        rows=["a", "b"],
        columns=["a", "c"],
        texts=[["8", "2"], ["", "5"]],
        title="NB",
        xlabel="predicted",
        ylabel="true",
    )
    (panel,) = chart.panels
    (cells,) = panel.marks
    assert cells.values.tolist() == [[0.8, 0.2], [0.0, 1.0]]
    assert cells.texts == [["8", "2"], ["", "5"]]
    assert cells.headings == ("true", "predicted", "share", "count")
    assert (panel.y.start, panel.y.end) == (1.5, -0.5)  # the first row is at the top
    assert (panel.y.names, panel.x.names) == (["a", "b"], ["a", "c"])


def test_a_matrix_has_marks_beside_its_rows_frames_and_a_key():
    chart = draw_matrix(
        np.eye(2),
        ["a", "b"],
        ["c", "d"],
        title="",
        marks=["", "x"],
        outlined={(1, 0), (0, 1)},
        key="share",
    )
    (panel,) = chart.panels
    assert panel.right.names == ["", "x"]
    assert panel.marks[0].outlined == [(0, 1), (1, 0)]
    assert [key.text for key in chart.keys] == ["share: 1 (white: 0)"]


def test_rows_of_one_name_are_drawn_apart():
    (panel,) = draw_matrix(np.eye(2), ["a", "a"], ["b", "b"], title="").panels
    assert panel.marks[0].values.shape == (2, 2)
    assert panel.y.names == ["a", "a"]
