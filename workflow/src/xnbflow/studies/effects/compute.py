"""Study of naive and generalized effects: fit, cost, curves and selection (Larsen 2005).

Naive Bayes, generalized naive Bayes and logistic regression with linear effects are fitted to the
training part of a given split, for one or more sets of features. Whatever is selected or tuned is
selected or tuned inside the training part.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from xnbflow.data.contract import FOLDS_TABLE
from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.data.seeds import derive_seed
from xnbflow.data.tables import read_parquet
from xnbflow.naive_bayes.generalized import GeneralizedNB
from xnbflow.preprocessing.naive_effects import StepwiseNaiveEffects
from xnbflow.studies.defaults import refuse_unknown
from xnbflow.studies.effects.compute_summary import summarise
from xnbflow.studies.effects.contract import GENERALIZED, LINEAR, NAIVE, TUNED

__all__ = ["analyse"]

_PARAMS = ("features", "folds", "generalized", "losses", "stepwise", "tune")
_STATISTICS = ["log_likelihood", "mean_square_error", "c_statistic", "misclassification"]
# A probability of 0 for what did happen would make the log-likelihood infinite.
_LEAST_PROBABILITY = 1e-300


def analyse(
    series: dict[str, DataSet], params: dict[str, Any], threads: int
) -> dict[str, pd.DataFrame]:
    """Fit and compare the classifiers, and take the generalized one apart.

    Parameters
    ----------
    series : dict of str to DataSet
        Data sets of two classes. The second label, sorted, is the event.
    params : dict
        All optional. ``folds``: path of a ``folds.parquet``, whose fold 0 of repeat 0 is the test
        part (without it all samples train).
        ``features``: named sets of features, each a list of names, ``stepwise``, or null for all
        (default ``{all: null}``). ``generalized``: parameters of `GeneralizedNB`. ``stepwise``:
        parameters of `StepwiseNaiveEffects`. ``tune``: lists of values of `GeneralizedNB`'s
        parameters, of which stratified 10-fold cross-validation chooses the best by
        log-likelihood. ``losses``: ``L1`` of calling a non-event an event and ``L2`` of the reverse
        (default 1 and 1); an event is predicted where its probability exceeds ``L1 / (L1 + L2)``.
    threads : int
        Processes for the tuning.

    Returns
    -------
    dict of str to DataFrame
        Every table has columns ``dataset`` and ``features`` (the set). Parts are ``train`` and
        ``test``.

        - ``fit``: ``model``, ``part``, ``n_features``, ``n_samples``, ``log_likelihood``,
          ``mean_square_error``, ``c_statistic``, ``cutoff``, ``misclassification``.
        - ``confusion``: ``model``, ``part``, ``cutoff``, ``actual``, ``predicted``, ``count``.
        - ``linear_loss``: ``part``, ``statistic``, ``generalized``, ``linear`` and ``loss``, how
          much worse linear effects are.
        - ``convergence``: ``iteration`` (0 is naive Bayes), ``log_likelihood`` in training.
        - ``scorecard``: the effect curves, as `GeneralizedNB.scorecard` gives them.
        - ``stepwise``, where asked for: `StepwiseNaiveEffects.path_`.
        - ``tuning``, where asked for: each combination tried, its cross-validated
          ``mean_log_likelihood`` per sample and whether it was ``chosen``.

        Columns and tables that follow from these: see `compute_summary.summarise`.

    Raises
    ------
    InputError
        If a parameter, a fold or a feature is not what it should be, or a data set has not two
        classes.
    """
    _check_params(params)
    tables: dict[str, list[pd.DataFrame]] = {}
    for dataset, one in series.items():
        split = _split(one, params.get("folds"))
        for name, features in params.get("features", {"all": None}).items():
            for table, rows in _analyse_set(split, features, params, threads).items():
                rows.insert(0, "dataset", dataset)
                rows.insert(1, "features", name)
                tables.setdefault(table, []).append(rows)
    return summarise({name: pd.concat(rows, ignore_index=True) for name, rows in tables.items()})


def _check_params(params: dict[str, Any]) -> None:
    refuse_unknown("effects", params, _PARAMS)
    if min(params.get("losses", (1.0, 1.0))) <= 0.0:
        msg = f"losses are {params['losses']}; both L1 and L2 must be above 0"
        raise InputError(msg)


@dataclass(frozen=True)
class _Split:
    """A data set with its training and test samples: ``parts`` maps a name to X and y."""

    name: str
    parts: dict[str, tuple[pd.DataFrame, np.ndarray]]
    categorical: list[str]

    def take(self, features: list[str]) -> "_Split":
        """Keep some of the features."""
        missing = [feature for feature in features if feature not in self.parts["train"][0]]
        if missing:
            msg = f"{self.name} has no feature {missing[0]!r}; correct the study's `features`"
            raise InputError(msg)
        parts = {part: (X[features], y) for part, (X, y) in self.parts.items()}
        return _Split(self.name, parts, [name for name in self.categorical if name in features])


def _split(series: DataSet, path: str | None) -> _Split:
    """Part a data set by the first fold of the first repeat."""
    X, y = series.frame(), series.labels
    categorical = list(series.features[series.kinds == "categorical"])
    if path is None:
        return _Split(series.name, {"train": (X, y)}, categorical)
    folds = read_parquet(path, FOLDS_TABLE)
    first = folds[(folds["repeat"] == 0) & (folds["fold"] == 0)]
    train = ~np.isin(series.samples, first["sample"].to_numpy(dtype=str))
    parts = {"train": (X[train], y[train]), "test": (X[~train], y[~train])}
    return _Split(series.name, parts, categorical)


def _analyse_set(
    split: _Split, features: list[str] | str | None, params: dict[str, Any], threads: int
) -> dict[str, pd.DataFrame]:
    """Return the tables of one set of features."""
    tables = {}
    if features == "stepwise":
        selector = StepwiseNaiveEffects(categorical=split.categorical, **params.get("stepwise", {}))
        selector.fit(*split.parts["train"])
        tables["stepwise"] = selector.path_
        features = list(selector.feature_names_in_[selector.selected_])
    if features is not None:
        split = split.take(list(features))
    models = _fit_models(split, params, threads)
    l1, l2 = params.get("losses", (1.0, 1.0))
    cutoff = l1 / (l1 + l2)
    tables["fit"] = _fit_statistics(models, split, cutoff)
    tables["confusion"] = _confusion(models, split, cutoff)
    tables["linear_loss"] = _linear_loss(tables["fit"])
    log_likelihood = models[GENERALIZED].log_likelihood_
    tables["convergence"] = pd.DataFrame(
        {"iteration": np.arange(len(log_likelihood)), "log_likelihood": log_likelihood}
    )
    tables["scorecard"] = models[GENERALIZED].scorecard()
    if TUNED in models:
        tables["tuning"] = _tuning(models[TUNED])
    return tables


def _fit_models(split: _Split, params: dict[str, Any], threads: int) -> dict[str, BaseEstimator]:
    given = {"categorical": split.categorical, **params.get("generalized", {})}
    models = {
        NAIVE: GeneralizedNB(**{**given, "max_iter": 0}),
        GENERALIZED: GeneralizedNB(**given),
        LINEAR: make_pipeline(
            StandardScaler(), LogisticRegression(C=np.inf, solver="newton-cholesky")
        ),
    }
    if "tune" in params:
        seed = derive_seed(split.name, "tune")
        models[TUNED] = GridSearchCV(
            GeneralizedNB(**given),
            params["tune"],
            scoring="neg_log_loss",
            cv=StratifiedKFold(10, shuffle=True, random_state=seed),
            n_jobs=threads,
        )
    for model in models.values():
        model.fit(*split.parts["train"])
    return models


def _fit_statistics(models: dict[str, BaseEstimator], split: _Split, cutoff: float) -> pd.DataFrame:
    rows = []
    for model, part, events, probabilities in _predictions(models, split):
        of_actual = probabilities[np.arange(len(events)), events]
        rows.append(
            {
                "model": model,
                "part": part,
                "n_features": split.parts[part][0].shape[1],
                "n_samples": len(events),
                "log_likelihood": np.log(of_actual.clip(min=_LEAST_PROBABILITY)).sum(),
                "mean_square_error": np.mean((1.0 - of_actual) ** 2),
                "c_statistic": roc_auc_score(events, probabilities[:, 1]),
                "cutoff": cutoff,
                "misclassification": np.mean(events != (probabilities[:, 1] > cutoff)),
            }
        )
    return pd.DataFrame(rows)


def _confusion(models: dict[str, BaseEstimator], split: _Split, cutoff: float) -> pd.DataFrame:
    rows = []
    for model, part, events, probabilities in _predictions(models, split):
        labels = models[model].classes_
        counts = confusion_matrix(events, probabilities[:, 1] > cutoff, labels=[0, 1])
        rows += [
            {
                "model": model,
                "part": part,
                "cutoff": cutoff,
                "actual": labels[actual],
                "predicted": labels[predicted],
                "count": count,
            }
            for (actual, predicted), count in np.ndenumerate(counts)
        ]
    return pd.DataFrame(rows)


def _predictions(
    models: dict[str, BaseEstimator], split: _Split
) -> list[tuple[str, str, np.ndarray, np.ndarray]]:
    """Return model, part, events (0 or 1) and probabilities for every model and part."""
    return [
        (name, part, (y == model.classes_[1]).astype(int), model.predict_proba(X))
        for name, model in models.items()
        for part, (X, y) in split.parts.items()
    ]


def _linear_loss(fit: pd.DataFrame) -> pd.DataFrame:
    """Return how much worse linear effects are than generalized ones, statistic by statistic."""
    tidy = fit.melt(["model", "part"], _STATISTICS, var_name="statistic")
    wide = tidy.pivot_table("value", ["part", "statistic"], "model", sort=False).reset_index()
    table = pd.DataFrame(
        {
            "part": wide["part"],
            "statistic": wide["statistic"],
            "generalized": wide[GENERALIZED],
            "linear": wide[LINEAR],
        }
    )
    gains = table["statistic"].isin(["log_likelihood", "c_statistic"])
    difference = table["generalized"] - table["linear"]
    return table.assign(loss=difference.where(gains, -difference))


def _tuning(search: GridSearchCV) -> pd.DataFrame:
    return pd.DataFrame(search.cv_results_["params"]).assign(
        mean_log_likelihood=search.cv_results_["mean_test_score"],
        chosen=np.arange(len(search.cv_results_["params"])) == search.best_index_,
    )
