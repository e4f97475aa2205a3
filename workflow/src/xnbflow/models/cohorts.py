"""Several series of one question: each left out in turn, all pairs, and one model of all."""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.data.contract import COHORT_TABLES
from xnbflow.data.counts import counted
from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.data.sources.intensities import intensity_quantiles, is_not_logged
from xnbflow.diagnostics.likeness import shared_samples
from xnbflow.evaluation.cohorts import RULE, cohort_verdict
from xnbflow.evaluation.fitting import filled
from xnbflow.evaluation.intervals import inflation_of
from xnbflow.evaluation.meta_analysis import meta_genes
from xnbflow.evaluation.methods import resolved
from xnbflow.evaluation.verdicts import Performance
from xnbflow.models.prediction import predict_table
from xnbflow.models.reading import symbols_of
from xnbflow.models.signature import class_spread
from xnbflow.models.trained import CrossValidation, TrainedModel, fit_model
from xnbflow.models.validation import (
    as_seen,
    common_features,
    cross_validated,
    harmonised,
    verdict_in_words,
)

__all__ = ["Combination", "combine", "merged"]


@dataclass(frozen=True)
class Combination:
    """What several series say together.

    Attributes
    ----------
    tables : dict of str to DataFrame
        Those of `COHORT_TABLES` of `xnbflow.data.contract`.
    model : TrainedModel
        Of all series; its figures are those of leaving each series out.
    series : DataSet
        All samples, harmonised as the model sees them.
    """

    tables: dict[str, pd.DataFrame]
    model: TrainedModel
    series: DataSet


@dataclass(frozen=True)
class _Trained:
    """A model of one or more series, its cross-validation there, or why there is none."""

    series: DataSet
    members: tuple[str, ...]
    model: TrainedModel | None
    validated: Performance | None
    problem: str = ""

    def probabilities(self, test: DataSet) -> tuple[np.ndarray, np.ndarray]:
        """Return the labels predicted for a cohort, and the probabilities of the classes."""
        assert self.model is not None
        missing = "impute" if test.missing else "error"
        table = predict_table(self.model, test.frame(), missing).table
        columns = [f"probability.{label}" for label in self.series.classes]
        return table["label"].to_numpy(dtype=str), table[columns].to_numpy()


def combine(
    series: Sequence[DataSet],
    entry: Mapping[str, Any],
    *,
    match: str = "feature",
    harmonise: str = "rank",
    name: str = "the model",
) -> Combination:
    """Train on some series and test on the others, compare their genes, and fit a model of all.

    Features that not all series have are left out. Every series is tested by models of each other
    one, by the model of all others merged, and by the average of the models of the others: the mean
    of their probabilities. What a model of the others is compared with is its cross-validation,
    also for the average. Samples of a series that was left out decide nothing but the choice of one
    probe per gene, which uses no labels.

    Parameters
    ----------
    series : sequence of DataSet
        Two or more, of different samples.
    entry : mapping
        The classifier's configuration.
    match, harmonise : str
        See `xnbflow.models.validation.validate`.
    name : str
        What the model is called in sentences.

    Raises
    ------
    InputError
        If series share no features, have features that are no expression, or other labels.

    References
    ----------
    C. Bernau and others, "Cross-study validation for the assessment of prediction algorithms",
    Bioinformatics 30 (2014), i105-i112. P. Patil and G. Parmigiani, "Training replicable predictors
    in multiple studies", PNAS 115 (2018), 2578-2583.
    """
    _refuse_other_labels(series)
    cohorts = common_features(series, match)
    steps = resolved(harmonised(entry, harmonise))
    shared = _shared(cohorts)
    matrix, left_out = _matrix(cohorts, steps, shared, name)
    genes = meta_genes(cohorts, symbols_of(cohorts[0]), independent=not shared)
    keys = {"model": name, "match": match, "harmonise": harmonise}
    for place, (key, value) in enumerate(keys.items()):
        matrix.insert(place, key, value)
    whole = merged(cohorts)
    validation = None if shared else _left_out_validation(whole, cohorts, left_out, steps)
    model = fit_model(whole, steps, validation, symbols=symbols_of(cohorts[0]))
    seen = replace(whole, values=as_seen(model, whole))
    rows = dict(zip(seen.features, filled(seen).values, strict=True))
    signature = model.signature.copy()
    for i, (label, feature) in signature[["class", "feature"]].iterrows():
        spread = class_spread(rows[feature], seen.labels, label)
        signature.loc[i, list(spread)] = list(spread.values())
    tables = {
        "cohort_series": _overview(series, cohorts, shared, match),
        "cohort_matrix": matrix,
        "meta_genes": genes,
    }
    return Combination(tables, replace(model, signature=signature), seen)


