"""Signatures of random genes: predictions by random features, as many as were selected.

Most published signatures of breast cancer predicted survival no better than random genes (Venet and
others 2011), because thousands of genes are related to the same process.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from xnbflow.core.rounding import ROUNDING
from xnbflow.data.dataset import DataSet
from xnbflow.data.series_seed import series_seed
from xnbflow.density.families.gaussian import Gaussian
from xnbflow.evaluation.fitting import filled
from xnbflow.evaluation.folds import MOST_REPEATED
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import table_of

#: Number of random signatures: the least p is 1 / 101.
_SIGNATURES = 100
#: Features of about the same mean are exchanged within bins: at most this number of bins, ...
_MOST_BINS = 20
#: ... with at least this number of features each, so that most features are replaced by another.
_LEAST_IN_BIN = 20
#: Largest share of the features in a signature; random signatures would overlap too much with a
#: larger one.
_MOST_SHARE = 0.5


def random_genes(series: DataSet, selected: pd.DataFrame, folds: pd.DataFrame) -> pd.DataFrame:
    """Compare the features that a classifier selected in each fold with random ones.

    Selected and random features are given to the same classifier, Gaussian naive Bayes with equal
    priors, in the same folds. The score is the balanced accuracy of all folds together. A random
    signature replaces each feature by one of about the same mean expression, and by the same one in
    every fold: it has the size of the selected signature, and changes between folds as much.

    Medians over all samples replace missing values. Only the first repeat is used. The result is
    empty if

    * a feature is not linear, there is one class, or a class has no tested sample;
    * there are more than `MOST_REPEATED` samples;
    * nothing was selected, or more than half of the features that vary.

    Parameters
    ----------
    series : DataSet
    selected : DataFrame
        With columns ``repeat``, ``fold`` and ``feature``.
    folds : DataFrame
        With columns ``repeat``, ``fold`` and ``sample``, the tested samples.

    Returns
    -------
    DataFrame
        The table ``random_genes`` of the group ``training``, of one row or none.

    References
    ----------
    D. Venet, J. E. Dumont and V. Detours, "Most random gene expression signatures are significantly
    associated with breast cancer outcome", PLoS Computational Biology 7 (2011), e1002240.
    """
    first_repeat = folds["repeat"].min()
    folds = folds[folds["repeat"] == first_repeat]
    is_first = selected["repeat"] == first_repeat
    selected = selected.loc[is_first, ["fold", "feature"]].drop_duplicates()
    values = filled(series).values
    codes = np.searchsorted(series.classes, series.labels)
    is_tested = np.isin(series.samples, folds["sample"].to_numpy(dtype=str))
    class_sizes = np.bincount(codes[is_tested], minlength=len(series.classes))
    n_varying = int((np.ptp(values, axis=1) > 0).sum())
    if (
        (series.kinds != "linear").any()
        or len(series.classes) < 2
        or (class_sizes == 0).any()
        or series.n_samples > MOST_REPEATED
        or selected.empty
        or selected["feature"].nunique() > _MOST_SHARE * n_varying
    ):
        return table_of([], GROUPS["training"].tables["random_genes"])

    # Positions of the features of each fold, and by which feature each signature replaces each
    # feature. The first replacement is the identity: it leaves the selected features as they are.
    positions = pd.Index(series.features)
    fold_features = {
        fold: positions.get_indexer(features)
        for fold, features in selected.groupby("fold")["feature"]
    }
    rng = np.random.default_rng(series_seed(series, 0, "random genes"))
    identity = np.arange(len(values))
    random_replacements = expression_partners(values.mean(axis=1), _SIGNATURES, rng)
    replacements = [identity, *random_replacements]

    # Whether each signature predicts each sample's class, (1 + n_signatures, n_samples).
    is_correct = np.zeros((len(replacements), series.n_samples))
    for fold, samples in folds.groupby("fold")["sample"]:
        test = np.isin(series.samples, samples.to_numpy(dtype=str))
        features = fold_features.get(fold, [])
        signatures = [replacement[features] for replacement in replacements]
        predicted = _predict_test_samples(values, codes, test, signatures)
        is_correct[:, test] = predicted == codes[test]

    # The balanced accuracy is a weighted sum over samples: each class has the same total weight.
    sample_weights = (1 / (len(series.classes) * class_sizes))[codes[is_tested]]
    scores = is_correct[:, is_tested] @ sample_weights
    selected_score = scores[0]
    random_scores = scores[1:]
    n_as_good = int(np.sum(random_scores >= selected_score - ROUNDING))
    row = {
        "metric": "balanced_accuracy",
        "selected_score": selected_score,
        "signatures": _SIGNATURES,
        "signature_size": np.mean([len(features) for features in fold_features.values()]),
        "random_mean": np.mean(random_scores),
        "random_05": np.quantile(random_scores, 0.05),
        "random_95": np.quantile(random_scores, 0.95),
        "chance": 1 / len(series.classes),
        "as_good_random": n_as_good,
        "random_p": (n_as_good + 1) / (_SIGNATURES + 1),
    }
    return table_of([row], GROUPS["training"].tables["random_genes"])


def expression_partners(
    means: np.ndarray, n_times: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Yield for each feature a random one of about the same mean, ``n_times``.

    Features are divided into bins by their ``means`` (n_features,), and permuted within each bin,
    so that every feature is the partner of one feature.

    Examples
    --------
    >>> (partners,) = expression_partners(np.arange(100.0), 1, np.random.default_rng(0))
    >>> bool((np.sort(partners) == np.arange(100)).all()), int(abs(partners - np.arange(100)).max())
    (True, 19)
    """
    n_bins = max(1, min(_MOST_BINS, len(means) // _LEAST_IN_BIN))
    bins = np.array_split(np.argsort(means, kind="stable"), n_bins)
    for _ in range(n_times):
        partners = np.empty(len(means), dtype=int)
        for features in bins:
            partners[features] = rng.permutation(features)
        yield partners


def _predict_test_samples(
    values: np.ndarray, codes: np.ndarray, test: np.ndarray, signatures: Sequence[np.ndarray]
) -> np.ndarray:
    """Return the predictions of Gaussian naive Bayes by each signature, (n_signatures, n_test).

    ``values`` are (n_features, n_samples), ``codes`` (n_samples,) the classes, and ``test`` the
    mask of the samples that are predicted; a signature has positions of features. A feature's
    density is computed once, for all signatures that have it.
    """
    used = np.unique(np.concatenate(signatures))
    present, training_codes = np.unique(codes[~test], return_inverse=True)
    densities = Gaussian().fit(values[np.ix_(used, ~test)], training_codes, len(present))
    terms = densities.log_density(values[np.ix_(used, test)])
    log_likelihoods = [
        terms[np.searchsorted(used, signature)].sum(axis=0) for signature in signatures
    ]
    return present[np.argmax(log_likelihoods, axis=1)]
