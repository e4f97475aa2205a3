"""A model of one cohort tested on another: how good, on whom, with which genes, and if it held."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import hypergeom, spearmanr

from xnbflow.data.contract import VALIDATION_TABLES
from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError, require_choice
from xnbflow.evaluation.calibration import calibration_curve
from xnbflow.evaluation.cohorts import RULE, CohortVerdict, cohort_verdict, shared_samples
from xnbflow.evaluation.densities import log_densities
from xnbflow.evaluation.fitting import filled
from xnbflow.evaluation.intervals import Estimate
from xnbflow.evaluation.methods import resolved, unlabelled
from xnbflow.evaluation.training import LOG_POSTERIOR
from xnbflow.evaluation.verdicts import Performance
from xnbflow.models.prediction import Prediction, predict_table
from xnbflow.models.reading import symbols_of
from xnbflow.models.trained import TrainedModel, cross_validate, fit_model
from xnbflow.naive_bayes.flexible import FlexibleNB
from xnbflow.preprocessing.normalisation import (
    QuantileNormalizer,
    SampleRanks,
    SampleStandardizer,
)
from xnbflow.preprocessing.selection.class_specific import pair_distances

__all__ = [
    "HARMONISERS",
    "MATCHES",
    "compare_signatures",
    "greatest_distances",
    "harmonised",
    "matched",
    "validate",
    "validate_all",
]

#: What may be done to each sample first: a step of the model, learned from training samples alone.
HARMONISERS = {
    "none": None,
    "zscore": SampleStandardizer,
    "rank": SampleRanks,
    "quantile": QuantileNormalizer,
}

#: Folds of the cross-validation beside it; fewer where a class is smaller.
_FOLDS = 10
#: Test samples from which on calibration is told.
_ENOUGH = 30
_PER_CLASS, _MOST_DRAWN, _POINTS, _MARGIN = 4, 12, 96, 0.08


def harmonised(entry: Mapping[str, Any], harmonise: str) -> dict[str, Any]:
    """Return a classifier's configuration with a harmonisation of samples as its first step.

    Examples
    --------
    >>> harmonised({"method": "csnb"}, "rank")["steps"][1]
    {'method': 'csnb'}
    """
    require_choice("harmonise", harmonise, tuple(HARMONISERS))
    step = HARMONISERS[harmonise]
    own = unlabelled(entry)
    if step is None:
        return own
    path = f"{step.__module__}.{step.__qualname__}"
    return {"steps": [{"method": path}, *own.get("steps", [own])]}


def validate_all(
    series: Mapping[str, DataSet],
    entries: Mapping[str, Mapping[str, Mapping[str, Any]]],
    pairs: Sequence[Mapping[str, Any]],
) -> dict[str, pd.DataFrame]:
    """Test models on second cohorts, one after the other, and put the tables together.

    Parameters
    ----------
    series : mapping of str to DataSet
        The cohorts by their ids.
    entries : mapping of str to mapping
        Per cohort to train on, the classifiers' configurations by their ids.
    pairs : list of dict
        Each with ``model``, ``train``, ``test``, ``match`` and ``harmonise``.

    Returns
    -------
    dict of str to DataFrame
        The tables of `VALIDATION_TABLES` of `xnbflow.data.contract`.
    """
    parts: dict[str, list[pd.DataFrame]] = {name: [] for name in VALIDATION_TABLES}
    for pair in pairs:
        how = {key: pair[key] for key in ("match", "harmonise")}
        cohorts = (series[pair["train"]], series[pair["test"]])
        entry = entries[pair["train"]][pair["model"]]
        found = validate(*cohorts, entry, name=entry.get("label", pair["model"]), **how)
        for name, table in found.items():
            for place, key in enumerate(("model", "train", "test", "match", "harmonise")):
                table.insert(place, key, pair[key])
            parts[name].append(table)
    return {name: _joined(tables, name) for name, tables in parts.items()}


def _joined(tables: list[pd.DataFrame], name: str) -> pd.DataFrame:
    filled = [table for table in tables if len(table)]
    declared = VALIDATION_TABLES[name]
    if not filled:
        return pd.DataFrame(columns=declared.fixed)
    whole = pd.concat(filled, ignore_index=True)
    kinds = {"integer": int, "boolean": bool, "number": float}
    types = {c: kinds[declared.columns[c].type] for c in declared.fixed
             if declared.columns[c].type in kinds}  # fmt: skip
    return whole.astype(types)


def validate(
    train: DataSet,
    test: DataSet,
    entry: Mapping[str, Any],
    *,
    match: str = "feature",
    harmonise: str = "none",
    name: str = "the model",
) -> dict[str, pd.DataFrame]:
    """Fit a classifier on one cohort and test it on another.

    Features that only one cohort has are left out, of the cross-validation, too: it is that of the
    same model. Of the test cohort nothing is learned; its labels are looked at to count mistakes,
    and for the signature that its own samples would give.

    Parameters
    ----------
    train, test : DataSet
    entry : mapping
        The classifier's configuration, see `xnbflow.evaluation.build.build_estimator`.
    match : {"feature", "symbol"}
        See `xnbflow.models.validation.matched`.
    harmonise : {"none", "zscore", "rank", "quantile"}
        What is done to each sample first, inside the model.
    name : str
        What the model is called in the sentence.

    Returns
    -------
    dict of str to DataFrame
        The tables of `VALIDATION_TABLES` of `xnbflow.data.contract`, without the columns that name
        the pair.

    Raises
    ------
    InputError
        If the cohorts share no features, or the test cohort has a class that training has not.
    """
    known, in_test = symbols_of(train), symbols_of(test)
    train, test = matched(train, test, match, (known, in_test))
    symbols = {str(f): str(f) for f in train.features} if match == "symbol" else known
    steps = resolved(harmonised(entry, harmonise))
    model = fit_model(train, steps, symbols=symbols)
    prediction = predict_table(model, test.frame(), "impute" if test.missing else "error")
    true, predicted = test.labels, prediction.table["label"].to_numpy()
    own, own_claims = _cross_validated(train, steps)
    claims = _claims(_probabilities(model, prediction))
    codes, said = (np.searchsorted(train.classes, each) for each in (true, predicted))
    values = (_whole(train).values, _whole(test).values)
    same = shared_samples(*values, (train.samples, test.samples))
    verdict = cohort_verdict(
        own, codes, said, len(train.classes), test.groups, shared=same["second"].nunique()
    )
    accuracy = pd.DataFrame(
        [_accuracy("train", own, own_claims), _accuracy("test", verdict.found, claims)]
    )
    recall = pd.concat(
        [_recall("train", own, train.classes), _recall("test", verdict.found, train.classes)]
    )
    own_signature = _own_signature(model, test, steps, symbols)
    signatures = _compared(model.signature, own_signature, train, test)
    shared = _shared(model.signature, own_signature)
    return {
        "accuracy": accuracy,
        "recall": recall,
        "confusion": _confusion(train.classes, true, predicted),
        "predictions": _predictions(prediction, true),
        "calibration": _calibration(model, prediction, test),
        "densities": _densities(model, *(_whole(each) for each in (train, test))),
        "signatures": signatures,
        "verdicts": _verdicts(name, (train, test), verdict, shared, prediction),
    }


def _whole(cohort: DataSet) -> DataSet:
    return filled(cohort) if cohort.missing else cohort


def _cross_validated(
    train: DataSet, steps: Mapping[str, Any]
) -> tuple[Performance | None, np.ndarray]:
    """Return what as many folds as the smallest class allows find, and the claims."""
    units = train.samples if train.groups is None else train.groups
    smallest = min(len(np.unique(units[train.labels == label])) for label in train.classes)
    if smallest < 2:
        return None, np.empty(0)
    found = cross_validate(train, steps, min(_FOLDS, smallest))
    columns = [name for name in found.predictions if name.startswith(LOG_POSTERIOR)]
    return found.performance(), _claims(np.exp(found.predictions[columns].to_numpy()))


def _probabilities(model: TrainedModel, prediction: Prediction) -> np.ndarray:
    return prediction.table[[f"probability.{label}" for label in model.classes]].to_numpy()


def _claims(probabilities: np.ndarray) -> np.ndarray:
    """Return the probability of each sample's predicted class."""
    return probabilities.max(axis=1)


