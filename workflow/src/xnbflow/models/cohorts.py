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
from xnbflow.data.dataset import DataSet
from xnbflow.data.read_counts import with_log_counts
from xnbflow.diagnostics.likeness import matched_patients, shared_samples
from xnbflow.evaluation.fitting import filled, frame_for
from xnbflow.evaluation.methods import resolved
from xnbflow.inference.estimates import Performance
from xnbflow.inference.intervals import inflation_of
from xnbflow.inference.meta_analysis import meta_genes
from xnbflow.inference.second_cohort import cohort_verdict
from xnbflow.models.matching import common_features
from xnbflow.models.prediction import predict_table
from xnbflow.models.reading import symbols_of
from xnbflow.models.signature import class_spread
from xnbflow.models.trained import CrossValidation, TrainedModel, fit_model
from xnbflow.models.validation import as_seen, cross_validated, harmonised
from xnbflow.sources.intensities import intensity_quantiles, scale_of
from xnbflow.tables.contract import COHORT_TABLES
from xnbflow.tables.storage import table_of

#: Columns of `cohort_matrix` that are the same in every row.
_ASKED = ("model", "match", "harmonise")
#: Least rank correlation of features' means between series on one scale, of any two platforms.
_ALIKE = 0.5


@dataclass(frozen=True)
class _Trained:
    """A model of one or more series with its cross-validation, or the reason for its absence."""

    series: DataSet
    members: list[str]
    model: TrainedModel | None = None
    validated: Performance | None = None
    problem: str = ""


def combine(
    series: Sequence[DataSet],
    entry: Mapping[str, Any],
    *,
    match: str = "feature",
    harmonise: str = "rank",
    name: str = "the model",
) -> tuple[dict[str, pd.DataFrame], TrainedModel, DataSet]:
    """Train on some series and test on the others, compare their genes, and fit a model of all.

    Features that not all series have are left out, and samples that two series share are left out
    of the larger one: every sample counts once. Every series is tested by models of each other
    one, by the model of all others merged, and by the mean of the probabilities of the others'
    models, which is compared with cross-validation of the merged one. ``match``, ``harmonise`` and
    ``name`` are as for `xnbflow.models.validation.validate`.

    The results are the tables `COHORT_TABLES` of `xnbflow.tables.contract`, the model of all
    series, with figures from leaving each series out, and all samples as input of the model.

    References
    ----------
    C. Bernau and others, "Cross-study validation for the assessment of prediction algorithms",
    Bioinformatics 30 (2014), i105-i112. P. Patil and G. Parmigiani, "Training replicable predictors
    in multiple studies", PNAS 115 (2018), 2578-2583.
    """
    _refuse_other_labels(series)
    cohorts = common_features(series, match)
    kept, left_out = _distinct(cohorts)
    series, cohorts = ([*map(_taken, each, kept)] for each in (series, cohorts))
    _refuse_other_labels(series)
    symbols, steps = symbols_of(cohorts[0]), resolved(harmonised(entry, harmonise))
    merged = _merged(cohorts)
    matrix, validation = _matrix(cohorts, steps)
    matrix = matrix.assign(model=name, match=match, harmonise=harmonise)
    tables = {
        "cohort_series": _overview(series, cohorts, left_out, match),
        "cohort_matrix": matrix,
        "meta_genes": meta_genes(cohorts, symbols),
    }
    model = fit_model(merged, steps, validation, symbols=symbols)
    seen = replace(merged, values=as_seen(model, merged))
    rows, signature = dict(zip(seen.features, filled(seen).values, strict=True)), model.signature
    for i, row in signature.iterrows():
        spread = class_spread(rows[row["feature"]], seen.labels, row["class"])
        signature.loc[i, list(spread)] = list(spread.values())
    return tables, model, seen


def _merged(cohorts: Sequence[DataSet]) -> DataSet:
    """Return the samples of several series as one; they are named ``series/sample``, as groups."""
    parts: dict[str, list[str]] = {"samples": [], "groups": []}
    for each in cohorts:
        groups = each.samples if each.groups is None else each.groups
        for key, names in (("samples", each.samples), ("groups", groups)):
            parts[key] += [f"{each.name}/{name}" for name in names]
    return DataSet(
        "+".join(each.name for each in cohorts),
        np.hstack([each.values for each in cohorts]),
        cohorts[0].features,
        parts["samples"],
        np.concatenate([each.labels for each in cohorts]),
        groups=None if all(each.groups is None for each in cohorts) else parts["groups"],
        missing=any(each.missing for each in cohorts),
    )


def _refuse_other_labels(series: Sequence[DataSet]) -> None:
    """Refuse series of which none has all classes, and features that are not numbers."""
    classes = {str(label) for each in series for label in each.classes}
    for each in series:
        if (each.kinds != "linear").any():
            msg = f"{each.name} has features that are not measurements; cohorts compare expression"
            raise InputError(msg)
    if not any(len(each.classes) == len(classes) > 1 for each in series):
        known = "; ".join(f"{each.name}: {', '.join(each.classes)}" for each in series)
        msg = (
            f"no series has two classes and all classes of the others ({known}); give classes the "
            "same labels in all series, for example by map= in the sheet"
        )
        raise InputError(msg)


