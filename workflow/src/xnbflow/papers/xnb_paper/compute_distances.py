"""Distances, bandwidths and kernels of XNB beside the paper's choice: its question for future work.

The paper uses Hellinger's distance, Silverman's bandwidth and the Gaussian kernel, and leaves open
"which is the most informative distance function" and whether adaptive bandwidths fit better. Every
alternative changes one of the three. On each series, the classifier of every alternative is tested
in the same folds,

* with the features that reach the paper's threshold, so that also their number differs, and
* with equal numbers of features per pair of classes, which compares the rankings alone.

The second comparison is the fair one: a distance that takes smaller values reaches the threshold
later, selects more features and may win by their number.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy import stats

from xnbflow.core.blas import one_blas_thread
from xnbflow.core.errors import InputError
from xnbflow.core.seeds import derive_seed
from xnbflow.data.dataset import DataSet
from xnbflow.density.families.kernel import Kernel
from xnbflow.density.kernels import kernel_title
from xnbflow.evaluation.folds import draw_folds, folds_of_repeat
from xnbflow.papers.xnb_paper.entries import DISTANCES_ANALYSIS
from xnbflow.papers.xnb_paper.max_test import sign_flip_max_test
from xnbflow.preprocessing.selection.class_features import (
    PairSelection,
    pair_distances,
    pairs_with,
    ranked_prefix,
)
from xnbflow.tables.contract import analysis_tables

TABLES = analysis_tables(DISTANCES_ANALYSIS)

#: The analysis's parameters; `analyse` explains them.
DEFAULTS: dict[str, Any] = {
    "distances": ["jeffreys", "jensen_shannon", "kullback_leibler", "wasserstein"],
    "bandwidths": ["scott", "sheather_jones", "cross_validation", "adaptive"],
    "kernels": ["uniform", "epanechnikov", "triweight", "exponential"],
    "sizes": [1, 3, 10, 30],
    "threshold": 0.999,
    "min_distance": "mean",
    "features": None,
    "splits": 5,
    "repeats": 1,
}

#: The classifier's parameters in the paper.
PUBLISHED_PARAMETERS = {"distance": "hellinger", "bandwidth": "silverman", "kernel": "gaussian"}

#: The size of the rows with the features that reach the threshold.
AT_THRESHOLD = 0


@dataclass(frozen=True, kw_only=True)
class XnbVariant:
    """A classifier that differs from the paper's in one part, or in none."""

    part: str
    name: str
    distance: str
    bandwidth: str
    kernel: str | int


def analyse(
    series: dict[str, DataSet], params: dict[str, Any], threads: int
) -> dict[str, pd.DataFrame]:
    """Return the accuracies of each series, and their differences from the paper's choice.

    Parameters
    ----------
    series : dict of str to DataSet
        Series without missing values.
    params : dict
        ``distances``, ``bandwidths`` and ``kernels`` that take the place of the paper's; ``sizes``,
        numbers of features per pair of classes; ``threshold`` and ``min_distance`` of
        `xnbflow.naive_bayes.XNB`; ``features``, the most features of a series, of which each repeat
        takes a random sample (None: all); ``splits`` and ``repeats`` of the cross-validation.
    threads : int
        Number of processes.

    Raises
    ------
    InputError
        If a series has missing values, or cannot be split.
    """
    params = {**DEFAULTS, **params}
    for data in series.values():
        if np.isnan(data.values).any():
            msg = f"{data.name}: the analysis 'distances' takes no missing values; leave it out"
            raise InputError(msg)
        draw_folds(data, params["splits"], 1)  # raises if a class or the groups are too few
    tasks = []
    for data, repeat in itertools.product(series.values(), range(params["repeats"])):
        task = delayed(_repeat)(data, repeat, params)
        tasks.append(task)
    rows: list[dict[str, Any]] = []
    for rows_of_repeat in Parallel(n_jobs=threads)(tasks):
        rows += rows_of_repeat
    if not rows:
        return {name: pd.DataFrame(columns=table.fixed) for name, table in TABLES.items()}
    keys = ["dataset", "part", "alternative", "n_features"]
    accuracies = (
        pd.DataFrame(rows)
        .groupby(keys, sort=False)
        .agg(accuracy=("accuracy", "mean"), features_per_class=("features_per_class", "mean"))
        .reset_index()
    )
    return {
        "accuracies": accuracies[TABLES["accuracies"].fixed],
        "differences": _compare_alternatives(accuracies)[TABLES["differences"].fixed],
    }


