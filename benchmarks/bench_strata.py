"""Columns that explain the class alone or together, and how often studies of them pass.

Each study has 300 genes in standard units, two classes, and one, two or three columns of the
handling: categories of two levels, which agree with the class in three quarters of the samples
(independently of each other given the class), or numbers, whose means differ by one standard
deviation. Each column shifts 30 genes by 1.5 per unit. With an effect 10 other genes are shifted
by 1.5 in the second class. The scores are of a ridge classifier in five folds.

A study passes if the scores order its classes (p of permuted labels at most .025) and no column
limits the verdict: *before* columns one at a time, numbers in thirds; *after* by the rule of
`xnbflow.studies.concordances`. Without an effect a study that passes is a false verdict.
`XNBFLOW_STRATA_STUDIES` sets the number of studies of a cell (40); all cells of 40 studies take
about four processor minutes. The 95 % limits are Clopper and Pearson's.
"""

import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from bench_batches import write_each_cell
from rows import row
from scipy.stats import beta
from sklearn.linear_model import RidgeClassifier

from xnbflow.core.significance import TEST_LEVEL
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.confounders import confounders
from xnbflow.evaluation.folds import stratified_splits
from xnbflow.inference.concordance import concordance
from xnbflow.inference.verdicts import INSEPARABLE
from xnbflow.studies.concordances import concordances
from xnbflow.tables.contract import AUDIT_TABLES
from xnbflow.tables.storage import table_of

PAGE = Path(__file__).parents[1] / "docs" / "methods" / "verdicts-evidence.md"
RESULTS = Path(__file__).parents[1] / "results" / "benchmarks" / "strata.tsv"
STUDIES = int(os.environ.get("XNBFLOW_STRATA_STUDIES", "40"))
#: Settings of a run that shows that the benchmark computes something.
SMALL = {"STUDIES": 1, "SIZES": (20,), "COLUMNS": (1,), "KINDS": ("categories",)}
SIZES = (20, 40, 80)
COLUMNS = (1, 2, 3)
KINDS = ("categories", "numbers")
EFFECTS = (0.0, 1.5)
N_GENES = 300
OF_COLUMN = 30
OF_CLASS = 10
SHIFT = 1.5
AGREEMENT = 0.75
NAMES = ("plate", "scan site", "batch")
SUPPORTED = 0.025


def rows() -> list[dict]:
    """Return the largest share of null studies that pass."""
    table = write_each_cell(simulated(), RESULTS)
    worst = table[table["effect"] == 0]["after"].max()
    return [row("study without an effect passes", ".05 nominal", ratio=worst)]


def simulated() -> Iterator[dict]:
    """Yield the shares of studies that pass, before and after."""
    for effect in EFFECTS:
        for n in SIZES:
            for kind in KINDS:
                for n_columns in COLUMNS:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        decisions = np.array(
                            [
                                examined(n, kind, n_columns=n_columns, effect=effect, seed=seed)
                                for seed in range(STUDIES)
                            ]
                        )
                    yield {
                        "effect": effect,
                        "n": n,
                        "kind": kind,
                        "columns": n_columns,
                        "studies": STUDIES,
                        **shares("before", int(decisions[:, 0].sum())),
                        **shares("after", int(decisions[:, 1].sum())),
                    }


def shares(name: str, count: int) -> dict[str, float]:
    """Return a share of studies and its limits."""
    lower = float(beta.ppf(0.025, count, STUDIES - count + 1)) if count else 0.0
    upper = float(beta.ppf(0.975, count + 1, STUDIES - count)) if count < STUDIES else 1.0
    return {name: count / STUDIES, f"{name}_lower": lower, f"{name}_upper": upper}


