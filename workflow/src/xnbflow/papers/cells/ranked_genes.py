"""The genes of a class-specific classifier in the form of scanpy's ``uns["rank_genes_groups"]``."""

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from xnbflow.core.errors import InputError
from xnbflow.data.samples import named_samples, plain_labels

_FIELDS = ("scores", "logfoldchanges", "pvals", "pvals_adj")

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
    own = [np.asarray(columns) for columns in model.columns_]
    used = np.unique(np.concatenate([np.empty(0, dtype=int), *own]))
    if not len(used):
        msg = "no class has a gene that separates it from others, so there is no table"
        raise InputError(msg)
    changes = np.full((len(classes), len(names)), np.nan)
    if samples is not None:
        labels = plain_labels(groupby if labels is None else labels, samples)
        samples = _genes(samples, names)
        changes = _log_fold_changes(samples, np.asarray(labels), classes)
    length = max(len(columns) for columns in own)
    scores = np.zeros((len(classes), length))
    for code, (row, label, mine) in enumerate(zip(scores, classes, own, strict=True)):
        low = changes[code, mine] < 0.0
        if hasattr(model, "direction_"):
            low = np.array(model.direction_[label]) == "low"
        signed = np.where(low, -1.0, 1.0) * model.selected_distances_[label]
        order = np.argsort(low, kind="stable")
        own[code], row[: len(mine)] = mine[order], signed[order]
    ranked = [np.concatenate([mine, np.setdiff1d(used, mine)])[:length] for mine in own]
    places = np.arange(len(classes))[:, None], np.array(ranked)
    nothing = np.full(scores.shape, np.nan)
    fields = dict(zip(_FIELDS, (scores, changes[places], nothing, nothing), strict=True))
    params = {
        "groupby": groupby,
        "reference": "rest",
        "method": f"xnbflow {type(model).__name__}",
        "use_raw": False,
        "corr_method": "none",
    }
    return {
        "params": params,
        "names": _structured(classes, np.asarray(names, dtype=object)[np.array(ranked)], "O"),
        **{name: _structured(classes, values, "f8") for name, values in fields.items()},
    }


def _structured(classes: list[Any], values: np.ndarray, kind: str) -> np.ndarray:
    """Return values (n_classes, n_ranks) as a structured array (n_ranks,), a field per class."""
    found = np.empty(values.shape[1], dtype=[(str(label), kind) for label in classes])
    for label, row in zip(classes, values, strict=True):
        found[str(label)] = row
    return found


def _genes(samples: Any, names: np.ndarray) -> Any:
    """Return the values of the named genes, of AnnData by name."""
    values, known = named_samples(samples)
    if known is None:
        return values
    positions = pd.Index(known).get_indexer(names)
    if (positions < 0).any():
        msg = f"the AnnData has no gene {names[np.argmin(positions)]!r}; give all genes of the fit"
        raise InputError(msg)
    return values[:, positions]


def _log_fold_changes(samples: Any, labels: np.ndarray, classes: list[Any]) -> np.ndarray:
    """Return log2 of each class's mean count over that of all others, (n_classes, n_features)."""
    samples = samples if sparse.issparse(samples) else np.asarray(samples, dtype=float)
    total, found = np.asarray(samples.sum(axis=0)).ravel(), []
    for label in classes:
        mine = labels == label
        inside = np.asarray(samples[np.flatnonzero(mine)].sum(axis=0)).ravel()
        rest = (total - inside) / max(1, len(labels) - mine.sum())
        counts = np.expm1([inside / max(1, mine.sum()), rest]) + _PSEUDO
        found.append(np.log2(counts[0] / counts[1]))
    return np.array(found)