def _accuracy(cohort: str, found: Performance | None, claims: np.ndarray) -> dict[str, Any]:
    claimed = claims.mean() if len(claims) else np.nan
    if found is None:
        none = dict.fromkeys(("value", "lower", "upper", "majority"), np.nan)
        return {"cohort": cohort, "right": 0, "n": 0, **none, "claimed": claimed}
    n = sum(row.samples for row in found.classes)
    return {"cohort": cohort, **_counted(found.accuracy, n),
            "majority": found.majority, "claimed": claimed}  # fmt: skip


def _recall(cohort: str, found: Performance | None, classes: np.ndarray) -> pd.DataFrame:
    rows = [] if found is None else found.classes
    return pd.DataFrame(
        {"cohort": cohort, "class": str(classes[row.code]), **_counted(row.recall, row.samples)}
        for row in rows
    )


def _counted(share: Estimate, n: int) -> dict[str, Any]:
    """Return a share with its interval, and how many of ``n`` samples that is."""
    return {"right": round(share.value * n), "n": n, **share._asdict()}


def _confusion(classes: np.ndarray, true: np.ndarray, predicted: np.ndarray) -> pd.DataFrame:
    rows = [
        (str(one), str(other), int(((true == one) & (predicted == other)).sum()))
        for one in classes
        for other in classes
    ]
    return pd.DataFrame(rows, columns=["true", "predicted", "count"])


