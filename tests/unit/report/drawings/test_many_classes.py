"""Charts of samples; of more classes than there are looks no two have one colour and mark."""

import numpy as np
import pytest

from xnbflow.report.drawings.components import draw_components
from xnbflow.report.drawings.heatmap import draw_heatmap
from xnbflow.report.drawings.probabilities import draw_probabilities, spread_of_samples
from xnbflow.report.page.style import BLUE, N_STYLES, ORANGE, style_of


def samples_of(chart):
    return chart.panels[0].marks[-1]


def test_the_styles_differ_up_to_their_number():
    assert N_STYLES == 64
    assert len({style_of(i) for i in range(64)}) == 64
    assert style_of(64) == style_of(0)


@pytest.mark.parametrize("n_classes", [2, 8, 10, 70])
def test_no_class_has_the_colours_of_the_heat_map(n_classes):
    """They are below and above the mean; ten classes had them as the seventh and the eighth."""
    shades = {BLUE, ORANGE}
    assert not shades & {style_of(i)[0] for i in range(n_classes)}
    classes = [f"t{number:02}" for number in range(n_classes)]
    chart = draw_heatmap(np.zeros((1, n_classes)), ["gene"], classes)
    strip, cells, *_ = chart.rows[0][0].marks
    assert set(cells.colours) == shades
    assert not shades & set(strip.colours)


def test_components_of_more_groups_than_styles_have_one_colour():
    for n_groups in (64, 65):
        groups = [f"t{number:02}" for number in range(n_groups)]
        scores = np.column_stack([np.arange(n_groups), np.arange(n_groups)])
        samples = samples_of(draw_components(scores, groups, [""] * n_groups, ("1", "2")))
        assert samples.order == (groups if n_groups == 64 else ["65 groups"])
        assert set(samples.groups) == set(samples.order)
        assert len(samples.x) == n_groups


def test_probabilities_of_more_classes_than_styles_are_right_or_wrong():
    for n_classes in (64, 65):
        classes = [f"t{number:02}" for number in range(n_classes)]
        predicted = ["t01", *classes[1:]]  # the first sample is taken for the second class
        chart = draw_probabilities(classes, classes, predicted, np.linspace(0, 1, n_classes))
        samples = samples_of(chart)
        if n_classes == 64:
            assert samples.order == classes
            assert samples.groups == predicted
        else:
            assert samples.order == ["right", "wrong"]
            assert samples.groups == ["wrong", *["right"] * 64]


def test_samples_have_every_column_and_the_model_that_explains_them():
    scores = np.array([[1.0, 2.0], [3.0, 4.0]])
    columns = {"class": ["a", "b"], "sex": ["F", ""]}
    labels = ("component 1", "component 2")
    chart = draw_components(
        scores,
        ["a", "b"],
        ["", "s2"],
        labels,
        samples=["s1", "s2"],
        columns=columns,
        model="toy: NB",
    )
    samples = samples_of(chart)
    assert (samples.x.tolist(), samples.y.tolist()) == ([1, 3], [2, 4])
    assert samples.columns == columns
    assert samples.named == ["", "s2"]
    assert samples.model == "toy: NB"
    plain = samples_of(draw_components(scores, ["a", "b"], ["", ""], labels))
    assert plain.columns == {"group": ["a", "b"]}
    assert plain.samples == ["sample 1", "sample 2"]
    assert plain.named == []


def test_probabilities_are_over_the_true_class_and_coloured_by_the_predicted_one():
    chart = draw_probabilities(
        ["a", "b"], ["a", "b", "b"], ["a", "a", "b"], np.array([0.9, 0.2, 0.7])
    )
    level, samples = chart.panels[0].marks
    assert level.at == 0.5
    assert samples.x - spread_of_samples(3) == pytest.approx([0, 1, 1])
    assert samples.y.tolist() == [0.9, 0.2, 0.7]
    assert samples.columns["predicted"] == samples.groups == ["a", "a", "b"]
    assert samples.coloured == ["predicted", "class"]
    assert samples.columns["probability"] == ["0.9", "0.2", "0.7"]
