"""The methods that find markers, each as a function of training cells."""

import contextlib
import importlib.metadata
import importlib.util
import io
import tempfile
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.stats import rankdata, tiecorrect
from sklearn.base import clone

from xnbflow.naive_bayes.class_specific_nb import ClassSpecificNB
from xnbflow.naive_bayes.xnb import XNB
from xnbflow.papers.cells import (
    ALL_GENES,
    NS_FOREST,
    WILCOXON,
)
from xnbflow.papers.common.classifier_titles import CSNB, XNB_PUBLISHED


class Training(NamedTuple):
    """The training cells of a method: log counts of shape (n_genes, n_cells), and the names.

    ``codes`` are the positions of each cell's type in ``types``, each of which has a cell here.
    """

    features: np.ndarray
    genes: np.ndarray
    codes: np.ndarray
    types: np.ndarray


#: Columns of the markers of each type and, where the method is a classifier, its fitted model.
Markers = tuple[list[np.ndarray], ClassSpecificNB | XNB | None]


class Finder(NamedTuple):
    """A method: a function of a `Training` that returns `Markers`, and its package."""

    name: str
    find: Callable[[Training], Markers]
    package: str = ""

    @property
    def missing(self) -> str:
        """Return why the method cannot run; empty if it can."""
        if not self.package or importlib.util.find_spec(self.package) is not None:
            return ""
        return f"{self.package} is not installed (the extra cells of this package)"

    @property
    def version(self) -> str:
        """Return name and version of the package, if it is one."""
        if not self.package or self.missing:
            return ""
        return f"{self.package} {importlib.metadata.version(self.package)}"


def finders(top: int, trees: int, threads: int) -> list[Finder]:
    """Return the methods; ``top`` is the genes per type of those that rank all of them."""
    return [
        Finder(CSNB, partial(_by_classifier, ClassSpecificNB(n_features=1))),
        Finder(XNB_PUBLISHED, partial(_by_classifier, XNB())),
        Finder(f"{WILCOXON}, top {top}", partial(_by_wilcoxon, top)),
        Finder(NS_FOREST, partial(_by_ns_forest, trees, threads), "nsforest"),
        Finder(ALL_GENES, _all_genes),
    ]


def _by_classifier(model: ClassSpecificNB | XNB, training: Training) -> Markers:
    """Return the features that a class-specific classifier selects for each type."""
    fitted = clone(model).fit(sparse.csr_array(training.features).T, training.codes)
    return list(fitted.columns_), fitted


def _by_wilcoxon(top: int, training: Training) -> Markers:
    """Return the ``top`` genes of each type by the rank-sum test against all other cells."""
    scores = rank_sum_scores(training.features, training.codes, len(training.types))
    return [np.argsort(-row, kind="stable")[:top] for row in scores], None


def _by_ns_forest(trees: int, threads: int, training: Training) -> Markers:
    """Return the markers of NS-Forest, which prints its progress and writes files."""
    import nsforest  # noqa: PLC0415 - an extra

    progress = io.StringIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.redirect_stdout(progress),
        contextlib.redirect_stderr(progress),
    ):
        # The training cells as AnnData, with the column ``type``.
        import anndata  # noqa: PLC0415 - an extra

        labels = pd.Categorical(training.types[training.codes])
        obs = pd.DataFrame({"type": labels}, [f"cell {i}" for i in range(len(labels))])
        values = sparse.csr_matrix(training.features.T)
        annotated = anndata.AnnData(values, obs, pd.DataFrame(index=training.genes))

        cells = nsforest.pp.prep_medians(annotated, "type")
        cells = nsforest.pp.prep_binary_scores(cells, "type")
        results = nsforest.nsforesting.NSForest(
            cells, "type", n_trees=trees, n_jobs=threads, output_folder=f"{folder}/"
        )
    genes_of_type = dict(zip(results["clusterName"], results["NSForest_markers"], strict=True))
    index = pd.Index(training.genes)
    columns = [index.get_indexer(list(genes_of_type.get(label, []))) for label in training.types]
    return columns, None


def _all_genes(training: Training) -> Markers:
    """Return every gene for every type."""
    return [np.arange(len(training.genes))] * len(training.types), None


#: Values whose ranks are in memory at once.
_CHUNK_VALUES = 4_000_000


def rank_sum_scores(features: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Return each class's rank-sum statistic in standard deviations, corrected for ties.

    It is ``scanpy.tl.rank_genes_groups(..., method="wilcoxon", tie_correct=True)``: the normal
    approximation without continuity correction (Wilcoxon, Biometrics Bulletin 1, 1945; Wolf,
    Angerer, Theis, Genome Biology 19, 2018). ``features`` have shape (n_features, n_samples), the
    result (n_classes, n_features): above 0 where the class is higher than the others, 0 where all
    values are equal.
    """
    n_features, n = features.shape
    sizes = np.bincount(codes, minlength=n_classes)[:, None]
    member = np.eye(n_classes)[codes]
    scores = np.empty((n_classes, n_features))
    width = max(1, _CHUNK_VALUES // n)
    for start in range(0, n_features, width):
        genes = slice(start, start + width)
        ranks = rankdata(features[genes], axis=1)
        ties = np.array([tiecorrect(row) for row in ranks])
        deviation = np.sqrt(ties * sizes * (n - sizes) * (n + 1) / 12.0)
        above = (ranks @ member).T - sizes * (n + 1) / 2.0
        scores[:, genes] = np.divide(
            above, deviation, out=np.zeros_like(above), where=deviation > 0
        )
    return scores
