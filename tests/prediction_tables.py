"""Predictions and fits of two repeats of two folds, with literal numbers of right samples.

The data set ``d`` (`HEADER`) has 20 samples of the classes x (12) and y (8).
"""

import numpy as np
import pandas as pd

from xnbflow.data.dataset import DataSet
from xnbflow.inference.estimates import estimates, pooled_performance
from xnbflow.inference.intervals import CROSS_VALIDATED

#: Repeat and fold.
PLACES = list(np.ndindex(2, 2))
FEATURES = [f"f{i}" for i in range(9)]
SAMPLES = [f"s{i}" for i in range(20)]
HEADER = DataSet("d", None, FEATURES, SAMPLES, np.repeat(["x", "y"], [12, 8]))


def fits_of(failed=()):
    """Return the fits of two repeats of two folds; ``failed`` are repeats and folds."""
    rows = [
        (repeat, fold, "failed" if (repeat, fold) in failed else "ok", 3.0, 5.0)
        for repeat, fold in PLACES
    ]
    columns = ["repeat", "fold", "status", "features_per_class", "features"]
    return pd.DataFrame(rows, columns=columns)


def predictions_of(accuracy):
    """Return predictions with these accuracies of the four folds, each of ten samples.

    A fold whose accuracy is missing has no predictions.
    """
    rows = []
    for (repeat, fold), share in zip(PLACES, accuracy, strict=True):
        if np.isnan(share):
            continue
        tested = np.arange(20)[fold::2]
        for i, position in enumerate(tested):
            true = HEADER.labels[position]
            predicted = true if i < round(10 * share) else {"x": "y", "y": "x"}[true]
            rows.append((repeat, fold, HEADER.samples[position], true, predicted, *[np.nan] * 4))
    columns = ["repeat", "fold", "sample", "true", "predicted", "set_size", "covered"]
    return pd.DataFrame(rows, columns=[*columns, "log_posterior.x", "log_posterior.y"])


def performances(predictions, headers, candidates=1):
    """Return the pooled performance of each table of predictions."""
    return {
        key: pooled_performance(table, headers[key[0]], CROSS_VALIDATED, candidates)
        for key, table in predictions.items()
    }


def labelled(true, predicted, repeats=1):
    """Return the predictions of one classifier for samples s0, s1, ..., in each repeat."""
    one = pd.DataFrame({"sample": [f"s{i}" for i in range(len(true))], "true": true})
    tables = [one.assign(predicted=predicted, repeat=repeat) for repeat in range(repeats)]
    return {("d", "f", "nb"): pd.concat(tables, ignore_index=True)}


def recalled(predictions):
    """Recall by classifier and class, of data sets that hold the samples predicted."""
    whole = pd.concat(predictions.values()).drop_duplicates("sample")
    samples, labels = whole["sample"].to_numpy(dtype=str), whole["true"].to_numpy(dtype=str)
    every = np.unique([*labels, *pd.concat(predictions.values())["predicted"]]).astype(str)
    absent = [label for label in every if label not in labels]
    names = [*samples, *(f"other {label}" for label in absent)]
    header = DataSet("d", None, FEATURES, names, [*labels, *absent])
    actual = performances(predictions, {"d": header})
    return estimates(actual, {"d": header}, dict.fromkeys(actual, 0))
