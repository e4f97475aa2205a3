"""Pictures of the values of samples: distributions, library sizes, correlations."""

import numpy as np
import pandas as pd

from xnbflow.report.drawings.sample_values import (
    draw_distributions,
    draw_library_sizes,
    draw_sample_correlations,
)
from xnbflow.report.page.blocks import Figure, Gallery
from xnbflow.report.results import StudyResults
from xnbflow.report.texts import texts_of

_TEXTS = texts_of("audit")
#: Prefixes of the columns of quantiles, with the name of their axis.
_COUNTS_BEFORE = ("before_", "log2(count + 1)")
_COUNTS_AFTER = ("value_", "log2 counts per million")
_VALUES = ("value_", "log value")
#: Prefix of the columns of correlations.
_CORRELATION = "correlation."


def sample_pictures(results: StudyResults, dataset: str) -> Gallery | None:
    """Return the pictures of the samples of a data set of expression; None for other data sets.

    Columns of other data sets have units of their own, so that their quantiles have no meaning.
    """
    if not results.is_of_expression(dataset):
        return None
    tables = results.tables_of("audit", dataset=dataset)
    table = tables["samples"]
    order = results.rows("class_sizes", dataset=dataset)["class"].tolist()
    by_class = table.assign(class_number=table["class"].map(order.index))
    by_class = by_class.sort_values("class_number", kind="stable")
    figures = [_distributions(dataset, by_class)]
    captions = [_TEXTS["distributions"]]
    if by_class["library_size"].notna().any():
        figures.append(_library_sizes(dataset, by_class))
        captions.append(results.with_noun(_TEXTS["of_counts"], dataset))
    correlations = _correlations(dataset, table, order)
    figures.append(correlations)
    captions.append(results.with_noun(_TEXTS["sample_correlations"], dataset))
    n_compared = len(correlations.arguments["samples"])
    n_samples = int(results.rows("datasets", dataset=dataset)["samples"].iloc[0])
    if n_compared < n_samples:
        captions.append(_TEXTS["some_samples"].format(shown=n_compared, total=f"{n_samples:,}"))
    return Gallery(figures, " ".join(captions), tables.sources("samples"))


def _distributions(dataset: str, rows: pd.DataFrame) -> Figure:
    """Return the quantiles of each sample: of counts before and after normalisation."""
    are_counts = rows["library_size"].notna().any()
    panels = {}
    for prefix, label in (_COUNTS_BEFORE, _COUNTS_AFTER) if are_counts else (_VALUES,):
        panels[label] = rows.filter(regex=rf"^{prefix}").to_numpy(dtype=float)
    return Figure(
        name=f"distributions-{dataset}",
        draw=draw_distributions,
        arguments={
            "panels": panels,
            "classes": rows["class"].tolist(),
            "samples": rows["sample"].tolist(),
        },
        caption="",
        alt=f"Box plots of the values of each of {len(rows):,} samples, by class.",
    )


def _library_sizes(dataset: str, rows: pd.DataFrame) -> Figure:
    """Return the number of reads of each sample."""
    sizes = rows["library_size"].to_numpy(dtype=float)
    return Figure(
        name=f"library-sizes-{dataset}",
        draw=draw_library_sizes,
        arguments={
            "sizes": sizes,
            "classes": rows["class"].tolist(),
            "samples": rows["sample"].tolist(),
        },
        caption="",
        alt=f"Bars of the reads of each sample, from {sizes.min():,.0f} to {sizes.max():,.0f}.",
    )


def _correlations(dataset: str, table: pd.DataFrame, order: list[str]) -> Figure:
    """Return the map of the correlations of samples, in the order of the columns of the table."""
    columns = table.filter(regex=rf"^{_CORRELATION.replace('.', '[.]')}")
    names = [str(name).removeprefix(_CORRELATION) for name in columns]
    rows = table.set_index("sample").loc[names]
    correlations = rows[columns.columns].to_numpy(dtype=float)
    return Figure(
        name=f"sample-correlations-{dataset}",
        draw=draw_sample_correlations,
        arguments={
            "correlations": correlations,
            "classes": rows["class"].tolist(),
            "samples": names,
            "order": order,
        },
        caption="",
        alt=(
            f"Map of the correlations of {len(names)} samples, from {np.min(correlations):.2f} "
            "to 1, with the class of each."
        ),
    )