def _distinct(cohorts: Sequence[DataSet]) -> tuple[list[np.ndarray], dict[str, list[str]]]:
    """Return masks of samples to keep, so that none is in two series, and notes by series.

    Models and effects of series that share samples are not independent of each other, nor are tests
    of the one by models of the other. Of two series the larger one loses the shared samples and
    their groups (patients); of equal ones the later.
    """
    kept = [np.ones(each.n_samples, bool) for each in cohorts]
    notes: dict[str, list[str]] = {each.name: [] for each in cohorts}
    values = [filled(each).values for each in cohorts]
    for i, j in itertools.combinations(range(len(cohorts)), 2):
        same = shared_samples(values[i], values[j], (cohorts[i].samples, cohorts[j].samples))
        if same.empty:
            continue
        loser, other = sorted((i, j), key=lambda k: (cohorts[k].n_samples, k), reverse=True)
        series = cohorts[loser]
        lost = np.isin(series.samples, same["first" if loser == i else "second"].to_numpy(str))
        if series.groups is not None:
            lost = np.isin(series.groups, series.groups[lost])
        kept[loser] &= ~lost
        notes[series.name].append(
            f"{counted(int(lost.sum()), 'sample', 'is', 'are')} left out here, as "
            f"{cohorts[other].name} has the same ones or the same patients: "
            f"{listed(list(series.samples[lost]))}"
        )
        labels = [
            pd.Series(cohorts[k].labels, cohorts[k].samples)[same[side]].to_numpy()
            for k, side in ((i, "first"), (j, "second"))
        ]
        if differ := int((labels[0] != labels[1]).sum()):
            notes[series.name].append(
                f"{counted(differ, 'shared sample', 'has', 'have')} another class in "
                f"{cohorts[other].name}: one of the two labels is wrong"
            )
        if not kept[loser].any():
            msg = f"all samples of {series.name} are in other series of cohorts, too; leave it out"
            raise InputError(msg, key="cohorts")
    return kept, notes


def _taken(series: DataSet, kept: np.ndarray) -> DataSet:
    """Return a series with some of its samples."""
    known, groups = series.sample_metadata, series.groups
    return replace(
        series,
        values=series.values[:, kept],
        samples=series.samples[kept],
        labels=series.labels[kept],
        groups=None if groups is None else groups[kept],
        sample_metadata=None if known is None else known[kept].reset_index(drop=True),
    )


def _trained(parts: Sequence[DataSet], steps: Mapping[str, Any]) -> _Trained:
    whole = parts[0] if len(parts) == 1 else _merged(parts)
    members = [each.name for each in parts]
    if len(whole.classes) < 2:
        return _Trained(whole, members, problem=f"all samples are {whole.classes[0]}")
    try:
        return _Trained(whole, members, fit_model(whole, steps), cross_validated(whole, steps)[0])
    except InputError as error:
        return _Trained(whole, members, problem=str(error))


def _matrix(
    cohorts: Sequence[DataSet], steps: Mapping[str, Any]
) -> tuple[pd.DataFrame, CrossValidation | None]:
    """Return all tests, and the predictions with each series left out, if possible."""
    singles = {each.name: _trained([each], steps) for each in cohorts}
    rows, predictions, selected = [], [], []
    for fold, test in enumerate(cohorts):
        own = singles[test.name]
        rows.append(_row("cross-validated", own, test, own.validated))
        members = [singles[each.name] for each in cohorts if each is not test]
        several = len(members) > 1
        whole = _trained([each.series for each in members], steps) if several else members[0]
        tests = [("one series", each, [each]) for each in members]
        tests += [("merged", whole, [whole]), ("averaged", whole, members)] if several else []
        for strategy, trained, models in tests:
            rows.append(_tested(strategy, trained, models, test))
        answers = _answers([whole], test, whole.series.classes)
        if whole.model is None or isinstance(answers, str):
            continue
        labels = answers[0]
        samples = [f"{test.name}/{sample}" for sample in test.samples]
        columns = {"sample": samples, "true": test.labels, "predicted": labels}
        predictions.append(pd.DataFrame({"repeat": 0, "fold": fold, **columns}))
        chosen = whole.model.signature[["class", "feature"]]
        selected.append(chosen.assign(repeat=0, fold=fold))
    declared = COHORT_TABLES["cohort_matrix"]
    if len(predictions) < len(cohorts):
        return table_of(rows, declared, without=_ASKED), None
    found, chosen = (pd.concat(each, ignore_index=True) for each in (predictions, selected))
    left_out = CrossValidation(found, chosen, _merged(cohorts), inflation_of(steps))
    return table_of(rows, declared, without=_ASKED), left_out