def _predictions(prediction: Prediction, true: np.ndarray) -> pd.DataFrame:
    table = prediction.table.rename(columns={"label": "predicted"})
    table.insert(1, "true", true)
    return table


def _calibration(model: TrainedModel, prediction: Prediction, test: DataSet) -> pd.DataFrame:
    columns = ["bin", "mean_predicted", "observed", "observed_lower", "observed_upper", "count"]
    probabilities = _probabilities(model, prediction)
    if test.n_samples < _ENOUGH or np.isnan(probabilities).any():
        return pd.DataFrame(columns=columns)
    with np.errstate(divide="ignore"):
        logs, classes = np.log(probabilities), np.array(model.classes)
        return calibration_curve(test.labels, logs, classes, groups=test.groups)[columns]


def _densities(model: TrainedModel, train: DataSet, test: DataSet) -> pd.DataFrame:
    """Return densities of the signature's first features, of what the classifier sees of them."""
    columns = ["feature", "symbol", "cohort", "class", "x", "density"]
    first = model.signature[model.signature["rank"] <= _PER_CLASS].sort_values(
        "rank", kind="stable"
    )
    features = first["feature"].drop_duplicates().head(_MOST_DRAWN).tolist()
    if not features:
        return pd.DataFrame(columns=columns)
    rows = pd.Index(train.features).get_indexer(features)
    seen = [_seen(model, cohort)[rows] for cohort in (train, test)]
    both = np.hstack(seen)
    low, high = both.min(axis=1), both.max(axis=1)
    margin = _MARGIN * np.where(high > low, high - low, 1.0)
    grid = np.linspace(low - margin, high + margin, _POINTS, axis=1)
    parts = []
    for cohort, values, labels in zip(
        ("train", "test"), seen, (train.labels, test.labels), strict=True
    ):
        kept = np.isin(labels, _with_two(labels))
        if not kept.any():
            continue
        logs = log_densities(FlexibleNB(), values[:, kept], labels[kept], grid)
        if logs is None:
            continue
        classes = np.unique(labels[kept])
        k, n = len(classes), len(features)
        parts.append(
            pd.DataFrame(
                {
                    "feature": np.tile(np.repeat(features, _POINTS), k),
                    "symbol": np.tile(
                        np.repeat([model.symbols.get(f, "") for f in features], _POINTS), k
                    ),
                    "cohort": cohort,
                    "class": np.repeat(classes, n * _POINTS),
                    "x": np.tile(grid.reshape(-1), k),
                    "density": np.exp(logs).reshape(-1),
                }
            )
        )
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def _with_two(labels: np.ndarray) -> np.ndarray:
    """Return the classes with two samples at least; one has no density."""
    classes, counts = np.unique(labels, return_counts=True)
    return classes[counts > 1]


def _seen(model: TrainedModel, cohort: DataSet) -> np.ndarray:
    """Return what the classifier sees of a cohort, shape (n_features, n_samples)."""
    first: Any = getattr(model.estimator, "steps", [(None, None)])[0][1]
    harmonisers = tuple(kind for kind in HARMONISERS.values() if kind)
    if type(first) in harmonisers:
        return np.asarray(first.transform(cohort.frame())).T
    return cohort.values


