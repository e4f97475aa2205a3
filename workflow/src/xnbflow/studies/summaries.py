"""Summaries: from the rows of single folds to the tables of a study.

Their columns are those of `xnbflow.tables.contract.STUDY_TABLES`. ``Tables`` are of all repeats.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.data.dataset import DataSet, DataSetHeader
from xnbflow.diagnostics.false_discovery import benjamini_hochberg
from xnbflow.evaluation.metrics import (
    CLASS_METRICS,
    FOLD_METRICS,
    class_metrics,
    fold_metrics,
    roc_curves,
)
from xnbflow.evaluation.training import LOG_POSTERIOR
from xnbflow.inference.calibration import calibration_curve, confidence_table
from xnbflow.inference.halves import half_stability, pairs_of, selection_shares
from xnbflow.inference.intervals import CROSS_VALIDATED, Estimate, share_interval
from xnbflow.inference.stability import UNDEFINED, stability_index, ties_as_one
from xnbflow.inference.verdicts import SURE, Performance, performance, verdict
from xnbflow.naive_bayes.conformal import ERROR_RATE
from xnbflow.tables.contract import STUDY_TABLES

_KEY = ["dataset", "folds", "classifier"]
_FOLD = ["repeat", "fold"]

#: Metrics in the order in which they are shown.
_METRICS = (*FOLD_METRICS, "features_per_class", "features")

#: Those that a fold has; of a repeat they are means over its folds. The `CLASS_METRICS` are
#: computed from the predictions of all of a repeat's folds instead.
_OVER_FOLDS = [metric for metric in _METRICS if metric not in CLASS_METRICS]

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
Headers = Mapping[str, DataSetHeader]

#: The table ``halves`` by data set and classifier.
Halves = Mapping[tuple[str, str], pd.DataFrame]


def metrics(predictions: Tables, fits: Tables, headers: Headers) -> pd.DataFrame:
    """Return the metrics of each fold; those that need every class are in `repeats`."""
    own = [metric for metric in _OVER_FOLDS if metric in FOLD_METRICS]
    rows = []
    for key, table in predictions.items():
        for place, group in table.groupby(_FOLD, sort=True):
            values = fold_metrics(*_arrays(group, headers[key[0]]))
            rows.append((*key, *place, len(group), *(values[metric] for metric in own)))
    table = pd.DataFrame(rows, columns=[*_KEY, *_FOLD, "test_samples", *own])
    counts = _stack(fits, [*_FOLD, *(metric for metric in _OVER_FOLDS if metric not in own)])
    return table.merge(counts, on=[*_KEY, *_FOLD], how="left", validate="one_to_one")


def repeats(
    predictions: Tables, metrics: pd.DataFrame, fits: Tables, headers: Headers
) -> pd.DataFrame:
    """Return each metric of each repeat, missing where a fold could not be fitted.

    ``pooled`` says whether it is that of the predictions of all folds together
    (`xnbflow.evaluation.metrics.class_metrics`); else it is the mean over folds.
    """
    key = [*_KEY, "repeat"]
    rows = []
    for name, table in predictions.items():
        for repeat, group in table.groupby("repeat", sort=True):
            found = class_metrics(*_arrays(group, headers[name[0]]), group["fold"].to_numpy())
            rows.append((*name, repeat, *(found[metric] for metric in CLASS_METRICS)))
    pooled = pd.DataFrame(rows, columns=[*key, *CLASS_METRICS]).set_index(key)
    values = metrics.groupby(key, sort=False)[_OVER_FOLDS].mean().join(pooled)
    failed = _stack(fits, ["repeat", "status"]).query("status != 'ok'")
    values[values.index.isin(pd.MultiIndex.from_frame(failed[key]))] = np.nan
    long = values[list(_METRICS)].reset_index().melt(key, var_name="metric", value_name="value")
    return long.assign(pooled=long["metric"].isin(CLASS_METRICS))


def summary(
    predictions: Tables,
    metrics: pd.DataFrame,
    repeats: pd.DataFrame,
    fits: Tables,
    headers: Headers,
    performances: Mapping[Key, Performance],
) -> pd.DataFrame:
    """Return mean and spread of each metric over what it is a number of: folds or repeats."""
    group = [*_KEY, "metric"]
    folds = metrics.melt([*_KEY, *_FOLD], _OVER_FOLDS, var_name="metric", value_name="value")
    parts = [
        values.groupby(group, sort=False)["value"].agg(mean="mean", sd="std").assign(over=over)
        for values, over in ((folds, "folds"), (repeats[repeats["pooled"]], "repeats"))
    ]
    table = pd.concat(parts)
    per_repeat = folds.groupby([*group, "repeat"], sort=False)["value"].mean()
    table["sd_repeats"] = per_repeat.groupby(group, sort=False).std()
    table["sd_repeats"] = table["sd_repeats"].where(table["over"] == "folds", table["sd"])
    rows = [
        (*key, metric, *getattr(found, metric))
        for key, found in performances.items()
        for metric in ("accuracy", "balanced_accuracy")
    ]
    pooled = pd.DataFrame(rows, columns=[*group, "pooled", "lower", "upper"])
    table = table.reset_index().merge(pooled, on=group, how="left", validate="one_to_one")
    baselines = _baselines(predictions, headers)
    table = table.merge(baselines, on=["dataset", "folds", "metric"], how="left")
    status = _stack(fits, ["status"])
    status["folds_ok"] = status["status"] == "ok"
    status["folds_failed"] = ~status["folds_ok"]
    counts = status.groupby(_KEY, sort=False)[["folds_ok", "folds_failed"]].sum().astype(int)
    table = table.merge(counts.reset_index(), on=_KEY, how="outer", sort=False)
    return table[STUDY_TABLES["summary"].fixed]


def performances(
    predictions: Tables, headers: Headers, inflations: Mapping[Key, float]
) -> dict[Key, Performance]:
    """Return what the predictions of each classifier that has any are worth.

    ``inflations`` are those of `xnbflow.inference.intervals.inflation_of`; by default that of a
    classifier that does not tune itself.
    """
    return {
        key: pooled_performance(table, headers[key[0]], inflations.get(key, CROSS_VALIDATED))
        for key, table in predictions.items()
        if not table.empty
    }


def pooled_performance(
    predictions: pd.DataFrame, header: DataSetHeader | DataSet, inflation: float, choices: int = 1
) -> Performance:
    """Return what the predictions of one classifier are worth, pooled over folds and repeats.

    Where samples have groups, intervals count groups. See `xnbflow.inference.verdicts.performance`
    for ``inflation`` and ``choices``.
    """
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


def verdicts(
    performances: Mapping[Key, Performance],
    headers: Headers,
    stability: pd.DataFrame,
    permutation_tests: pd.DataFrame,
    choices: Mapping[str, int],
    copied: Mapping[str, str],
) -> pd.DataFrame:
    """Return how well every result is supported; see `xnbflow.inference.verdicts.verdict`.

    ``performances`` have intervals for the same ``choices``: out of how many classifiers each one
    was chosen after looking at the results, by default 1. ``stability`` and ``permutation_tests``
    are the study's tables; ``copied`` is of `copies`.
    """
    halves = stability[stability["class"] == ""].set_index(_KEY)
    halves = halves[["halves", "halves_lower", "halves_upper"]].dropna()
    agreement = dict(zip(halves.index, map(Estimate._make, halves.to_numpy()), strict=True))
    tests = permutation_tests[permutation_tests["metric"] == "balanced_accuracy"]
    tests = tests.set_index(["dataset", "classifier"])[["p_value", "permuted"]]
    p_values = dict(zip(tests.index, tests.itertuples(index=False, name=None), strict=True))
    rows = []
    for key, found in performances.items():
        p_value, permuted = p_values.get((key[0], key[2]), (np.nan, ""))
        n = choices.get(key[2], 1)
        given = verdict(found, p_value, agreement.get(key), choices=n, copies=copied.get(key[0]))
        header = headers[key[0]]
        units = len(header.samples) if header.groups is None else len(np.unique(header.groups))
        reasons = "; ".join(given.reasons)
        rows.append(
            (*key, given.level, reasons, p_value, permuted, n, units, *found.accuracy,
             *found.balanced_accuracy, found.majority, found.majority_p, found.chance)
        )  # fmt: skip
    return pd.DataFrame(rows, columns=STUDY_TABLES["verdicts"].fixed)


def copies(audit: pd.DataFrame, headers: Headers) -> dict[str, str]:
    """Return by data set "severe" where a tenth of the samples are equal to others, or half nearly.

    It is "warning" where fewer are equal, or where a tenth are nearly equal.
    """
    found: dict[str, str] = {}
    rows = audit[audit["check"] == "repeated sample"]
    for (name, severity), pairs in rows.groupby(["dataset", "severity"])["subject"]:
        n = pairs.str.split(" [~=] ", regex=True).explode().nunique()
        share = n / len(headers[name].samples)
        if share >= (0.1 if severity == "severe" else 0.5):
            found[name] = "severe"
        elif severity == "severe" or share >= 0.1:
            found.setdefault(name, "warning")
    return found


def _baselines(predictions: Tables, headers: Headers) -> pd.DataFrame:
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

    ``parts`` names which of our classifiers is the paper's ``nb``, and which its ``xnb``; numbers
    of one without a counterpart are left out. ``percentile`` is that of the paper's value among our
    repeats, rounded as the paper prints them, a half for ties.
    """
    of_parts = dict(iter(repeats.groupby(["dataset", "classifier", "metric"], sort=False)))
    numbers = pd.concat(
        [t.melt(["type", "accession"], var_name="quantity", value_name="paper") for t in printed]
    )
    rows = []
    for dataset, quantity, value in numbers.drop(columns="type").itertuples(index=False):
        if quantity not in _PAPER:
            continue
        part, metric, decimals = _PAPER[quantity]
        if part:
            ours = of_parts.get((dataset, parts.get(part, ""), metric), repeats.iloc[:0])
        else:
            own = diagnostics.loc[diagnostics["dataset"] == dataset, metric]
            ours = pd.DataFrame({"folds": "", "value": own})
        for folds, group in ours.dropna(subset="value").groupby("folds", sort=False):
            found = group["value"].to_numpy()
            rounded = found.round(decimals)
            below = (rounded < value).mean() + (rounded == value).mean() / 2
            sd = found.std(ddof=1) if len(found) > 1 else np.nan
            rows.append(
                (dataset, folds, quantity, value, found.mean(), sd, 100 * below, len(found))
            )
    return pd.DataFrame(rows, columns=STUDY_TABLES["paper"].fixed)


