"""Test of a model of one cohort on another: performance, samples and verdict."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.errors import require_choice
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.likeness import matched_patients, shared_samples
from xnbflow.evaluation.fitting import filled, frame_for
from xnbflow.evaluation.keyed_tables import LOG_POSTERIOR
from xnbflow.evaluation.methods import resolved, unlabelled
from xnbflow.inference.calibration import calibration_curve
from xnbflow.inference.estimates import Performance
from xnbflow.inference.second_cohort import cohort_verdict
from xnbflow.models.matching import matched
from xnbflow.models.prediction import predict_table
from xnbflow.models.reading import symbols_of
from xnbflow.models.signature_overlap import compare_signatures
from xnbflow.models.trained import TrainedModel, cross_validate, fit_model
from xnbflow.naive_bayes.flexible_nb import FlexibleNB
from xnbflow.preprocessing.normalisation import (
    QuantileNormalizer,
    SampleRanks,
    SampleStandardizer,
)
from xnbflow.studies.densities import log_densities
from xnbflow.tables.contract import VALIDATION_TABLES
from xnbflow.tables.storage import table_of

#: Steps that harmonise each sample; as part of the model they are fitted to training samples.
HARMONISERS = {
    "none": None,
    "zscore": SampleStandardizer,
    "rank": SampleRanks,
    "quantile": QuantileNormalizer,
}

#: The columns that name a pair of cohorts.
_PAIR = ("model", "train", "test", "match", "harmonise")
#: Folds of the cross-validation beside it; fewer where a class is smaller.
_FOLDS = 10
#: Minimum number of test samples for calibration.
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
    step, own = HARMONISERS[harmonise], unlabelled(entry)
    if step is None:
        return own
    first = {"method": f"{step.__module__}.{step.__qualname__}"}
    return {"steps": [first, *own.get("steps", [own])]}


def validate_all(
    series: Mapping[str, DataSet],
    entries: Mapping[str, Mapping[str, Mapping[str, Any]]],
    pairs: Sequence[Mapping[str, Any]],
) -> dict[str, pd.DataFrame]:
    """Test models on second cohorts, and return the tables (`VALIDATION_TABLES`) of all.

    ``entries`` are the classifiers' configurations by the id of the cohort to train on and by their
    own; each of ``pairs`` has ``model``, ``train``, ``test``, ``match`` and ``harmonise``.
    """
    parts: dict[str, list[pd.DataFrame]] = {name: [] for name in VALIDATION_TABLES}
    for pair in pairs:
        how = {key: pair[key] for key in ("match", "harmonise")}
        cohorts = (series[pair["train"]], series[pair["test"]])
        found = validate(*cohorts, entries[pair["train"]][pair["model"]], **how)
        for name, table in found.items():
            if len(table):
                parts[name].append(table.assign(**{key: pair[key] for key in _PAIR}))
    return {name: _joined(tables, name) for name, tables in parts.items()}


def _joined(tables: list[pd.DataFrame], name: str) -> pd.DataFrame:
    declared = VALIDATION_TABLES[name]
    if not tables:
        return pd.DataFrame(columns=declared.fixed)
    kinds = {"integer": int, "boolean": bool, "number": float}
    types = {key: kinds.get(declared.columns[key].type) for key in declared.fixed}
    whole = pd.concat(tables, ignore_index=True)
    return whole.astype({key: kind for key, kind in types.items() if kind})


def validate(
    train: DataSet,
    test: DataSet,
    entry: Mapping[str, Any],
    *,
    match: str = "feature",
    harmonise: str = "none",
) -> dict[str, pd.DataFrame]:
    """Fit a classifier on one cohort and test it on another.

    Features that only one cohort has are left out, also in the cross-validation. The model does not
    use the test cohort. Its labels are used to count errors, and for the signature of its own
    samples.

    ``match`` is as for `common_features`, ``harmonise`` one of `HARMONISERS`. The results are the
    tables `VALIDATION_TABLES`, without the columns that name the pair.
    """
    train, test = matched(train, test, match)
    symbols = symbols_of(train)
    steps, classes = resolved(harmonised(entry, harmonise)), train.classes
    model = fit_model(train, steps, symbols=symbols)
    tested = frame_for(model.estimator, test)
    prediction = predict_table(model, tested, "impute" if test.missing else "error")
    probabilities = prediction.table[[f"probability.{label}" for label in classes]].to_numpy()
    predictions = prediction.table.rename(columns={"label": "predicted"})
    predictions.insert(1, "true", test.labels)
    if "set" not in predictions:
        predictions = predictions.assign(set="", set_level=np.nan)
    predicted = predictions["predicted"].to_numpy()
    own, own_claims = cross_validated(train, steps)
    whole = (filled(train), filled(test))
    same = shared_samples(whole[0].values, whole[1].values, (train.samples, test.samples))
    with np.errstate(divide="ignore"):
        scores = np.log(probabilities)
    codes, answers = (np.searchsorted(classes, each) for each in (test.labels, predicted))
    verdict = cohort_verdict(
        own, codes, answers, len(classes), test.groups,
        scores=scores, shared=same["second"].nunique(),
        patients=matched_patients(
            whole[0].values, whole[1].values, (train.labels, test.labels)
        ),
    )  # fmt: skip
    signatures = _table([], "signatures")
    if len(model.signature) and len(test.classes) > 1:
        other = fit_model(test, steps, symbols=symbols).signature
        signatures = compare_signatures(model.signature, other, train, test)
    pairs = pd.crosstab(test.labels, predicted).reindex(
        index=classes, columns=classes, fill_value=0
    )
    row = verdict.columns(classes) | {"features": train.n_features}
    row["notes"] = "; ".join(prediction.notes)
    both = (("train", own, own_claims), ("test", verdict.measured, probabilities.max(axis=1)))
    return {
        "accuracy": _table([_accuracy(*each) for each in both], "accuracy"),
        "recall": _table([row for each in both for row in _recall(*each[:2], classes)], "recall"),
        "confusion": pd.DataFrame(
            {
                "true": np.repeat(classes, len(classes)),
                "predicted": np.tile(classes, len(classes)),
                "count": pairs.to_numpy().ravel(),
            }
        ),
        "predictions": predictions,
        "calibration": _calibration(probabilities, classes, test),
        "densities": _densities(model, *whole),
        "signatures": signatures,
        "verdicts": _table([row], "verdicts"),
    }


def _table(rows: Iterable[Mapping[str, Any]], name: str) -> pd.DataFrame:
    """Return rows as a table without the columns that name the pair of cohorts."""
    return table_of(rows, VALIDATION_TABLES[name], without=_PAIR)


def cross_validated(
    train: DataSet, steps: Mapping[str, Any]
) -> tuple[Performance | None, np.ndarray]:
    """Return a cross-validation with as many folds as the smallest class permits.

    There are at most ten folds; without any, where a class has one sample, there is no performance.
    ``steps`` are a classifier's configuration.
    """
    units = train.samples if train.groups is None else train.groups
    smallest = min(len(np.unique(units[train.labels == label])) for label in train.classes)
    if smallest < 2:
        return None, np.empty(0)
    found = cross_validate(train, steps, min(_FOLDS, smallest))
    logs = found.predictions.filter(regex=f"^{LOG_POSTERIOR}")
    return found.performance(), np.exp(logs.to_numpy()).max(axis=1)


def _accuracy(cohort: str, found: Performance | None, claims: np.ndarray) -> dict[str, Any]:
    row = {"cohort": cohort, "right": 0, "n": 0}
    row |= dict.fromkeys(("value", "lower", "upper", "majority"), np.nan)
    if found is not None:
        n = sum(each.samples for each in found.classes)
        row |= {"right": round(found.accuracy.value * n), "n": n, **found.accuracy._asdict()}
        row["majority"] = found.majority
    return row | {"mean_probability": claims.mean() if len(claims) else np.nan}


def _recall(cohort: str, found: Performance | None, classes: np.ndarray) -> list[dict[str, Any]]:
    return [
        {
            "cohort": cohort,
            "class": str(classes[row.code]),
            "right": round(row.recall.value * row.samples),
            "n": row.samples,
            **row.recall._asdict(),
        }
        for row in (found.classes if found else ())
    ]


def _calibration(probabilities: np.ndarray, classes: np.ndarray, test: DataSet) -> pd.DataFrame:
    empty = _table([], "calibration")
    if test.n_samples < _ENOUGH or np.isnan(probabilities).any():
        return empty
    with np.errstate(divide="ignore"):
        logs = np.log(probabilities)
    return calibration_curve(test.labels, logs, classes, groups=test.groups)[list(empty)]


def _densities(model: TrainedModel, train: DataSet, test: DataSet) -> pd.DataFrame:
    """Return densities of the signature's first features after the steps before the classifier."""
    parts = [_table([], "densities")]
    first = model.signature[model.signature["rank"] <= _PER_CLASS]
    first = first.sort_values("rank", kind="stable")["feature"]
    features = first.drop_duplicates().head(_MOST_DRAWN).tolist()
    if not features:
        return parts[0]
    rows = pd.Index(train.features).get_indexer(features)
    seen = [as_seen(model, cohort)[rows] for cohort in (train, test)]
    both = np.hstack(seen)
    low, high = both.min(axis=1), both.max(axis=1)
    margin = _MARGIN * np.where(high > low, high - low, 1.0)
    grid = np.linspace(low - margin, high + margin, _POINTS, axis=1)
    for cohort, values, labels in zip(
        ("train", "test"), seen, (train.labels, test.labels), strict=True
    ):
        classes, counts = np.unique(labels, return_counts=True)
        classes = classes[counts > 1]  # one sample has no density
        kept = np.isin(labels, classes)
        if not kept.any():
            continue
        logs = log_densities(FlexibleNB(), values[:, kept], labels[kept], grid)
        if logs is None:
            continue
        points = pd.MultiIndex.from_product([classes, features, range(_POINTS)])
        part = points.to_frame(index=False, name=["class", "feature", "x"])
        part["symbol"] = [model.symbols.get(feature, "") for feature in part["feature"]]
        part["x"], part["density"] = np.tile(grid.ravel(), len(classes)), np.exp(logs).ravel()
        parts.append(part.assign(cohort=cohort))
    return pd.concat(parts[1:], ignore_index=True) if parts[1:] else parts[0]


def as_seen(model: TrainedModel, cohort: DataSet) -> np.ndarray:
    """Return a cohort after harmonisation, the classifier's input: (n_features, n_samples)."""
    first: Any = getattr(model.estimator, "steps", [(None, None)])[0][1]
    if type(first) in HARMONISERS.values():
        return np.asarray(first.transform(cohort.frame())).T
    return cohort.values
