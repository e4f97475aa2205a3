"""An example of each kind of mark, which both renderers must draw."""

import numpy as np

from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import Axis, Chart, ChartPanel

_X = np.array([0.0, 1.0, 2.0])
_Y = np.array([0.2, 0.9, 0.5])
_EDGES = {"x0": _X[:2], "x1": _X[:2] + 0.8, "y0": np.zeros(2), "y1": _Y[:2]}
_CELLS = marks.Cells(
    values=np.array([[0.5, -0.2, np.nan], [1.0, 0.0, 0.3]]),
    rows=["TP53", "MYC"],
    columns=["s1", "s2", "s3"],
    colours=("#0072B2", "#D55E00"),
    texts=[["1", "", ""], ["", "2", ""]],
    outlined=[(0, 1)],
)
_STRIP = marks.Strip(
    y=-1.0,
    name="sex",
    codes=[0, 0, 1],
    texts=["F", "M"],
    colours=["#5B4B8A", "ink"],
    alphas=[1.0, 0.5],
)
#: An example of each kind of mark, by its class.
EXAMPLES = {
    marks.Points: marks.Points(x=_X, y=_Y, colour=1, label="points", tips={"name": list("abc")}),
    marks.Line: marks.Line(x=_X, y=_Y, colour=2, dash=1, label="line", tips={"value": "y"}),
    marks.Segments: marks.Segments(x0=_X, y0=_Y - 0.1, x1=_X, y1=_Y + 0.1, colour="ink"),
    marks.Rug: marks.Rug(x=_X, low=-0.2, high=-0.1, colour=0),
    marks.Band: marks.Band(x=_X, lower=_Y - 0.1, upper=_Y + 0.1, colour=3),
    marks.Rectangles: marks.Rectangles(**_EDGES, colours=[0, 1], tips={"height": ["0.2", "0.9"]}),
    marks.Area: marks.Area(x=_X, y=_Y, colour="#009E73"),
    marks.Regions: marks.Regions(x=_X, y=_X, codes=np.array([[0, 0, 1]] * 3)),
    marks.Level: marks.Level(at=0.5, label="level"),
    marks.Texts: marks.Texts(x=_X, y=_Y, texts=["one", "two", "three"], offset=(2.0, 3.0)),
    marks.Cells: _CELLS,
    marks.Strip: _STRIP,
    marks.Boxes: marks.Boxes(values=np.array([1.0, 2.0, 4.0, 3.0]), codes=np.array([0, 0, 0, 1])),
    marks.Samples: marks.Samples(
        x=_X,
        y=_Y,
        samples=["s1", "s2", "s3"],
        groups=["a", "b", "a"],
        order=["a", "b"],
        columns={"class": ["a", "b", "a"], "age": ["40", "", "60"]},
        named=["", "", "s3"],
        model="toy: XNB",
    ),
}


def example_chart(kind):
    """Return a chart with the example of a kind of mark; a strip is above its cells."""
    shown = [EXAMPLES[kind]]
    if kind is marks.Strip:
        shown.append(_CELLS)
    return Chart(
        rows=[[ChartPanel(marks=shown, x=Axis(label="x"), y=Axis(label="y"))]], title="title"
    )
