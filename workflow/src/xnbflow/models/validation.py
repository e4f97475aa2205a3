"""Test of a model of one cohort on another: performance, samples and verdict."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.errors import require_choice
from xnbflow.core.progress import track
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.shared_samples import matched_patients, shared_samples
from xnbflow.evaluation.fitting import filled
from xnbflow.evaluation.keyed_tables import LOG_POSTERIOR
from xnbflow.evaluation.methods import resolved, unlabelled
from xnbflow.inference.calibration import calibration_curve
from xnbflow.inference.estimates import Performance
from xnbflow.inference.second_cohort import CohortVerdict, cohort_verdict
from xnbflow.models.matching import matched, refuse_other_classes, with_labels_of
from xnbflow.models.prediction import predict_table
from xnbflow.models.prediction_notes import has_training_unit
from xnbflow.models.reading import symbols_of
from xnbflow.models.signature_overlap import PAIR_COLUMNS, compare_signatures
from xnbflow.models.trained import TrainedModel, cross_validate, fit_model
from xnbflow.naive_bayes.flexible_nb import FlexibleNB
from xnbflow.preprocessing.normalisation import (
    QuantileNormalizer,
    SampleRanks,
    SampleStandardizer,
)
from xnbflow.studies.densities import log_densities
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import table_of

#: The strategy of a test of a study's model in a second cohort.
SECOND_COHORT = "second cohort"
#: Steps that harmonise each sample; as part of the model they are fitted to training samples.
HARMONISERS = {
    "none": None,
    "zscore": SampleStandardizer,
    "rank": SampleRanks,
    "quantile": QuantileNormalizer,
}

#: Folds of the cross-validation of the first cohort; fewer where a class is smaller.
_MOST_FOLDS = 10
#: Minimum number of test samples for calibration.
_FEWEST_CALIBRATED = 30
#: Best features of each class of which densities are drawn.
_DRAWN_PER_CLASS = 4
#: Features of which densities are drawn.
_MOST_DRAWN = 12
#: Points of a curve of a density.
_POINTS = 96
#: Part of the range of a feature that its curve continues beyond the values.
_MARGIN = 0.08


@dataclass(frozen=True)
class _CohortPerformance:
    """The performance in one cohort, ``train`` or ``test``; None if it cannot be measured.

    ``claims`` (n_samples,) are the probabilities of the predicted classes.
    """

    cohort: str
    performance: Performance | None
    claims: np.ndarray


def harmonised(entry: Mapping[str, Any], harmonise: str) -> dict[str, Any]:
    """Return a classifier's configuration with a harmonisation of samples as its first step.

    Examples
    --------
    >>> harmonised({"method": "csnb"}, "rank")["steps"][1]
    {'method': 'csnb'}
    """
    require_choice("harmonise", harmonise, tuple(HARMONISERS))
    classifier = unlabelled(entry)
    step = HARMONISERS[harmonise]
    if step is None:
        return classifier
    first = {"method": f"{step.__module__}.{step.__qualname__}"}
    return {"steps": [first, *classifier.get("steps", [classifier])]}


def validate_all(
    series: Mapping[str, DataSet],
    entries: Mapping[str, Mapping[str, Mapping[str, Any]]],
    pairs: Sequence[Mapping[str, Any]],
) -> dict[str, pd.DataFrame]:
    """Test models on second cohorts, and return the tables of all; see `validate`.

    ``entries`` are the classifiers' configurations by the id of the cohort to train on and by their
    own; each of ``pairs`` has ``model``, ``train``, ``test``, ``match`` and ``harmonise``.
    """
    # A label that the model cannot predict is refused before the first model is fitted.
    for pair in pairs:
        train = series[pair["train"]]
        refuse_other_classes(train, with_labels_of(train, series[pair["test"]])[0])
    parts: dict[str, list[pd.DataFrame]] = {}
    for pair in track(pairs, "pairs of cohorts"):
        tables = validate(
            series[pair["train"]],
            series[pair["test"]],
            entries[pair["train"]][pair["model"]],
            match=pair["match"],
            harmonise=pair["harmonise"],
        )
        for name, table in tables.items():
            of_pairs = parts.setdefault(name, [])
            if len(table):
                of_pairs.append(table.assign(**{key: pair[key] for key in PAIR_COLUMNS}))
    return {name: _concatenate(tables, name) for name, tables in parts.items()}


def _concatenate(tables: list[pd.DataFrame], name: str) -> pd.DataFrame:
    """Return the rows of all pairs, with the types that the contract declares for the table."""
    schema = GROUPS["cohorts"].tables[name]
    if not tables:
        return pd.DataFrame(columns=schema.fixed)
    dtype_of_type = {"integer": int, "boolean": bool, "number": float}
    dtypes = {}
    for column in schema.fixed:
        dtype = dtype_of_type.get(schema.columns[column].type)
        if dtype is not None:
            dtypes[column] = dtype
    return pd.concat(tables, ignore_index=True).astype(dtypes)


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
    samples. Labels of the test cohort are spelled as those of the first.

    ``match`` is as for `common_features`, ``harmonise`` one of `HARMONISERS`. The results are the
    tables of the group ``cohorts`` on a second cohort, without the columns that name the pair.
    """
    test, label_notes = with_labels_of(train, test)
    train, test = matched(train, test, match)
    symbols = symbols_of(train)
    classes = train.classes
    steps = resolved(harmonised(entry, harmonise))
    model = fit_model(train, steps, symbols=symbols)
    missing = "impute" if test.missing else "error"
    prediction = predict_table(model, test.frame(), missing)
    columns = [f"probability.{label}" for label in classes]
    probabilities = prediction.table[columns].to_numpy()
    predicted = prediction.table["label"].to_numpy()
    performance, claims = cross_validated(train, steps)
    verdict = _validation_verdict(
        train,
        test,
        performance,
        predicted=predicted,
        probabilities=probabilities,
        # Ranks and z-scores of a sample have no unit.
        is_same_scale=harmonise != "none" or has_training_unit(model, test.frame()),
    )
    row = verdict.columns(classes) | {"strategy": SECOND_COHORT, "features": train.n_features}
    row["notes"] = "; ".join([*label_notes, *prediction.notes])
    cohorts = [
        _CohortPerformance("train", performance, claims),
        _CohortPerformance("test", verdict.measured, probabilities.max(axis=1)),
    ]
    accuracies = [_accuracy_row(cohort) for cohort in cohorts]
    for cohort in cohorts:
        accuracies += _recall_rows(cohort, classes)
    return {
        "accuracy": _table(accuracies, "accuracy"),
        "predictions": _prediction_rows(prediction.table, test.labels),
        "calibration": _calibration_table(probabilities, classes, test),
        "densities": _density_table(model, filled(train), filled(test)),
        "signatures": _compared_signatures(model, train, test, steps),
        "cohort_tests": _table([row], "cohort_tests"),
    }


