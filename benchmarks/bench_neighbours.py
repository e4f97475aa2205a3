"""What limma, shrunken centroids, scikit-learn and xnbflow answer on one series, side by side.

`python -m benchmarks neighbours` writes the table of docs/methods/neighbours.md. It needs R with
limma, and the series SRBCT_Khan2001 in the folder XNBFLOW_DATA, or ../shared/data.
"""

import subprocess
import tempfile
from pathlib import Path

import numpy as np
from accuracy_peers import peers
from accuracy_series import development_series
from rows import row

from xnbflow.diagnostics.linear_models import moderated_contrasts
from xnbflow.naive_bayes import ClassSpecificNBCV

PAGE = Path(__file__).parents[1] / "docs" / "methods" / "neighbours.md"
BEGIN = "<!-- neighbours: written by `python -m benchmarks neighbours` -->"
END = "<!-- end of neighbours -->"
SERIES = "SRBCT_Khan2001"
#: Genes of each class with the smallest p-values, by which the lists are compared.
FIRST = 10
PEERS = ("shrunken centroids", "l1-logistic", "forest of 300")
DIFFERENCE = "largest difference of p-values, xnbflow"
#: Each class against the mean of the others, as in the tables of xnbflow.
LIMMA = """
suppressMessages(library(limma))
folder <- commandArgs(TRUE)[1]
values <- t(as.matrix(read.table(file.path(folder, "values"))))
classes <- factor(readLines(file.path(folder, "classes")))
k <- nlevels(classes)
fit <- contrasts.fit(lmFit(values, model.matrix(~ 0 + classes)), (diag(k) * k - 1) / (k - 1))
write.table(eBayes(fit)$p.value, file.path(folder, "p"), row.names = FALSE, col.names = FALSE)
"""


def limma(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return limma's p-values, shape (n_features, n_classes)."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.savetxt(folder / "values", X)
        (folder / "classes").write_text("\n".join(y) + "\n")
        (folder / "script.R").write_text(LIMMA)
        subprocess.run(["Rscript", folder / "script.R", folder], check=True)
        return np.loadtxt(folder / "p")


def significant(p: np.ndarray) -> np.ndarray:
    """Return which features have an adjusted p-value of at most .05 in any class."""
    ordered = np.sort(p, axis=0)
    steps = ordered <= 0.05 * np.arange(1, len(p) + 1)[:, None] / len(p)
    cut = np.max(np.where(steps, ordered, 0.0), axis=0)
    return (p <= cut).any(axis=1)


def fitted_lists(X: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Return which features each classifier uses after a fit to all samples."""
    models = {name: model.fit(X, y) for name, model in peers().items() if name in PEERS}
    centroids = models["shrunken centroids"][-1].best_estimator_
    lasso = models["l1-logistic"][-1].best_estimator_
    forest = models["forest of 300"]
    coefficients = np.array([one_class.coef_[0] for one_class in lasso.estimators_])
    ours = ClassSpecificNBCV().fit(X, y)
    return {
        "shrunken centroids, the method of PAM (scikit-learn)": (centroids.deviations_ != 0).any(0),
        "l1-logistic regression (scikit-learn)": (coefficients != 0).any(0),
        "forest of 300 trees (scikit-learn)": forest.feature_importances_ > 0,
        "xnbflow, all genes with a weight": marked(ours.selected_features_, X.shape[1]),
        "xnbflow, core set": marked(ours.core_features_, X.shape[1]),
    }


def marked(lists: dict[str, list], n_features: int) -> np.ndarray:
    """Return which features are in any class's list of feature numbers."""
    used = np.zeros(n_features, dtype=bool)
    used[[int(feature) for features in lists.values() for feature in features]] = True
    return used


def rows() -> list[dict]:
    """Return one row a program: how many features it uses, and how many of limma's first."""
    X, y = development_series()[SERIES]()
    p = limma(X, y)
    first = np.zeros(len(p), dtype=bool)
    first[np.argsort(p, axis=0)[:FIRST]] = True
    lists = {"limma, FDR at most .05 in a class": significant(p)} | fitted_lists(X, y)
    p_of_xnbflow = moderated_contrasts(X.T, np.unique(y, return_inverse=True)[1]).p.T
    measurements = [
        row(name, f"{(used & first).sum()} of {first.sum()}", ratio=float(used.sum()))
        for name, used in lists.items()
    ]
    return [*measurements, row(DIFFERENCE, "limma", ratio=float(np.abs(p_of_xnbflow - p).max()))]


def page() -> tuple[str, Path]:
    """Return the table of the page, and the page."""
    *lists, difference = rows()
    lines = [
        f"| {measurement['work']} | {measurement['ratio']:,.0f} | {measurement['peer']} |"
        for measurement in lists
    ]
    header = f"| program | genes | of limma's first {FIRST} of each class |\n|---|---|---|"
    note = f"The p-values of xnbflow and limma differ by at most {difference['ratio']:.0e}."
    return "\n".join([BEGIN, header, *lines, "", note, END]), PAGE
