"""Study of naive and generalized effects: fit, cost, curves and selection (Larsen 2005).

Naive Bayes, generalized naive Bayes and logistic regression with linear effects are fitted to the
training part of a given split, for one or more sets of features. Whatever is selected or tuned is
selected or tuned inside the training part.
"""

from collections.abc import Callable, Mapping
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
from xnbflow.studies.effects import GENERALIZED, LINEAR, NAIVE, PAPERS_EXAMPLE, TUNED

__all__ = ["analyse", "summarise"]

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

        Columns and tables that follow from these: see `summarise`.

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


_SET = ["dataset", "features"]
#: Columns of the scorecard that are drawn.
_EFFECTS = ["naive_effect", "adjustment", "sum"]
#: What the paper prints, and on how many samples.
_PAPER_ERROR, _PAPER_TESTED = 0.053, 1536
#: Standard errors to either side that chance explains in 95 of 100 cases.
_CHANCE = 1.96

#: A value that more than this share of the observations hold is smoothed apart from the others.
_ATOM = 0.1
#: A picture's axis ends where this share of the observations lies on either side of it.
_BEYOND = 0.01
_BINS = 50

#: A curve that has made this share of its climb has climbed; one that varies less than that share
#: of it afterwards stays.
_MOST_OF_IT, _LITTLE_OF_IT = 0.8, 0.5


