"""How far verdicts depend on the draw of folds, permutations and halves, on five real series.

Seeds depend on the classes of the samples in their order: each draw is the series with its samples
in another order. A study of 20 draws of each series has five folds of `csnb_cv`, once and three
times, the label test with one and with three draws of folds for each permutation, and ten pairs of
halves, as a proposed study. `XNBFLOW_DRAWS` sets the number of draws. The series are files of the
folder XNBFLOW_DATA, or ../shared/data, of which the 2,000 probes of largest variance are used;
their verdicts are not all clear. Times are processor seconds of one study: folds, label test and
halves.
"""

import os
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numba
import numpy as np
import pandas as pd
from bench_batches import write_each_cell
from rows import row
from threadpoolctl import threadpool_limits

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.methods import resolved
from xnbflow.evaluation.training import train
from xnbflow.inference.estimates import pooled_performance
from xnbflow.inference.halves import half_stability, halves_table, pairs_of
from xnbflow.inference.intervals import TUNED_INFLATION, Estimate
from xnbflow.inference.label_test import label_test
from xnbflow.inference.verdicts import LabelTest, near_limit, stability_reasons, verdict

DATA = Path(os.environ.get("XNBFLOW_DATA", Path(__file__).parents[2] / "shared" / "data"))
PAGE = Path(__file__).parents[1] / "docs" / "methods" / "verdicts-evidence.md"
RESULTS = Path(__file__).parents[1] / "results" / "benchmarks" / "draws.tsv"
DRAWS = int(os.environ.get("XNBFLOW_DRAWS", "20"))
SERIES = {
    "Alon (62)": "microarray/Colorectal_Alon1999.csv.gz",
    "West (49)": "microarray/Breast_West2001.csv.gz",
    "Shipp (77)": "microarray/Lymphoma_Shipp2002.csv.gz",
    "GSE38666, stroma (15)": "microarray/OvaryStroma_GSE38666.csv.gz",
    "GSE24739, resting cells (12)": "geo/GSE24739_G0.csv.gz",
}
ENTRY = resolved({"method": "csnb_cv"})
FOLDS = 5
PAIRS = 10
REPEATS = (1, 3)
MOST_FEATURES = 2000


def rows() -> list[dict]:
    """Return the share of draws with the most frequent verdict, for one and three repeats."""
    table = write_each_cell(simulated(), RESULTS)
    shares = [table[table["repeats"] == repeats]["agreement"].mean() for repeats in REPEATS]
    return [row("verdicts over draws: agreement", f"{shares[0]:.2f} once", ratio=shares[1])]


def simulated() -> Iterator[dict]:
    """Yield the distribution of verdicts of each series, with one repeat and with three."""
    numba.set_num_threads(1)
    for name, path in SERIES.items():
        series = read(DATA / path)
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            studies = [study(series, draw) for draw in range(DRAWS)]
        for repeats in REPEATS:
            table = pd.DataFrame([one[repeats] for one in studies])
            levels = table["level"].value_counts()
            yield {
                "series": name,
                "repeats": repeats,
                "draws": DRAWS,
                "well": int(levels.get("well supported", 0)),
                "partly": int(levels.get("partly supported", 0)),
                "not": int(levels.get("not supported", 0)),
                "agreement": levels.max() / DRAWS,
                "near": int(table["near"].sum()),
                **{f"p_{q}": table["p"].quantile(q / 100) for q in (0, 50, 100)},
                **{f"lower_{q}": table["lower"].quantile(q / 100) for q in (0, 50, 100)},
                "seconds": table["seconds"].mean(),
            }


def read(path: Path) -> DataSet:
    """Return a series of CuMiDa's layout."""
    table = pd.read_csv(path, index_col=0)
    labels = table.pop("type").to_numpy(str)
    values = table.to_numpy(float).T
    kept_features = np.sort(np.argsort(-values.var(axis=1), kind="stable")[:MOST_FEATURES])
    return DataSet(
        name=path.name,
        values=values[kept_features],
        features=table.columns.to_numpy(str)[kept_features],
        samples=table.index.to_numpy(str),
        labels=labels,
    )


def study(series: DataSet, draw: int) -> dict[int, dict]:
    """Return the verdict of one draw with one repeat and with three."""
    order = np.random.default_rng(draw).permutation(series.n_samples)
    drawn = replace(
        series,
        values=series.values[:, order],
        samples=series.samples[order],
        labels=series.labels[order],
    )
    # in place of the canonical order, with which all draws would be one
    vars(drawn)["order"] = np.arange(drawn.n_samples)
    start = time.process_time()
    table = halves_table(drawn, ENTRY, PAIRS)
    stability: Estimate | None = None
    if len(table):
        stability = half_stability(pairs_of(table), drawn.n_features)
    of_halves = time.process_time() - start
    verdicts = {}
    for repeats in REPEATS:
        start = time.process_time()
        folds = draw_folds(drawn, FOLDS, repeats)
        predictions = train(drawn, folds, ENTRY, explain=False)["predictions"]
        row = label_test(drawn, n_draws=repeats).iloc[0]
        p_value = float(row["p_value"])
        test = LabelTest(p_value, p_lower=row["p_lower"], p_upper=row["p_upper"])
        measured = pooled_performance(predictions, drawn, TUNED_INFLATION)
        near = near_limit(measured, test)
        verdicts[repeats] = {
            "level": verdict(measured, test, stability_reasons(stability)).level,
            "near": near.test or near.interval,
            "p": p_value,
            "lower": measured.balanced_accuracy.lower - measured.chance,
            "seconds": of_halves + time.process_time() - start,
        }
    return verdicts


def page() -> tuple[str, Path]:
    """Return the table, and the page that holds it."""
    table = pd.read_csv(RESULTS, sep="\t")
    heads = ["series (samples)", "repeats", "well, partly, not supported", "near a limit"]
    heads += ["p: least, median, greatest", "lower limit less chance", "processor seconds"]
    lines = [
        "<!-- draws: written by `python -m benchmarks draws` -->",
        f"| {' | '.join(heads)} |",
        "|---" * len(heads) + "|",
    ]
    for cell in table.to_dict("records"):
        p_values = ", ".join(f"{cell[f'p_{q}']:.2g}" for q in (0, 50, 100))
        limits = ", ".join(f"{cell[f'lower_{q}']:.2f}" for q in (0, 50, 100))
        lines.append(
            f"| {cell['series']} | {cell['repeats']} "
            f"| {cell['well']}, {cell['partly']}, {cell['not']} | {cell['near']} "
            f"| {p_values} | {limits} | {cell['seconds']:.1f} |"
        )
    return "\n".join([*lines, "<!-- end of draws -->"]), PAGE