def _own_signature(
    model: TrainedModel, test: DataSet, steps: Mapping[str, Any], symbols: Mapping[str, str]
) -> pd.DataFrame | None:
    """Return the signature that the test cohort itself would give; None where there is none."""
    if model.signature.empty or len(test.classes) < 2:
        return None
    return fit_model(test, steps, symbols=symbols).signature


def _compared(
    signature: pd.DataFrame, own: pd.DataFrame | None, train: DataSet, test: DataSet
) -> pd.DataFrame:
    if own is None:
        return pd.DataFrame(columns=VALIDATION_TABLES["signatures"].fixed[5:])
    return compare_signatures(signature, own, train, test)


def _verdicts(
    name: str,
    cohorts: tuple[DataSet, DataSet],
    verdict: CohortVerdict,
    shared: str,
    prediction: Prediction,
) -> pd.DataFrame:
    train, test = cohorts
    found, loss = verdict.found.balanced_accuracy, verdict.loss
    n = sum(row.samples for row in verdict.found.classes)
    right = round(verdict.found.accuracy.value * n)
    beside = (
        f"; {abs(loss.value):.0%} {'less' if loss.value < 0 else 'more'} than cross-validation in "
        f"{train.name}, 95 % interval {loss.lower:+.0%} to {loss.upper:+.0%}"
        if np.isfinite(loss.value)
        else ""
    )
    names = train.classes.astype(str)
    renamed = ", ".join(f"{names[a]} as {names[b]}" for a, b in verdict.exchanged.items())
    what = f" ({renamed})" if renamed else f" ({verdict.reason})" if verdict.reason else ""
    sentence = (
        f"{verdict.level.capitalize()}{what}: {name}, trained on {train.name}, has a balanced "
        f"accuracy of {found.value:.0%} in {test.name} (95 % interval {found.lower:.0%} to "
        f"{found.upper:.0%}, chance {verdict.found.chance:.0%}{beside}; permuted labels: p = "
        f"{verdict.p_value:.2g}); {right} of {n} samples are right.{shared}"
    )
    row = {
        "verdict": verdict.level,
        "sentence": sentence,
        "rule": RULE,
        "features": train.n_features,
        "p_value": verdict.p_value,
        "loss": loss.value,
        "loss_lower": loss.lower,
        "loss_upper": loss.upper,
        "notes": "; ".join(prediction.notes),
    }
    return pd.DataFrame([row])


def _shared(signature: pd.DataFrame, own: pd.DataFrame | None) -> str:
    """Return how many features the test cohort itself would select, for whatever class."""
    if own is None:
        return ""
    chosen = set(signature["feature"])
    shared = len(chosen & set(own["feature"]))
    noun = "feature" if len(chosen) == 1 else "features"
    return f" Of its {len(chosen)} selected {noun} the test cohort itself would select {shared}."


#: How features of two cohorts are taken for the same.
MATCHES = ("feature", "symbol")


def greatest_distances(series: DataSet) -> np.ndarray:
    """Return each feature's greatest Hellinger distance of two classes, shape (n_features,)."""
    classes, codes = np.unique(series.labels, return_inverse=True)
    whole = filled(series) if series.missing else series
    return pair_distances(whole.values, codes, len(classes)).max(axis=0)


