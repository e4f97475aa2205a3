"""The methods that find markers, each as a function of training cells."""

import contextlib
import importlib.metadata
import importlib.util
import io
import tempfile
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

from xnbflow.naive_bayes.class_specific import XNB
from xnbflow.naive_bayes.class_specific_nb import ClassSpecificNB
from xnbflow.studies.cells.contract import (
    ALL_GENES,
    CSNB,
    NS_FOREST,
    SCANPY,
    WILCOXON,
    XNB_PUBLISHED,
)
from xnbflow.studies.cells.wilcoxon import rank_sum_scores

__all__ = ["Finder", "Training", "finders"]


class Training(NamedTuple):
    """The cells that a method may see.

    Attributes
    ----------
    features : ndarray of shape (n_genes, n_cells)
        Log counts.
    genes : ndarray of str, shape (n_genes,)
    codes : ndarray of int, shape (n_cells,)
        Type of each cell.
    types : ndarray of str, shape (n_types,)
        Each has a cell here.
    """

    features: np.ndarray
    genes: np.ndarray
    codes: np.ndarray
    types: np.ndarray

    @property
    def labels(self) -> np.ndarray:
        """Return the type of each cell, shape (n_cells,)."""
        return self.types[self.codes]


#: Columns of the markers of each type and, where the method is a classifier, its fitted model.
Found = tuple[list[np.ndarray], ClassSpecificNB | XNB | None]


class Finder(NamedTuple):
    """A method.

    Attributes
    ----------
    name : str
    find : callable
        Takes a `Training`, returns `Found`.
    package : str
        What must be installed besides this package; empty for nothing.
    """

    name: str
    find: Callable[[Training], Found]
    package: str = ""

    @property
    def missing(self) -> str:
        """Return why the method cannot run, or nothing."""
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
    """Return the methods.

    Parameters
    ----------
    top : int
        Genes per type, of the methods that rank all of them.
    trees : int
        Of NS-Forest's random forests.
    threads : int
        That NS-Forest may use.
    """
    return [
        Finder(CSNB, lambda training: _of_model(ClassSpecificNB(n_features=1), training)),
        Finder(XNB_PUBLISHED, lambda training: _of_model(XNB(), training)),
        Finder(f"{WILCOXON}, top {top}", lambda training: (_by_wilcoxon(training, top), None)),
        Finder(
            f"{SCANPY}, top {top}", lambda training: (_by_scanpy(training, top), None), "scanpy"
        ),
        Finder(
            NS_FOREST, lambda training: (_by_ns_forest(training, trees, threads), None), "nsforest"
        ),
        Finder(ALL_GENES, _all_genes),
    ]


def _of_model(model: ClassSpecificNB | XNB, training: Training) -> Found:
    model.fit(sparse.csr_array(training.features).T, training.codes)
    return list(model.columns_), model


def _by_wilcoxon(training: Training, top: int) -> list[np.ndarray]:
    scores = rank_sum_scores(training.features, training.codes, len(training.types))
    return [np.argsort(-row, kind="stable")[:top] for row in scores]


def _by_scanpy(training: Training, top: int) -> list[np.ndarray]:
    import scanpy  # noqa: PLC0415 - an extra

    cells = _annotated(training)
    scanpy.tl.rank_genes_groups(cells, "type", method="wilcoxon", tie_correct=True, n_genes=top)
    ranked = cells.uns["rank_genes_groups"]["names"]
    return _positions(training, {label: ranked[label] for label in training.types})


def _by_ns_forest(training: Training, trees: int, threads: int) -> list[np.ndarray]:
    import nsforest  # noqa: PLC0415 - an extra

    cells = _annotated(training)
    with tempfile.TemporaryDirectory() as folder, _silence():
        cells = nsforest.pp.prep_medians(cells, "type")
        cells = nsforest.pp.prep_binary_scores(cells, "type")
        found = nsforest.nsforesting.NSForest(
            cells, "type", n_trees=trees, n_jobs=threads, output_folder=f"{folder}/"
        )
    markers = dict(zip(found["clusterName"], found["NSForest_markers"], strict=True))
    return _positions(training, {label: markers.get(label, []) for label in training.types})


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Keep what NS-Forest prints, progress bars among it, out of the log."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def _annotated(training: Training) -> Any:
    import anndata  # noqa: PLC0415 - an extra

    obs = pd.DataFrame({"type": pd.Categorical(training.labels)})
    obs.index = [f"cell {i}" for i in range(len(obs))]
    values = sparse.csr_matrix(training.features.T)
    return anndata.AnnData(values, obs, pd.DataFrame(index=training.genes))


def _positions(training: Training, names: dict[str, Any]) -> list[np.ndarray]:
    index = pd.Index(training.genes)
    return [index.get_indexer(list(names[label])) for label in training.types]


def _all_genes(training: Training) -> Found:
    return [np.arange(len(training.genes)) for _ in training.types], None