def summarise(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Complete the tables of `xnbflow.studies.effects.compute`, and add those made of them.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        ``fit``, ``confusion``, ``scorecard``, ``convergence`` and, where there is one,
        ``stepwise``, each with ``dataset`` and ``features``.

    Returns
    -------
    dict of str to DataFrame
        The given tables with the columns that ``tables.toml`` declares beyond
        the given ones, and ``published``, ``costs``, ``strengths``, ``adjustments``, ``shapes``,
        ``observations`` and ``passes``.
    """
    fit = _with_interval(tables["fit"])
    confusion = _with_shares(tables["confusion"])
    card = _with_observations(tables["scorecard"])
    curves = card[card["kind"] != "intercept"]
    strengths = _each(curves, "feature", _strength).sort_values(
        [*_SET, "adjusted"], ascending=[True, True, False], kind="stable", ignore_index=True
    )
    made = {
        "fit": fit,
        "confusion": confusion,
        "scorecard": card,
        "published": _published(fit),
        "costs": _costs(confusion),
        "strengths": strengths,
        "adjustments": _each(strengths, None, _adjustment),
        "shapes": _each(curves, "feature", _shape),
        "observations": _observations(curves, strengths),
        "passes": _each(tables["convergence"], None, _passes),
    }
    if "stepwise" in tables:
        steps = tables["stepwise"]
        gain = steps.groupby(_SET, sort=False)["log_likelihood"].diff()
        made["stepwise"] = steps.assign(gain=gain)
    return {**tables, **made}


def _each(
    table: pd.DataFrame, key: str | None, row: Callable[[pd.DataFrame], dict[str, object]]
) -> pd.DataFrame:
    """Return what a function makes of each set, or of each value of ``key`` in it, as rows."""
    keys = [*_SET, key] if key else _SET
    groups = table.groupby(keys, sort=False)
    return pd.DataFrame([dict(zip(keys, names, strict=True)) | row(rows) for names, rows in groups])


def _standard_error(share: pd.Series | float, n: pd.Series | int) -> pd.Series | float:
    return np.sqrt(share * (1 - share) / n)


def _with_interval(fit: pd.DataFrame) -> pd.DataFrame:
    share = fit["misclassification"]
    error = _standard_error(share, fit["n_samples"])
    return fit.assign(
        misclassification_error=error,
        misclassification_lower=share - _CHANCE * error,
        misclassification_upper=share + _CHANCE * error,
    )


def _published(fit: pd.DataFrame) -> pd.DataFrame:
    """Return the paper's error beside ours, for the part that counts; no row for other data."""
    dataset, features = PAPERS_EXAMPLE
    own = fit[(fit["dataset"] == dataset) & (fit["features"] == features)]
    own = own[own["model"] == GENERALIZED]
    if (own["part"] == "test").any():
        own = own[own["part"] == "test"]
    error = _standard_error(_PAPER_ERROR, _PAPER_TESTED)
    together = np.hypot(error, own["misclassification_error"])
    return pd.DataFrame(
        {
            "dataset": own["dataset"],
            "features": own["features"],
            "part": own["part"],
            "ours": own["misclassification"],
            "paper": _PAPER_ERROR,
            "paper_samples": _PAPER_TESTED,
            "paper_error": error,
            "paper_lower": _PAPER_ERROR - _CHANCE * error,
            "paper_upper": _PAPER_ERROR + _CHANCE * error,
            "differs": (own["misclassification"] - _PAPER_ERROR).abs() >= _CHANCE * together,
        }
    ).reset_index(drop=True)


def _with_shares(confusion: pd.DataFrame) -> pd.DataFrame:
    keys = [*_SET, "model", "part", "actual"]
    total = confusion.groupby(keys, sort=False)["count"].transform("sum")
    return confusion.assign(share=confusion["count"] / total.clip(lower=1))


def _costs(confusion: pd.DataFrame) -> pd.DataFrame:
    """Return both kinds of errors and what they cost, of every model and part of every set."""
    event = confusion.groupby("dataset")["actual"].transform("max")
    wrong = confusion["actual"] != confusion["predicted"]
    counts = confusion["count"]
    parts = confusion.assign(
        false_alarms=counts.where(wrong & (confusion["predicted"] == event), 0),
        missed=counts.where(wrong & (confusion["actual"] == event), 0),
    )
    keys = [*_SET, "model", "part", "cutoff"]
    sums = parts.groupby(keys, sort=False)[["false_alarms", "missed", "count"]].sum().reset_index()
    sums = sums.rename(columns={"count": "samples"})
    # With L1 + L2 = 2 the loss is the number of errors where both cost the same.
    loss = 2 * (sums["cutoff"] * sums["false_alarms"] + (1 - sums["cutoff"]) * sums["missed"])
    return sums.assign(loss_per_1000=1000 * loss / sums["samples"])


def _with_observations(card: pd.DataFrame) -> pd.DataFrame:
    """Add the share of the training samples at each value and up to it, and what stands apart."""
    ordered = card.sort_values("value", kind="stable")
    groups = ordered.groupby([*_SET, "feature"], sort=False)["count"]
    total = groups.transform("sum")
    share = ordered["count"] / total
    card = card.assign(share=share, below=groups.cumsum() / total)
    apart = (card["share"] > _ATOM) | (card["kind"] == "categorical")
    return card.assign(apart=apart & (card["kind"] != "intercept"))


def _strength(card: pd.DataFrame) -> dict[str, object]:
    """Return how far a feature moves the log odds, and where its observations are."""
    card = card.sort_values("value")
    effects, values = card[_EFFECTS].to_numpy().T, card["value"].to_numpy()
    weights = card["share"].to_numpy()
    covariance = np.cov(effects, aweights=weights, ddof=0) if len(card) > 1 else np.zeros((3, 3))
    naive, total = covariance[0, 0], effects[2]
    low, high = _limits(values, card["below"].to_numpy())
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


def _limits(values: np.ndarray, below: np.ndarray) -> tuple[float, float]:
    """Return where the axis begins and ends: long thin tails are left out."""
    low = values[np.searchsorted(below, _BEYOND)]
    high = values[np.searchsorted(below, 1 - _BEYOND)]
    return (float(low), float(high)) if low < high else (float(values[0]), float(values[-1]))


def _adjustment(strengths: pd.DataFrame) -> dict[str, object]:
    back = strengths["taken_back"].dropna()
    return {"effects": len(strengths), "against": (back > 0).sum(), "median": back.median()}


def _shape(card: pd.DataFrame) -> dict[str, object]:
    """Return whether a curve climbs early and then stays, and whether it dips in between."""
    card = card.sort_values("value")
    effect = card["sum"].to_numpy()
    rise = effect.max() - effect[0]
    top = int(np.argmax(effect >= effect[0] + _MOST_OF_IT * rise))
    lowest = int(effect.argmin())
    return {
        "start": effect[0],
        "end": effect[-1],
        "climbed": effect[top],
        "climbed_share": card["below"].iloc[top],
        "least_beyond": effect[top:].min(),
        "greatest_beyond": effect[top:].max(),
        "stays": bool(rise > 0 and np.ptp(effect[top:]) <= _LITTLE_OF_IT * rise),
        "lowest": effect[lowest],
        "lowest_at": card["value"].iloc[lowest],
        "dips": 0 < lowest < len(effect) - 1,
    }


def _observations(curves: pd.DataFrame, strengths: pd.DataFrame) -> pd.DataFrame:
    """Return histograms of the values that do not stand apart, between the ends of the axes."""
    ends = strengths.set_index([*_SET, "feature"])[["low", "high"]]
    parts = []
    for key, card in curves.groupby([*_SET, "feature"], sort=False):
        low, high = ends.loc[key]
        edges = np.linspace(low, high, _BINS + 1)
        shown = card[card["value"].between(low, high) & ~card["apart"]]
        counts, _ = np.histogram(shown["value"], edges, weights=shown["count"])
        about = dict(zip([*_SET, "feature"], key, strict=True))
        bins = {"lower": edges[:-1], "upper": edges[1:], "count": counts.astype(int)}
        parts.append(pd.DataFrame(about | bins))
    return pd.concat(parts, ignore_index=True)


def _passes(convergence: pd.DataFrame) -> dict[str, object]:
    path = convergence["log_likelihood"].to_numpy()
    gain = path[-1] - path[0]
    return {
        "passes": len(path) - 1,
        "naive": path[0],
        "last": path[-1],
        "greatest": path.max(),
        "greatest_after": path.argmax(),
        "first_share": (path[1] - path[0]) / gain if len(path) > 2 and gain > 0 else np.nan,
    }