def confusion(predictions: Tables) -> pd.DataFrame:
    """Return counts and shares of (true, predicted) class pairs over all folds and repeats."""
    table = _stack(predictions, ["true", "predicted"])
    counts = table.groupby([*_KEY, "true", "predicted"], sort=False).size()
    counts = counts.reset_index(name="count")
    tests = counts.groupby([*_KEY, "true"], sort=False)["count"].transform("sum")
    return counts.assign(share=counts["count"] / tests)


def probabilities(
    name: str, predictions: Tables, headers: Headers, inflations: Mapping[Key, float]
) -> pd.DataFrame:
    """Return the table ``calibration`` or ``confidence`` of the classifiers with probabilities."""
    make: Callable[..., pd.DataFrame]
    make = calibration_curve if name == "calibration" else confidence_table
    tables = {}
    for key, table in predictions.items():
        if table.empty:
            continue  # no fold could be fitted: without predictions there are no columns of classes
        header = headers[key[0]]
        true, _, log_posterior, classes = _arrays(table, header)
        if log_posterior is None:
            continue
        given: dict[str, Any] = {"inflation": inflations.get(key, CROSS_VALIDATED)}
        if header.groups is not None:
            places = pd.Index(header.samples).get_indexer(table["sample"])
            given["groups"] = header.groups[places]
        if name == "confidence":
            given["units"] = given.get("groups", table["sample"].to_numpy())
        tables[key] = make(true, log_posterior, classes, repeats=table["repeat"].nunique(), **given)
    return _stack(tables, [each for each in STUDY_TABLES[name].fixed if each not in _KEY])


