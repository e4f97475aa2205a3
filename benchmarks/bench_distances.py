"""Distances, bandwidths and kernels of XNB, for docs/methods/xnb.md.

It is the analysis `distances` twice: on the data sets of the study `xnb-distances` as it is
shipped, and on the series of the folder XNBFLOW_DATA (1,000 random features of each, drawn anew in
each of three repeats, five folds), where that is present. `python -m benchmarks distances` writes
benchmarks/tables/distances.tsv and from it the tables of the page; it takes some minutes.
"""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from benchmarks.accuracy_series import development_series

from xnbflow.data.dataset import DataSet
from xnbflow.papers.xnb_paper.compute_distances import AT_THRESHOLD, analyse
from xnbflow.running.project import default_configuration
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import read_entry

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/methods/xnb.md"
TABLE = ROOT / "benchmarks/tables/distances.tsv"
STUDY = "xnb-distances"
PARAMETERS = {"features": 1000, "splits": 5, "repeats": 3}
#: Settings of a run that shows that the benchmark computes something.
SMALL = {"SMALL_RUN": True}
SMALL_RUN = False
_SMALL = {"distances": ["wasserstein"], "bandwidths": [], "kernels": [], "sizes": [1], "repeats": 1}
_SERIES = {"shipped": "the study as shipped", "development": "development series"}
_LEVEL = 0.05


def details() -> dict[str, pd.DataFrame]:
    """Return the differences from the paper's choice, over the shipped and development series."""
    settings = default_configuration(ROOT)["studies"][STUDY]["analyses"]["distances"]
    parts = {"shipped": (shipped_series(settings["datasets"]), settings["params"])}
    development = {name: data_set(name, *read()) for name, read in development_series().items()}
    if development:
        parts["development"] = (development, PARAMETERS)
    if SMALL_RUN:
        shipped, settings_of_study = parts["shipped"]
        few = dict(list(shipped.items())[:2])
        parts = {"shipped": (few, settings_of_study | _SMALL | {"features": 50})}
    tables = []
    for name, (series, parameters) in parts.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # small classes
            differences = analyse(series, parameters, 1)["differences"]
        differences.insert(0, "series", name)
        tables.append(differences)
    table = pd.concat(tables, ignore_index=True)
    if not SMALL_RUN:
        keep(table)
    return {"distances-differences": table}


def keep(table: pd.DataFrame) -> None:
    """Write the table of the page; series that were not measured now keep their rows."""
    if TABLE.is_file():
        earlier = pd.read_csv(TABLE, sep="\t")
        rest = earlier[~earlier["series"].isin(table["series"])]
        table = pd.concat([table, rest], ignore_index=True)
    TABLE.parent.mkdir(exist_ok=True)
    table.to_csv(TABLE, sep="\t", index=False, float_format="%.6g")


def shipped_series(names: list[str]) -> dict[str, DataSet]:
    """Return the data sets of the shipped study, which need neither files nor a network."""
    datasets = default_configuration(ROOT)["datasets"]
    return {name: acquire(read_entry(name, datasets[name])) for name in names}


def data_set(name: str, X: np.ndarray, labels: np.ndarray) -> DataSet:
    """Return a series with numbered features and samples."""
    features = [f"g{i}" for i in range(X.shape[1])]
    samples = [f"s{i}" for i in range(len(X))]
    return DataSet(
        name=name,
        values=np.ascontiguousarray(X.T),
        features=features,
        samples=samples,
        labels=labels,
    )


def pages() -> list[tuple[str, Path]]:
    """Return the table of the development series, and the page that contains it."""
    table = pd.read_csv(TABLE, sep="\t")
    return [(block(table[table["series"] == "development"]), PAGE)]


def block(table: pd.DataFrame) -> str:
    """Return the block of the page: a table of differences for each kind of series.

    A cell is the mean difference of the accuracy from the paper's choice, with p; significant ones
    are bold.
    """
    lines = ["<!-- distances: written by `python -m benchmarks distances` -->"]
    for name, title in _SERIES.items():
        of_series = table[table["series"] == name]
        if of_series.empty:
            continue
        sizes = list(dict.fromkeys(of_series["n_features"]))
        n_significant = int((of_series["p"] < _LEVEL).sum())
        heading = (
            f"{of_series['datasets'].max()} series, {title}; {n_significant} of {len(of_series)} "
            "comparisons are significant:"
        )
        lines += [
            heading,
            "",
            f"| | {' | '.join(map(_size_title, sizes))} |",
            f"|---|{'---|' * len(sizes)}",
        ]
        published = of_series.drop_duplicates("n_features").set_index("n_features")
        accuracies = [f"{published.loc[size, 'published_accuracy']:.3f}" for size in sizes]
        lines.append(f"| accuracy of the paper's choice | {' | '.join(accuracies)} |")
        for (part, alternative), rows_of in of_series.groupby(["part", "alternative"], sort=False):
            by_size = rows_of.set_index("n_features")
            cells = [_cell(by_size.loc[size]) for size in sizes]
            lines.append(f"| {part}: {alternative.replace('_', ' ')} | {' | '.join(cells)} |")
        lines.append("")
    return "\n".join([*lines, "<!-- end of distances -->"])


def _size_title(size: int) -> str:
    return "at the threshold" if size == AT_THRESHOLD else f"{size} per pair"


def _cell(row: pd.Series) -> str:
    text = f"{row['difference']:+.3f} ({row['p']:.2g})"
    return f"**{text}**" if row["p"] < _LEVEL else text
