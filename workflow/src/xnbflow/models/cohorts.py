"""Two cohorts of one question: features matched, a signature's overlap and what chance gives."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.stats import hypergeom, spearmanr

from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError, require_choice
from xnbflow.evaluation.incomplete import filled
from xnbflow.preprocessing.selection.class_specific import pair_distances

__all__ = ["MATCHES", "compare_signatures", "greatest_distances", "matched"]

#: How features of two cohorts are taken for the same.
MATCHES = ("feature", "symbol")


def greatest_distances(series: DataSet) -> np.ndarray:
    """Return each feature's greatest Hellinger distance of two classes, shape (n_features,)."""
    classes, codes = np.unique(series.labels, return_inverse=True)
    whole = filled(series) if series.missing else series
    return pair_distances(whole.values, codes, len(classes)).max(axis=0)


def matched(
    train: DataSet,
    test: DataSet,
    by: str = "feature",
    symbols: tuple[Mapping[str, str], Mapping[str, str]] | None = None,
) -> tuple[DataSet, DataSet]:
    """Return two cohorts with the same features in the same order.

    Parameters
    ----------
    train, test : DataSet
    by : {"feature", "symbol"}
        By name; or by gene symbol, where several probes of a gene are one: the probe with the
        greatest distance between classes in training, and in the test cohort the same probe if it
        is there, else the one with the greatest mean. The test cohort's labels decide nothing.
    symbols : pair of mappings, optional
        Feature to symbol of each cohort, needed to match by symbol.

    Returns
    -------
    train, test : DataSet
        Named by feature, or by symbol.

    Raises
    ------
    InputError
        If the cohorts share no feature, or a class of the test cohort is unknown in training.

    Examples
    --------
    >>> one = DataSet("a", np.eye(3), ["x", "y", "z"], ["1", "2", "3"], ["t", "n", "t"])
    >>> two = DataSet("b", np.eye(2), ["z", "x"], ["4", "5"], ["t", "n"])
    >>> [list(each.features) for each in matched(one, two)]
    [[np.str_('x'), np.str_('z')], [np.str_('x'), np.str_('z')]]
    """
    require_choice("match", by, MATCHES)
    unknown = sorted(set(test.classes) - set(train.classes))
    if unknown:
        msg = (
            f"{test.name} has the class {str(unknown[0])!r}, {train.name} has "
            f"{', '.join(map(str, train.classes))}; give both cohorts the same labels"
        )
        raise InputError(msg)
    if by == "feature":
        names, places = np.unique(train.features), pd.Index(test.features)
        shared = names[places.get_indexer(names) >= 0]
        pairs = (shared, pd.Index(train.features).get_indexer(shared), places.get_indexer(shared))
    else:
        if symbols is None or not symbols[0] or not symbols[1]:
            msg = f"{train.name} and {test.name} are to be matched by symbol, but have none"
            raise InputError(f"{msg}; name the platform's annotation, or match by feature")
        pairs = _by_symbol(train, test, *symbols)
    names, first, second = pairs
    if not len(names):
        msg = f"{train.name} and {test.name} share no {by}; are they of one platform?"
        raise InputError(msg)
    return _taken(train, names, first), _taken(test, names, second)


def _by_symbol(
    train: DataSet, test: DataSet, known: Mapping[str, str], in_test: Mapping[str, str]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    best = _one_probe(train, known, greatest_distances(train))
    whole = filled(test) if test.missing else test
    means = _one_probe(test, in_test, whole.values.mean(axis=1))
    place = {feature: i for i, feature in enumerate(test.features)}
    names = np.array(sorted(best.keys() & means.keys()), dtype=str)
    first = np.array([best[name] for name in names], dtype=int)
    second = [
        place[train.features[i]]
        if in_test.get(train.features[i]) == name and train.features[i] in place
        else means[name]
        for name, i in zip(names, first, strict=True)
    ]
    return names, first, np.array(second, dtype=int)


def _one_probe(series: DataSet, symbols: Mapping[str, str], weights: np.ndarray) -> dict[str, int]:
    """Return the position of each gene's probe with the greatest weight, the first among equals."""
    chosen: dict[str, int] = {}
    for i, feature in enumerate(series.features):
        gene = symbols.get(feature, "")
        if gene and (gene not in chosen or weights[i] > weights[chosen[gene]]):
            chosen[gene] = i
    return chosen


def _taken(series: DataSet, names: np.ndarray, places: np.ndarray) -> DataSet:
    return DataSet(
        series.name,
        series.values[places],
        names,
        series.samples,
        series.labels,
        series.kinds[places],
        series.groups,
        missing=series.missing,
    )


def compare_signatures(
    first: pd.DataFrame, second: pd.DataFrame, train: DataSet, test: DataSet
) -> pd.DataFrame:
    """Return how far two cohorts' signatures agree, class by class.

    Parameters
    ----------
    first, second : DataFrame
        Signatures fitted on either cohort, see `signature_table`.
    train, test : DataSet
        The cohorts, with the same features (`matched`).

    Returns
    -------
    DataFrame
        One row per class: ``class``, ``size_first``, ``size_second``, ``shared``, ``expected``
        (features shared by chance), ``p`` (of at least so many, hypergeometric),
        ``same_direction`` (of the shared ones), ``rank_correlation`` (Spearman's, of all
        features' greatest distances between classes in either cohort; it is the same for all
        classes).
    """
    rho = spearmanr(greatest_distances(train), greatest_distances(test)).statistic
    rows = []
    for label in dict.fromkeys([*first["class"], *second["class"]]):
        one = _directions(first, label)
        two = _directions(second, label)
        shared = one.index.intersection(two.index)
        n, k, m = train.n_features, len(one), len(two)
        rows.append(
            {
                "class": label,
                "size_first": k,
                "size_second": m,
                "shared": len(shared),
                "expected": k * m / n,
                "p": float(hypergeom.sf(len(shared) - 1, n, k, m)),
                "same_direction": int((one[shared] == two[shared]).sum()),
                "rank_correlation": float(rho),
            }
        )
    return pd.DataFrame(rows)


def _directions(signature: pd.DataFrame, label: str) -> pd.Series:
    rows = signature[signature["class"] == label]
    return rows.set_index("feature")["direction"]
