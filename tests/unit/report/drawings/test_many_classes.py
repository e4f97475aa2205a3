"""Drawings of more classes than there are different looks: no colours that mean two classes."""

import numpy as np
import pytest

from xnbflow.report.drawings.components import draw_components
from xnbflow.report.drawings.probabilities import draw_probabilities
from xnbflow.report.page.style import N_STYLES, name_columns, new_axes, style_of


def labels_of_legend(figure):
    (axes,) = figure.axes
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_the_styles_differ_up_to_their_number():
    assert N_STYLES == 64
    assert len({style_of(i) for i in range(64)}) == 64
    assert style_of(64) == style_of(0)


def test_components_of_more_groups_than_styles_have_one_colour():
    for n_groups in (64, 65):
        groups = [f"t{number:02}" for number in range(n_groups)]
        scores = np.column_stack([np.arange(n_groups), np.arange(n_groups)])
        figure = draw_components(scores, groups, [""] * n_groups, ("1", "2"))
        expected = groups if n_groups == 64 else ["65 groups"]
        assert labels_of_legend(figure) == expected
        n_points = sum(len(line.get_xdata()) for line in figure.axes[0].lines)
        assert n_points == n_groups


def test_probabilities_of_more_classes_than_styles_are_right_or_wrong():
    for n_classes in (64, 65):
        classes = [f"t{number:02}" for number in range(n_classes)]
        predicted = ["t01", *classes[1:]]  # the first sample is taken for the second class
        figure = draw_probabilities(classes, classes, predicted, np.linspace(0, 1, n_classes))
        if n_classes == 64:
            assert labels_of_legend(figure) == classes
        else:
            assert labels_of_legend(figure) == ["right", "wrong"]
            points = {line.get_label(): line.get_ydata() for line in figure.axes[0].lines}
            assert points["wrong"].tolist() == [0.0]
            assert len(points["right"]) == 64


@pytest.mark.parametrize(
    # 3 inches of axes: a line of .13 inches fits 23 times
    ("n_names", "upright", "written"),
    [(20, False, 20), (23, False, 23), (24, False, 12), (100, False, 20), (24, True, 24)],
)
def test_upright_names_do_not_overlap(n_names, upright, written):
    _, axes = new_axes(4.0, 2.0, left=0.5, right=0.5)
    axes.set_xlim(-0.5, n_names - 0.5)
    name_columns(axes, [f"t{number}" for number in range(n_names)], upright=upright)
    texts = [text for text in axes.texts if text.get_text().startswith("t")]
    assert len(texts) == written
    assert all(text.get_text() == f"t{text.get_position()[0]:.0f}" for text in texts)