def _answers(
    models: Sequence[_Trained], test: DataSet, classes: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | str:
    """Return labels and probabilities of one model or an average; else the reason for none."""
    if unknown := sorted(set(test.classes) - set(classes)):
        return f"it was trained without the class {unknown[0]}"
    missing = "impute" if test.missing else "error"
    columns = [f"probability.{label}" for label in classes]
    answers = [
        predict_table(each.model, frame_for(each.model.estimator, test), missing).table
        for each in models
        if each.model is not None and set(each.series.classes) == set(classes)
    ]
    if len(answers) < 2:
        problem = models[0].problem or "none of the series has all classes"
        if not answers:
            return problem
        return np.asarray(answers[0]["label"], dtype=str), answers[0][columns].to_numpy()
    mean = np.mean([each[columns].to_numpy() for each in answers], axis=0)
    if np.isnan(mean).any():
        return "the classifier has no probabilities that could be averaged"
    return np.asarray(classes[mean.argmax(axis=1)], dtype=str), mean


def _tested(
    strategy: str, trained: _Trained, models: Sequence[_Trained], test: DataSet
) -> dict[str, Any]:
    """Return a row of ``cohort_matrix`` with a verdict."""
    classes = trained.series.classes
    found = _answers(models, test, classes)
    if isinstance(found, str):
        return _row(strategy, trained, test) | {"verdict": "cannot tell", "reason": found}
    labels, probabilities = found
    codes, answers = (np.searchsorted(classes, each) for each in (test.labels, labels))
    with np.errstate(divide="ignore"):
        scores = np.log(probabilities)
    verdict = cohort_verdict(
        trained.validated,
        codes,
        answers,
        len(classes),
        test.groups,
        scores=scores,
        patients=matched_patients(
            filled(trained.series).values,
            filled(test).values,
            (trained.series.labels, test.labels),
        ),
    )
    return _row(strategy, trained, test, verdict.measured) | verdict.columns(classes)


def _row(
    strategy: str, trained: _Trained, test: DataSet, found: Performance | None = None
) -> dict[str, Any]:
    """Return a row of ``cohort_matrix`` without a verdict."""
    numbers = ["right", "value", "lower", "upper", "chance", "p_value", "loss", "loss_lower"]
    numbers += ["loss_upper", "auc", "auc_lower", "auc_upper", "needed"]
    row: dict[str, Any] = {
        "strategy": strategy,
        "train": " + ".join(trained.members),
        "test": test.name,
        "n": test.n_samples,
        **dict.fromkeys(numbers, np.nan),
        **dict.fromkeys(("verdict", "reason"), ""),
    }
    row |= found.balanced_accuracy._asdict() if found else {}
    for each in found.classes if found else ():
        label = trained.series.classes[each.code]
        row |= {f"samples.{label}": each.samples, f"recall.{label}": each.recall.value}
        row |= {f"lower.{label}": each.recall.lower, f"upper.{label}": each.recall.upper}
    return row


def _overview(
    series: Sequence[DataSet],
    cohorts: Sequence[DataSet],
    left_out: Mapping[str, Sequence[str]],
    match: str,
) -> pd.DataFrame:
    """Return the table ``cohort_series``: the series, and obstacles to their comparison."""
    every = np.unique(np.concatenate([each.classes for each in series]))
    likeness = scipy.stats.spearmanr(
        np.stack([filled(each).values.mean(axis=1) for each in cohorts], axis=1)
    )
    # of two series it is a number
    agreement = np.full((len(cohorts), len(cohorts)), likeness.statistic)
    np.fill_diagonal(agreement, np.nan)
    rows = []
    for each, cohort, alike in zip(series, cohorts, np.fmax.reduce(agreement, axis=1), strict=True):
        own = each.n_features if match == "feature" else len({*symbols_of(each, match).values()})
        labels, counts = np.unique(each.labels, return_counts=True)
        row = {
            "dataset": each.name,
            "samples": each.n_samples,
            "groups": np.nan if each.groups is None else len(np.unique(each.groups)),
            "classes": ", ".join(f"{a} {b}" for a, b in zip(labels, counts, strict=True)),
            "features": own,
            "common": cohort.n_features,
            "quantile": intensity_quantiles(each.values)[4],
            "agreement": alike,
        }
        notes = [*left_out[each.name]]
        notes += [f"has no {label}" for label in every if label not in each.classes]
        rows.append(row | {"note": "; ".join([*notes, *_unlike(each, row)])})
    return table_of(rows, COHORT_TABLES["cohort_series"])


def _unlike(series: DataSet, row: Mapping[str, Any]) -> Iterator[str]:
    """Yield the differences of a series from the others, by its row of the table."""
    kind, seen = scale_of(with_log_counts(series).values, series.samples)
    if kind != "logarithms":
        yield f"{seen}: effects depend on it, and models unless by harmonise: rank"
    if row["agreement"] < _ALIKE:
        yield (
            "features that are high in the other series are not high here (Spearman's "
            f"correlation {row['agreement']:.2f} at most): another scale (as of centred genes), "
            "on which no model of the others can be expected to hold"
        )
    if 2 * row["common"] < row["features"]:
        yield f"only {row['common']:,} of its {row['features']:,} features are in all series"
