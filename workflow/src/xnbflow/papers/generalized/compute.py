"""Study of naive and generalized effects: fit, cost, curves and selection (Larsen 2005).

Naive Bayes, generalized naive Bayes and logistic regression with linear effects are fitted to the
training part of a given split. Selection and tuning use only the training part.
"""

import itertools
import warnings
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from xnbflow.core.errors import InputError
from xnbflow.core.seeds import derive_seed
from xnbflow.data.dataset import DataSet
from xnbflow.papers.generalized import (
    GENERALIZED,
    LINEAR,
    NAIVE,
    NAIVE_PUBLISHED,
    PAPERS_EXAMPLE,
    PUBLISHED,
    TUNED,
)
from xnbflow.papers.generalized.generalized_nb import GeneralizedNB
from xnbflow.papers.generalized.stepwise_naive_effects import StepwiseNaiveEffects

_DEFAULTS: dict[str, Any] = {
    "features": {"all": None},
    "folds": None,
    "generalized": {},
    "losses": (1.0, 1.0),
    "random_splits": 0,
    "stepwise": {},
    "tune": None,
}
# A probability of 0 for an outcome would make the log-likelihood infinite.
_LEAST_PROBABILITY = 1e-300
_SET = ["dataset", "features"]
#: The share that the paper misclassifies, and of how many samples.
_PAPER_ERROR = 0.053
_PAPER_TESTED = 1536
#: Standard errors to either side of a 95% interval.
_CHANCE = 1.96
#: A value that more than this share of the observations have is drawn apart from the others.
_ATOM = 0.1
#: The method as published: no atoms, no pseudo-observations, and backfitting from naive Bayes, in
#: which a feature is smoothed until its adjustment converges before the next one. The paper's
#: second stopping rule, the likelihood, is left out: it would end the passes before they converge.
_AS_PUBLISHED = {"atom": None, "shrinkage": 0.0, "start": "naive", "inner": "converged"}
#: Share of the observations that a figure leaves out on either side.
_BEYOND = 0.01


def analyse(
    series: dict[str, DataSet], params: dict[str, Any], threads: int
) -> dict[str, pd.DataFrame]:
    """Fit and compare the classifiers, and describe the effects of the generalized one.

    The second of the two labels, sorted, is the event. Fold 0 of repeat 0 of the table ``folds`` is
    the test part; without it all samples train. ``features`` are named sets of features, each a
    list of names, ``stepwise``, or null for all; ``generalized`` and ``stepwise`` parameters of
    `GeneralizedNB` and `StepwiseNaiveEffects`; ``tune`` lists of values of `GeneralizedNB`'s
    parameters, of which stratified 10-fold cross-validation chooses the best by log-likelihood, in
    ``threads`` processes. ``losses`` are L1 of calling a non-event an event and L2 of the reverse:
    an event is predicted where its probability exceeds ``L1 / (L1 + L2)``. The models are fitted
    again on ``random_splits`` random splits of the same sizes, without tuning and to all but
    stepwise sets.
    """
    params = {**_DEFAULTS, **params}
    tables = defaultdict(list)
    for dataset, data in series.items():
        X = data.frame()
        y = data.labels
        parts = {"train": (X, y)}
        if params["folds"] is not None:
            folds = params["folds"]
            first = folds[(folds["repeat"] == 0) & (folds["fold"] == 0)]
            test = np.isin(data.samples, first["sample"].to_numpy(dtype=str))
            parts = {"train": (X[~test], y[~test]), "test": (X[test], y[test])}
        for name, features in params["features"].items():
            of_set = _analyse_set(data, parts, features=features, params=params, threads=threads)
            if "test" in parts and features != "stepwise" and params["random_splits"]:
                errors = random_splits(
                    data, features=features, n_train=len(parts["train"][1]), params=params
                )
                paper_error = _PAPER_ERROR if dataset == PAPERS_EXAMPLE[0] else np.nan
                of_set["splits"] = _summarise_splits(errors, paper_error)
            for table, rows in of_set.items():
                rows.insert(0, "dataset", dataset)
                rows.insert(1, "features", name)
                tables[table].append(rows)
    return _completed_tables(
        {name: pd.concat(rows, ignore_index=True) for name, rows in tables.items()}
    )