def roc(predictions: Tables, fits: Tables, headers: Headers) -> pd.DataFrame:
    """Return the ROC curves of the classifiers that have probabilities and could be fitted."""
    tables = {}
    for key, table in predictions.items():
        if table.empty or (fits[key]["status"] != "ok").any():
            continue
        true, _, log_posterior, classes = _arrays(table, headers[key[0]])
        if log_posterior is not None:
            folds = table.groupby(_FOLD).ngroup().to_numpy()
            tables[key] = roc_curves(true, log_posterior, classes, folds)
    return _stack(tables, [each for each in STUDY_TABLES["roc"].fixed if each not in _KEY])


def sets(predictions: Tables, headers: Headers, inflations: Mapping[Key, float]) -> pd.DataFrame:
    """Return how often the conformal set of a sample has its class, and how many classes it has."""
    rows = []
    for key, table in predictions.items():
        header = headers[key[0]]
        groups = None if header.groups is None else pd.Series(header.groups, header.samples)
        for label, own in table.dropna(subset="set_size").groupby("true"):
            covered = own.groupby("sample")["covered"].mean()
            units = None if groups is None else groups[covered.index].to_numpy()
            found = share_interval(covered.to_numpy(), units, inflations.get(key, CROSS_VALIDATED))
            size = own["set_size"]
            shares = (size == 1).mean(), own["covered"][size == 1].mean(), (size > 1).mean()
            level = 1.0 - ERROR_RATE
            rows.append((*key, label, level, len(covered), *found, *shares, (size == 0).mean()))
    return pd.DataFrame(rows, columns=STUDY_TABLES["sets"].fixed)