def examined(n: int, kind: str, n_columns: int, effect: float, seed: int) -> tuple[bool, bool]:
    """Return whether a study passes, before and after."""
    rng = np.random.default_rng([seed, n, n_columns, kind == "numbers"])
    codes = np.repeat([0, 1], n // 2)
    if kind == "categories":
        agrees = rng.random((n_columns, n)) < AGREEMENT
        columns = np.where(agrees, codes, 1 - codes).astype(float)
    else:
        columns = rng.normal(size=(n_columns, n)) + codes
    values = rng.normal(size=(n, N_GENES))
    for i, column in enumerate(columns):
        values[:, i * OF_COLUMN : (i + 1) * OF_COLUMN] += SHIFT * column[:, None]
    values[:, -OF_CLASS:] += effect * codes[:, None]
    score = np.empty(n)
    for train, test in stratified_splits(codes, None, 5, seed):
        model = RidgeClassifier(alpha=N_GENES).fit(values[train], codes[train])
        score[test] = model.decision_function(values[test])
    scores = np.stack([-score, score], axis=1)
    if not concordance(scores, codes, np.zeros(n)).p <= SUPPORTED:
        return False, False
    before, after = limited(scores, codes, columns, kind)
    return not before, not after


def limited(
    scores: np.ndarray, codes: np.ndarray, columns: np.ndarray, kind: str
) -> tuple[bool, bool]:
    """Return whether the columns limit the verdict, before and after."""
    n = len(codes)
    phenotype = pd.DataFrame(index=range(n))
    for name, column in zip(NAMES, columns, strict=False):
        if kind == "categories":
            phenotype[name] = np.array(["p", "q"])[column.astype(int)]
        else:
            phenotype[name] = column.round(4)
    names = [f"s{i}" for i in range(n)]
    labels = np.array(["a", "b"])[codes]
    series = DataSet(
        name="d",
        values=np.ones((1, n)),
        features=["g"],
        samples=names,
        labels=labels,
        sample_metadata=phenotype.astype(str),
    )
    audit = table_of(confounders(series), AUDIT_TABLES["audit"]).assign(dataset="d")
    association = audit.set_index("subject")["p"]
    before = False
    for name, column in zip(NAMES, columns, strict=False):
        levels = pd.qcut(column, 3, labels=False) if kind == "numbers" else column
        result = concordance(scores, codes, levels)
        before |= not result.p <= TEST_LEVEL and not (
            result.pairs >= 10 and association[name] > TEST_LEVEL
        )
    table = pd.DataFrame(
        {
            "repeat": 0,
            "fold": 0,
            "sample": names,
            "true": labels,
            "predicted": np.where(scores[:, 1] > 0, "b", "a"),
            "log_posterior.a": scores[:, 0],
            "log_posterior.b": scores[:, 1],
        }
    )
    result, _ = concordances({("d", "f", "nb"): table}, {"d": series}, audit)
    limiting = result["limits"].astype(bool) & result["status"].isin(INSEPARABLE)
    return bool(before), bool(limiting.any())


def page() -> tuple[str, Path]:
    """Return the table, and the page that holds it."""
    table = pd.read_csv(RESULTS, sep="\t")
    heads = [f"samples, columns ({table['studies'].min()} studies a cell)", "no effect, before"]
    heads += ["no effect, after (95 % limits)", "effect, before", "effect, after"]
    lines = [
        "<!-- strata: written by `python -m benchmarks strata` -->",
        f"| {' | '.join(heads)} |",
        "|---|---|---|---|---|",
    ]
    for (n, kind, columns), cells in table.groupby(["n", "kind", "columns"]):
        null = cells[cells["effect"] == 0].iloc[0]
        real = cells[cells["effect"] > 0].iloc[0]
        limits = f"({null['after_lower']:.2f} to {null['after_upper']:.2f})"
        lines.append(
            f"| {n}, {columns} {kind} | {null['before']:.2f} | {null['after']:.2f} {limits} "
            f"| {real['before']:.2f} | {real['after']:.2f} |"
        )
    return "\n".join([*lines, "<!-- end of strata -->"]), PAGE


if __name__ == "__main__":
    print(rows())
    print(page()[0])