def _analyse_set(
    data: DataSet,
    parts: dict[str, tuple[pd.DataFrame, np.ndarray]],
    features: list[str] | str | None,
    params: dict[str, Any],
    threads: int,
) -> dict[str, pd.DataFrame]:
    """Return the tables of one set of features; ``parts`` are X and y of train and test."""
    tables = {}
    categorical = list(data.features[data.kinds == "categorical"])
    if features == "stepwise":
        selector = StepwiseNaiveEffects(categorical=categorical, **params["stepwise"])
        selector.fit(*parts["train"])
        tables["stepwise"] = selector.path_
        features = list(selector.feature_names_in_[selector.selected_])
    if features is not None:
        missing = [feature for feature in features if feature not in data.features]
        if missing:
            msg = f"{data.name} has no feature {missing[0]!r}; correct the study's `features`"
            raise InputError(msg)
        parts = {part: (X[features], y) for part, (X, y) in parts.items()}
        categorical = [name for name in categorical if name in features]
    models = _compared_models(categorical, params["generalized"])
    if params["tune"] is not None:
        if np.unique_counts(parts["train"][1]).counts.max() < 10:
            msg = f"{data.name}: no class has 10 training samples, as `tune` needs; set tune: null"
            raise InputError(msg, key="tune")
        seed = derive_seed(data.name, "tune")
        folds = StratifiedKFold(10, shuffle=True, random_state=seed)
        models[TUNED] = GridSearchCV(
            models[GENERALIZED], params["tune"], scoring="neg_log_loss", cv=folds, n_jobs=threads
        )
    _fit(models, *parts["train"])
    # With the loss l1 of a false alarm and l2 of a miss an event is called from the probability
    # l1 / (l1 + l2) on, which minimises the expected loss.
    l1, l2 = params["losses"]
    tables["fit"] = _fit_table(models, parts, l1 / (l1 + l2))
    tables["backfitting"] = pd.DataFrame([_backfitting(models[GENERALIZED].log_likelihood_)])
    tables["scorecard"] = models[GENERALIZED].scorecard()
    if TUNED in models:
        tried = models[TUNED].cv_results_
        tables["tuning"] = pd.DataFrame(tried["params"]).assign(
            mean_log_likelihood=tried["mean_test_score"],
            chosen=np.arange(len(tried["params"])) == models[TUNED].best_index_,
        )
    return tables


def _compared_models(
    categorical: list[str], parameters: dict[str, Any]
) -> dict[str, BaseEstimator]:
    """Return the classifiers that are compared, with the study's parameters."""
    parameters = {"categorical": categorical, **parameters}
    linear = LogisticRegression(C=np.inf, solver="newton-cholesky")
    return {
        NAIVE_PUBLISHED: GeneralizedNB(**{**parameters, **_AS_PUBLISHED, "max_iter": 0}),
        NAIVE: GeneralizedNB(**{**parameters, "max_iter": 0}),
        PUBLISHED: GeneralizedNB(**{**parameters, **_AS_PUBLISHED}),
        GENERALIZED: GeneralizedNB(**parameters),
        LINEAR: make_pipeline(StandardScaler(), linear),
    }


def _fit(models: dict[str, BaseEstimator], X: pd.DataFrame, y: np.ndarray) -> None:
    for name, model in models.items():
        with warnings.catch_warnings():
            if name == PUBLISHED:
                # Its divergence is a result, which the fit statistics show.
                warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, y)


def random_splits(
    data: DataSet,
    features: list[str] | None,
    n_train: int,
    params: dict[str, Any],
) -> pd.DataFrame:
    """Return the misclassification of every model on random splits, a row per split and model."""
    X = data.frame()
    labels = data.labels
    categorical = list(data.features[data.kinds == "categorical"])
    if features is not None:
        X = X[features]
        categorical = [feature for feature in categorical if feature in features]
    l1, l2 = params["losses"]
    event = np.unique(labels)[1]
    rows = []
    for split in range(params["random_splits"]):
        random = np.random.default_rng(derive_seed(data.name, "random split", split))
        order = random.permutation(len(labels))
        train = order[:n_train]
        test = order[n_train:]
        models = _compared_models(categorical, params["generalized"])
        _fit(models, X.iloc[train], labels[train])
        for model_name, model in models.items():
            predicted = model.predict_proba(X.iloc[test])[:, 1] > l1 / (l1 + l2)
            error = np.mean(predicted != (labels[test] == event))
            rows.append({"model": model_name, "misclassification": error})
    return pd.DataFrame(rows)


