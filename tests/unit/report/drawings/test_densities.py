"""Densities of a feature by class: curves that are too high are cut."""

import numpy as np
import pytest

from xnbflow.report.drawings.densities import draw_cohorts, draw_densities
from xnbflow.report.drawings.marks import Band, Line, Rug

SHAPE = np.array([0.1, 1.0, 0.5, 0.2])


def of_kind(chart, kind):
    return [mark for mark in chart.panels[0].marks if isinstance(mark, kind)]


def densities_of(peaks, chosen=(1,), focus=1):
    n = len(peaks)
    return draw_densities(
        feature="g1",
        grid=np.arange(4.0),
        densities=np.outer(peaks, SHAPE),
        samples=[np.array([1.0, 2.0, 1.0])] * n,
        classes=[f"class {i}" for i in range(n)],
        chosen=chosen,
        focus=focus,
        notes=["0.5", *[""] * (n - 1)],
    )


@pytest.mark.parametrize(
    ("peaks", "height"),
    [
        ([1.0, 2.0, 2.5], 2.5),  # less than three times the median of the peaks, 2
        ([1.0, 2.0, 50.0], 6.0),
        ([0.0, 1.0, 50.0], 50.0),  # a class without density has no peak: the median is 25.5
    ],
)
def test_a_class_that_is_almost_constant_does_not_flatten_the_others(peaks, height):
    chart = densities_of(peaks)
    assert chart.panels[0].y.end == pytest.approx(1.04 * height)
    curves = [line for line in of_kind(chart, Line) if len(line.x) == 4]
    assert max(line.y.max() for line in curves) <= 1.02 * height + 1e-9


@pytest.mark.parametrize(("n_classes", "emphasised"), [(3, [0, 2]), (30, [2])])
def test_the_classes_of_a_feature_are_emphasised_of_many_only_the_first(n_classes, emphasised):
    """Curves of few classes have colours; of many only the class that the feature separates."""
    chart = densities_of(np.ones(n_classes), chosen=[0, 2], focus=2)
    curves = [line for line in of_kind(chart, Line) if len(line.x) == 4]
    assert len(curves) == n_classes
    assert [i for i, curve in enumerate(curves) if curve.width == 1.8] == emphasised
    coloured = [i for i, curve in enumerate(curves) if isinstance(curve.colour, int)]
    assert coloured == ([0, 1, 2] if n_classes == 3 else [2])


def test_each_class_has_its_name_and_its_distinct_samples_below_the_curves():
    chart = densities_of([1.0, 1.0])
    panel = chart.panels[0]
    rugs = of_kind(chart, Rug)
    assert [rug.x.tolist() for rug in rugs] == [[1.0, 2.0]] * 2
    assert panel.y.names == ["class 0", "● class 1"]
    for rug, place in zip(rugs, panel.y.at, strict=True):
        assert rug.low < place < rug.high < 0
    assert panel.right.names == ["0.5", ""]
    assert list(panel.right.at) == list(panel.y.at)


def test_a_class_that_one_cohort_lacks_has_only_the_curve_of_the_other():
    grid = np.arange(3.0)
    curve = np.array([0.0, 1.0, 0.0])
    chart = draw_cohorts("g1", grid, {"a": [curve, None], "b": [None, curve]})
    assert len(of_kind(chart, Band)) == 1  # the area of a, whose training cohort has samples
    lines = of_kind(chart, Line)
    drawn = [(line.label, line.dash, bool(np.isfinite(line.y).all())) for line in lines]
    assert drawn == [("a", 0, True), ("", 1, False), ("b", 0, False), ("", 1, True)]
