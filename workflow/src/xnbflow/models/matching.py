"""Features of several cohorts matched by name, by gene symbol or by Entrez id."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, require_choice
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.fitting import filled
from xnbflow.models.reading import symbols_of

#: How features of two cohorts are matched.
MATCHES = ("feature", "symbol", "entrez_id")


def matched(train: DataSet, test: DataSet, by: str = "feature") -> tuple[DataSet, DataSet]:
    """Return a training and a test cohort with the same features in the same order.

    An `InputError` is raised as by `common_features`, and if the test cohort has a class that is
    not in training.
    """
    if unknown := sorted(set(test.classes) - set(train.classes)):
        msg = (
            f"{test.name} has the class {str(unknown[0])!r}, {train.name} has "
            f"{', '.join(train.classes)}; give both cohorts the same labels"
        )
        raise InputError(msg)
    first, second = common_features([train, test], by)
    return first, second


def common_features(cohorts: Sequence[DataSet], by: str = "feature") -> list[DataSet]:
    """Return cohorts with the features that all of them have, in the same order.

    Features are matched ``by`` name ("feature"), or by a column of their metadata ("symbol",
    "entrez_id"), which then names them. For a gene with several probes the one with the greatest
    mean in the first cohort is used, and in the others the same probe if present, else that with
    the greatest mean. Labels are not used: a choice by labels before cross-validation would bias
    its accuracy upwards.

    Examples
    --------
    >>> one = DataSet("one", np.eye(3), ["x", "y", "z"], ["a", "b", "c"], ["t", "t", "n"])
    >>> two = DataSet("two", np.eye(2), ["z", "x"], ["d", "e"], ["t", "n"])
    >>> [each.features.tolist() for each in common_features([one, two])]
    [['x', 'z'], ['x', 'z']]
    """
    require_choice("match", by, MATCHES)
    if by == "feature":
        names = reduce(np.intersect1d, [each.features for each in cohorts])
        places = [pd.Index(each.features).get_indexer(names) for each in cohorts]
    else:
        names, places = _by_gene(cohorts, [symbols_of(each, by) for each in cohorts], by)
    if not len(names):
        msg = (
            f"{', '.join(each.name for each in cohorts)} share no {by}; series of different "
            "platforms are matched by symbol or entrez_id"
        )
        raise InputError(msg)
    return [_taken(each, names, at) for each, at in zip(cohorts, places, strict=True)]


def _by_gene(
    cohorts: Sequence[DataSet], genes: Sequence[Mapping[str, str]], by: str
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the genes of all cohorts, and the positions of their probes in each."""
    for cohort, known in zip(cohorts, genes, strict=True):
        if not known:
            msg = (
                f"{cohort.name} is to be matched by {by}, but its features have none; name the "
                "platform's annotation, or match by feature"
            )
            raise InputError(msg)
    best = [_one_probe(each, known) for each, known in zip(cohorts, genes, strict=True)]
    names = reduce(np.intersect1d, [each.index.to_numpy(str) for each in best])
    first = best[0][names].to_numpy()
    probes, places = cohorts[0].features[first], [first]
    for cohort, known, chosen in zip(cohorts[1:], genes[1:], best[1:], strict=True):
        same = np.array([known.get(probe) for probe in probes]) == names
        own = pd.Index(cohort.features).get_indexer(probes)
        places.append(np.where(same, own, chosen[names].to_numpy()))
    return names, places


def _one_probe(series: DataSet, symbols: Mapping[str, str]) -> pd.Series:
    """Return the position of each gene's probe with the greatest mean, the first among equals."""
    order = np.argsort(-filled(series).values.mean(axis=1), kind="stable")
    chosen = pd.Series(order, [symbols.get(feature, "") for feature in series.features[order]])
    return chosen[~chosen.index.duplicated() & (chosen.index != "")]


def _taken(series: DataSet, names: np.ndarray, places: np.ndarray) -> DataSet:
    known = series.feature_metadata
    return replace(
        series,
        values=series.values[places],
        features=names,
        kinds=series.kinds[places],
        feature_metadata=None if known is None else known.iloc[places],
    )
