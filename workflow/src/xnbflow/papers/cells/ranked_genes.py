"""The genes of a class-specific classifier in the form of scanpy's ``uns["rank_genes_groups"]``."""

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from xnbflow.core.errors import InputError
from xnbflow.data.samples import named_samples, plain_labels

#: Constant that scanpy adds to both means, so that none is 0.
_PSEUDO = 1e-9


def rank_genes_groups(
    model: Any,
    groupby: str,
    *,
    samples: Any = None,
    labels: np.ndarray | None = None,
) -> dict[str, Any]:
    """Return a fitted classifier's genes as ``AnnData.uns["rank_genes_groups"]`` has them.

    Parameters
    ----------
    model : XNB, ClassSpecificNB or ClassSpecificNBCV
        Fitted to cells with named genes.
    groupby : str
        The column of ``obs`` that holds the classes.
    samples : AnnData, array or sparse array of shape (n_cells, n_features), optional
        The cells, natural logarithms of 1 + counts: fold changes are computed of them, by scanpy's
        formula. Of AnnData the genes of ``feature_names_in_`` are taken by name; an array has
        these, in this order.
    labels : array-like of shape (n_cells,), optional
        Their classes; of AnnData by default the column ``groupby``.

    Returns
    -------
    dict
        ``params``, and structured arrays with a field per class: ``names``, ``scores`` (the
        greatest distance to another class, 0 to 1, negative for a gene that is lower in the class,
        by ``direction_`` or else the fold change; higher ones are first), ``logfoldchanges`` (to
        base 2, against all other cells; NaN without ``samples``), ``pvals`` and ``pvals_adj`` (NaN:
        the method tests nothing). Classes have different numbers of genes, but scanpy takes one
        length: after its own a class has genes of other classes, with score 0.

    Raises
    ------
    InputError
        If the genes have no names, or no class has a gene.

    Examples
    --------
    >>> import pandas as pd
    >>> from xnbflow.naive_bayes import ClassSpecificNB
    >>> X = pd.DataFrame({"CD3E": [0, 0, 0, 2, 3, 2], "MS4A1": [2, 3, 1, 0, 0, 0.0]})
    >>> model = ClassSpecificNB(n_features=1).fit(X, list("BBBTTT"))
    >>> rank_genes_groups(model, "type")["names"].tolist()
    [('CD3E', 'CD3E')]
    """
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        msg = "the classifier was fitted without names of genes; give a DataFrame, or an AnnData"
        raise InputError(msg)
    classes = model.classes_.tolist()
    changes = np.full((len(classes), len(names)), np.nan)
    if samples is not None:
        labels = plain_labels(groupby if labels is None else labels, samples)
        changes = _log_fold_changes(_genes(samples, names), np.asarray(labels), classes)
    ranked, scores = _rank(model, changes)
    untested = np.full(scores.shape, np.nan)
    numbers = {
        "scores": scores,
        "logfoldchanges": np.take_along_axis(changes, ranked, axis=1),
        "pvals": untested,
        "pvals_adj": untested,
    }
    return {
        "params": {
            "groupby": groupby,
            "reference": "rest",
            "method": f"xnbflow {type(model).__name__}",
            "use_raw": False,
            "corr_method": "none",
        },
        "names": _structured_array(classes, np.asarray(names, dtype=object)[ranked], "O"),
        **{name: _structured_array(classes, values, "f8") for name, values in numbers.items()},
    }


def _rank(model: Any, changes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ranked genes of each class and their scores, both (n_classes, n_ranks).

    Every class has as many ranks as the class of most genes. ``changes`` (n_classes, n_features)
    are log fold changes. If class B has the genes 4 (higher) and 7 (lower), and other classes have
    2, 5 and 9, the row of B is 4, 7, 2 with the scores 0.9, -0.8, 0.
    """
    class_genes = [np.asarray(columns) for columns in model.columns_]
    used = np.unique(np.concatenate([np.empty(0, dtype=int), *class_genes]))
    if not len(used):
        msg = "no class has a gene that separates it from others, so there is no table"
        raise InputError(msg)
    length = max(len(genes) for genes in class_genes)
    ranked = np.empty((len(class_genes), length), dtype=np.intp)
    scores = np.zeros((len(class_genes), length))
    for code, label in enumerate(model.classes_.tolist()):
        genes = class_genes[code]
        is_low = _is_low(model, label, changes[code, genes])
        distances = np.asarray(model.selected_distances_[label])
        order = np.argsort(is_low, kind="stable")  # higher genes first
        genes_of_others = np.setdiff1d(used, genes)
        ranked[code] = np.concatenate([genes[order], genes_of_others])[:length]
        scores[code, : len(genes)] = np.where(is_low, -distances, distances)[order]
    return ranked, scores


def _is_low(model: Any, label: Any, changes: np.ndarray) -> np.ndarray:
    """Return which genes of a class are lower in it than in the others.

    By the direction that the model has, else by the signs of the fold ``changes`` (n_genes,).
    """
    if hasattr(model, "direction_"):
        return np.array(model.direction_[label]) == "low"
    return changes < 0.0


def _structured_array(classes: list[Any], values: np.ndarray, kind: str) -> np.ndarray:
    """Return values (n_classes, n_ranks) as a structured array (n_ranks,), a field per class."""
    table = np.empty(values.shape[1], dtype=[(str(label), kind) for label in classes])
    for label, row in zip(classes, values, strict=True):
        table[str(label)] = row
    return table


def _genes(samples: Any, names: np.ndarray) -> Any:
    """Return the values of the named genes, of AnnData by name."""
    values, sample_genes = named_samples(samples)
    if sample_genes is None:
        return values
    positions = pd.Index(sample_genes).get_indexer(names)
    if (positions < 0).any():
        msg = f"the AnnData has no gene {names[np.argmin(positions)]!r}; give all genes of the fit"
        raise InputError(msg)
    return values[:, positions]


def _log_fold_changes(samples: Any, labels: np.ndarray, classes: list[Any]) -> np.ndarray:
    """Return log2 of each class's mean count over that of all others, (n_classes, n_features).

    Means are of the logarithms, as scanpy computes them: ``exp(mean(log(1 + count))) - 1``.
    """
    samples = samples if sparse.issparse(samples) else np.asarray(samples, dtype=float)
    total = np.asarray(samples.sum(axis=0)).ravel()
    changes = []
    for label in classes:
        in_class = labels == label
        n_in_class = in_class.sum()
        sum_in_class = np.asarray(samples[np.flatnonzero(in_class)].sum(axis=0)).ravel()
        mean_in_class = sum_in_class / max(1, n_in_class)
        mean_of_others = (total - sum_in_class) / max(1, len(labels) - n_in_class)
        ratio = (np.expm1(mean_in_class) + _PSEUDO) / (np.expm1(mean_of_others) + _PSEUDO)
        changes.append(np.log2(ratio))
    return np.array(changes)