def merged(cohorts: Sequence[DataSet]) -> DataSet:
    """Return the samples of several series as one, named ``series/sample``, as are groups.

    Examples
    --------
    >>> one, two = (DataSet(name, [[1.0, 2.0]], ["g"], ["a", "b"], ["t", "n"]) for name in "xy")
    >>> merged([one, two]).samples.tolist()
    ['x/a', 'x/b', 'y/a', 'y/b']
    """

    def named(names: np.ndarray, each: DataSet) -> list[str]:
        return [f"{each.name}/{name}" for name in names]

    groups = [named(each.samples if each.groups is None else each.groups, each) for each in cohorts]
    grouped = any(each.groups is not None for each in cohorts)
    return DataSet(
        "+".join(each.name for each in cohorts),
        np.hstack([each.values for each in cohorts]),
        cohorts[0].features,
        np.concatenate([named(each.samples, each) for each in cohorts]),
        np.concatenate([each.labels for each in cohorts]),
        groups=np.concatenate(groups) if grouped else None,
        missing=any(each.missing for each in cohorts),
    )


def _refuse_other_labels(series: Sequence[DataSet]) -> None:
    """Refuse series without a common name or set of classes, and features that are no numbers."""
    classes = sorted({str(label) for each in series for label in each.classes})
    for each in series:
        if (each.kinds != "linear").any():
            msg = f"{each.name} has features that are no measurements; cohorts compare expression"
            raise InputError(msg)
    if len({each.name for each in series}) < max(2, len(series)):
        raise InputError("cohorts are two or more different series; correct the list")
    if not any(len(each.classes) == len(classes) for each in series):
        known = "; ".join(f"{each.name}: {', '.join(each.classes)}" for each in series)
        msg = (
            f"no series has all of the classes {', '.join(classes)} ({known}); give classes the "
            "same labels in all series, say by map= in the sheet"
        )
        raise InputError(msg)
    if len(classes) < 2:
        raise InputError(f"all samples of the cohorts are {classes[0]}; at least two classes")


def _shared(cohorts: Sequence[DataSet]) -> Counter[frozenset[str]]:
    """Return how many samples of each pair of series are the same."""
    found: Counter[frozenset[str]] = Counter()
    for one, other in itertools.combinations(cohorts, 2):
        values = (filled(one).values, filled(other).values)
        same = shared_samples(*values, (one.samples, other.samples))
        if n := same["second"].nunique():
            found[frozenset((one.name, other.name))] = n
    return found


def _trained(parts: Sequence[DataSet], steps: Mapping[str, Any]) -> _Trained:
    whole = parts[0] if len(parts) == 1 else merged(parts)
    members = tuple(each.name for each in parts)
    if len(whole.classes) < 2:
        return _Trained(whole, members, None, None, f"all samples are {whole.classes[0]}")
    try:
        return _Trained(whole, members, fit_model(whole, steps), cross_validated(whole, steps)[0])
    except InputError as error:
        return _Trained(whole, members, None, None, str(error))


def _matrix(
    cohorts: Sequence[DataSet],
    steps: Mapping[str, Any],
    shared: Mapping[frozenset[str], int],
    name: str,
) -> tuple[pd.DataFrame, list[tuple[_Trained, np.ndarray | None]]]:
    """Return every test, and for each series left out the merged model and what it predicts."""
    singles = {each.name: _trained([each], steps) for each in cohorts}
    rows, left_out = [], []
    for test in cohorts:
        own = singles[test.name]
        rows.append(_row("cross-validated", own, test, own.validated))
        members = [singles[each.name] for each in cohorts if each is not test]
        others = [each.series for each in members]
        whole = _trained(others, steps) if len(others) > 1 else members[0]
        single = [(each, _labels([each], test, each.series.classes)) for each in members]
        labels = _labels([whole], test, whole.series.classes)
        averaged = _labels(members, test, whole.series.classes)
        tests = [("one series", *each) for each in single]
        if len(others) > 1:
            tests += [("merged", whole, labels), ("averaged", whole, averaged)]
        for strategy, model, predicted in tests:
            same = sum(shared.get(frozenset((test.name, each)), 0) for each in model.members)
            rows.append(_tested(strategy, model, test, predicted, same, name))
        left_out.append((whole, labels if isinstance(labels, np.ndarray) else None))
    declared = COHORT_TABLES["cohort_matrix"].fixed[3:]
    table = pd.DataFrame(rows)
    return table[[*declared, *(key for key in table if key not in declared)]], left_out


def _labels(models: Sequence[_Trained], test: DataSet, classes: np.ndarray) -> np.ndarray | str:
    """Return what a model, or the average of several, predicts; or why it predicts nothing."""
    usable = [each for each in models if not each.problem]
    usable = [each for each in usable if set(each.series.classes) == set(classes)]
    if not usable:
        return models[0].problem or "none of the series has all classes"
    if unknown := sorted(set(test.classes) - set(classes)):
        return f"it was trained without the class {unknown[0]}"
    answers = [each.probabilities(test) for each in usable]
    if len(answers) == 1:
        return answers[0][0]
    mean = np.mean([probabilities for _, probabilities in answers], axis=0)
    if np.isnan(mean).any():
        return "the classifier has no probabilities that could be averaged"
    return np.asarray(classes[mean.argmax(axis=1)], dtype=str)


