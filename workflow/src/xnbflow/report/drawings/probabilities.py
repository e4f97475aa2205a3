"""Samples by their class and the probability that the classifier gives it."""

from collections.abc import Sequence

import numpy as np

from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import Axis, Chart, ChartPanel, single
from xnbflow.report.drawings.numbers import number_text
from xnbflow.report.page.style import GREY, N_STYLES


def spread_of_samples(n_samples: int) -> np.ndarray:
    """Return places of samples beside each other, -0.25 to 0.25, the same each time.

    Multiples of the golden ratio fill an interval evenly.
    """
    return (np.arange(n_samples) * 0.618 % 1 - 0.5) * 0.5


def draw_probabilities(
    classes: Sequence[str],
    true: Sequence[str],
    predicted: Sequence[str],
    probability: np.ndarray,
    samples: Sequence[str] = (),
    model: str = "",
) -> Chart:
    """Return the chart of each sample over its class at that class's probability, (n_samples,).

    Colour and mark show the predicted class, or, with more classes than different looks, whether
    the prediction is right; a line marks one half. For ``samples`` and ``model`` see
    `draw_components`.
    """
    order = list(classes)
    groups = list(predicted)
    if len(classes) > N_STYLES:
        order = ["right", "wrong"]
        groups = [
            "right" if answer == label else "wrong"
            for answer, label in zip(predicted, true, strict=True)
        ]
    places = np.array([list(classes).index(name) for name in true])
    points = marks.Samples(
        x=places + spread_of_samples(len(true)),
        y=probability,
        samples=list(samples) or [f"sample {i + 1}" for i in range(len(true))],
        groups=groups,
        order=order,
        columns={
            "predicted": list(predicted),
            "class": list(true),
            "probability": list(map(number_text, probability)),
        },
        coloured=["predicted", "class"],
        model=model,
    )
    half = marks.Level(at=0.5, colour=GREY)
    x = Axis(names=list(classes), longest=16, start=-0.6, end=len(classes) - 0.4)
    y = Axis(label="probability of its class", start=-0.04, end=1.04)
    width = max(2.9, min(6.0, 0.7 + 0.5 * len(classes)))
    return single(ChartPanel(marks=[half, points], x=x, y=y, height=2.2), width=width)