def _table(rows: Iterable[Mapping[str, Any]], name: str) -> pd.DataFrame:
    """Return rows as a table without the columns that name the pair of cohorts."""
    return table_of(rows, GROUPS["cohorts"].tables[name], without=PAIR_COLUMNS)


def _validation_verdict(
    train: DataSet,
    test: DataSet,
    performance: Performance | None,
    *,
    predicted: np.ndarray,
    probabilities: np.ndarray,
    is_same_scale: bool,
) -> CohortVerdict:
    """Return the verdict on predictions of the second cohort.

    ``performance`` is that of cross-validation in the first, ``probabilities`` have shape
    (n_samples, n_classes), and ``is_same_scale`` is that of `cohort_verdict`.
    """
    classes = train.classes
    train_values = filled(train).values
    test_values = filled(test).values
    shared = shared_samples(train_values, test_values, (train.samples, test.samples))
    with np.errstate(divide="ignore"):
        scores = np.log(probabilities)
    return cohort_verdict(
        performance,
        np.searchsorted(classes, test.labels),
        np.searchsorted(classes, predicted),
        len(classes),
        groups=test.groups,
        scores=scores,
        shared=shared["second"].nunique(),
        patients=matched_patients(train_values, test_values, (train.labels, test.labels)),
        is_same_scale=is_same_scale,
    )


def cross_validated(
    train: DataSet, steps: Mapping[str, Any]
) -> tuple[Performance | None, np.ndarray]:
    """Return a cross-validation with as many folds as the smallest class permits.

    There are at most ten folds; without any, where a class has one sample, there is no performance.
    ``steps`` are a classifier's configuration. The second result are the probabilities of the
    predicted classes.
    """
    units = train.samples if train.groups is None else train.groups
    smallest = min(len(np.unique(units[train.labels == label])) for label in train.classes)
    if smallest < 2:
        return None, np.empty(0)
    validation = cross_validate(train, steps, min(_MOST_FOLDS, smallest))
    log_posterior = validation.predictions.filter(regex=f"^{LOG_POSTERIOR}").to_numpy()
    return validation.performance(), np.exp(log_posterior).max(axis=1)


def _accuracy_row(cohort: _CohortPerformance) -> dict[str, Any]:
    """Return the row of the table ``accuracy`` of all classes."""
    row = {"cohort": cohort.cohort, "class": "", "right": 0, "n": 0}
    row |= dict.fromkeys(("value", "lower", "upper", "majority"), np.nan)
    row["mean_probability"] = cohort.claims.mean() if len(cohort.claims) else np.nan
    performance = cohort.performance
    if performance is None:
        return row
    n = sum(one_class.n_samples for one_class in performance.classes)
    row |= {"right": round(performance.accuracy.value * n), "n": n}
    row |= performance.accuracy._asdict()
    row["majority"] = performance.majority
    return row


