"""Features of several cohorts matched by name, gene symbol or Entrez id; labels by spelling."""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, require_choice
from xnbflow.core.yaml_text import flow_yaml
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.fitting import filled
from xnbflow.models.reading import symbols_of
from xnbflow.sources.series.label_spellings import spellings_of_classes

#: How features of two cohorts are matched.
MATCHES = ("feature", "symbol", "entrez_id")


def with_labels_of(first: DataSet, other: DataSet) -> tuple[DataSet, list[str]]:
    """Return another cohort with labels spelled as those of the first one, and notes about them.

    Spellings are joined as in a proposed study: ``Normal`` and ``normal``, ``Tumor`` and
    ``tumour``.

    Examples
    --------
    >>> one = DataSet("one", np.eye(2), ["x", "y"], ["a", "b"], ["tumour", "normal"])
    >>> two = DataSet("two", np.eye(2), ["x", "y"], ["c", "d"], ["tumour", "NORMAL"])
    >>> renamed, notes = with_labels_of(one, two)
    >>> renamed.labels.tolist(), notes
    (['tumour', 'normal'], ["its label 'NORMAL' is read as 'normal' of one"])
    """
    spellings = spellings_of_classes(map(str, other.classes), list(map(str, first.classes)))
    labels = np.array([spellings.get(str(label), str(label)) for label in other.labels])
    notes = [
        f"its label {label!r} is read as {name!r} of {first.name}"
        for label, name in spellings.items()
    ]
    return (replace(other, labels=labels) if spellings else other), notes


def refuse_other_classes(train: DataSet, test: DataSet) -> None:
    """Refuse a test cohort with a class that the training cohort does not have."""
    only_in_test = sorted(set(test.classes) - set(train.classes))
    if only_in_test:
        classes = ", ".join(train.classes)
        entries = flow_yaml({str(label): "CLASS" for label in only_in_test})
        msg = (
            f"{test.name} has the class {str(only_in_test[0])!r}, {train.name} has {classes}; "
            f"give both cohorts the same labels by the key map of {test.name}, as map: {entries}"
        )
        raise InputError(msg, key="map")


def matched(train: DataSet, test: DataSet, by: str = "feature") -> tuple[DataSet, DataSet]:
    """Return a training and a test cohort with the same features in the same order.

    An `InputError` is raised as by `common_features` and by `refuse_other_classes`.
    """
    refuse_other_classes(train, test)
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
    >>> [cohort.features.tolist() for cohort in common_features([one, two])]
    [['x', 'z'], ['x', 'z']]
    """
    require_choice("match", by, MATCHES)
    if by == "feature":
        names = reduce(np.intersect1d, [cohort.features for cohort in cohorts])
        positions = [pd.Index(cohort.features).get_indexer(names) for cohort in cohorts]
    else:
        names, positions = _match_by_gene(cohorts, by)
    if not len(names):
        msg = (
            f"{', '.join(cohort.name for cohort in cohorts)} share no {by}; series of different "
            "platforms are matched by symbol or entrez_id"
        )
        raise InputError(msg)
    pairs = zip(cohorts, positions, strict=True)
    return [_select_features(cohort, names, rows) for cohort, rows in pairs]


def _match_by_gene(cohorts: Sequence[DataSet], column: str) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the genes of all cohorts, and the positions of their probes in each.

    ``column`` of the features' metadata has the genes.
    """
    gene_of_probe = []
    best_probes = []
    for cohort in cohorts:
        genes = symbols_of(cohort, column)
        if not genes:
            msg = (
                f"{cohort.name} is to be matched by {column}, but its features have none; name the "
                "platform's annotation, or match by feature"
            )
            raise InputError(msg)
        gene_of_probe.append(genes)

        # The position of each gene's probe with the greatest mean, the first among
        # equals. ``genes`` are by feature; a feature without a gene is left out.
        descending = np.argsort(-filled(cohort).values.mean(axis=1), kind="stable")
        of_gene = pd.Series(
            descending, [genes.get(name, "") for name in cohort.features[descending]]
        )
        best_probes.append(of_gene[~of_gene.index.duplicated() & (of_gene.index != "")])
    names = reduce(np.intersect1d, [probes.index.to_numpy(str) for probes in best_probes])
    first_positions = best_probes[0][names].to_numpy()
    first_probes = cohorts[0].features[first_positions]
    positions = [first_positions]
    for cohort, genes, probes in zip(cohorts[1:], gene_of_probe[1:], best_probes[1:], strict=True):
        # the probe of the first cohort, where it is one of the same gene in this cohort
        same_gene = np.array([genes.get(probe) for probe in first_probes]) == names
        position_of_same_probe = pd.Index(cohort.features).get_indexer(first_probes)
        highest_of_cohort = probes[names].to_numpy()
        positions.append(np.where(same_gene, position_of_same_probe, highest_of_cohort))
    return names, positions


def _select_features(series: DataSet, names: np.ndarray, positions: np.ndarray) -> DataSet:
    """Return a series with the features at some positions, under other names."""
    metadata = series.feature_metadata
    return replace(
        series,
        values=series.values[positions],
        features=names,
        kinds=series.kinds[positions],
        feature_metadata=None if metadata is None else metadata.iloc[positions],
    )