def _summarise_splits(splits: pd.DataFrame, paper_error: float) -> pd.DataFrame:
    """Return where the paper's error lies among those of random splits, a row per model.

    The paper has one random split. The interval is therefore that of one further split: mean ± t *
    sd * sqrt(1 + 1/n), with Student's t of n - 1 degrees of freedom and 95%. It is missing with
    fewer than two splits. ``paper_error`` is not a number for data that are not the paper's.

    Examples
    --------
    >>> splits = pd.DataFrame({"model": "naive Bayes", "misclassification": [0.05, 0.06, 0.07]})
    >>> summary = _summarise_splits(splits, paper_error=0.053)
    >>> summary[["mean", "sd", "lower", "upper", "paper_share"]].round(3).to_numpy()
    array([[0.06 , 0.01 , 0.01 , 0.11 , 0.333]])
    """
    rows = []
    for model, group in splits.groupby("model", sort=False):
        errors = group["misclassification"]
        margin = np.nan
        if len(errors) > 1:
            quantile = t.ppf(0.975, len(errors) - 1)
            margin = quantile * errors.std() * np.sqrt(1 + 1 / len(errors))
        lower, upper = errors.mean() - margin, errors.mean() + margin
        paper_share = np.nan
        if np.isfinite(paper_error):
            paper_share = np.mean(errors <= paper_error)
        rows.append(
            {
                "model": model,
                "splits": len(errors),
                "mean": errors.mean(),
                "sd": errors.std(),
                "lower": lower,
                "upper": upper,
                "paper": paper_error,
                "paper_share": paper_share,
                "contains": bool(lower <= paper_error <= upper),
            }
        )
    return pd.DataFrame(rows)


def _fit_table(
    models: dict[str, BaseEstimator],
    parts: dict[str, tuple[pd.DataFrame, np.ndarray]],
    cutoff: float,
) -> pd.DataFrame:
    """Return fit statistics, and both kinds of errors with their costs, of every model and part."""
    rows: list[dict[str, Any]] = []
    for (name, model), (part, (X, y)) in itertools.product(models.items(), parts.items()):
        labels = model.classes_
        event = y == labels[1]
        probabilities = model.predict_proba(X)
        actual_probability = probabilities[np.arange(len(y)), event.astype(int)]
        called = probabilities[:, 1] > cutoff
        false_alarms, missed = (called & ~event).sum(), (~called & event).sum()
        # With L1 + L2 = 2 the loss is the number of errors where both cost the same.
        loss = 2 * (cutoff * false_alarms + (1 - cutoff) * missed)
        rows.append(
            {
                "model": name,
                "part": part,
                "n_features": X.shape[1],
                "n_samples": len(y),
                "log_likelihood": np.log(actual_probability.clip(min=_LEAST_PROBABILITY)).sum(),
                "mean_square_error": np.mean((1.0 - actual_probability) ** 2),
                "c_statistic": roc_auc_score(event, probabilities[:, 1]),
                "cutoff": cutoff,
                "misclassification": np.mean(event != called),
                "event": labels[1],
                "other": labels[0],
                "false_alarms": false_alarms,
                "missed": missed,
                "loss_per_1000": 1000 * loss / len(y),
                "passes": _passes_of(model),
            }
        )
    return pd.DataFrame(rows)


def _passes_of(model: BaseEstimator) -> float:
    """Return the passes of backfitting of a classifier; missing where it has none."""
    model = getattr(model, "best_estimator_", model)
    return float(model.n_iter_) if isinstance(model, GeneralizedNB) else np.nan


def _backfitting(path: Sequence[float]) -> dict[str, float]:
    """Return the passes of a fit, its log-likelihoods, and the share of the gain by the first pass.

    ``path`` has the log-likelihood of naive Bayes and that after each pass. The share is missing
    with fewer than two passes, and where the log-likelihood ends no higher than it begins.

    Examples
    --------
    >>> _backfitting([-90, -60, -45, -50])["first_share"]  # 30 of 40
    0.75
    """
    passes = len(path) - 1
    gain = path[-1] - path[0]
    return {
        "passes": passes,
        "naive": path[0],
        "last": path[-1],
        "greatest": max(path),
        "greatest_after": int(np.argmax(path)),
        "first_share": (path[1] - path[0]) / gain if passes > 1 and gain > 0 else np.nan,
    }


