"""Is it the batch? Simulated studies whose batch agrees with the class, and null studies.

Each study has 500 genes in standard units: 30 are shifted by 1.5 in one of two batches, 10 by 1.5
in one of two classes, or only either of them. The scores are of five folds. A null study has random
labels and twelve random columns of the phenotype, one of them a plate. `XNBFLOW_BATCH_STUDIES` sets
the number of studies of a cell, 40 by default (about ten minutes); null studies are five times as
many. The tables are written to docs/methods/verdicts-evidence.md.
"""

import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from rows import row
from scipy.stats import beta
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from xnbflow.core.significance import TEST_LEVEL
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.confounders import confounders
from xnbflow.evaluation.folds import stratified_splits
from xnbflow.inference.concordance import concordance
from xnbflow.naive_bayes import ClassSpecificNB
from xnbflow.studies.concordances import concordances, graded_audit
from xnbflow.studies.phenotype_checks import phenotype_checks
from xnbflow.tables.contract import AUDIT_TABLES
from xnbflow.tables.storage import table_of

PAGE = Path(__file__).parents[1] / "docs" / "methods" / "verdicts-evidence.md"
RESULTS = Path(__file__).parents[1] / "results" / "benchmarks" / "batches.tsv"
STUDIES = int(os.environ.get("XNBFLOW_BATCH_STUDIES", "40"))
#: Settings of a run that shows that the benchmark computes something.
SMALL = {"STUDIES": 1, "SIZES": (20,), "AGREEMENTS": (0.75,), "NULL_SIZES": (6,)}
SIZES = (20, 40, 100)
AGREEMENTS = (0.5, 0.6, 0.75, 0.9, 1.0)
SIGNALS = {"batch only": (1.5, 0.0), "class only": (0.0, 1.5), "both": (1.5, 1.5)}
N_GENES = 500
OF_BATCH = 30
OF_CLASS = 10
NULL_SIZES = (6, 8, 12, 30)
CLASSIFIERS = {
    "ClassSpecificNB": ClassSpecificNB,
    "ridge": lambda: make_pipeline(StandardScaler(), RidgeClassifier(alpha=N_GENES)),
}


def rows() -> list[dict]:
    """Return a row per table: targets are on the page."""
    write_each_cell(simulated(), RESULTS)
    worst = write_each_cell(null_studies(), RESULTS.with_name("batches_null.tsv"))["severe"].max()
    note = f"{worst:.3f} of {5 * STUDIES} null studies at most have a severe finding"
    return [
        row("severe findings by chance", "2 % allowed", ratio=0.02 / max(worst, 1e-9), note=note)
    ]


