"""Summaries: from the rows of single folds to the tables that a study shows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import fsum
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.data.contract import STUDY_TABLES
from xnbflow.data.dataset import DataSet, DataSetHeader
from xnbflow.diagnostics.false_discovery import benjamini_hochberg
from xnbflow.evaluation.calibration import calibration_curve, confidence_table
from xnbflow.evaluation.intervals import CROSS_VALIDATED
from xnbflow.evaluation.metrics import CLASS_METRICS, FOLD_METRICS, class_metrics, fold_metrics
from xnbflow.evaluation.stability import Stability, stability_index, ties_as_one
from xnbflow.evaluation.training import LOG_POSTERIOR
from xnbflow.evaluation.verdicts import Performance, performance, verdict

__all__ = [
    "METRICS",
    "averages",
    "calibration",
    "confidence",
    "confusion",
    "diagnostics",
    "hard_samples",
    "metrics",
    "misclassified",
    "p_values",
    "paper",
    "problems",
    "recall",
    "recovery",
    "repeats",
    "samples",
    "seconds",
    "selection",
    "stability",
    "summary",
    "ties",
]

_KEY = ["dataset", "folds", "classifier"]
_FOLD = ["repeat", "fold"]

#: Metrics in the order in which they are shown.
METRICS = (*FOLD_METRICS, "features_per_class", "features")

#: Those that a fold can tell; of a repeat they are means over its folds. The `CLASS_METRICS` are
#: computed from the predictions of all of a repeat's folds instead.
OVER_FOLDS = tuple(metric for metric in METRICS if metric not in CLASS_METRICS)

#: The paper's columns: its classifier, our number to compare each with, and its printed decimals.
_PAPER = {
    "non_normal_ratio": ("", "non_normal_ratio", 2),
    "dependent_ratio": ("", "dependent_ratio", 2),
    "nb_accuracy": ("nb", "accuracy", 3),
    "xnb_accuracy": ("xnb", "accuracy", 3),
    "xnb_features_per_class": ("xnb", "features_per_class", 1),
}

#: What identifies the results of a classifier: data set, scheme of folds, classifier.
Key = tuple[str, str, str]

Tables = Mapping[Key, pd.DataFrame]


def metrics(
    predictions: Tables, fits: Tables, headers: Mapping[str, DataSetHeader]
) -> pd.DataFrame:
    """Return one row per data set, folds, classifier, repeat and fold with each of `OVER_FOLDS`.

    Balanced accuracy, macro F1, Matthews' correlation and AUC are not among them: folds that lack
    a class cannot tell them (see `xnbflow.evaluation.metrics.class_metrics`).
    """
    told = [metric for metric in OVER_FOLDS if metric in FOLD_METRICS]
    rows = []
    for key, table in predictions.items():
        for place, group in table.groupby(_FOLD, sort=True):
            values = fold_metrics(*_arrays(group, headers[key[0]]))
            rows.append((*key, *place, len(group), *(values[m] for m in told)))
    table = pd.DataFrame(rows, columns=[*_KEY, *_FOLD, "test_samples", *told])
    counts = _stack(fits, [*_FOLD, *(metric for metric in OVER_FOLDS if metric not in told)])
    return table.merge(counts, on=[*_KEY, *_FOLD], how="left", validate="one_to_one")


def repeats(
    predictions: Tables, metrics: pd.DataFrame, fits: Tables, headers: Mapping[str, DataSetHeader]
) -> pd.DataFrame:
    """Return each metric of each repeat.

    Columns ``metric``, ``value`` and ``pooled``: whether the value is that of the predictions of
    all folds together (`xnbflow.evaluation.metrics.class_metrics`), else it is the mean over
    folds. Values are missing where a fold could not be fitted: over other folds they are no
    comparison.
    """
    key = [*_KEY, "repeat"]
    rows = []
    for name, table in predictions.items():
        for repeat, group in table.groupby("repeat", sort=True):
            values = class_metrics(*_arrays(group, headers[name[0]]), group["fold"].to_numpy())
            rows.append((*name, repeat, *(values[metric] for metric in CLASS_METRICS)))
    pooled = pd.DataFrame(rows, columns=[*key, *CLASS_METRICS]).set_index(key)
    values = metrics.groupby(key, sort=False)[list(OVER_FOLDS)].mean().join(pooled)
    failed = _stack(fits, ["repeat", "status"]).query("status != 'ok'")
    values[values.index.isin(pd.MultiIndex.from_frame(failed[key]))] = np.nan
    long = values[list(METRICS)].reset_index().melt(key, var_name="metric", value_name="value")
    return long.assign(pooled=long["metric"].isin(CLASS_METRICS))


def summary(
    predictions: Tables,
    metrics: pd.DataFrame,
    repeats: pd.DataFrame,
    fits: Tables,
    headers: Mapping[str, DataSetHeader],
    performances: Mapping[Key, Performance],
) -> pd.DataFrame:
    """Return mean and spread of each metric over what it is a number of: folds or repeats.

    Columns ``over`` (folds or repeats), ``mean`` and ``sd`` over these (over the folds that could
    be fitted, or the repeats without a failed fold), ``sd_repeats`` (over repeats; missing with
    one), ``pooled`` with its 95 % interval ``lower`` and ``upper`` (accuracy and balanced accuracy
    of all predictions together, each sample counted once; missing for other metrics), ``baseline``
    (the value of predicting the shares of the classes: the majority's share for accuracy),
    ``folds_ok`` and ``folds_failed``.
    """
    group = [*_KEY, "metric"]
    folds = metrics.melt([*_KEY, *_FOLD], list(OVER_FOLDS), var_name="metric", value_name="value")
    pooled = repeats[repeats["pooled"]]
    parts = [
        values.groupby(group, sort=False)["value"].agg(["mean", "std"]).assign(over=over)
        for values, over in ((folds, "folds"), (pooled, "repeats"))
    ]
    table = pd.concat(parts).rename(columns={"std": "sd"})
    per_repeat = folds.groupby([*group, "repeat"], sort=False)["value"].mean()
    table["sd_repeats"] = per_repeat.groupby(group, sort=False).std()
    table["sd_repeats"] = table["sd_repeats"].where(table["over"] == "folds", table["sd"])
    table = table.reset_index().merge(
        _pooled(performances), on=group, how="left", validate="one_to_one"
    )
    table = table.merge(
        _baselines(predictions, headers), on=["dataset", "folds", "metric"], how="left"
    )
    table = table.merge(_counts_of_folds(fits), on=_KEY, how="outer", sort=False)
    return table[STUDY_TABLES["summary"].fixed]


def performances(
    predictions: Tables, headers: Mapping[str, DataSetHeader], inflations: Mapping[Key, float]
) -> dict[Key, Performance]:
    """Return what each classifier's predictions are worth, all pooled over folds and repeats.

    Parameters
    ----------
    predictions : mapping of (data set, folds, classifier) to DataFrame
        As made by `xnbflow.evaluation.training.train`, all repeats. Without predictions, or with
        those of one class only, a classifier is left out.
    headers : mapping of str to DataSetHeader
        Where samples have groups, intervals count groups.
    inflations : mapping of (data set, folds, classifier) to float
        See `xnbflow.evaluation.intervals.inflation_of`; by default that of a classifier that does
        not tune itself.
    """
    found = {}
    for key, table in predictions.items():
        if table.empty:
            continue
        inflation = inflations.get(key, CROSS_VALIDATED)
        found[key] = pooled_performance(table, headers[key[0]], inflation)
    return found


def pooled_performance(
    predictions: pd.DataFrame, header: DataSetHeader | DataSet, inflation: float, choices: int = 1
) -> Performance:
    """Return what the predictions of one classifier are worth; see `performances`."""
    places = pd.Index(header.samples).get_indexer(predictions["sample"])
    codes = np.searchsorted(header.classes, header.labels.astype(str))
    said = pd.Index(header.classes.astype(str)).get_indexer(predictions["predicted"].astype(str))
    votes = np.zeros((len(header.samples), len(header.classes)))
    np.add.at(votes, (places, said), 1.0)
    times = votes.sum(axis=1)
    tested = times > 0
    groups = None if header.groups is None else header.groups[tested]
    shares = votes[tested] / times[tested, None]
    return performance(codes[tested], shares, groups, inflation=inflation, choices=choices)


def _pooled(performances: Mapping[Key, Performance]) -> pd.DataFrame:
    rows = [
        (*key, metric, *estimate)
        for key, found in performances.items()
        for metric, estimate in (
            ("accuracy", found.accuracy),
            ("balanced_accuracy", found.balanced_accuracy),
        )
    ]
    return pd.DataFrame(rows, columns=[*_KEY, "metric", "pooled", "lower", "upper"])


def verdicts(
    performances: Mapping[Key, Performance],
    headers: Mapping[str, DataSetHeader],
    stability: pd.DataFrame,
    permutation_tests: pd.DataFrame,
    choices: Mapping[str, int],
) -> pd.DataFrame:
    """Return how well every result is supported; see `xnbflow.evaluation.verdicts.verdict`.

    Parameters
    ----------
    performances : mapping
        See `performances`; with intervals for the same ``choices``.
    headers : mapping of str to DataSetHeader
    stability, permutation_tests : DataFrame
        The study's tables.
    choices : mapping of str to int
        Out of how many classifiers each one was chosen after looking at the results; by default 1.

    Returns
    -------
    DataFrame
        ``level``, ``reasons``, ``p_value`` (of the permutation test of balanced accuracy; missing
        where none was run), ``choices``, ``units`` (samples, or groups where they have them),
        ``accuracy`` with ``accuracy_lower``, ``accuracy_upper``, the same of
        ``balanced_accuracy``, ``majority`` (share of the largest class), ``majority_p``
        (one-sided, of the accuracy against it) and ``chance`` (one over the number of classes).
    """
    agreement = stability[stability["class"] == ""].set_index(_KEY)["stability"].to_dict()
    tests = permutation_tests[permutation_tests["metric"] == "balanced_accuracy"]
    p_values = tests.set_index(["dataset", "classifier"])["p_value"].to_dict()
    rows = []
    for key, found in performances.items():
        p_value = p_values.get((key[0], key[2]), np.nan)
        n = choices.get(key[2], 1)
        given = verdict(found, p_value, agreement.get(key, np.nan), choices=n)
        header = headers[key[0]]
        units = len(header.samples) if header.groups is None else len(np.unique(header.groups))
        reasons = "; ".join(given.reasons)
        rows.append(
            (*key, given.level, reasons, p_value, n, units, *found.accuracy,
             *found.balanced_accuracy, found.majority, found.majority_p, found.chance)
        )  # fmt: skip
    return pd.DataFrame(rows, columns=STUDY_TABLES["verdicts"].fixed)


def _baselines(predictions: Tables, headers: Mapping[str, DataSetHeader]) -> pd.DataFrame:
    """Return the metrics of predicting the shares of the classes, on the samples tested."""
    tested: dict[tuple[str, str], pd.Series] = {}
    for (dataset, folds, _), table in predictions.items():
        labels = table.drop_duplicates("sample")["true"]
        if len(labels) > len(tested.get((dataset, folds), ())):
            tested[dataset, folds] = labels
    rows = []
    for place, labels in tested.items():
        classes, counts = np.unique(headers[place[0]].labels, return_counts=True)
        values = fold_metrics(
            labels.to_numpy(dtype=str),
            np.repeat(classes[counts.argmax()], len(labels)),
            np.tile(np.log(counts / counts.sum()), (len(labels), 1)),
            classes,
        )
        rows += [(*place, *item) for item in values.items()]
    return pd.DataFrame(rows, columns=["dataset", "folds", "metric", "baseline"])


def _counts_of_folds(fits: Tables) -> pd.DataFrame:
    ok = _stack(fits, ["status"])
    ok["ok"] = ok.pop("status") == "ok"
    counts = ok.groupby(_KEY, sort=False)["ok"].agg(
        folds_ok="sum", folds_failed=lambda ok: (~ok.astype(bool)).sum()
    )
    return counts.astype(int).reset_index()


def _arrays(
    table: pd.DataFrame, header: DataSetHeader
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, np.ndarray]:
    """Return true and predicted labels, log-posterior (None without any) and classes."""
    log_posterior = table[[LOG_POSTERIOR + label for label in header.classes]].to_numpy(dtype=float)
    return (
        table["true"].to_numpy(dtype=str),
        table["predicted"].to_numpy(dtype=str),
        None if np.isnan(log_posterior).all() else log_posterior,
        header.classes,
    )


def paper(
    repeats: pd.DataFrame,
    diagnostics: pd.DataFrame,
    printed: Sequence[pd.DataFrame],
    parts: Mapping[str, str],
) -> pd.DataFrame:
    """Return the paper's numbers beside ours, for the data sets that the paper has.

    ``parts`` tells which of our classifiers plays the part of the paper's ``nb``, and which of its
    ``xnb``; without one its numbers are left out.

    Columns ``dataset``, ``folds``, ``quantity``, ``paper``, ``ours`` (mean over repeats), ``sd``
    (over repeats), ``percentile`` (of the paper's value among our repeats, rounded as the paper
    prints them, a half for ties) and ``n_repeats``.
    """
    rows = []
    of_parts = dict(iter(repeats.groupby(["dataset", "classifier", "metric"], sort=False)))
    numbers = pd.concat(
        [t.melt(["type", "accession"], var_name="quantity", value_name="paper") for t in printed]
    )
    numbers = numbers[numbers["quantity"].isin(_PAPER)]
    for accession, quantity, value in numbers[["accession", "quantity", "paper"]].itertuples(
        index=False
    ):
        classifier, metric, decimals = _PAPER[quantity]
        if classifier and classifier not in parts:
            continue
        ours_is = parts.get(classifier, "")
        for folds, ours in _ours(accession, ours_is, metric, of_parts, diagnostics):
            rounded = ours.round(decimals)
            below = (rounded < value).mean() + (rounded == value).mean() / 2
            sd = ours.std(ddof=1) if len(ours) > 1 else np.nan
            rows.append(
                (accession, folds, quantity, value, ours.mean(), sd, 100 * below, len(ours))
            )
    columns = ["dataset", "folds", "quantity", "paper", "ours", "sd", "percentile", "n_repeats"]
    return pd.DataFrame(rows, columns=columns)


def _ours(
    dataset: str,
    classifier: str,
    metric: str,
    repeats: Mapping[tuple[str, str, str], pd.DataFrame],
    diagnostics: pd.DataFrame,
) -> Iterator[tuple[str, np.ndarray]]:
    if not classifier:
        values = diagnostics.loc[diagnostics["dataset"] == dataset, metric].to_numpy()
        if len(values):
            yield "", values
        return
    chosen = repeats.get((dataset, classifier, metric))
    if chosen is None:
        return
    for folds, group in chosen.groupby("folds", sort=False):
        values = group["value"].dropna().to_numpy()
        if len(values):
            yield folds, values


def confusion(predictions: Tables) -> pd.DataFrame:
    """Return counts and shares of (true, predicted) class pairs over all folds and repeats."""
    table = _stack(predictions, ["true", "predicted"])
    counts = (
        table.groupby([*_KEY, "true", "predicted"], sort=False).size().reset_index(name="count")
    )
    tests = counts.groupby([*_KEY, "true"], sort=False)["count"].transform("sum")
    return counts.assign(share=counts["count"] / tests)


def calibration(
    predictions: Tables, headers: Mapping[str, DataSetHeader], inflations: Mapping[Key, float]
) -> pd.DataFrame:
    """Return reliability: predicted probability against observed frequency, pooled over folds."""
    return _of_probabilities("calibration", calibration_curve, predictions, headers, inflations)


def confidence(
    predictions: Tables, headers: Mapping[str, DataSetHeader], inflations: Mapping[Key, float]
) -> pd.DataFrame:
    """Return how many predictions are sure and how many of these are right."""
    return _of_probabilities("confidence", confidence_table, predictions, headers, inflations)


def _of_probabilities(
    name: str,
    tell: Callable[..., pd.DataFrame],
    predictions: Tables,
    headers: Mapping[str, DataSetHeader],
    inflations: Mapping[Key, float],
) -> pd.DataFrame:
    """Put together what a function tells of each classifier that gives probabilities."""
    tables = []
    for key, table in predictions.items():
        if table.empty:
            continue  # no fold could be fitted: without predictions there are no columns of classes
        true, _, log_posterior, classes = _arrays(table, headers[key[0]])
        if log_posterior is not None:
            given: dict[str, Any] = {"inflation": inflations.get(key, CROSS_VALIDATED)}
            header = headers[key[0]]
            if header.groups is not None:
                places = pd.Index(header.samples).get_indexer(table["sample"])
                given["groups"] = header.groups[places]
            if name == "confidence":
                given["units"] = given.get("groups", table["sample"].to_numpy())
            told = tell(true, log_posterior, classes, repeats=table["repeat"].nunique(), **given)
            tables.append(told.assign(**dict(zip(_KEY, key, strict=True))))
    if not tables:
        return pd.DataFrame(columns=STUDY_TABLES[name].fixed)
    table = pd.concat(tables, ignore_index=True)
    return table[[*_KEY, *(c for c in table.columns if c not in _KEY)]]


def selection(selected: Tables, fits: Tables, ties: Tables) -> pd.DataFrame:
    """Return how often a feature was selected for a class, its mean rank and mean distance.

    ``times_tied`` is how often others could as well have been selected in its place (missing where
    the classifier does not tell), ``times_constant`` how often it was selected only because a
    class is (almost) constant in it.
    """
    table = _stack(selected, [*_FOLD, "class", "feature", "rank", "distance", "constant"])
    exchangeable = _stack(ties, [*_FOLD, "class", "feature", "exchangeable"])
    exchangeable = exchangeable[exchangeable.pop("exchangeable").astype(bool)].drop_duplicates()
    table = table.merge(exchangeable.assign(tied=True), how="left")
    table["tied"] = table["tied"].notna()
    group = table.groupby([*_KEY, "class", "feature"], sort=False)
    counts = group.agg(
        times=("rank", "size"),
        mean_rank=("rank", "mean"),
        mean_distance=("distance", "mean"),
        times_tied=("tied", "sum"),
        times_constant=("constant", "sum"),
    ).reset_index()
    fitted = _stack(fits, ["status", "ties"]).query("status == 'ok'").groupby(_KEY)["ties"]
    fitted = fitted.agg(fits="size", told="count").reset_index()
    counts = counts.merge(fitted, on=_KEY, how="left")
    counts["times_tied"] = counts["times_tied"].where(counts.pop("told") > 0).astype(float)
    counts["frequency"] = counts["times"] / counts["fits"]
    order = [*_KEY, "class", "frequency", "mean_rank", "feature"]
    ascending = [True, True, True, True, False, True, True]
    return counts.sort_values(order, ascending=ascending, ignore_index=True)


def ties(ties: Tables, fits: Tables) -> pd.DataFrame:
    """Return which selected features others could replace, and how often.

    One row per class, selected ``feature`` and ``alternative`` of the same rank that was left out
    in the same fit; ``times`` is in how many of the ``fits``, ``frequency`` their share.
    """
    columns = [*_FOLD, "class", "group", "feature", "selected"]
    table = _stack(ties, columns)
    chosen = table["selected"].astype(bool)
    place = [*_KEY, *_FOLD, "class", "group"]
    pairs = table[chosen].merge(table[~chosen].rename(columns={"feature": "alternative"}), on=place)
    pairs = pairs.drop_duplicates([*_KEY, *_FOLD, "class", "feature", "alternative"])
    key = [*_KEY, "class", "feature", "alternative"]
    counts = pairs.groupby(key, sort=True).size().reset_index(name="times")
    fitted = _stack(fits, ["status"]).query("status == 'ok'").groupby(_KEY).size()
    counts = counts.merge(fitted.reset_index(name="fits"), on=_KEY, how="left")
    return counts.assign(frequency=counts["times"] / counts["fits"])


def stability(
    selected: Tables, fits: Tables, ties: Tables, headers: Mapping[str, DataSetHeader]
) -> pd.DataFrame:
    """Return Nogueira's stability of each class's set over folds, and of their union (class '').

    Columns ``stability`` with ``lower`` and ``upper``, the same with ties taken as one
    (``stability_ties`` ..., see `ties_as_one`; missing where the classifier does not report ties),
    ``sets``, ``mean_size``, ``samples`` (of the class), ``constant`` (share of the
    selections made only because a class is almost constant) and ``note``: "one sample" for a class
    without a second one, which has no stability; "constant" where ``constant`` is more than a half;
    else empty.
    """
    rows = []
    for key, table in selected.items():
        if table.empty:
            continue
        header, fitted = headers[key[0]], fits[key]
        labels = ["", *header.classes]
        sets = {label: _sets(_of_class(table, label), fitted) for label in labels}
        as_one = _sets_with_ties(sets, ties[key], fitted)
        for label in labels:
            samples = len(header.labels) if not label else int((header.labels == label).sum())
            constant = _of_class(table, label)["constant"].mean()
            indices = [
                _UNTOLD
                if samples == 1 or chosen is None
                else stability_index(chosen[label], header.n_features)
                for chosen in (sets, as_one)
            ]
            limits = [number for i in indices for number in (i.value, i.lower, i.upper)]
            size = float(np.mean([len(s) for s in sets[label]]))
            note = "one sample" if samples == 1 else "constant" if constant > 0.5 else ""
            rows.append((*key, label, *limits, len(sets[label]), size, samples, constant, note))
    return pd.DataFrame(rows, columns=STUDY_TABLES["stability"].fixed)


_UNTOLD = Stability(*[np.nan] * 4)


def _of_class(selected: pd.DataFrame, label: str) -> pd.DataFrame:
    return selected if label == "" else selected[selected["class"] == label]


def _sets_with_ties(
    sets: Mapping[str, list[set[str]]], ties: pd.DataFrame, fits: pd.DataFrame
) -> dict[str, list[set[str]]] | None:
    """Return the sets of each class and of all with ties taken as one; None if ties are untold."""
    fitted = fits.query("status == 'ok'")
    if fitted["ties"].isna().all():
        return None
    places = list(fitted[_FOLD].itertuples(index=False, name=None))
    groups: dict[str, list[list[tuple[set[str], set[str]]]]] = {
        label: [[] for _ in places] for label in sets if label
    }
    for (repeat, fold, label, _), group in ties.groupby([*_FOLD, "class", "group"], sort=True):
        taken = group.loc[group["selected"].astype(bool), "feature"]
        groups[label][places.index((repeat, fold))].append((set(group["feature"]), set(taken)))
    as_one = {label: ties_as_one(sets[label], groups[label]) for label in groups}
    return as_one | {"": [set().union(*parts) for parts in zip(*as_one.values(), strict=True)]}


def _sets(selected: pd.DataFrame, fits: pd.DataFrame) -> list[set[str]]:
    """Return the features selected in each fold that was fitted; the set may be empty."""
    places = pd.MultiIndex.from_frame(fits.query("status == 'ok'")[_FOLD])
    sets = selected.groupby(_FOLD)["feature"].agg(set).reindex(places)
    return [value if isinstance(value, set) else set() for value in sets]


def recovery(selected: Tables, fits: Tables, truth: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return how many selected features were planted, and how many planted ones were selected.

    ``precision`` is the share of the features selected for any class that are planted markers;
    ``by_chance`` is that of features drawn at random. ``recall`` is the share of planted markers
    that were selected. ``strength`` tells whether they are the strong ones: of each selected
    feature the share of markers with a smaller effect, 0 if it is none itself. All are means over
    folds; a fold that selects nothing has a recall of 0 and no precision or strength.
    """
    rows = []
    for key, table in selected.items():
        if key[0] not in truth or table.empty:
            continue
        known = truth[key[0]]
        markers = known.dropna(subset="class").set_index("feature")["effect"].abs()
        weaker = ((markers.rank(method="min") - 1) / len(markers)).to_dict()
        sets = pd.Series(_sets(table, fits[key]))
        hits = sets.map(lambda chosen, weaker=weaker: len(chosen & weaker.keys()))
        ranks = sets.map(lambda chosen, weaker=weaker: fsum(weaker.get(f, 0.0) for f in chosen))
        sizes = sets.map(len).replace(0, np.nan)
        means = [(hits / sizes).mean(), (hits / len(markers)).mean(), (ranks / sizes).mean()]
        rows.append((*key, len(markers), len(markers) / len(known), *means))
    names = ["planted", "by_chance", "precision", "recall", "strength"]
    return pd.DataFrame(rows, columns=[*_KEY, *names])


def seconds(fits: Tables) -> pd.DataFrame:
    """Return the median seconds of a fit and of a prediction."""
    table = _stack(fits, ["fit_seconds", "predict_seconds"])
    return table.groupby(_KEY, sort=False).median().reset_index()


def problems(fits: Tables) -> pd.DataFrame:
    """Return one row per failed fit and per fit with warnings: ``kind`` and ``text``."""
    table = _stack(fits, [*_FOLD, "error", "warnings"])
    long = table.melt([*_KEY, *_FOLD], var_name="kind", value_name="text")
    return long[long["text"] != ""].reset_index(drop=True)


def diagnostics(
    normality: pd.DataFrame, within: pd.DataFrame, dependence: pd.DataFrame, alpha: float
) -> dict[str, float]:
    """Return the ratios of Table 1 and what goes beyond it, for one data set.

    Parameters
    ----------
    normality : DataFrame
        ``feature``, ``W``, ``p`` over all samples.
    within : DataFrame
        ``class``, ``feature``, ``W``, ``p``.
    dependence : DataFrame
        ``feature``, ``partner``, ``r``, ``p``, ``dependent``.
    alpha : float
        Level of the normality test.
    """
    tested = within["p"].dropna()
    return {
        "non_normal_ratio": float((normality["p"] < alpha).mean()),
        "non_normal_ratio_fdr": _fdr_ratio(normality["p"], alpha),
        "non_normal_within_ratio": float((tested < alpha).mean()) if len(tested) else np.nan,
        "non_normal_within_ratio_fdr": _fdr_ratio(tested, alpha),
        "dependent_ratio": float(dependence["dependent"].mean()),
        "max_abs_r": float(dependence["r"].abs().max()),
    }


def _fdr_ratio(p: pd.Series, alpha: float) -> float:
    """Share of p-values below ``alpha`` after Benjamini and Hochberg's adjustment."""
    return float((benjamini_hochberg(p.to_numpy()) < alpha).mean()) if len(p) else np.nan


def _stack(tables: Tables, columns: list[str]) -> pd.DataFrame:
    """Put the given columns of all classifiers into one table, with their key."""
    if not tables:
        return pd.DataFrame(columns=[*_KEY, *columns])
    rows = pd.concat([table[columns] for table in tables.values()], ignore_index=True)
    place = np.repeat(np.arange(len(tables)), [len(table) for table in tables.values()])
    keys = pd.DataFrame(list(tables), columns=_KEY).take(place).reset_index(drop=True)
    return pd.concat([keys, rows], axis="columns")


def recall(
    predictions: Tables,
    performances: Mapping[Key, Performance],
    headers: Mapping[str, DataSetHeader],
) -> pd.DataFrame:
    """Return how many of a class's samples each classifier recognises.

    Parameters
    ----------
    predictions : mapping of (data set, folds, classifier) to DataFrame
        As made by `xnbflow.evaluation.training.train`, all repeats.
    performances : mapping
        See `performances`.
    headers : mapping of str to DataSetHeader

    Returns
    -------
    DataFrame
        One row per classifier and class that is tested: ``samples`` (of the class that are
        tested), ``tested`` (how often, over repeats), ``right`` (how many of these), ``recall``
        (the share of its samples, each counted once) with its 95 % interval ``lower`` and
        ``upper``, ``predicted`` (how often the class was predicted, rightly or not), ``precision``
        (how many of these are right; missing if there are none), ``recognised`` (see
        `xnbflow.evaluation.verdicts.ClassRecall`), ``taken_for`` (the class that its samples are
        most often mistaken for; empty if none is) and ``taken`` (how many samples, the mean over
        repeats).
    """
    rows = []
    for key, found in performances.items():
        table, classes = predictions[key], headers[key[0]].classes
        true, predicted = table["true"].to_numpy(), table["predicted"].to_numpy()
        for own in found.classes:
            label = str(classes[own.code])
            right = int(((true == label) & (predicted == label)).sum())
            named = int((predicted == label).sum())
            precision = right / named if named else np.nan
            taken_for = str(classes[own.taken_for]) if own.taken_for >= 0 else ""
            rows.append(
                (*key, label, own.samples, int((true == label).sum()), right, *own.recall,
                 named, precision, own.recognised, taken_for, own.taken)
            )  # fmt: skip
    return pd.DataFrame(rows, columns=STUDY_TABLES["recall"].fixed)


def samples(predictions: Tables, recall: pd.DataFrame) -> pd.DataFrame:
    """Return how often each sample was tested and misclassified, and what it was taken for.

    Parameters
    ----------
    predictions : mapping of (data set, folds, classifier) to DataFrame
    recall : DataFrame
        As made by `recall` from the same predictions.

    Returns
    -------
    DataFrame
        ``tested``, ``wrong`` (times), ``predicted`` (most often), ``mistakes``: each wrong class
        with its number of times, the most frequent first, say ``AML 7, B-ALL 3``; and
        ``suspect``: whether it is wrong in more than half of its tests by a classifier that
        recognises its class. Only such a sample may be mislabelled: of a class that is not
        recognised every sample is wrong.
    """
    columns = ["sample", "true", "predicted"]
    parts = [
        table[columns].assign(**dict(zip(_KEY, key, strict=True)))
        for key, table in predictions.items()
        if not table.empty
    ]
    if not parts:
        return pd.DataFrame(columns=STUDY_TABLES["samples"].fixed)
    table = pd.concat(parts, ignore_index=True)
    table["wrong"] = table["true"] != table["predicted"]
    group = [*_KEY, "sample", "true"]
    counts = table.groupby(group, sort=False)["wrong"].agg(tested="size", wrong="sum").reset_index()
    votes = table.groupby([*group, "predicted"], sort=False).size().reset_index(name="votes")
    votes = votes.sort_values("votes", ascending=False, kind="stable")
    wrong = votes[votes["true"] != votes["predicted"]]
    said = wrong["predicted"].astype(str) + " " + wrong["votes"].astype(str)
    mistakes = wrong.assign(mistakes=said).groupby(group, sort=False)["mistakes"].agg(", ".join)
    predicted = votes.drop_duplicates(group).drop(columns="votes")
    counts = counts.merge(predicted, on=group, how="left", validate="one_to_one")
    counts = counts.merge(mistakes.reset_index(), on=group, how="left", validate="one_to_one")
    known = recall[[*_KEY, "class", "recognised"]].rename(columns={"class": "true"})
    counts = counts.merge(known, on=[*_KEY, "true"], how="left", validate="many_to_one")
    counts["suspect"] = (2 * counts["wrong"] > counts["tested"]) & counts["recognised"].astype(bool)
    return counts.fillna({"mistakes": ""})[STUDY_TABLES["samples"].fixed]


_BINS = 20


def p_values(normality: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return how the p-values of the normality test are distributed.

    Parameters
    ----------
    normality : mapping of data set to DataFrame
        ``p`` of every feature; missing where it could not be tested.

    Returns
    -------
    DataFrame
        ``dataset``, ``lower``, ``upper``, ``features``, ``share`` per bin.
    """
    edges = np.linspace(0, 1, _BINS + 1)
    parts = [
        pd.DataFrame({"dataset": name, "lower": edges[:-1], "upper": edges[1:], "features": counts})
        for name, table in normality.items()
        for counts in [np.histogram(table["p"].dropna(), edges)[0]]
    ]
    columns = ["dataset", "lower", "upper", "features", "share"]
    if not parts:
        return pd.DataFrame(columns=columns)
    table = pd.concat(parts, ignore_index=True)
    sums = table.groupby("dataset")["features"].transform("sum").clip(lower=1)
    return table.assign(share=table["features"] / sums)[columns]


def hard_samples(samples: pd.DataFrame) -> pd.DataFrame:
    """Return how many samples so many classifiers get wrong, in more than half of the repeats.

    Parameters
    ----------
    samples : DataFrame
        The study's table, with ``dataset``, ``folds``, ``sample``, ``tested`` and ``wrong``.

    Returns
    -------
    DataFrame
        ``dataset``, ``folds``, ``classifiers`` (how many are wrong), ``samples``, ``share``.
    """
    place = ["dataset", "folds"]
    wrong = _mostly_wrong(samples).groupby([*place, "sample"], sort=False)["mostly"].sum()
    counts = wrong.rename("classifiers").reset_index().groupby([*place, "classifiers"]).size()
    table = counts.reset_index(name="samples")
    share = table["samples"] / table.groupby(place)["samples"].transform("sum")
    return table.assign(share=share.astype(float))


def _mostly_wrong(samples: pd.DataFrame) -> pd.DataFrame:
    """Add the column ``mostly``: whether a classifier is wrong in more than half of the repeats."""
    return samples.assign(mostly=2 * samples["wrong"] > samples["tested"])


def misclassified(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the samples that at least one classifier gets wrong at least once.

    Parameters
    ----------
    samples : DataFrame
        The study's table.

    Returns
    -------
    DataFrame
        ``dataset``, ``folds``, ``sample``, ``true``, ``wrong_by`` (classifiers that are wrong in
        more than half of the repeats), ``wrong`` and ``tested`` (times, of all classifiers); of
        each data set those wrong by most come first, then those that are wrong most often.
    """
    groups = _mostly_wrong(samples).groupby(["dataset", "folds", "sample", "true"], sort=False)
    sums = groups[["mostly", "wrong", "tested"]].sum().astype(int).reset_index()
    sums = sums[sums["wrong"] > 0].rename(columns={"mostly": "wrong_by"})
    order = ["dataset", "folds", "wrong_by", "wrong"]
    ascending = [True, True, False, False]
    return sums.sort_values(order, ascending=ascending, kind="stable", ignore_index=True)


def averages(summary: pd.DataFrame, seconds: pd.DataFrame) -> pd.DataFrame:
    """Return each classifier's means over the data sets where every classifier could be fitted.

    A classifier that could be fitted nowhere does not count; where no data set is left, all do.

    Parameters
    ----------
    summary, seconds : DataFrame
        The study's tables.

    Returns
    -------
    DataFrame
        ``classifier``, ``accuracy``, ``balanced_accuracy``, ``places`` (pairs of data set and folds
        in the means), ``wins`` (in how many of all its accuracy to three decimals is the greatest,
        ties counted for all) and ``fit_seconds`` (median over data sets).
    """
    columns = ["classifier", "accuracy", "balanced_accuracy", "places", "wins", "fit_seconds"]
    complete = summary[summary["folds_failed"] == 0]
    if complete.empty:
        return pd.DataFrame(columns=columns)
    wide = complete.pivot_table(
        index=["dataset", "folds"], columns=["metric", "classifier"], values="mean", dropna=False
    )
    accuracy = wide["accuracy"].dropna(axis="columns", how="all")
    shared = accuracy.dropna().index
    shared = shared if len(shared) else accuracy.index
    rounded = accuracy.round(3)
    table = pd.DataFrame(
        {
            "accuracy": accuracy.loc[shared].mean(),
            "balanced_accuracy": wide["balanced_accuracy"].loc[shared].mean(),
            "places": len(shared),
            "wins": rounded.eq(rounded.max(axis=1), axis=0).sum(),
            "fit_seconds": seconds.groupby("classifier")["fit_seconds"]
            .median()
            .reindex(accuracy.columns),
        }
    )
    order = [name for name in summary["classifier"].unique() if name in accuracy]
    return table.loc[order].rename_axis("classifier").reset_index()[columns]
