"""The table of accuracy in docs/methods/class-specific.md: written by the tool."""

from pathlib import Path

import pandas as pd

__all__ = ["BEGIN", "BY_SERIES", "END", "PAGE", "block", "by_series"]

PAGE = Path(__file__).parents[1] / "docs" / "methods" / "class-specific.md"
#: The accuracy by series, to which the page links.
BY_SERIES = Path(__file__).parent / "tables" / "accuracy_by_series.tsv"
BEGIN = "<!-- accuracy: written by `python -m benchmarks accuracy` -->"
END = "<!-- end of accuracy -->"


def block(means: pd.DataFrame, cells: pd.DataFrame) -> str:
    """Return the page's block, markers included.

    Parameters
    ----------
    means : DataFrame
        Rows by method, with ``cells``, the three figures and each of them by seed.
    cells : DataFrame
        Rows by ``series``, ``seed`` and ``method``.
    """
    methods = means["method"].tolist()
    heads = ["method", "accuracy", "less than in the first row by (standard error over series)"]
    heads += ["by seed", "balanced accuracy", "log loss", "series and seeds"]
    overall = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    accuracies = cells.pivot_table(index="series", columns="method", values="accuracy")
    less = accuracies.rsub(accuracies[methods[0]], axis="index")
    seeds = [name for name in means if name.startswith("accuracy, seed")]
    for row in means.to_dict("records"):
        values = [
            row["method"],
            share(row["accuracy"]),
            f"{less[row['method']].mean():.3f} ({less[row['method']].sem():.3f})",
            ", ".join(share(row[seed]) for seed in seeds),
            share(row["balanced_accuracy"]),
            share(row["log_loss"]),
            str(row["cells"]),
        ]
        overall.append(f"| {' | '.join(values)} |")
    n_series = cells["series"].nunique()
    title = f"Means over {n_series} development series, five outer folds; log loss in nats."
    return "\n".join([BEGIN, title, "", *overall, "", END])


def by_series(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the accuracy of each method on each series as text, mean of the seeds."""
    return cells.pivot_table(index="series", columns="method", values="accuracy").map(share)


def share(value: float) -> str:
    """Return a figure with three digits and without the 0 before the point; nothing if missing.

    Examples
    --------
    >>> [share(value) for value in (0.8664, 1.0, 3.576, float("nan"))]
    ['.866', '1', '3.58', '']
    """
    if pd.isna(value):
        return ""
    if value >= 0.9995:
        return f"{value:.3g}"
    return f"{value:.3f}".removeprefix("0")