def _completed_tables(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Complete the tables of `analyse`, and add those made of them."""
    share = tables["fit"]["misclassification"]
    error = _standard_error(share, tables["fit"]["n_samples"])
    fit = tables["fit"].assign(
        misclassification_error=error,
        misclassification_lower=share - _CHANCE * error,
        misclassification_upper=share + _CHANCE * error,
    )
    card = _add_observations(tables["scorecard"])
    curves = card[card["kind"] != "intercept"]
    keys = [*_SET, "feature"]
    rows = []
    for names, curve in curves.groupby(keys, sort=False):
        rows.append(dict(zip(keys, names, strict=True)) | _strength(curve.sort_values("value")))
    strengths = pd.DataFrame(rows).sort_values(
        [*_SET, "adjusted"], ascending=[True, True, False], kind="stable", ignore_index=True
    )
    adjustments = strengths.groupby(_SET, sort=False)["taken_back"].agg(
        effects="size", against=lambda back: (back > 0).sum(), median_taken_back="median"
    )
    summaries = {
        "fit": fit,
        "scorecard": card,
        "published": _compare_with_paper(fit),
        "strengths": strengths,
        "backfitting": tables["backfitting"].merge(adjustments, on=_SET),
    }
    if "stepwise" in tables:
        gain = tables["stepwise"].groupby(_SET, sort=False)["log_likelihood"].diff()
        summaries["stepwise"] = tables["stepwise"].assign(gain=gain)
    return {**tables, **summaries}


def _standard_error(share: pd.Series | float, n: pd.Series | int) -> pd.Series | float:
    return np.sqrt(share * (1 - share) / n)


def _compare_with_paper(fit: pd.DataFrame) -> pd.DataFrame:
    """Return the paper's error and ours for the part of comparison; no row for other data."""
    is_example = (fit[_SET] == list(PAPERS_EXAMPLE)).all(axis=1)
    ours = fit[is_example & (fit["model"] == GENERALIZED)]
    if (ours["part"] == "test").any():
        ours = ours[ours["part"] == "test"]
    error = _standard_error(_PAPER_ERROR, _PAPER_TESTED)
    difference = (ours["misclassification"] - _PAPER_ERROR).abs()
    # Both errors are of independent samples: their variances add up.
    difference_error = np.hypot(error, ours["misclassification_error"])
    published = ours[[*_SET, "part"]].assign(
        ours=ours["misclassification"],
        paper=_PAPER_ERROR,
        paper_samples=_PAPER_TESTED,
        paper_error=error,
        paper_lower=_PAPER_ERROR - _CHANCE * error,
        paper_upper=_PAPER_ERROR + _CHANCE * error,
        differs=difference >= _CHANCE * difference_error,
    )
    return published.reset_index(drop=True)


def _add_observations(card: pd.DataFrame) -> pd.DataFrame:
    """Add shares of the training samples at each value and up to it, and values drawn as points."""
    ordered = card.sort_values("value", kind="stable")
    groups = ordered.groupby([*_SET, "feature"], sort=False)["count"]
    total = groups.transform("sum")
    card = card.assign(share=ordered["count"] / total, below=groups.cumsum() / total)
    apart = (card["share"] > _ATOM) | (card["kind"] == "categorical")
    return card.assign(apart=apart & (card["kind"] != "intercept"))


def _strength(card: pd.DataFrame) -> dict[str, object]:
    """Return the effect of a feature on the log odds, and the range of its observations."""
    effects = card[["naive_effect", "adjustment", "sum"]].to_numpy().T
    values = card["value"].to_numpy()
    weights = card["share"].to_numpy()
    below = card["below"].to_numpy()
    # Over the training samples: variances of the naive effect, the adjustment and their sum.
    covariance = np.zeros((3, 3))
    if len(card) > 1:
        covariance = np.cov(effects, aweights=weights, ddof=0)
    naive = covariance[0, 0]
    total = effects[2]
    low = float(values[np.searchsorted(below, _BEYOND)])
    high = float(values[np.searchsorted(below, 1 - _BEYOND)])
    if low >= high:
        low = float(values[0])
        high = float(values[-1])
    inside = (values >= low) & (values <= high)
    return {
        "naive": np.sqrt(naive),
        "adjusted": np.sqrt(covariance[2, 2]),
        "taken_back": 1 - covariance[0, 2] / naive if naive > 0 else np.nan,
        "least": total.min(),
        "least_at": values[total.argmin()],
        "greatest": total.max(),
        "greatest_at": values[total.argmax()],
        "low": low,
        "high": high,
        "beyond": weights[~inside].sum(),
    }
