"""The computation of an analysis."""

import pandas as pd


def analyse(series, params, threads):
    """Return the table ``counts``: the number of samples of each data set."""
    rows = [(name, dataset.n_samples) for name, dataset in series.items()]
    return {"counts": pd.DataFrame(rows, columns=["dataset", "samples"])}
