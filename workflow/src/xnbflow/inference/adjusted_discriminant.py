"""The diagonal discriminant with features that are adjusted for columns of the samples.

*Idea.* A batch that goes with the class shifts features, and a classifier recognises the batch. In
each training set a linear model of the features, with a mean per class and an effect per column,
estimates the effects within the classes::

    x_f = m_f(class) + z' b_f + error

for the columns z of a sample (centred on the training samples). The effects ``z' b_f`` are removed
from training and tested samples alike, and the discriminant is fitted to what remains. Since the
error of b is shared by all samples of a batch, it is recognised where the batch goes with the
class, also if labels carry no information; permuted labels must therefore be exchanged within the
levels of the columns (`Adjustment.strata`), so that they go with the columns as the true ones do.

The model is that of `xnbflow.preprocessing.CovariateAdjuster`, after M. E. Ritchie and others,
"limma powers differential expression analyses for RNA-sequencing and microarray studies", Nucleic
Acids Research 43 (2015), e47 (``removeBatchEffect``).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import softmax

from xnbflow.core.terms import column_of_term
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds import stratified_splits
from xnbflow.inference.diagonal_discriminant import N_SELECTED, mean_over_classes
from xnbflow.inference.permutation_test import Score
from xnbflow.inference.preselection import standardised
from xnbflow.inference.strata import crossed_strata

#: The class of the step that adjusts for columns.
_ADJUSTER = ".CovariateAdjuster"


def columns_of_steps(entry: Mapping[str, Any]) -> list[str]:
    """Return the columns for which a classifier adjusts the features; empty without such a step.

    Examples
    --------
    >>> step = {"method": "adjust_covariates", "params": {"columns": ["plate"]}}
    >>> columns_of_steps({"steps": [step, {"method": "csnb"}]})
    ['plate']
    """
    for step in entry.get("steps", ()):
        if step["method"] == "adjust_covariates" or step["method"].endswith(_ADJUSTER):
            return list(step["params"]["columns"])
    return []


class Adjustment(NamedTuple):
    """Columns of samples for which the label test is adjusted.

    ``strata`` (n_samples,) are the levels within which labels are exchanged, ``columns``
    (n_samples, n_columns) those of the linear model.
    """

    strata: np.ndarray
    columns: np.ndarray

    @classmethod
    def of(cls, series: DataSet, terms: Sequence[str]) -> "Adjustment":
        """Return the adjustment of a series for terms.

        ``terms`` are names of columns, ``factor(plate)`` of categories. Numbers are one column of
        the model, categories an indicator of each level but the first.
        """
        table = pd.DataFrame(series.sample_metadata)
        categories = []
        numbers = []
        columns = []
        for term in terms:
            name = column_of_term(term)
            cells = table[name].astype(str).str.strip()
            values = pd.to_numeric(cells, errors="coerce").to_numpy(dtype=float)
            if name == term and np.isfinite(values).all():
                numbers.append(values)
                spread = values.std() or 1.0
                columns.append(((values - values.mean()) / spread)[:, None])
            else:
                levels = pd.factorize(cells, sort=True)[0]
                categories.append(levels)
                columns.append(np.eye(levels.max() + 1)[levels][:, 1:])
        is_first = series.labels == series.classes[0]
        return cls(crossed_strata(is_first, categories, numbers), np.hstack(columns))


def adjusted_score(
    values: np.ndarray,
    columns: np.ndarray,
    groups: np.ndarray | None = None,
    *,
    n_splits: int = 5,
) -> Score:
    """Return `ten_features_score` with the features adjusted for columns in each training set.

    The effects of ``columns`` (n_samples, n_columns) are those of a linear model of the training
    samples with the classes, as in `xnbflow.preprocessing.CovariateAdjuster`.
    """
    standard = standardised(values).astype(float)

    def score(labels: np.ndarray, seed: int) -> float:
        codes = np.unique(labels, return_inverse=True)[1]
        n_classes = codes.max() + 1
        of_label = np.zeros(len(codes))  # the probability of a sample's label
        for train, test in stratified_splits(codes, groups, n_splits, seed):
            # The model has a mean per class and an effect per column, so that an effect is not
            # the difference of classes that the column goes with. Only effects are removed.
            centred = columns - columns[train].mean(axis=0)
            design = np.hstack([np.eye(n_classes)[codes[train]], centred[train]])
            effects = (np.linalg.pinv(design) @ standard[:, train].T)[n_classes:]
            adjusted = standard - (centred @ effects).T

            # ten features of each class that the training set has
            present = np.unique(codes[train])
            means = np.stack([adjusted[:, train[codes[train] == c]].mean(axis=1) for c in present])
            distances = np.abs(means - means.mean(axis=0))
            selected = np.argsort(-distances, axis=1, kind="stable")[:, :N_SELECTED]
            features = np.unique(selected)

            # the probability of the label of each tested sample; 0 for a class not in training
            evidence = _evidence(adjusted[np.ix_(features, test)], means[:, features])
            probabilities = np.zeros((n_classes, len(test)))
            probabilities[present] = softmax(evidence, axis=0)
            of_label[test] = probabilities[codes[test], np.arange(len(test))]
        return float(mean_over_classes(codes, of_label[None])[0])

    return score


def _evidence(features: np.ndarray, means: np.ndarray) -> np.ndarray:
    """Return the evidence for each class, (n_classes, n_samples).

    ``features`` (n_features, n_samples) have variance one, ``means`` (n_classes, n_features) are
    those of the classes. The summed log densities are divided by the square root of the number of
    features, since features are correlated.
    """
    evidence = np.empty((len(means), features.shape[1]))
    # class by class: the differences of 100 classes would be an array of hundreds of megabytes
    for code, mean in enumerate(means):
        differences = features - mean[:, None]
        evidence[code] = -0.5 * np.square(differences).sum(axis=0) / np.sqrt(len(features))
    return evidence