def write_each_cell(cells: Iterator[dict], path: Path) -> pd.DataFrame:
    """Return the cells as a table, which is written after each of them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows_of_cells = []
    for cell in cells:
        rows_of_cells.append(cell)
        pd.DataFrame(rows_of_cells).to_csv(path, sep="\t", index=False)
    return pd.DataFrame(rows_of_cells)


def drawn(n: int, agreement: float, signal: tuple[float, float], seed: int) -> tuple:
    """Return values (n, n_genes), classes and batches; in each class a share has its own batch."""
    rng = np.random.default_rng([seed, n, round(100 * agreement)])
    codes = np.repeat([0, 1], n // 2)
    other = np.arange(n // 2) >= round(agreement * n / 2)
    batch = np.concatenate([other, ~other]).astype(int)
    values = rng.normal(size=(n, N_GENES))
    values[:, :OF_BATCH] += signal[0] * batch[:, None]
    values[:, OF_BATCH : OF_BATCH + OF_CLASS] += signal[1] * codes[:, None]
    return values, codes, batch


def scores(name: str, values: np.ndarray, codes: np.ndarray, seed: int) -> np.ndarray:
    """Return scores (n_samples, 2) outside the training samples."""
    held_out_scores = np.zeros((len(codes), 2))
    for train, test in stratified_splits(codes, None, 5, seed):
        model = CLASSIFIERS[name]().fit(values[train], codes[train])
        if hasattr(model, "predict_log_proba"):
            held_out_scores[test] = model.predict_log_proba(values[test])
        else:
            held_out_scores[test, 1] = model.decision_function(values[test])
    return held_out_scores


def simulated() -> Iterator[dict]:
    """Yield the means of each cell."""
    for n in SIZES:
        for agreement in AGREEMENTS:
            for signal, shifts in SIGNALS.items():
                for name in CLASSIFIERS:
                    results = []
                    for seed in range(STUDIES):
                        values, codes, batch = drawn(n, agreement, shifts, seed)
                        sample_scores = scores(name, values, codes, seed)
                        results.append(concordance(sample_scores, codes, batch, seed=seed))
                    yield {
                        "n": n,
                        "agreement": agreement,
                        "signal": signal,
                        "classifier": name,
                        "studies": STUDIES,
                        "auc": np.mean([result.overall for result in results]),
                        "auc_within": np.mean([result.within for result in results]),
                        "recognised": np.mean([result.p <= TEST_LEVEL for result in results]),
                        "pairs": results[0].pairs,
                        "permutations": np.median([result.permutations for result in results]),
                    }


def null_studies() -> Iterator[dict]:
    """Yield the shares of null studies with a severe finding, by size."""
    for n in NULL_SIZES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            has_severe_finding = [is_severe(n, seed) for seed in range(5 * STUDIES)]
        n_studies = len(has_severe_finding)
        n_severe = sum(has_severe_finding)
        yield {
            "n": n,
            "studies": n_studies,
            "severe": n_severe / n_studies,
            "upper": beta.ppf(0.975, n_severe + 1, n_studies - n_severe),
        }


def is_severe(n: int, seed: int) -> bool:
    """Return whether the columns of a null study have a severe finding."""
    rng = np.random.default_rng([seed, n, 7])
    labels = rng.permutation(np.repeat(["a", "b"], n // 2))
    columns = {f"c{i}": rng.choice(["x", "y"], n) for i in range(5)}
    columns |= {f"half{i}": rng.permutation(np.repeat(["x", "y"], n // 2)) for i in range(2)}
    columns |= {f"n{i}": rng.normal(size=n).round(3).astype(str) for i in range(4)}
    columns["plate"] = rng.choice(["p", "q"], n)
    names = [f"s{i}" for i in range(n)]
    phenotype = pd.DataFrame(columns)
    series = DataSet(
        name="d",
        values=np.ones((1, n)),
        features=["g"],
        samples=names,
        labels=labels,
        sample_metadata=phenotype,
    )
    audit = table_of(confounders(series), AUDIT_TABLES["audit"]).assign(dataset="d")
    audit = pd.concat([audit, phenotype_checks(series)], ignore_index=True)
    score = rng.normal(size=n)
    table = pd.DataFrame(
        {
            "repeat": 0,
            "fold": 0,
            "sample": names,
            "true": labels,
            "predicted": np.where(score > 0, "b", "a"),
            "log_posterior.a": -score,
            "log_posterior.b": score,
        }
    )
    within, _ = concordances({("d", "f", "nb"): table}, {"d": series}, audit)
    graded = graded_audit(audit, within, classifier="nb", headers={"d": series})
    return bool((graded["severity"] == "severe").any())


def page() -> tuple[str, Path]:
    """Return both tables, and the page that holds them."""
    table = pd.read_csv(RESULTS, sep="\t")
    first = f"n, agreement (pairs within batches; {table['studies'].min()} studies a cell)"
    lines = [
        "<!-- batches: written by `python -m benchmarks batches` -->",
        f"| {first} | {' | '.join(SIGNALS)} |",
        f"|---|{'---|' * len(SIGNALS)}",
    ]
    for (n, agreement), of_size in table.groupby(["n", "agreement"]):
        cells = [figures_of(of_size[of_size["signal"] == signal]) for signal in SIGNALS]
        lines.append(f"| {n}, {agreement:g} ({of_size['pairs'].iloc[0]}) | {' | '.join(cells)} |")
    lines += ["", "| samples | null studies | severe | upper 95 % limit |", "|---|---|---|---|"]
    lines += [
        f"| {cell.n} | {cell.studies} | {cell.severe:.3f} | {cell.upper:.3f} |"
        for cell in pd.read_csv(RESULTS.with_name("batches_null.tsv"), sep="\t").itertuples()
    ]
    return "\n".join([*lines, "<!-- end of batches -->"]), PAGE


def figures_of(cells: pd.DataFrame) -> str:
    """Return AUC, AUC within batches and share recognised of each classifier."""
    figures = []
    for cell in cells.itertuples():
        within = f"{cell.auc_within:.2f}, {cell.recognised:.2f}" if cell.pairs else "-, -"
        figures.append(f"{cell.auc:.2f}, {within}")
    return "; ".join(figures)