def _tested(
    strategy: str,
    trained: _Trained,
    test: DataSet,
    predicted: np.ndarray | str,
    shared: int,
    name: str,
) -> dict[str, Any]:
    if isinstance(predicted, str):
        sentence = f"Cannot tell: {predicted}."
        return _row(strategy, trained, test, None) | {
            "verdict": "cannot tell",
            "sentence": sentence,
        }
    classes = trained.series.classes
    codes, said = (np.searchsorted(classes, each) for each in (test.labels, predicted))
    verdict = cohort_verdict(
        trained.validated, codes, said, len(classes), test.groups, shared=shared
    )
    words = f"{name}, averaged" if strategy == "averaged" else name
    train = " + ".join(trained.members)
    row = _row(strategy, trained, test, verdict.found)
    loss = dict(zip(("loss", "loss_lower", "loss_upper"), verdict.loss[:3], strict=True))
    sentence = verdict_in_words(words, train, test.name, verdict, classes)
    return row | loss | {
        "p_value": verdict.p_value, "verdict": verdict.level, "sentence": sentence, "rule": RULE
    }  # fmt: skip


def _row(
    strategy: str, trained: _Trained, test: DataSet, found: Performance | None
) -> dict[str, Any]:
    """Return a row of ``cohort_matrix`` without a verdict."""
    row: dict[str, Any] = {
        "strategy": strategy,
        "train": " + ".join(trained.members),
        "test": test.name,
        "n": test.n_samples,
        **dict.fromkeys(("value", "lower", "upper", "p_value"), np.nan),
        **dict.fromkeys(("loss", "loss_lower", "loss_upper"), np.nan),
        **dict.fromkeys(("verdict", "sentence", "rule"), ""),
    }
    if found is None:
        return row
    row |= found.balanced_accuracy._asdict()
    for each in found.classes:
        label = trained.series.classes[each.code]
        row |= {f"samples.{label}": each.samples, f"recall.{label}": each.recall.value}
        row |= {f"lower.{label}": each.recall.lower, f"upper.{label}": each.recall.upper}
    return row


def _left_out_validation(
    whole: DataSet,
    cohorts: Sequence[DataSet],
    left_out: Sequence[tuple[_Trained, np.ndarray | None]],
    steps: Mapping[str, Any],
) -> CrossValidation | None:
    """Return what leaving each series out predicts, a fold per series; None if one cannot be."""
    predictions, selected = [], [pd.DataFrame(columns=["repeat", "fold", "class", "feature"])]
    start = 0
    for fold, (cohort, (trained, labels)) in enumerate(zip(cohorts, left_out, strict=True)):
        if labels is None or trained.model is None:
            return None
        samples = whole.samples[start : start + cohort.n_samples]
        rows = {"sample": samples, "true": cohort.labels, "predicted": labels}
        predictions.append(pd.DataFrame({"repeat": 0, "fold": fold, **rows}))
        chosen = trained.model.signature[["class", "feature"]]
        selected.append(chosen.assign(repeat=0, fold=fold))
        start += cohort.n_samples
    parts = [part for part in selected if len(part)] or selected[:1]
    table, chosen = (pd.concat(each, ignore_index=True) for each in (predictions, parts))
    return CrossValidation(table, chosen, whole, inflation_of(steps))


def _overview(
    series: Sequence[DataSet],
    cohorts: Sequence[DataSet],
    shared: Mapping[frozenset[str], int],
    match: str,
) -> pd.DataFrame:
    """Return the table ``cohort_series``: the series, and what makes them hard to compare."""
    every = np.unique(np.concatenate([each.classes for each in series]))
    rows = []
    for each, cohort in zip(series, cohorts, strict=True):
        own = each.n_features if match == "feature" else len({*symbols_of(each, match).values()})
        quantiles, common = intensity_quantiles(each.values), cohort.n_features
        notes = [
            f"shares {counted(n, 'sample')} with {', '.join(sorted(pair - {each.name}))}: no "
            "verdict, and nothing is said of all series together"
            for pair, n in shared.items()
            if each.name in pair
        ]
        if is_not_logged(quantiles):
            notes.append(
                f"values look like intensities not logged (99 % quantile {quantiles[4]:.4g}): "
                "effects of other series are of logarithms; consider transform=log2"
            )
        notes += [f"has no {label}" for label in every if label not in each.classes]
        if 2 * common < own:
            what = "features" if match == "feature" else "genes"
            notes.append(f"only {common:,} of its {own:,} {what} are in all series")
        labels, counts = np.unique(each.labels, return_counts=True)
        rows.append(
            {
                "dataset": each.name,
                "samples": each.n_samples,
                "groups": np.nan if each.groups is None else len(np.unique(each.groups)),
                "classes": ", ".join(f"{a} {b}" for a, b in zip(labels, counts, strict=True)),
                "features": own,
                "common": common,
                "quantile": quantiles[4],
                "note": "; ".join(notes),
            }
        )
    return pd.DataFrame(rows)
