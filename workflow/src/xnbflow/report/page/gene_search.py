"""The content of the search for genes: names, statistics and rounded values, within a size."""

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

#: Number of steps between the least and greatest value of a feature, for rounding.
_STEPS = 254
_MISSING = 255
_FEWEST_SAMPLES_OF_GROUP = 2


def search_content(
    genes: pd.DataFrame,
    values: pd.DataFrame,
    points: Mapping[str, Sequence[float]],
    most_bytes: int,
) -> dict[str, Any]:
    """Return the content of the page's search for genes, as JSON of limited size.

    Parameters
    ----------
    genes : DataFrame
        A row per feature, in the order of the search, with ``feature``, ``symbol`` and ``term``,
        the symbol for NCBI Gene or empty.
    values : DataFrame
        The table ``gene_values`` of `xnbflow.tables.contract.DIAGNOSTIC_TABLES`.
    points : mapping of str to sequence of float
        Statistics of each row of ``genes``: coordinates in figures, and numbers to show.
    most_bytes : int
        The last features are left out until the content has at most this size.

    Returns
    -------
    dict
        ``samples``, ``classes`` and ``batches`` (lists of str), ``class``, ``batch`` and ``group``
        of each sample (numbers, -1 without), ``features``, ``symbols`` and ``terms``, ``points``,
        and the values of each feature: ``low``, ``high`` and ``values`` in base 64, a byte each:
        0 to 254 from ``low`` to ``high``, 255 where the value is missing.
    """
    wide = values.pivot(index="feature", columns="sample", values="value")
    samples = values.drop_duplicates("sample")
    wide = wide.reindex(index=genes["feature"], columns=samples["sample"]).to_numpy()
    batches = sorted(set(samples["batch"]) - {""})
    sizes = samples["group"].map(samples["group"].value_counts())
    paired = (samples["group"] != "") & (sizes >= _FEWEST_SAMPLES_OF_GROUP)
    content: dict[str, Any] = {
        "samples": samples["sample"].tolist(),
        "classes": sorted(set(samples["class"])),
        "batches": batches,
        "class": pd.factorize(samples["class"], sort=True)[0].tolist(),
        "batch": pd.Index(batches).get_indexer(samples["batch"]).tolist(),
        "group": pd.factorize(samples["group"].where(paired))[0].tolist(),
    }
    n = len(genes)
    while n:
        found = content | _of_features(genes.head(n), wide[:n], points)
        size = len(json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode())
        if size <= most_bytes:
            return found
        n = min(n - 1, int(n * most_bytes / size))
    return content | _of_features(genes.head(0), wide[:0], points)


def _of_features(
    genes: pd.DataFrame, values: np.ndarray, points: Mapping[str, Sequence[float]]
) -> dict[str, Any]:
    """Return the part of the content that grows with the features, of ``values`` (n, n_samples)."""
    low, high = np.fmin.reduce(values, axis=1), np.fmax.reduce(values, axis=1)
    span = np.where(high > low, high - low, 1.0)
    steps = np.round((values - low[:, None]) / span[:, None] * _STEPS)
    steps = np.where(np.isnan(values), _MISSING, steps)
    return {
        "features": genes["feature"].tolist(),
        "symbols": genes["symbol"].tolist(),
        "terms": genes["term"].tolist(),
        "points": {name: _short(each[: len(genes)]) for name, each in points.items()},
        "low": _short(low),
        "high": _short(high),
        "values": base64.b64encode(steps.astype(np.uint8).tobytes()).decode(),
    }


def _short(numbers: Sequence[float] | np.ndarray) -> list[float | None]:
    """Return numbers with four significant digits; None for numbers that JSON does not have."""
    return [float(f"{each:.4g}") if np.isfinite(each) else None for each in numbers]
