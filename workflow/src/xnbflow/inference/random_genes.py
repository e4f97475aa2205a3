"""Signatures of random genes: predictions by random features, as many as were selected.

Most published signatures of breast cancer predicted survival no better than random genes (Venet and
others 2011), because thousands of genes are related to the same process.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from xnbflow.core.rounding import ROUNDING
from xnbflow.data.dataset import DataSet
from xnbflow.data.series_seed import series_seed
from xnbflow.density.families.gaussian import Gaussian
from xnbflow.evaluation.fitting import filled
from xnbflow.evaluation.folds import MOST_REPEATED
from xnbflow.tables.contract import CHECK_TABLES
from xnbflow.tables.storage import table_of

_SIGNATURES = 100
#: Features of about the same mean are exchanged: the size of a bin, or the features in 20 bins.
_LEAST_IN_BIN = 20
_BINS = 20
#: Largest share of the features in a signature; random ones would overlap too much with a larger
#: one.
_MOST_SHARE = 0.5


def random_genes(series: DataSet, selected: pd.DataFrame, folds: pd.DataFrame) -> pd.DataFrame:
    """Compare the features that a classifier selected in each fold with random ones.

    Medians over all samples replace missing values. ``selected`` has ``repeat``, ``fold`` and
    ``feature``, ``folds`` has ``repeat``, ``fold`` and ``sample``; only the first repeat is used.
    The result is the table ``random_genes`` of `CHECK_TABLES`. It is empty if nothing was selected
    in the first repeat, or more than half of those that vary; if a feature is not linear, there is
    one class, or more than `MOST_REPEATED` samples.

    Selected and random features are given to the same classifier, Gaussian naive Bayes with equal
    priors, in the same folds. The score is the balanced accuracy of all folds together. A random
    signature replaces each feature by one of about the same mean expression, the same one in every
    fold: it has the size of the selected one, and changes between folds as much.

    D. Venet, J. E. Dumont and V. Detours, "Most random gene expression signatures are significantly
    associated with breast cancer outcome", PLoS Computational Biology 7 (2011), e1002240.
    """
    empty = table_of([], CHECK_TABLES["random_genes"])
    first = folds["repeat"].min()
    folds = folds[folds["repeat"] == first]
    chosen = selected.loc[selected["repeat"] == first, ["fold", "feature"]].drop_duplicates()
    classes = series.classes
    values = filled(series).values
    varying = int((np.ptp(values, axis=1) > 0).sum())  # without constant features
    if (
        chosen.empty
        or series.n_samples > MOST_REPEATED
        or len(classes) < 2
        or (series.kinds != "linear").any()
        or chosen["feature"].nunique() > _MOST_SHARE * varying
    ):
        return empty
    codes = np.searchsorted(classes, series.labels)
    positions = pd.Index(series.features)
    by_fold = {
        fold: positions.get_indexer(features)
        for fold, features in chosen.groupby("fold")["feature"]
    }
    rng = np.random.default_rng(series_seed(series, 0, "random genes"))
    partners = [np.arange(len(values)), *expression_partners(values.mean(axis=1), _SIGNATURES, rng)]
    right = np.zeros((len(partners), series.n_samples))
    for fold, samples in folds.groupby("fold")["sample"]:
        test = np.isin(series.samples, samples.to_numpy(dtype=str))
        signatures = [partner[by_fold.get(fold, [])] for partner in partners]

        # A mask of test samples that Gaussian naive Bayes predicts right, by signature.
        used = np.unique(np.concatenate(signatures))
        present, training_codes = np.unique(codes[~test], return_inverse=True)
        densities = Gaussian().fit(values[np.ix_(used, ~test)], training_codes, len(present))
        terms = densities.log_density(values[np.ix_(used, test)])
        sums = [terms[np.searchsorted(used, signature)].sum(axis=0) for signature in signatures]
        right[:, test] = present[np.argmax(sums, axis=1)] == codes[test]

    tested = np.isin(series.samples, folds["sample"].to_numpy(dtype=str))
    sizes = np.bincount(codes[tested], minlength=len(classes))
    if (sizes == 0).any():
        return empty
    observed, *null = right[:, tested] @ (1 / (len(classes) * sizes))[codes[tested]]
    at_least = int(np.sum(np.array(null) >= observed - ROUNDING))
    row = {
        "metric": "balanced_accuracy",
        "selected_score": observed,
        "signatures": _SIGNATURES,
        "signature_size": np.mean([*map(len, by_fold.values())]),
        "random_mean": np.mean(null),
        "random_95": np.quantile(null, 0.95),
        "as_good_random": at_least,
        "random_p": (at_least + 1) / (_SIGNATURES + 1),
    }
    return table_of([row], CHECK_TABLES["random_genes"])


def expression_partners(
    means: np.ndarray, n_times: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Yield for each feature another one of about the same mean, at random and each one once.

    Examples
    --------
    >>> (partners,) = expression_partners(np.arange(100.0), 1, np.random.default_rng(0))
    >>> bool((np.sort(partners) == np.arange(100)).all()), int(abs(partners - np.arange(100)).max())
    (True, 19)
    """
    bins = max(1, min(_BINS, len(means) // _LEAST_IN_BIN))
    alike = np.array_split(np.argsort(means, kind="stable"), bins)
    for _ in range(n_times):
        partners = np.empty(len(means), dtype=int)
        for features in alike:
            partners[features] = rng.permutation(features)
        yield partners
