"""Volcano plot of a comparison: change against evidence, the features with most evidence named."""

from collections.abc import Sequence

import pandas as pd

from xnbflow.core.nouns import counted
from xnbflow.core.significance import FDR_LEVEL
from xnbflow.report.drawings.volcano import draw_volcano
from xnbflow.report.page.blocks import Figure

#: Features that the plot names.
_MOST_NAMED = 4


def volcano_figure(
    *,
    name: str,
    title: str,
    compared: str,
    tested: pd.DataFrame,
    change: pd.Series,
    xlabel: str,
    caption: str = "",
    sources: Sequence[str] = (),
) -> Figure:
    """Return the volcano plot of a comparison.

    The rows of ``tested`` have the positions as labels, and each has a p value; ``change`` has the
    same rows. ``compared`` describes the comparison for readers who do not see the plot.
    """
    differ = tested["fdr"] < FDR_LEVEL
    first = tested[differ].nsmallest(_MOST_NAMED, "p")
    names = first["symbol"].where(first["symbol"] != "", first["feature"])
    n_differ = counted(int(differ.sum()), "feature")
    return Figure(
        name=name,
        draw=draw_volcano,
        arguments={
            "title": title,
            "change": change.to_numpy(),
            "names": dict(zip(names, names.index.tolist(), strict=True)),
            "p": tested["p"].to_numpy(),
            "cut": float(tested.loc[differ, "p"].max()),
            "xlabel": xlabel,
        },
        caption=caption,
        alt=(
            f"Volcano plot of {compared}: {n_differ} of {len(tested):,} at an FDR below "
            f"{FDR_LEVEL:g}."
        ),
        sources=sources,
    )