def selection(selected: Tables, fits: Tables, ties: Tables, halves: Halves) -> pd.DataFrame:
    """Return how often a feature was selected for a class, its mean rank and mean distance."""
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
    fitted = fitted.agg(fits="size", reported="count").reset_index()
    counts = counts.merge(fitted, on=_KEY, how="left")
    counts["times_tied"] = counts["times_tied"].where(counts.pop("reported") > 0).astype(float)
    counts["frequency"] = counts["times"] / counts["fits"]
    shares = {key: selection_shares(table) for key, table in halves.items() if len(table)}
    counts["share_of_halves"] = [
        shares[row[0], row[2]].get((row[3], row[4]), 0.0) if (row[0], row[2]) in shares else np.nan
        for row in counts[[*_KEY, "class", "feature"]].itertuples(index=False)
    ]
    order = [*_KEY, "class", "frequency", "mean_rank", "feature"]
    ascending = [column != "frequency" for column in order]
    return counts.sort_values(order, ascending=ascending, ignore_index=True)


def ties(ties: Tables, fits: Tables) -> pd.DataFrame:
    """Return which selected features others of the same rank could replace, and how often."""
    table = _stack(ties, [*_FOLD, "class", "group", "feature", "selected"])
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
    selected: Tables, fits: Tables, ties: Tables, headers: Headers, halves: Halves
) -> pd.DataFrame:
    """Return Nogueira's index of each class's sets, and of their union (class '').

    It is that of disjoint halves (`xnbflow.inference.halves`), and that of the folds.
    ``note`` is "one sample" for a class without a second one, which has no stability; "constant"
    where more than half of the selections are made only because a class is almost constant.
    """
    rows = []
    for key, table in selected.items():
        if table.empty:
            continue
        header, fitted = headers[key[0]], fits[key].query("status == 'ok'")
        tables = {"": table} | {c: table[table["class"] == c] for c in header.classes}
        sets = {label: _sets(own, fitted) for label, own in tables.items()}
        as_one = _sets_with_ties(sets, ties[key], fitted)
        for label, own in tables.items():
            samples = len(header.labels) if not label else int((header.labels == label).sum())
            constant = own["constant"].mean()
            indices = [
                UNDEFINED
                if samples == 1 or chosen is None
                else stability_index(chosen[label], header.n_features)
                for chosen in (sets, as_one)
            ]
            limits = [number for i in indices for number in (i.value, i.lower, i.upper)]
            size = float(np.mean([len(chosen) for chosen in sets[label]]))
            own_halves = halves.get((key[0], key[2]))
            honest = (np.nan,) * 3 if own_halves is None else _of_halves(own_halves, label, header)
            note = "one sample" if samples == 1 else "constant" if constant > 0.5 else ""
            rows.append(
                (*key, label, *honest, *limits, len(sets[label]), size, samples, constant, note)
            )
    return pd.DataFrame(rows, columns=STUDY_TABLES["stability"].fixed)


