"""Samples by their first two principal components."""

from collections.abc import Mapping, Sequence

import numpy as np

from xnbflow.core.natural_order import natural_key
from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import Axis, Chart, ChartPanel, single
from xnbflow.report.page.style import N_STYLES


def draw_components(
    scores: np.ndarray,
    groups: Sequence[str],
    names: Sequence[str],
    axes_labels: tuple[str, str],
    samples: Sequence[str] = (),
    columns: Mapping[str, Sequence[str]] | None = None,
    model: str = "",
) -> Chart:
    """Return the chart of samples by two components, coloured by a group.

    ``scores`` have shape (n_samples, 2). With more groups than different looks the figure has one
    colour. ``names`` are written beside samples, for example outliers; an empty name is not. In a
    browser the reader colours the ``samples``, which are their names, by one of the ``columns``;
    ``model`` names the model of the page's explanations.
    """
    kinds = sorted(set(groups), key=natural_key)
    if len(kinds) > N_STYLES:
        kinds = [f"{len(kinds)} groups"]
        groups = kinds * len(scores)
    points = marks.Samples(
        x=scores[:, 0],
        y=scores[:, 1],
        samples=list(samples) or [f"sample {i + 1}" for i in range(len(scores))],
        groups=list(groups),
        order=kinds,
        columns={k: list(v) for k, v in (columns or {"group": groups}).items()},
        named=list(names) if any(names) else [],
        model=model,
    )
    x = Axis(label=axes_labels[0])
    y = Axis(label=axes_labels[1])
    return single(ChartPanel(marks=[points], x=x, y=y, square=True))
