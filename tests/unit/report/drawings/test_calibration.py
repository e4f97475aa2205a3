"""Calibration and ROC curves: intervals, areas of points, and numbers under the pointer."""

import numpy as np

from xnbflow.report.drawings.calibration import draw_calibration, draw_roc
from xnbflow.report.drawings.marks import Line, Points, Segments


def of_kind(chart, kind):
    return [mark for mark in chart.panels[0].marks if isinstance(mark, kind)]


def test_calibration_has_intervals_and_areas_by_the_number_of_predictions():
    chart = draw_calibration(
        classifiers=["NB"],
        predicted=[np.array([0.2, 0.9])],
        observed=[np.array([0.3, 0.7])],
        counts=[np.array([25, 100])],
        lower=[np.array([0.1, 0.6])],
        upper=[np.array([0.5, 0.8])],
    )
    (points,) = of_kind(chart, Points)
    (bars,) = of_kind(chart, Segments)
    assert points.size.tolist() == [5.5, 8]  # 3 and five times the root of a quarter, and of one
    assert (bars.y0.tolist(), bars.y1.tolist()) == ([0.1, 0.6], [0.5, 0.8])
    assert points.tips["95% interval"] == ["0.1 to 0.5", "0.6 to 0.8"]
    assert points.tips["predictions"] == ["25", "100"]
    assert chart.panels[0].square


def test_roc_curves_have_their_rates_under_the_pointer_and_differ_by_dashes():
    rates = np.array([0.0, 0.25, 1.0]), np.array([0.0, 0.75, 1.0])
    chart = draw_roc("ROC", {f"class {i}": rates for i in range(8)})
    diagonal, *curves = of_kind(chart, Line)
    assert diagonal.x.tolist() == diagonal.y.tolist() == [0, 1]
    assert [curve.label for curve in curves] == [f"class {i}" for i in range(8)]
    assert curves[0].tips == {"false positive rate": "x", "true positive rate": "y"}
    assert [curve.dash for curve in curves] == [0, 1, 2, 3, 4, 5, 0, 1]
    assert len({(curve.colour, curve.dash) for curve in curves}) == 8


def test_a_chart_without_a_bin_of_predictions_has_no_point():
    none = [np.array([])]
    chart = draw_calibration(["NB"], none, none, none, none, none)
    (points,) = of_kind(chart, Points)
    assert len(points.x) == 0
    assert chart.title == "Calibration"
