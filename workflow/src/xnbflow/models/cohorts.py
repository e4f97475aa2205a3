"""Several series of one question: each left out in turn, all pairs, and one model of all."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import scipy  # scipy.stats, half a second, is imported where it is used

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted, listed
from xnbflow.core.progress import track
from xnbflow.core.study import Design
from xnbflow.data.dataset import DataSet
from xnbflow.data.read_counts import with_log_counts
from xnbflow.diagnostics.shared_samples import matched_patients, shared_samples
from xnbflow.evaluation.fitting import filled
from xnbflow.evaluation.methods import resolved
from xnbflow.inference.estimates import Performance
from xnbflow.inference.intervals import inflation_of
from xnbflow.inference.meta_analysis import meta_genes
from xnbflow.inference.second_cohort import cohort_verdict, recall_columns
from xnbflow.models.matching import common_features, with_labels_of
from xnbflow.models.prediction import predict_table
from xnbflow.models.reading import symbols_of
from xnbflow.models.signature import class_spread
from xnbflow.models.trained import CrossValidation, TrainedModel, fit_model
from xnbflow.models.validation import as_seen, cross_validated, harmonised
from xnbflow.sources.series.scale_recognition import recognise_scale
from xnbflow.sources.series.value_numbers import measure_values
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import table_of

#: Columns of `cohort_tests` that are the same in every row; `combine` adds them.
_SETTINGS = ("model", "match", "harmonise")
#: Least rank correlation of features' means between series on one scale, of any two platforms.
_LEAST_CORRELATION = 0.5


@dataclass(frozen=True, kw_only=True)
class _FittedSeries:
    """A model of one or more series with its cross-validation, or the reason for its absence.

    ``series`` are the samples of all ``members``, which are names of series.
    """

    series: DataSet
    members: list[str]
    model: TrainedModel | None = None
    validated: Performance | None = None
    problem: str = ""


@dataclass(frozen=True)
class PredictedClasses:
    """Labels (n_samples,) and probabilities (n_samples, n_classes) of a test series.

    If there are none, ``problem`` is the reason.
    """

    labels: np.ndarray
    probabilities: np.ndarray
    problem: str = ""

    @classmethod
    def without(cls, problem: str) -> "PredictedClasses":
        """Return no predictions, with the reason."""
        return cls(np.empty(0, dtype=str), np.empty((0, 0)), problem)


def combine(
    series: Sequence[DataSet],
    entry: Mapping[str, Any],
    *,
    match: str = "feature",
    harmonise: str = "rank",
    name: str = "the model",
    designs: Mapping[str, Design] | None = None,
) -> tuple[dict[str, pd.DataFrame], TrainedModel, DataSet]:
    """Train on some series and test on the others, compare their genes, and fit a model of all.

    Features that not all series have are left out, and samples that two series share are left out
    of the larger one: every sample counts once. Every series is tested by models of each other
    one, by the model of all others merged, and by the mean of the probabilities of the others'
    models, which is compared with cross-validation of the merged one. ``match`` and ``harmonise``
    are as for `xnbflow.models.validation.validate`, and ``name`` is the id of the classifier.
    ``designs`` of the series by name are those by which their genes are compared.

    The results are the tables of the group ``cohorts`` on several series, the model of all series,
    with figures from leaving each series out, and all samples as input of the model.

    References
    ----------
    C. Bernau and others, "Cross-study validation for the assessment of prediction algorithms",
    Bioinformatics 30 (2014), i105-i112. P. Patil and G. Parmigiani, "Training replicable predictors
    in multiple studies", PNAS 115 (2018), 2578-2583.
    """
    series, label_notes = _with_common_labels(series)
    _refuse_incomparable(series)
    cohorts = common_features(series, match)
    masks, notes = _masks_of_distinct_samples(cohorts)
    series = [_select_samples(one, mask) for one, mask in zip(series, masks, strict=True)]
    cohorts = [_select_samples(cohort, mask) for cohort, mask in zip(cohorts, masks, strict=True)]
    _refuse_incomparable(series)  # a class may be among the samples that were left out
    symbols = symbols_of(cohorts[0])
    steps = resolved(harmonised(entry, harmonise))
    merged = _merge_series(cohorts)
    tests, validation = _cross_cohort_tests(cohorts, steps)
    tables = {
        "cohort_series": _describe_series(
            series, cohorts, {name: label_notes[name] + notes[name] for name in notes}, match
        ),
        "cohort_tests": tests.assign(model=name, match=match, harmonise=harmonise),
        "meta_genes": meta_genes(cohorts, symbols, designs),
    }
    model = fit_model(merged, steps, validation, symbols=symbols)
    harmonised_samples = replace(merged, values=as_seen(model, merged))
    _describe_signature(model.signature, harmonised_samples)
    return tables, model, harmonised_samples


def _describe_signature(signature: pd.DataFrame, samples: DataSet) -> None:
    """Replace directions and quartiles of a signature by numbers of harmonised samples.

    Series have different scales, so that the medians of raw values over all series do not compare
    classes.
    """
    values = dict(zip(samples.features, filled(samples).values, strict=True))
    spreads = []
    for feature, label in zip(signature["feature"], signature["class"], strict=True):
        spreads.append(class_spread(values[feature], samples.labels, label))
    for name, column in pd.DataFrame(spreads, index=signature.index).items():
        signature[name] = column


def _merge_series(cohorts: Sequence[DataSet]) -> DataSet:
    """Return the samples of several series as one; they are named ``series/sample``, as groups.

    Where some of the series have groups, a sample of the others is a group of its own.
    """
    samples: list[str] = []
    groups: list[str] = []
    for cohort in cohorts:
        cohort_groups = cohort.samples if cohort.groups is None else cohort.groups
        samples += [f"{cohort.name}/{sample}" for sample in cohort.samples]
        groups += [f"{cohort.name}/{group}" for group in cohort_groups]
    has_groups = any(cohort.groups is not None for cohort in cohorts)
    return DataSet(
        "+".join(cohort.name for cohort in cohorts),
        np.hstack([cohort.values for cohort in cohorts]),
        features=cohorts[0].features,
        samples=samples,
        labels=np.concatenate([cohort.labels for cohort in cohorts]),
        groups=groups if has_groups else None,
        missing=any(cohort.missing for cohort in cohorts),
    )


def _with_common_labels(
    series: Sequence[DataSet],
) -> tuple[list[DataSet], dict[str, list[str]]]:
    """Return series with labels spelled as those of the first one, and notes by series."""
    first = series[0]
    renamed = [first]
    notes: dict[str, list[str]] = {first.name: []}
    for other in series[1:]:
        spelled, notes[other.name] = with_labels_of(first, other)
        renamed.append(spelled)
    return renamed, notes


def _refuse_incomparable(series: Sequence[DataSet]) -> None:
    """Refuse series of which none has all classes, and features that are not numbers."""
    classes: set[str] = set()
    for one in series:
        classes.update(map(str, one.classes))
        if (one.kinds != "linear").any():
            msg = f"{one.name} has features that are not measurements; cohorts compare expression"
            raise InputError(msg)
    if not any(len(one.classes) == len(classes) > 1 for one in series):
        labels = "; ".join(f"{one.name}: {', '.join(one.classes)}" for one in series)
        msg = (
            f"no series has two classes and all classes of the others ({labels}); give classes the "
            "same labels in all series, for example by map"
        )
        raise InputError(msg, key="map")


def _masks_of_distinct_samples(
    cohorts: Sequence[DataSet],
) -> tuple[list[np.ndarray], dict[str, list[str]]]:
    """Return masks of samples of which none is in two series, and notes by series.

    Models and effects of series that share samples are not independent of each other, nor are tests
    of the one by models of the other. The larger one of two series loses the shared samples and
    their groups (patients); if both are equally large, the later one does.
    """
    masks = [np.ones(cohort.n_samples, bool) for cohort in cohorts]
    notes: dict[str, list[str]] = {cohort.name: [] for cohort in cohorts}
    values = [filled(cohort).values for cohort in cohorts]
    for i, j in itertools.combinations(range(len(cohorts)), 2):
        first, second = cohorts[i], cohorts[j]
        pairs = shared_samples(values[i], values[j], (first.samples, second.samples))
        if pairs.empty:
            continue
        if first.n_samples > second.n_samples:
            loser = i
            names = pairs["first"]
            other = second
        else:
            loser = j
            names = pairs["second"]
            other = first
        series = cohorts[loser]
        lost = np.isin(series.samples, names.to_numpy(str))
        # a patient whose sample is in the other series is left out with all samples
        if series.groups is not None:
            lost = np.isin(series.groups, series.groups[lost])
        masks[loser] &= ~lost
        notes[series.name].append(
            f"{counted(int(lost.sum()), 'sample', 'is', 'are')} left out here, as "
            f"{other.name} has the same ones or the same patients: "
            f"{listed(list(series.samples[lost]))}"
        )
        first_labels = pd.Series(first.labels, first.samples)[pairs["first"]].to_numpy()
        second_labels = pd.Series(second.labels, second.samples)[pairs["second"]].to_numpy()
        n_differing = int((first_labels != second_labels).sum())
        if n_differing:
            notes[series.name].append(
                f"{counted(n_differing, 'shared sample', 'has', 'have')} another class in "
                f"{other.name}: one of the two labels is wrong"
            )
        if not masks[loser].any():
            msg = f"all samples of {series.name} are in other series of cohorts, too; leave it out"
            raise InputError(msg, key="cohorts")
    return masks, notes


def _select_samples(series: DataSet, mask: np.ndarray) -> DataSet:
    """Return a series with some of its samples."""
    groups = series.groups
    metadata = series.sample_metadata
    return replace(
        series,
        values=series.values[:, mask],
        samples=series.samples[mask],
        labels=series.labels[mask],
        groups=None if groups is None else groups[mask],
        sample_metadata=None if metadata is None else metadata[mask].reset_index(drop=True),
    )


def _fit_series(parts: Sequence[DataSet], steps: Mapping[str, Any]) -> _FittedSeries:
    """Fit and cross-validate a classifier on all samples of some series, if it is possible."""
    whole = parts[0] if len(parts) == 1 else _merge_series(parts)
    members = [series.name for series in parts]
    if len(whole.classes) < 2:
        problem = f"all samples are {whole.classes[0]}"
        return _FittedSeries(series=whole, members=members, problem=problem)
    try:
        return _FittedSeries(
            series=whole,
            members=members,
            model=fit_model(whole, steps),
            validated=cross_validated(whole, steps)[0],
        )
    except InputError as error:
        return _FittedSeries(series=whole, members=members, problem=str(error))


def _cross_cohort_tests(
    cohorts: Sequence[DataSet], steps: Mapping[str, Any]
) -> tuple[pd.DataFrame, CrossValidation | None]:
    """Return the tests of each series by the models of the others.

    The second result are the predictions with each series left out; None where one of them has no
    predictions.
    """
    singles = {cohort.name: _fit_series([cohort], steps) for cohort in cohorts}
    rows = []
    predictions = []
    selected = []
    for fold, test in enumerate(track(cohorts, "cohorts left out")):
        fitted = singles[test.name]
        rows.append(_row("cross-validated", fitted, test, fitted.validated))
        # With the series A, B and C, A is tested by the models of B, of C, of B and C merged, and
        # by the average of both. The predictions for A left out are those of the merged model.
        others = [singles[cohort.name] for cohort in cohorts if cohort is not test]
        rows += [_test_row("one series", other, [other], test) for other in others]
        merged = others[0]
        if len(others) > 1:
            merged = _fit_series([other.series for other in others], steps)
            rows.append(_test_row("merged", merged, [merged], test))
            rows.append(_test_row("averaged", merged, others, test))
        predicted = _predict_by_models([merged], test, merged.series.classes)
        if merged.model is None or predicted.problem:
            continue
        samples = [f"{test.name}/{sample}" for sample in test.samples]
        columns = {"sample": samples, "true": test.labels, "predicted": predicted.labels}
        predictions.append(pd.DataFrame({"repeat": 0, "fold": fold, **columns}))
        features = merged.model.signature[["class", "feature"]]
        selected.append(features.assign(repeat=0, fold=fold))
    tests = table_of(rows, GROUPS["cohorts"].tables["cohort_tests"], without=_SETTINGS)
    if len(predictions) < len(cohorts):
        return tests, None
    left_out = CrossValidation(
        predictions=pd.concat(predictions, ignore_index=True),
        selected=pd.concat(selected, ignore_index=True),
        series=_merge_series(cohorts),
        inflation=inflation_of(steps),
    )
    return tests, left_out


def _predict_by_models(
    models: Sequence[_FittedSeries], test: DataSet, classes: np.ndarray
) -> PredictedClasses:
    """Return the predictions of one model, or of the mean of the probabilities of several.

    Only models of all ``classes`` count, because the probabilities of others do not compare.
    """
    absent = sorted(set(test.classes) - set(classes))
    if absent:
        return PredictedClasses.without(f"it was trained without the class {absent[0]}")
    missing = "impute" if test.missing else "error"
    columns = [f"probability.{label}" for label in classes]
    tables = []
    for fitted in models:
        if fitted.model is not None and set(fitted.series.classes) == set(classes):
            frame = test.frame()
            tables.append(predict_table(fitted.model, frame, missing).table)
    if not tables:
        problem = models[0].problem or "none of the series has all classes"
        return PredictedClasses.without(problem)
    if len(tables) == 1:  # the model's own labels, also if it has no probabilities
        labels = np.asarray(tables[0]["label"], dtype=str)
        return PredictedClasses(labels, tables[0][columns].to_numpy())
    mean = np.mean([table[columns].to_numpy() for table in tables], axis=0)
    if np.isnan(mean).any():
        problem = "the classifier has no probabilities that could be averaged"
        return PredictedClasses.without(problem)
    return PredictedClasses(np.asarray(classes[mean.argmax(axis=1)], dtype=str), mean)


def _test_row(
    strategy: str, trained: _FittedSeries, models: Sequence[_FittedSeries], test: DataSet
) -> dict[str, Any]:
    """Return a row of ``cohort_tests`` with a verdict.

    ``trained`` are the training samples and the cross-validation to compare with; the predictions
    are those of the ``models``.
    """
    classes = trained.series.classes
    predicted = _predict_by_models(models, test, classes)
    if predicted.problem:
        row = _row(strategy, trained, test)
        return row | {"verdict": "cannot be judged", "reason": predicted.problem}
    with np.errstate(divide="ignore"):
        scores = np.log(predicted.probabilities)
    verdict = cohort_verdict(
        trained.validated,
        np.searchsorted(classes, test.labels),
        np.searchsorted(classes, predicted.labels),
        len(classes),
        groups=test.groups,
        scores=scores,
        patients=matched_patients(
            filled(trained.series).values,
            filled(test).values,
            (trained.series.labels, test.labels),
        ),
    )
    return _row(strategy, trained, test) | verdict.columns(classes)


#: Columns of ``cohort_tests`` that a row without a verdict leaves missing.
_VERDICT_NUMBERS = (
    "right",
    "value",
    "lower",
    "upper",
    "chance",
    "p_value",
    "loss",
    "loss_lower",
    "loss_upper",
    "auc",
    "auc_lower",
    "auc_upper",
    "needed",
)


def _row(
    strategy: str, trained: _FittedSeries, test: DataSet, measured: Performance | None = None
) -> dict[str, Any]:
    """Return a row of ``cohort_tests`` without a verdict."""
    row: dict[str, Any] = {
        "strategy": strategy,
        "train": " + ".join(trained.members),
        "test": test.name,
        "n": test.n_samples,
        **dict.fromkeys(_VERDICT_NUMBERS, np.nan),
        "verdict": "",
        "reason": "",
        "features": test.n_features,
        "notes": "",
    }
    if measured is None:
        return row
    classes = trained.series.classes
    return row | measured.balanced_accuracy._asdict() | recall_columns(measured, classes)


def _greatest_correlations(cohorts: Sequence[DataSet]) -> np.ndarray:
    """Return the greatest rank correlation of each series' feature means with another series'."""
    means = np.stack([filled(cohort).values.mean(axis=1) for cohort in cohorts], axis=1)
    statistic = scipy.stats.spearmanr(means).statistic
    # a matrix, but a single number for two series
    correlations = np.full((len(cohorts), len(cohorts)), statistic)
    np.fill_diagonal(correlations, np.nan)
    return np.asarray(np.fmax.reduce(correlations, axis=1))


def _describe_series(
    series: Sequence[DataSet],
    cohorts: Sequence[DataSet],
    notes_of_series: Mapping[str, Sequence[str]],
    match: str,
) -> pd.DataFrame:
    """Return the table ``cohort_series``: the series, and obstacles to their comparison.

    ``series`` have all their features, ``cohorts`` the common ones; ``notes_of_series``
    are on its labels and samples.
    """
    all_classes = np.unique(np.concatenate([one.classes for one in series]))
    correlations = _greatest_correlations(cohorts)
    rows = []
    for one, cohort, correlation in zip(series, cohorts, correlations, strict=True):
        n_features = one.n_features
        if match != "feature":
            n_features = len(set(symbols_of(one, match).values()))
        labels, counts = np.unique(one.labels, return_counts=True)
        row = {
            "dataset": one.name,
            "samples": one.n_samples,
            "groups": np.nan if one.groups is None else len(np.unique(one.groups)),
            "classes": ", ".join(f"{a} {b}" for a, b in zip(labels, counts, strict=True)),
            "features": n_features,
            "common": cohort.n_features,
            "quantile": measure_values(one.values).quantile_99,
            "agreement": correlation,
        }
        notes = list(notes_of_series[one.name])
        notes += [f"has no {label}" for label in all_classes if label not in one.classes]
        notes += _scale_notes(one, row)
        rows.append(row | {"note": "; ".join(notes)})
    return table_of(rows, GROUPS["cohorts"].tables["cohort_series"])


def _scale_notes(series: DataSet, row: Mapping[str, Any]) -> Iterator[str]:
    """Yield the differences of a series from the others, by its row of ``cohort_series``."""
    recognised = recognise_scale(
        with_log_counts(series).values, samples=series.samples, features=series.features
    )
    if not recognised.is_logged:
        yield f"{recognised.reason}: effects depend on it, and models unless by harmonise: rank"
    if row["agreement"] < _LEAST_CORRELATION:
        yield (
            "features that are high in the other series are not high here (Spearman's "
            f"correlation {row['agreement']:.2f} at most): another scale (for example centred "
            "genes), on which no model of the others can be expected to hold"
        )
    if 2 * row["common"] < row["features"]:
        yield f"only {row['common']:,} of its {row['features']:,} features are in all series"