def _recall_rows(cohort: _CohortPerformance, classes: np.ndarray) -> list[dict[str, Any]]:
    """Return the rows of the table ``accuracy`` with recalls, one for each class."""
    if cohort.performance is None:
        return []
    rows = []
    for one_class in cohort.performance.classes:
        row = {
            "cohort": cohort.cohort,
            "class": str(classes[one_class.code]),
            "right": round(one_class.recall.value * one_class.n_samples),
            "n": one_class.n_samples,
            "majority": np.nan,
            "mean_probability": np.nan,
        }
        rows.append(row | one_class.recall._asdict())
    return rows


def _prediction_rows(table: pd.DataFrame, labels: np.ndarray) -> pd.DataFrame:
    """Return the table ``predictions`` of a table of `predict_table` and the true labels."""
    predictions = table.rename(columns={"label": "predicted"})
    predictions.insert(1, "true", labels)
    if "set" not in predictions:
        predictions = predictions.assign(set="", set_level=np.nan)
    return predictions


def _calibration_table(
    probabilities: np.ndarray, classes: np.ndarray, test: DataSet
) -> pd.DataFrame:
    """Return the table ``calibration``, without rows for few samples or no probabilities."""
    empty = _table([], "calibration")
    if test.n_samples < _FEWEST_CALIBRATED or np.isnan(probabilities).any():
        return empty
    with np.errstate(divide="ignore"):
        log_posterior = np.log(probabilities)
    curve = calibration_curve(test.labels, log_posterior, classes, groups=test.groups)
    return curve[list(empty)]


def _compared_signatures(
    model: TrainedModel, train: DataSet, test: DataSet, steps: Mapping[str, Any]
) -> pd.DataFrame:
    """Return the table ``signatures``: the model's against one of the test cohort itself."""
    if model.signature.empty or len(test.classes) < 2:
        return _table([], "signatures")
    of_test = fit_model(test, steps, symbols=symbols_of(train)).signature
    return compare_signatures(model.signature, of_test, train, test)


def _density_table(model: TrainedModel, train: DataSet, test: DataSet) -> pd.DataFrame:
    """Return densities of the signature's first features after the steps before the classifier."""
    first = model.signature[model.signature["rank"] <= _DRAWN_PER_CLASS]
    ordered = first.sort_values("rank", kind="stable")["feature"].drop_duplicates()
    features = ordered.head(_MOST_DRAWN).tolist()
    empty = _table([], "densities")
    if not features:
        return empty
    rows = pd.Index(train.features).get_indexer(features)
    train_values = as_seen(model, train)[rows]
    test_values = as_seen(model, test)[rows]
    grid = _density_grid(np.hstack([train_values, test_values]))
    tables = []
    for cohort, values, labels in (
        ("train", train_values, train.labels),
        ("test", test_values, test.labels),
    ):
        table = _density_rows(values, labels, grid, features)
        if table is not None:
            symbols = [model.symbols.get(feature, "") for feature in table["feature"]]
            table.insert(3, "symbol", symbols)
            tables.append(table.assign(cohort=cohort))
    return pd.concat(tables, ignore_index=True) if tables else empty


def _density_grid(values: np.ndarray) -> np.ndarray:
    """Return points around the values of each feature, (n_features, n_points)."""
    low = values.min(axis=1)
    high = values.max(axis=1)
    margin = _MARGIN * np.where(high > low, high - low, 1.0)
    return np.linspace(low - margin, high + margin, _POINTS, axis=1)


def _density_rows(
    values: np.ndarray, labels: np.ndarray, grid: np.ndarray, features: list[str]
) -> pd.DataFrame | None:
    """Return the densities of classes with at least two samples; None without any."""
    classes, counts = np.unique(labels, return_counts=True)
    classes = classes[counts > 1]  # one sample has no density
    in_classes = np.isin(labels, classes)
    if not in_classes.any():
        return None
    logs = log_densities(FlexibleNB(), values[:, in_classes], labels[in_classes], grid)
    if logs is None:
        return None
    index = pd.MultiIndex.from_product([classes, features, range(_POINTS)])
    rows = index.to_frame(index=False, name=["class", "feature", "x"])
    rows["x"] = np.tile(grid.ravel(), len(classes))
    rows["density"] = np.exp(logs).ravel()
    return rows


def as_seen(model: TrainedModel, cohort: DataSet) -> np.ndarray:
    """Return a cohort after harmonisation, the classifier's input: (n_features, n_samples)."""
    first: Any = getattr(model.estimator, "steps", [(None, None)])[0][1]
    if type(first) in HARMONISERS.values():
        return np.asarray(first.transform(cohort.frame())).T
    return cohort.values
