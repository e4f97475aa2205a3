"""Unequal classes: the recalls that equal priors of the classes would give.

A classifier with the shares of the classes as priors predicts the larger class wherever the
features do not contradict it: with 90 and 10 samples the recall of the small class can be near 0
although its features differ. Its log posteriors less the log priors are the evidence of the
features alone, which has the class with the greatest value as its prediction:

    argmax_c [log P(c | x) - log pi_c],  pi_c the share of class c in the training set.

These are Bayes' rule with equal priors, also for a classifier that is fitted to posteriors
(M. Saerens, P. Latinne and C. Decaestecker, "Adjusting the outputs of a classifier to new a priori
probabilities", Neural Computation 14 (2002), 21-41). No model is fitted again.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.keyed_tables import KEY, Headers, Key, Tables, arrays, key_fields

#: A class is recognised from this recall on.
_HALF = 0.5


def with_equal_priors(
    estimates: pd.DataFrame,
    predictions: Tables,
    headers: Headers,
    entries: Mapping[Key, Mapping[str, Any]],
) -> pd.DataFrame:
    """Return the table ``estimates`` with recalls and balanced accuracies for equal priors.

    They are missing for classifiers without probabilities, those whose configuration in ``entries``
    sets priors, and data sets of equal classes.
    """
    rows: list[dict[str, Any]] = []
    for key, table in predictions.items():
        if not len(table) or _sets_priors(entries[key]):
            continue
        recalls = _recalls_with_equal_priors(table, headers[key[0]])
        rows += [key_fields(key) | {"metric": "recall"} | row for row in recalls]
        if recalls:
            balanced_accuracy = {
                "metric": "balanced_accuracy",
                "class": "",
                "equal_priors": np.mean([row["equal_priors"] for row in recalls]),
                "priors_decide": False,
            }
            rows.append(key_fields(key) | balanced_accuracy)
    if not rows:
        return estimates
    columns = ["equal_priors", "priors_decide"]
    key_of_row = [*KEY, "metric", "class"]
    equal = pd.DataFrame(rows, columns=[*key_of_row, *columns])
    table = estimates.drop(columns=columns).merge(equal, on=key_of_row, how="left")
    table["priors_decide"] = table["priors_decide"].eq(True)
    return table


def _sets_priors(entry: Mapping[str, Any]) -> bool:
    """Return whether the last step of a classifier has priors of its configuration.

    Examples
    --------
    >>> _sets_priors({"method": "xnb", "params": {"priors": [0.5, 0.5]}}), _sets_priors({})
    (True, False)
    """
    last = entry["steps"][-1] if "steps" in entry else entry
    return (last.get("params") or {}).get("priors") is not None


def _recalls_with_equal_priors(predictions: pd.DataFrame, header: DataSet) -> list[dict[str, Any]]:
    """Return a row for each class of one classifier: its recall with equal priors.

    Recalls are means over repeats. ``priors_decide`` for a class whose recall is at most one half,
    and above it with equal priors, where these raise the balanced accuracy. The list is empty
    without probabilities, and if all classes have equally many samples.
    """
    sizes = np.array([int(np.sum(header.labels == label)) for label in header.classes])
    repeats = list(_predicted_codes(predictions, header))
    if not repeats or len(np.unique(sizes)) == 1:
        return []
    with_shares = np.zeros(len(sizes))
    with_equal = np.zeros(len(sizes))
    for true, predicted, balanced in repeats:
        n_tested = np.maximum(np.bincount(true, minlength=len(sizes)), 1)
        with_shares += np.bincount(true, predicted == true, len(sizes)) / n_tested
        with_equal += np.bincount(true, balanced == true, len(sizes)) / n_tested
    with_shares /= len(repeats)
    with_equal /= len(repeats)
    gains = bool(with_equal.mean() > with_shares.mean())
    return [
        {
            "class": str(label),
            "equal_priors": with_equal[code],
            "priors_decide": gains and with_shares[code] <= _HALF < with_equal[code],
        }
        for code, label in enumerate(header.classes)
    ]


def _predicted_codes(
    predictions: pd.DataFrame, header: DataSet
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield, for each repeat, the codes of the samples: true, predicted, and with equal priors.

    Nothing is yielded for a classifier without probabilities.
    """
    class_of_sample = pd.Series(header.labels.astype(str), index=header.samples)
    for _, table in predictions.groupby("repeat"):
        true, predicted, log_posterior, classes = arrays(table, header)
        if log_posterior is None:
            return
        evidence = np.empty_like(log_posterior)
        for tested in table.groupby("fold").indices.values():
            training = class_of_sample.drop(table["sample"].iloc[tested])
            shares = np.array([np.mean(training == label) for label in classes])
            with np.errstate(divide="ignore"):
                log_shares = np.where(shares > 0, np.log(shares), np.inf)
            evidence[tested] = log_posterior[tested] - log_shares
        yield (
            np.searchsorted(classes, true),
            np.searchsorted(classes, predicted),
            np.nan_to_num(evidence, nan=-np.inf).argmax(axis=1),
        )
