"""Densities of a feature by class: curves that are too high are cut."""

import numpy as np
import pytest

from xnbflow.report.drawings.densities import draw_cohorts, draw_densities


@pytest.mark.parametrize(
    ("peaks", "height"),
    [
        ([1.0, 2.0, 2.5], 2.5),  # less than three times the median of the peaks, 2
        ([1.0, 2.0, 50.0], 6.0),
        ([0.0, 1.0, 50.0], 50.0),  # a class without density has no peak: the median is 25.5
    ],
)
def test_a_class_that_is_almost_constant_does_not_flatten_the_others(peaks, height):
    shape = np.array([0.1, 1.0, 0.5, 0.2])
    figure = draw_densities(
        feature="g1",
        grid=np.arange(4.0),
        densities=np.outer(peaks, shape),
        samples=[np.arange(3.0)] * 3,
        classes=["a", "b", "c"],
        chosen=[1],
        focus=1,
        notes=["", "", ""],
    )
    (axes,) = figure.axes
    assert axes.get_ylim()[1] == pytest.approx(1.04 * height)


@pytest.mark.parametrize(("n_classes", "emphasised"), [(3, [0, 2]), (30, [2])])
def test_the_classes_of_a_feature_are_emphasised_of_many_only_the_first(n_classes, emphasised):
    """Curves of few classes have colours; of many only the class that the feature separates."""
    figure = draw_densities(
        feature="g1",
        grid=np.arange(4.0),
        densities=np.outer(np.ones(n_classes), [0.1, 1.0, 0.5, 0.2]),
        samples=[np.arange(3.0)] * n_classes,
        classes=[f"class {i}" for i in range(n_classes)],
        chosen=[0, 2],
        focus=2,
        notes=[""] * n_classes,
    )
    curves = [line for line in figure.axes[0].lines if len(line.get_xdata()) == 4]
    assert len(curves) == n_classes
    strong = [i for i, curve in enumerate(curves) if curve.get_linewidth() == 1.8]
    assert strong == emphasised


def test_a_class_that_one_cohort_lacks_has_only_the_curve_of_the_other():
    grid = np.arange(3.0)
    curve = np.array([0.0, 1.0, 0.0])
    figure = draw_cohorts("g1", grid, {"a": [curve, None], "b": [None, curve]})
    (axes,) = figure.axes
    assert len(axes.collections) == 1  # the area of a, whose training cohort has samples
    drawn = {(line.get_label(), line.get_linestyle()): line.get_ydata() for line in axes.lines}
    training = [ys for (_, style), ys in drawn.items() if style == "-"]
    assert [np.isfinite(np.asarray(ys, dtype=float)).all() for ys in training] == [True, False]
