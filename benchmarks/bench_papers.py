"""The tables of documents on the papers, from the studies as they are shipped.

`python -m benchmarks papers` runs the analyses of the studies cica, separation and spam, keeps in
benchmarks/tables what the documents show, and writes the blocks of the pages from these files. The
analyses take about an hour of processor time; ``XNBFLOW_PAPERS="cica separation"`` runs some.
Spambase is read from the folder XNBFLOW_DATA; without it the table of `spam` stays as it is. A test
compares the pages with the files, and a nightly one the files with the analyses.
"""

import importlib
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from benchmarks.accuracy_series import DATA

from xnbflow.core.plugins import known_analyses
from xnbflow.data.dataset import DataSet
from xnbflow.papers.cica import (
    AS_PAPER,
    CHOSEN_WIDTH,
    COMPARED_METHODS,
    PAPERS_WIDTH,
    RECOVERY_ERROR,
    SQUARE_ERROR,
    SYMMETRIC,
    UNTRANSFORMED,
    WHITENING,
)
from xnbflow.papers.separation import ALL, EQ22, ESTIMATED_WEIGHTS
from xnbflow.running.project import default_configuration
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "benchmarks/tables"
METHODS_FOLDER = ROOT / "docs/methods"
#: Where the tables are written; a small run of `python -m benchmarks` replaces it.
RESULTS = KEPT
#: The analyses that are run.
NAMES = tuple(os.environ.get("XNBFLOW_PAPERS", "cica separation effects").split())
#: Parameters that replace those of the studies in a run of seconds.
PARAMETERS: dict[str, dict[str, Any]] = {}
SMALL = {
    "PARAMETERS": {
        "cica": {
            "seeds": 2,
            "samples": [20],
            "recovery_samples": [50],
            "nuisance_samples": [],
            "correlated_samples": [],
            "real_splits": 2,
            "real_repeats": 1,
        },
        "separation": {
            "repeats": 5,
            "fits": 1,
            "figure_sets": 1,
            "uniform": [20],
            "noncentral": [],
        },
        "effects": {"random_splits": 2, "features": {"all": None}},
    }
}
#: The tables of each analysis that the documents show.
TABLES = {
    "cica": ("summary", "regression_summary"),
    "separation": ("verdicts", "figure_summary"),
    "effects": ("splits",),
}
#: The error of the regression at the width of the paper, a measure of the table `summary`.
AT_PAPERS_WIDTH = f"{SQUARE_ERROR}, paper's width"
#: The study of each analysis.
STUDIES = {"cica": "cica", "separation": "separation", "effects": "spam"}


def details() -> dict[str, pd.DataFrame]:
    """Run the analyses and keep their tables; return these by "analysis-table"."""
    tables = {}
    for name in NAMES:
        series = series_of(name)
        if series is None:
            print(f"{name}: its data are not in {DATA}")
            continue
        for table, frame in analysed(name, series).items():
            RESULTS.mkdir(parents=True, exist_ok=True)
            frame.to_csv(
                RESULTS / f"{name}_{table}.tsv", sep="\t", index=False, float_format="%.6g"
            )
            tables[f"{name}-{table}"] = frame
    return tables


def series_of(name: str) -> dict[str, DataSet] | None:
    """Return the data sets of an analysis as far as the tables need them; None if absent."""
    if name != "effects":
        return {}
    folder = DATA / "uci"
    if not folder.is_dir():
        return None
    row = DatasetEntry("spambase", "uci", "spambase", options={"file": "spambase.data.gz"})
    with tempfile.TemporaryDirectory() as downloads:
        return {"spambase": acquire(row, downloads=downloads, base_urls={"uci": [str(folder)]})}