def matched(
    train: DataSet,
    test: DataSet,
    by: str = "feature",
    symbols: tuple[Mapping[str, str], Mapping[str, str]] | None = None,
) -> tuple[DataSet, DataSet]:
    """Return two cohorts with the same features in the same order.

    Parameters
    ----------
    train, test : DataSet
    by : {"feature", "symbol"}
        By name; or by gene symbol, where several probes of a gene are one: the probe with the
        greatest distance between classes in training, and in the test cohort the same probe if it
        is there, else the one with the greatest mean. The test cohort's labels decide nothing.
    symbols : pair of mappings, optional
        Feature to symbol of each cohort, needed to match by symbol.

    Returns
    -------
    train, test : DataSet
        Named by feature, or by symbol.

    Raises
    ------
    InputError
        If the cohorts share no feature, or a class of the test cohort is unknown in training.

    Examples
    --------
    >>> one = DataSet("a", np.eye(3), ["x", "y", "z"], ["1", "2", "3"], ["t", "n", "t"])
    >>> two = DataSet("b", np.eye(2), ["z", "x"], ["4", "5"], ["t", "n"])
    >>> [list(each.features) for each in matched(one, two)]
    [[np.str_('x'), np.str_('z')], [np.str_('x'), np.str_('z')]]
    """
    require_choice("match", by, MATCHES)
    unknown = sorted(set(test.classes) - set(train.classes))
    if unknown:
        msg = (
            f"{test.name} has the class {str(unknown[0])!r}, {train.name} has "
            f"{', '.join(map(str, train.classes))}; give both cohorts the same labels"
        )
        raise InputError(msg)
    if by == "feature":
        names, places = np.unique(train.features), pd.Index(test.features)
        shared = names[places.get_indexer(names) >= 0]
        pairs = (shared, pd.Index(train.features).get_indexer(shared), places.get_indexer(shared))
    else:
        if symbols is None or not symbols[0] or not symbols[1]:
            msg = f"{train.name} and {test.name} are to be matched by symbol, but have none"
            raise InputError(f"{msg}; name the platform's annotation, or match by feature")
        pairs = _by_symbol(train, test, *symbols)
    names, first, second = pairs
    if not len(names):
        msg = f"{train.name} and {test.name} share no {by}; are they of one platform?"
        raise InputError(msg)
    return _taken(train, names, first), _taken(test, names, second)


def _by_symbol(
    train: DataSet, test: DataSet, known: Mapping[str, str], in_test: Mapping[str, str]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    best = _one_probe(train, known, greatest_distances(train))
    whole = filled(test) if test.missing else test
    means = _one_probe(test, in_test, whole.values.mean(axis=1))
    place = {feature: i for i, feature in enumerate(test.features)}
    names = np.array(sorted(best.keys() & means.keys()), dtype=str)
    first = np.array([best[name] for name in names], dtype=int)
    second = [
        place[train.features[i]]
        if in_test.get(train.features[i]) == name and train.features[i] in place
        else means[name]
        for name, i in zip(names, first, strict=True)
    ]
    return names, first, np.array(second, dtype=int)


def _one_probe(series: DataSet, symbols: Mapping[str, str], weights: np.ndarray) -> dict[str, int]:
    """Return the position of each gene's probe with the greatest weight, the first among equals."""
    chosen: dict[str, int] = {}
    for i, feature in enumerate(series.features):
        gene = symbols.get(feature, "")
        if gene and (gene not in chosen or weights[i] > weights[chosen[gene]]):
            chosen[gene] = i
    return chosen


def _taken(series: DataSet, names: np.ndarray, places: np.ndarray) -> DataSet:
    return DataSet(
        series.name,
        series.values[places],
        names,
        series.samples,
        series.labels,
        series.kinds[places],
        series.groups,
        missing=series.missing,
    )


def compare_signatures(
    first: pd.DataFrame, second: pd.DataFrame, train: DataSet, test: DataSet
) -> pd.DataFrame:
    """Return how far two cohorts' signatures agree, class by class.

    Parameters
    ----------
    first, second : DataFrame
        Signatures fitted on either cohort, see `signature_table`.
    train, test : DataSet
        The cohorts, with the same features (`matched`).

    Returns
    -------
    DataFrame
        One row per class: ``class``, ``size_first``, ``size_second``, ``shared``, ``expected``
        (features shared by chance), ``p`` (of at least so many, hypergeometric),
        ``same_direction`` (of the shared ones), ``rank_correlation`` (Spearman's, of all
        features' greatest distances between classes in either cohort; it is the same for all
        classes).
    """
    rho = spearmanr(greatest_distances(train), greatest_distances(test)).statistic
    rows = []
    for label in dict.fromkeys([*first["class"], *second["class"]]):
        one = _directions(first, label)
        two = _directions(second, label)
        shared = one.index.intersection(two.index)
        n, k, m = train.n_features, len(one), len(two)
        rows.append(
            {
                "class": label,
                "size_first": k,
                "size_second": m,
                "shared": len(shared),
                "expected": k * m / n,
                "p": float(hypergeom.sf(len(shared) - 1, n, k, m)),
                "same_direction": int((one[shared] == two[shared]).sum()),
                "rank_correlation": float(rho),
            }
        )
    return pd.DataFrame(rows)


def _directions(signature: pd.DataFrame, label: str) -> pd.Series:
    rows = signature[signature["class"] == label]
    return rows.set_index("feature")["direction"]