def _of_halves(halves: pd.DataFrame, label: str, header: DataSetHeader) -> Sequence[float]:
    pairs = pairs_of(halves[halves["class"] == label] if label else halves)
    return half_stability(pairs, header.n_features) if pairs else (np.nan,) * 3


def _sets(selected: pd.DataFrame, fitted: pd.DataFrame) -> list[set[str]]:
    """Return the features selected in each fold that was fitted; the set may be empty."""
    places = pd.MultiIndex.from_frame(fitted[_FOLD])
    sets = selected.groupby(_FOLD)["feature"].agg(set).reindex(places)
    return [value if isinstance(value, set) else set() for value in sets]


def _sets_with_ties(
    sets: Mapping[str, list[set[str]]], ties: pd.DataFrame, fitted: pd.DataFrame
) -> dict[str, list[set[str]]] | None:
    """Return the sets of each class and of all with ties as one; None if ties are not reported."""
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


def recovery(selected: Tables, fits: Tables, truth: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return how many selected features were planted, and how many planted ones were selected.

    All are means over folds; a fold that selects nothing has a recall of 0 and no precision or
    strength. The strength of a feature is the share of markers with a smaller effect, 0 if it is
    none itself.
    """
    rows = []
    for key, table in selected.items():
        if key[0] not in truth or table.empty:
            continue
        known = truth[key[0]]
        markers = known.dropna(subset="class").set_index("feature")["effect"].abs()
        weaker = ((markers.rank(method="min") - 1) / len(markers)).to_dict()
        sets = _sets(table, fits[key].query("status == 'ok'"))
        hits = pd.Series([len(chosen & weaker.keys()) for chosen in sets])
        ranks = pd.Series([fsum(weaker.get(name, 0.0) for name in chosen) for chosen in sets])
        sizes = pd.Series(map(len, sets)).replace(0, np.nan)
        means = [(hits / sizes).mean(), (hits / len(markers)).mean(), (ranks / sizes).mean()]
        rows.append((*key, len(markers), len(markers) / len(known), *means))
    return pd.DataFrame(rows, columns=STUDY_TABLES["recovery"].fixed)


def seconds(fits: Tables) -> pd.DataFrame:
    """Return the median seconds of a fit and of a prediction."""
    table = _stack(fits, ["fit_seconds", "predict_seconds"])
    return table.groupby(_KEY, sort=False).median().reset_index()


def problems(fits: Tables) -> pd.DataFrame:
    """Return one row per failed fit and per fit with warnings."""
    table = _stack(fits, [*_FOLD, "error", "warnings"])
    long = table.melt([*_KEY, *_FOLD], var_name="kind", value_name="text")
    return long[long["text"] != ""].reset_index(drop=True)


def diagnostics(
    normality: pd.DataFrame, within: pd.DataFrame, dependence: pd.DataFrame, alpha: float
) -> dict[str, float]:
    """Return the ratios of the paper's Table 1 and what goes beyond it, for one data set.

    ``normality``, ``within`` (the classes) and ``dependence`` are its tables; ``alpha`` is the
    level of the normality test.
    """
    tested = within["p"].dropna()
    others = [name for name in normality if name.startswith("p.")]
    return {
        "non_normal_ratio": float((normality["p"] < alpha).mean()),
        "non_normal_ratio_fdr": _fdr_ratio(normality["p"], alpha),
        "non_normal_within_ratio": float((tested < alpha).mean()) if len(tested) else np.nan,
        "non_normal_within_ratio_fdr": _fdr_ratio(tested, alpha),
        "dependent_ratio": float(dependence["dependent"].mean()),
        "max_abs_r": float(dependence["r"].abs().max()),
        **{f"below.{name[2:]}": float((normality[name] < alpha).mean()) for name in others},
    }


def _fdr_ratio(p: pd.Series, alpha: float) -> float:
    return float((benjamini_hochberg(p.to_numpy()) < alpha).mean()) if len(p) else np.nan


def _stack(tables: Tables, columns: list[str]) -> pd.DataFrame:
    """Put the given columns of all classifiers into one table, with their key."""
    if not tables:
        return pd.DataFrame(columns=[*_KEY, *columns])
    rows = pd.concat({key: table[columns] for key, table in tables.items()}, names=_KEY)
    return rows.reset_index(_KEY).reset_index(drop=True)


def recall(
    predictions: Tables, performances: Mapping[Key, Performance], headers: Headers
) -> pd.DataFrame:
    """Return how many of a class's samples each classifier recognises."""
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
    """Return how often each sample was tested and misclassified, and as which class.

    A sample is suspect if a classifier that recognises its class (in the table ``recall``) predicts
    the same other class in all of its tests, with a mean probability of `SURE` or more if it has
    probabilities. Of a class that is not recognised every sample is wrong.
    """
    claimed = {k: t.assign(probability=_claimed(t)) for k, t in predictions.items() if len(t)}
    table = _stack(claimed, [*_PREDICTED, "probability"])
    if table.empty:
        return pd.DataFrame(columns=STUDY_TABLES["samples"].fixed)
    table["wrong"] = table["true"] != table["predicted"]
    group = [*_KEY, "sample", "true"]
    counts = table.groupby(group, sort=False).agg(
        tested=("wrong", "size"),
        wrong=("wrong", "sum"),
        probability=("probability", "mean"),
        other_classes=("predicted", "nunique"),
    )
    counts = counts.reset_index()
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
    always = (counts["wrong"] == counts["tested"]) & (counts["other_classes"] == 1)
    sure = ~(counts["probability"] < SURE)
    counts["suspect"] = always & sure & counts["recognised"].astype(bool)
    return counts.fillna({"mistakes": ""})[STUDY_TABLES["samples"].fixed]


def suspects(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the suspect samples of which all of several classifiers predict the same class."""
    key = ["dataset", "sample"]
    doubted = samples[samples["suspect"].astype(bool)]
    named = doubted.groupby([*key, "true", "predicted"])["probability"]
    agreed = named.agg(count="size", probability="min").reset_index()
    rows = agreed.merge(samples.value_counts(key).reset_index(), on=[*key, "count"])
    rows = rows[rows["count"] > 1].sort_values(key, ignore_index=True)
    return rows[STUDY_TABLES["suspects"].fixed]


def _claimed(table: pd.DataFrame) -> np.ndarray:
    """Return the probability of each predicted class; missing where there are none."""
    logs = table.filter(regex=f"^{re.escape(LOG_POSTERIOR)}")
    columns = logs.columns.get_indexer(LOG_POSTERIOR + table["predicted"].astype(str))
    whole = np.column_stack([logs.to_numpy(dtype=float), np.full(len(logs), np.nan)])
    return np.exp(whole[np.arange(len(logs)), columns])  # -1, of an unknown class, is missing


_PREDICTED = ["sample", "true", "predicted"]
_BINS = 20


def p_values(normality: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return how the p-values of the normality test of each data set are distributed."""
    edges = np.linspace(0, 1, _BINS + 1)
    rows: list[tuple[Any, ...]] = []
    for dataset, table in normality.items():
        counts = np.histogram(table["p"].dropna(), edges)[0]
        shares = counts / max(1, counts.sum())
        places = [dataset] * _BINS
        rows += zip(places, edges[:-1], edges[1:], counts, shares, strict=True)
    return pd.DataFrame(rows, columns=STUDY_TABLES["p_values"].fixed)


def hard_samples(samples: pd.DataFrame) -> pd.DataFrame:
    """Return how many samples so many classifiers get wrong, in more than half of the repeats."""
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

    Of each data set those wrong by most come first, then those that are wrong most often.
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
    ``wins`` count ties, accuracies being compared to three decimals.
    """
    columns = STUDY_TABLES["averages"].fixed
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
    fit_seconds = seconds.groupby("classifier")["fit_seconds"].median()
    table = pd.DataFrame(
        {
            "accuracy": accuracy.loc[shared].mean(),
            "balanced_accuracy": wide["balanced_accuracy"].loc[shared].mean(),
            "places": len(shared),
            "wins": rounded.eq(rounded.max(axis=1), axis=0).sum(),
            "fit_seconds": fit_seconds.reindex(accuracy.columns),
        }
    )
    order = [name for name in summary["classifier"].unique() if name in accuracy]
    return table.loc[order].rename_axis("classifier").reset_index()[columns]