def _compare_alternatives(accuracies: pd.DataFrame) -> pd.DataFrame:
    """Return the mean difference of each alternative from the paper's choice over series.

    ``accuracies`` has the columns of the table. The interval is Student's over series; ``p`` is
    that of `sign_flip_max_test` among all alternatives and sizes. Both are missing with one series.
    """
    wide = accuracies.pivot_table(
        index=["part", "alternative", "n_features"],
        columns="dataset",
        values=["accuracy", "features_per_class"],
        sort=False,
    )
    rows = []
    differences = []
    for key, method in wide.iterrows():
        part, alternative, n_features = key
        if part == "published":
            continue
        published = wide.loc[("published", "published", n_features), :]
        difference = (method["accuracy"] - published["accuracy"]).to_numpy()
        differences.append(difference)
        lower, upper = _interval(difference)
        rows.append(
            {
                "part": part,
                "alternative": alternative,
                "n_features": n_features,
                "accuracy": method["accuracy"].mean(),
                "published_accuracy": published["accuracy"].mean(),
                "difference": difference.mean(),
                "lower": lower,
                "upper": upper,
                "better": int((difference > 0).sum()),
                "worse": int((difference < 0).sum()),
                "features_per_class": method["features_per_class"].mean(),
                "published_features": published["features_per_class"].mean(),
                "datasets": len(difference),
            }
        )
    # Without an alternative there is no row.
    columns = [column for column in TABLES["differences"].fixed if column != "p"]
    table = pd.DataFrame(rows, columns=columns)
    has_several = accuracies["dataset"].nunique() > 1 and len(differences) > 0
    return table.assign(p=sign_flip_max_test(np.array(differences)) if has_several else np.nan)


def _interval(differences: np.ndarray) -> tuple[float, float]:
    """Return the limits of Student's 95% interval of a mean; missing with one difference."""
    n = len(differences)
    if n < 2:
        return np.nan, np.nan
    margin = stats.t.ppf(0.975, n - 1) * differences.std(ddof=1) / np.sqrt(n)
    return differences.mean() - margin, differences.mean() + margin


def _alternatives_of(params: Mapping[str, Any]) -> Iterator[XnbVariant]:
    """Yield the paper's choice, and every alternative to one of its parts."""
    yield XnbVariant(part="published", name="published", **PUBLISHED_PARAMETERS)
    for distance in params["distances"]:
        yield XnbVariant(
            part="distance", name=distance, **PUBLISHED_PARAMETERS | {"distance": distance}
        )
    for bandwidth in params["bandwidths"]:
        yield XnbVariant(
            part="bandwidth", name=bandwidth, **PUBLISHED_PARAMETERS | {"bandwidth": bandwidth}
        )
    for kernel in params["kernels"]:
        name = kernel_title(kernel)
        yield XnbVariant(part="kernel", name=name, **PUBLISHED_PARAMETERS | {"kernel": kernel})


@dataclass(frozen=True, kw_only=True)
class _Selection:
    """The features of each class with a number of features per pair, and the predicted codes.

    Attributes
    ----------
    size : int
        Number of features per pair of classes; `AT_THRESHOLD`: as many as reach the threshold.
    features : list of ndarray of int
        The features of each class that has training samples.
    predicted : ndarray of int, shape (n_tested,)
        The predicted class of each tested sample.
    """

    size: int
    features: list[np.ndarray]
    predicted: np.ndarray


