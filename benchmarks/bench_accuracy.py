"""How accurate classifiers are on the development series: five folds, two seeds.

`python benchmarks/accuracy.py [--methods ...] [--series ...]` writes results/benchmarks/accuracy.md
and .tsv. The predictions of every series, seed and method are kept in results/benchmarks/accuracy;
what is there is not computed again.
"""

import argparse
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from accuracy_peers import peers
from accuracy_series import development_series
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import balanced_accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold

from xnbflow.naive_bayes import ClassSpecificNBCV
from xnbflow.naive_bayes.averaged_nb import AveragedNB

RESULTS = Path(__file__).parents[1] / "results" / "benchmarks"
N_SPLITS, SEEDS = 5, (0, 1)
FIGURES = ["accuracy", "balanced_accuracy", "log_loss"]
#: A probability of 0 costs as much as this one.
_LEAST_PROBABILITY = 1e-15


def methods() -> dict[str, BaseEstimator]:
    """Return what is compared, by name."""
    ours = {"AveragedNB": AveragedNB(), "ClassSpecificNBCV": ClassSpecificNBCV()}
    return ours | peers()


def predictions(
    name: str, X: np.ndarray, y: np.ndarray, seed: int, method: str, model: BaseEstimator
) -> pd.DataFrame:
    """Return the prediction for each sample by the fold that tests it, from the cache if there."""
    file = re.sub(r"\W+", "_", f"{name} {seed} {method}") + ".parquet"
    path = RESULTS / "accuracy" / file
    if path.is_file():
        return pd.read_parquet(path)
    labels = np.unique(y)
    table = pd.DataFrame({"true": y, "predicted": y, "fold": -1})
    proba = np.full((len(y), len(labels)), np.nan)
    folds = StratifiedKFold(N_SPLITS, shuffle=True, random_state=seed).split(X, y)
    for fold, (train, test) in enumerate(folds):
        fitted = clone(model).fit(X[train], y[train])
        table.loc[test, "predicted"] = fitted.predict(X[test])
        table.loc[test, "fold"] = fold
        if hasattr(fitted, "predict_proba"):
            proba[test] = fitted.predict_proba(X[test])
    for label, column in zip(labels, proba.T, strict=True):
        table[f"p({label})"] = column
    path.parent.mkdir(parents=True, exist_ok=True)
    table.to_parquet(path, index=False)
    return table


def figures(table: pd.DataFrame) -> dict[str, float]:
    """Return accuracy, balanced accuracy and log loss in nats of pooled predictions."""
    proba = table.filter(regex=r"^p\(").to_numpy()
    labels = [name[2:-1] for name in table if name.startswith("p(")]
    bounded = np.clip(proba, _LEAST_PROBABILITY, 1.0)
    return {
        "accuracy": float((table["true"] == table["predicted"]).mean()),
        "balanced_accuracy": float(balanced_accuracy_score(table["true"], table["predicted"])),
        "log_loss": np.nan
        if np.isnan(proba).any()
        else float(log_loss(table["true"], bounded / bounded.sum(axis=1)[:, None], labels=labels)),
    }


def measured(names: list[str] | None = None, only: list[str] | None = None) -> pd.DataFrame:
    """Return the figures per series, seed and method.

    Parameters
    ----------
    names, only : list of str, optional
        Series and methods; by default all.
    """
    rows = []
    for name, read in development_series().items():
        if names and name not in names:
            continue
        X, y = read()
        for seed in SEEDS:
            for method, model in methods().items():
                if only and method not in only:
                    continue
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    table = predictions(name, X, y, seed, method, model)
                rows.append({"series": name, "seed": seed, "method": method, **figures(table)})
                print(rows[-1], file=sys.stderr, flush=True)
    return pd.DataFrame(rows)


def means(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over series of each figure, by method: both seeds, and each of them."""
    both = table.groupby("method")[FIGURES].mean()
    each = table.pivot_table(index="method", columns="seed", values=FIGURES)
    each.columns = [f"{figure}, seed {seed}" for figure, seed in each.columns]
    return both.join(each).sort_values("accuracy", ascending=False).reset_index()


def by_series(table: pd.DataFrame) -> pd.DataFrame:
    """Return accuracy / balanced accuracy / log loss by series and method, means over seeds."""
    mean = table.groupby(["series", "method"])[FIGURES].mean()
    cells = mean.apply(lambda row: " / ".join(f"{value:.3f}" for value in row.dropna()), axis=1)
    return cells.unstack("method").reset_index()


def markdown(table: pd.DataFrame) -> str:
    """Return a table in Markdown, numbers with three decimals."""
    shown = table.map(lambda v: f"{v:.3f}" if isinstance(v, float) else str(v)).replace("nan", "")
    lines = [shown.columns, ["---"] * shown.shape[1], *shown.to_numpy()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def main(words: list[str]) -> None:
    """Measure, and write the tables."""
    parser = argparse.ArgumentParser(prog="accuracy")
    parser.add_argument("--methods", nargs="*")
    parser.add_argument("--series", nargs="*")
    arguments = parser.parse_args(words)
    table = measured(arguments.series, arguments.methods)
    text = f"{markdown(means(table))}\n{markdown(by_series(table))}"
    (RESULTS / "accuracy.md").write_text(text, encoding="utf-8")
    table.to_csv(RESULTS / "accuracy.tsv", sep="\t", index=False)
    print(text)


if __name__ == "__main__":
    main(sys.argv[1:])
