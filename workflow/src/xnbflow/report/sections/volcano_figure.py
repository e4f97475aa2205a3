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
    noun: str = "feature",
) -> Figure:
    """Return the volcano plot of a comparison.

    The rows of ``tested`` have the positions as labels, and each has a p value; ``change`` has the
    same rows. ``compared`` describes the comparison for readers who do not see the plot; ``noun``
    is the word for a feature.
    """
    differ = tested["fdr"] < FDR_LEVEL
    first = tested[differ].nsmallest(_MOST_NAMED, "p")
    names = first["symbol"].where(first["symbol"] != "", first["feature"])
    n_differ = counted(int(differ.sum()), noun)
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


def against_others(label: str, classes: Sequence[str]) -> str:
    """Return a comparison of a class with the others in words: of two classes, with the other one.

    Examples
    --------
    >>> against_others("tumour", ["normal", "tumour"]), against_others("a", ["a", "b", "c"])
    ('tumour against normal', 'a against the others')
    """
    others = [name for name in classes if name != label]
    return f"{label} against {others[0] if len(others) == 1 else 'the others'}"