def _repeat(data: DataSet, repeat: int, params: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each alternative and size, over the folds of one repeat."""
    features = _sampled_features(data, params["features"], repeat)
    drawn = folds_of_repeat(data, params["splits"], repeat).set_index("sample")["fold"]
    fold_of = drawn.loc[data.samples].to_numpy()
    codes = np.searchsorted(data.classes, data.labels)
    rows = []
    with one_blas_thread():
        for alternative in _alternatives_of(params):
            # By size: which tested samples are right, and the mean number of features of a class.
            correct: dict[int, list[np.ndarray]] = {}
            counts: dict[int, list[float]] = {}
            for fold in np.unique(fold_of):
                train = fold_of != fold
                test = ~train
                for selection in _fold(
                    features[:, train],
                    codes[train],
                    tested=features[:, test],
                    alternative=alternative,
                    params=params,
                ):
                    is_correct = selection.predicted == codes[test]
                    class_sizes = [len(chosen) for chosen in selection.features]
                    correct.setdefault(selection.size, []).append(is_correct)
                    counts.setdefault(selection.size, []).append(float(np.mean(class_sizes)))
            for size, of_folds in correct.items():
                rows.append(
                    {
                        "dataset": data.name,
                        "part": alternative.part,
                        "alternative": alternative.name,
                        "n_features": size,
                        "accuracy": np.concatenate(of_folds).mean(),
                        "features_per_class": np.mean(counts[size]),
                    }
                )
    return rows


def _fold(
    features: np.ndarray,
    codes: np.ndarray,
    tested: np.ndarray,
    alternative: XnbVariant,
    params: Mapping[str, Any],
) -> Iterator[_Selection]:
    """Yield the selection of every size, with the predicted codes of the samples ``tested``.

    A class that the training samples lack is not predicted.
    """
    present, codes = np.unique(codes, return_inverse=True)
    n_classes = len(present)
    density: dict[str, Any] = {"bandwidth": alternative.bandwidth, "kernel": alternative.kernel}
    distances = pair_distances(features, codes, n_classes, distance=alternative.distance, **density)
    at_threshold = PairSelection(
        distances=distances,
        names=np.arange(len(features)),
        n_classes=n_classes,
        threshold=params["threshold"],
        min_distance=params["min_distance"],
    )
    class_features = {AT_THRESHOLD: [at_threshold.ranked(code)[0] for code in range(n_classes)]}
    for size in params["sizes"]:
        class_features[size] = _best_of_pairs(distances, n_classes, size)

    # One fit of the densities of all features that any size uses.
    used = np.unique(np.concatenate([*map(np.concatenate, class_features.values())]))
    family = Kernel(**density).fit(features[used], codes, n_classes)
    log_density = family.log_density(tested[used])
    log_prior = np.log(np.bincount(codes) / len(codes))
    for size, features_of_size in class_features.items():
        joint = np.empty((n_classes, tested.shape[1]))
        for code, chosen in enumerate(features_of_size):
            terms = log_density[np.searchsorted(used, chosen), code]
            joint[code] = log_prior[code] + terms.sum(axis=0)
        predicted = present[joint.argmax(axis=0)]
        yield _Selection(size=size, features=features_of_size, predicted=predicted)


def _best_of_pairs(distances: np.ndarray, n_classes: int, size: int) -> list[np.ndarray]:
    """Return the features of each class: the ``size`` best of each of its pairs, together.

    ``distances`` (n_pairs, n_features) are those of `class_pairs`; ties are broken by position.

    Examples
    --------
    >>> distances = np.array([[0.9, 0.2, 0.1], [0.3, 0.8, 0.1], [0.1, 0.2, 0.7]])
    >>> [chosen.tolist() for chosen in _best_of_pairs(distances, 3, 1)]
    [[0, 1], [0, 2], [1, 2]]
    """
    positions = np.arange(distances.shape[1])
    best_of_pair = [ranked_prefix(row, positions, 0.0, size)[:size] for row in distances]
    class_features = []
    for code in range(n_classes):
        best = [best_of_pair[pair] for pair in pairs_with(code, n_classes)]
        class_features.append(np.unique(np.concatenate(best)))
    return class_features


def _sampled_features(data: DataSet, most: int | None, repeat: int) -> np.ndarray:
    """Return the features, or a random sample of ``most`` of them in their order.

    Each repeat has a sample of its own: with a single one, a difference between methods could be
    that of these features.
    """
    if most is None or len(data.values) <= most:
        return data.values
    rng = np.random.default_rng(derive_seed(data.name, "distances", repeat))
    chosen = np.sort(rng.choice(len(data.values), most, replace=False))
    return np.ascontiguousarray(data.values[chosen])