def analysed(name: str, series: dict[str, DataSet]) -> dict[str, pd.DataFrame]:
    """Run an analysis with the parameters of its study; return the tables that are shown."""
    settings = default_configuration(ROOT)["studies"][STUDIES[name]]["analyses"][name]
    parameters = {**settings.get("params", {})}
    if name == "effects":
        parameters |= {"folds": classic_split(series["spambase"]), "tune": None}
        # random splits leave stepwise selection out; the rest of the study would run it for nothing
        chosen = parameters["features"]
        parameters["features"] = {key: chosen[key] for key in chosen if key != "stepwise"}
    parameters |= PARAMETERS.get(name, {})
    module = importlib.import_module(known_analyses()[name].compute)
    tables = module.analyse(series, parameters, 1)
    return {table: tables[table] for table in TABLES[name]}


def classic_split(spambase: DataSet) -> pd.DataFrame:
    """Return the split of The Elements of Statistical Learning as a table of folds."""
    is_test = np.loadtxt(DATA / "uci/spambase.test_indicator.txt.gz") == 1
    return pd.DataFrame({"repeat": 0, "fold": 0, "sample": spambase.samples[is_test]})


@dataclass(frozen=True)
class Block:
    """A part of a page that is written from kept tables.

    Attributes
    ----------
    name : str
        Of its markers.
    page : Path
    lines : callable
        Returns the lines of the block, without markers.
    """

    name: str
    page: Path
    lines: Callable[[], list[str]]

    def text(self) -> str:
        """Return the block with its markers."""
        first = f"<!-- {self.name}: written by `python -m benchmarks papers` -->"
        return "\n".join([first, *self.lines(), f"<!-- end of {self.name} -->"])


def pages() -> list[tuple[str, Path]]:
    """Return each block, and the page that holds it."""
    return [(block.text(), block.page) for block in BLOCKS]


def kept(name: str, table: str) -> pd.DataFrame:
    """Return a kept table of an analysis."""
    return pd.read_csv(KEPT / f"{name}_{table}.tsv", sep="\t")


def table_lines(header: list[str], rows_of_table: list[list[str]]) -> list[str]:
    """Return a table in Markdown."""
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    return [*lines, *(f"| {' | '.join(cells)} |" for cells in rows_of_table)]


def decimals(value: float, digits: int) -> str:
    """Return a number without the zero before its point.

    Examples
    --------
    >>> decimals(0.1537, 3), decimals(-0.02, 2), decimals(1.5, 1)
    ('.154', '-.02', '1.5')
    """
    return f"{value:.{digits}f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.{digits}f}"


def band(row: pd.Series, digits: int) -> str:
    """Return a median with the tenth and ninetieth percentile."""
    median, lower, upper = (decimals(row[key], digits) for key in ("median", "lower", "upper"))
    return f"{median} ({lower} to {upper})"


def map_lines() -> list[str]:
    """Return the errors of maps to components, and how much of CICA's gain is decorrelation."""
    summary = kept("cica", "summary")
    errors = summary[summary["setting"] == AS_PAPER].set_index(["method", "samples", "measure"])
    columns = [(20, RECOVERY_ERROR, 2), (20, AT_PAPERS_WIDTH, 3), (200, AT_PAPERS_WIDTH, 3)]
    cells = []
    for method in COMPARED_METHODS:
        texts = [method]
        for samples, measure, digits in columns:
            row = errors.loc[(method, samples, measure)]
            texts.append(band(row, digits))
        cells.append(texts)
    header = ["", *(f"{measure}, {samples} samples" for samples, measure, _ in columns)]

    medians = {
        method: errors.loc[(method, 200, AT_PAPERS_WIDTH), "median"] for method in COMPARED_METHODS
    }
    largest = medians[UNTRANSFORMED]
    decrease = largest - medians[PAPERS_WIDTH]
    parts = []
    for method in (WHITENING, SYMMETRIC):
        part = largest - medians[method]
        parts.append(f"{method} {decimals(part, 3)} ({part / decrease:.0%})")
    sentence = (
        f"Of the decrease from {decimals(largest, 3)} to {decimals(medians[PAPERS_WIDTH], 3)} with "
        f"200 samples, {parts[0]} and {parts[1]} need no target."
    )
    return [*table_lines(header, cells), "", sentence]


def recovery_lines() -> list[str]:
    """Return the recovery error of CICA by number of samples, at both widths."""
    summary = kept("cica", "summary")
    in_paper = (summary["setting"] == AS_PAPER) & (summary["measure"] == RECOVERY_ERROR)
    recovery = summary[in_paper].set_index(["samples", "method"])
    cells = []
    for samples in recovery.index.unique("samples"):
        rows_of_size = recovery.loc[samples]
        texts = [band(rows_of_size.loc[method], 2) for method in (PAPERS_WIDTH, CHOSEN_WIDTH)]
        cells.append([f"{samples:,}", *texts])
    return table_lines(["samples", "paper's width", "chosen width (`cv`)"], cells)


def target_lines() -> list[str]:
    """Return R² of each model of the real target, and its gain over naive Bayes."""
    cells = []
    for _, row in kept("cica", "regression_summary").iterrows():
        r2, lower, upper = (decimals(row[key], 3) for key in ("r2", "r2_lower", "r2_upper"))
        gain = ""
        if not np.isnan(row["gain_lower"]):
            least, most = (decimals(row[key], 3) for key in ("gain_lower", "gain_upper"))
            gain = f"{decimals(row['gain'], 3)} ({least} to {most})"
        cells.append([row["model"], f"{r2} ({lower} to {upper})", gain])
    return table_lines(["", "R²", "gain"], cells)


def risk_lines() -> list[str]:
    """Return the gains of each method by kind of distribution and number of samples."""
    verdicts = kept("separation", "verdicts")
    verdicts = verdicts[(verdicts["distribution"] != ALL) & (verdicts["samples"] != ALL)]
    cells = []
    for _, row in verdicts[verdicts["method"].isin([EQ22, ESTIMATED_WEIGHTS])].iterrows():
        least, mean, greatest = (
            f"{row[f'{key}_gain']:+.1%}" for key in ("least", "mean", "greatest")
        )
        cells.append(
            [
                row["distribution"],
                row["samples"],
                row["method"],
                str(row["cases"]),
                least,
                mean,
                greatest,
            ]
        )
    header = [
        "true scores",
        "samples per class",
        "method",
        "cases",
        "least gain",
        "mean",
        "greatest",
    ]
    return table_lines(header, cells)


def figure_lines() -> list[str]:
    """Return the gains of single training sets in the paper's figures by each reading of Eq. 19."""
    cells = []
    for _, row in kept("separation", "figure_summary").iterrows():
        gains = [f"{row[f'{key}_gain']:+.1%}" for key in ("least", "mean", "greatest")]
        cells.append([row["figure"], row["reading"], f"{row['training_sets']:,}", *gains])
    return table_lines(["", "gain", "training sets", "least", "mean", "greatest"], cells)


def split_lines() -> list[str]:
    """Return the shares of Spambase that the models misclassify over random splits."""
    summary = kept("effects", "splits").set_index(["model", "features"])
    sets = {"paper": "18 columns of the paper", "all": "57 columns"}
    cells = []
    for model in summary.index.unique("model"):
        texts = [model]
        for features in sets:
            row = summary.loc[(model, features)]
            texts.append(f"{row['mean']:.2%} ({row['lower']:.2%} to {row['upper']:.2%})")
        at_most = (
            summary.loc[(model, "paper"), "paper_share"] * summary.loc[(model, "paper"), "splits"]
        )
        texts.append(f"{at_most:.0f}")
        cells.append(texts)
    n_splits = summary["splits"].iloc[0]
    last = f"of {n_splits} splits, with 18 columns at most the paper's 5.3%"
    return table_lines(["", *sets.values(), last], cells)


BLOCKS = (
    Block("cica-maps", METHODS_FOLDER / "cica.md", map_lines),
    Block("cica-target", METHODS_FOLDER / "cica.md", target_lines),
    Block("cica-recovery", METHODS_FOLDER / "cica.md", recovery_lines),
    Block("separation-risk", METHODS_FOLDER / "separation.md", risk_lines),
    Block("separation-figures", METHODS_FOLDER / "separation.md", figure_lines),
    Block("effects-splits", METHODS_FOLDER / "generalized.md", split_lines),
)
