"""Verdicts on the results of a study, by intervals and the label test.

A result counts as a signal if the label test has p <= .025 *and* the interval
of the balanced accuracy lies above that of chance. Everything else can only weaken it. Each
function on one kind of evidence returns the reasons that this evidence has against a result; a
verdict is the lowest level that one of them allows (`xnbflow.inference.verdict_reasons`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.joined_columns import join_columns
from xnbflow.core.significance import ONE_SIDED_LEVEL
from xnbflow.data.dataset import COUNTS
from xnbflow.evaluation.keyed_tables import KEY, Headers, Key, key_fields
from xnbflow.inference.estimates import Performance
from xnbflow.inference.intervals import Estimate
from xnbflow.inference.verdict_reasons import Reason, VerdictLevel, in_order, lowest
from xnbflow.tables.contract import STUDY_TABLES

#: Share of the first features that other samples must find again, corrected for chance: half.
LEAST_REPLICATED = 0.5
#: Statuses of a column that may explain a result (`xnbflow.studies.concordances`).
INSEPARABLE = ("cannot be separated", "cannot be examined")
#: Codes of the reasons by these statuses, where no pair of classes is separated from a column, and
#: where some pairs of several classes are.
_COLUMN_CODES = dict(zip(INSEPARABLE, ("column not separated", "column not examined"), strict=True))
_PAIR_CODES = dict(zip(INSEPARABLE, ("pair not separated", "pair not examined"), strict=True))
#: Codes of the reasons by those of findings on samples of the same patients.
_REPEATS = {"likely repeats": "some repeats", "many likely repeats": "many repeats"}
#: Codes of the reasons by those of findings on values that were not measured.
_MISSING = {
    "shares missing differ": "missing values",
    "shares at limit differ": "detection limit",
    "values predict class": "values",
}
#: Codes of findings on tables that were made with the labels.
_SELECTION = ("corrected with class", "chosen with labels", "normalised by class")
#: Least pairs of samples of different classes for the examination of a column.
FEWEST_PAIRS = 10
#: Least shares of the samples that are exact, and near, copies of others, for "many copies"; a
#: smaller share of exact copies, and near copies from the second share on, are "some copies".
MANY_EXACT_COPIES = 0.1
MANY_NEAR_COPIES = 0.5
SOME_NEAR_COPIES = 0.1
#: Share of the features of a list from which disjoint halves cannot show a choice.
_MOST_FEATURES = 0.5

#: A lower limit of the balanced accuracy is near chance if it is within this distance of it.
_NEAR_CHANCE = 0.02

#: Verdicts in second cohorts in which a classifier held.
_HELD = ("held", "held in part")
#: Verdicts in second cohorts that weaken a result, with the code of the reason. Of several tests in
#: one cohort, which differ in how values are matched, the first of these counts.
_COHORT_CODES = {
    "ranking holds": "cohort threshold",
    "labels look exchanged": "cohort labels",
    "did not hold": "cohort not held",
}


@dataclass(frozen=True)
class LabelTest:
    """The label test of a data set (`xnbflow.inference.label_test`).

    ``at_least`` of ``permutations`` orders of the labels were as good as the true one, which is one
    of them. ``p_lower`` and ``p_upper`` are the limits of p over other permutations and draws of
    folds. All numbers are missing where no test was run. The test does not use the classifiers, so
    that no choice among them changes its p.
    """

    p_value: float = np.nan
    at_least: float = np.nan
    permutations: float = np.nan
    p_lower: float = np.nan
    p_upper: float = np.nan

    @property
    def is_near(self) -> bool:
        """Whether other permutations or draws of folds may decide otherwise.

        This is so if the level is between the limits of p: from the lower limit on, and below the
        upper one.

        Examples
        --------
        >>> LabelTest(0.03, p_lower=0.02, p_upper=0.04).is_near
        True
        >>> LabelTest(0.03, p_lower=0.026, p_upper=0.04).is_near
        False
        """
        return self.p_lower <= ONE_SIDED_LEVEL < self.p_upper


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The verdict on a classifier: the level, its reasons, and p of the label test."""

    level: VerdictLevel
    reasons: list[Reason]
    p_value: float

    @property
    def codes(self) -> list[str]:
        """The codes of the reasons."""
        return [reason.code for reason in self.reasons]


def verdict(
    performance: Performance,
    test: LabelTest | None = None,
    further: Sequence[Reason] = (),
    *,
    classes: Sequence[str] | np.ndarray | None = None,
) -> Verdict:
    """Return the verdict on a classifier: whether it recognises its classes.

    ``test`` is the label test, None if none was run, and ``further`` are the reasons that
    other evidence has against the result, for example those of `stability_reasons`. ``classes`` are
    the labels of the codes in ``performance``. For the rule see `docs/methods/verdicts.md`.
    """
    test = test or LabelTest()
    balanced = performance.balanced_accuracy
    if np.isnan(test.p_value):  # without a test the interval alone decides
        balanced = balanced._replace(lower=performance.strict_lower)
    # Values that were not measured explain a result that is not better than they are.
    further = [
        reason
        for reason in further
        if reason.code != "values" or not reason.estimate < balanced.value
    ]
    reasons = [
        *_reasons_of_test(test),
        *_reasons_of_performance(performance, balanced, classes),
    ]
    # Where no result would be supported, a result that is not is no evidence against the classes.
    if any(reason.code == "units" for reason in further):
        reasons = [reason for reason in reasons if reason.level != "not supported"]
    reasons = in_order([*reasons, *further])
    return Verdict(
        level=lowest(reason.level for reason in reasons), reasons=reasons, p_value=test.p_value
    )


def _reasons_of_test(test: LabelTest) -> Iterator[Reason]:
    """Yield the reason of a label test that does not exclude chance."""
    if test.p_value > ONE_SIDED_LEVEL:  # never without a test
        yield Reason(
            code="label test",
            p=test.p_value,
            limit=ONE_SIDED_LEVEL,
            count=test.at_least,
            total=test.permutations,
        )


def _reasons_of_performance(
    performance: Performance, balanced: Estimate, classes: Sequence[str] | np.ndarray | None
) -> Iterator[Reason]:
    """Yield the reasons of the ``balanced`` accuracy, the accuracy, and each class."""
    if not balanced.lower > performance.chance:
        yield Reason(code="chance interval", limit=performance.chance, **_numbers(balanced))
    accuracy = performance.accuracy
    if not accuracy.lower > performance.majority:
        yield Reason(code="majority class", limit=performance.majority, **_numbers(accuracy))
    for row in performance.classes:
        if row.is_recognised:
            continue
        yield Reason(
            code="class not recognised",
            label=str(row.code if classes is None else classes[row.code]),
            other="" if classes is None or row.mistaken_for < 0 else str(classes[row.mistaken_for]),
            total=row.n_samples,
            **_numbers(row.recall),
        )


def _numbers(estimate: Estimate) -> dict[str, Any]:
    """Return the fields of a reason that an estimate fills."""
    return {"estimate": estimate.value, "lower": estimate.lower, "upper": estimate.upper}


def stability_reasons(
    halves: Estimate | None, mean_size: float = np.nan, n_features: float = np.nan
) -> list[Reason]:
    """Return the reason that the stability of a selection has against a result, if there is one.

    ``halves`` is the share of the first features that independent samples find again, None where a
    classifier that selects features was not fitted to halves. ``mean_size`` is the mean number of
    features of a short list, of ``n_features``. The index is corrected for chance: where most
    features are in each list, it is near 0 although the lists share most of their features.
    """
    if halves is None:
        return [Reason(code="stability not tested")]
    if not halves.lower < LEAST_REPLICATED:
        return []
    numbers = _numbers(halves) | {"limit": LEAST_REPLICATED}
    if not halves.upper < LEAST_REPLICATED:
        return [Reason(code="stability unclear", **numbers)]
    if mean_size > _MOST_FEATURES * n_features:
        numbers |= {"count": mean_size, "total": n_features}
        return [Reason(code="most features selected", **numbers)]
    return [Reason(code="unstable", **numbers)]


@dataclass(frozen=True, kw_only=True)
class NearLimit:
    """The conditions that another draw of folds or permutations may decide otherwise."""

    test: bool
    interval: bool


def near_limit(performance: Performance, test: LabelTest) -> NearLimit:
    """Return whether p, or the interval of the balanced accuracy, is near its limit.

    These are limits of p on both sides of its level (`LabelTest.is_near`), and a lower limit of the
    balanced accuracy within .02 of chance.

    Examples
    --------
    >>> from xnbflow.inference.estimates import performance
    >>> codes = np.repeat([0, 1], 20)
    >>> test = LabelTest(0.03, p_lower=0.02, p_upper=0.04)
    >>> near_limit(performance(codes, np.eye(2)[codes]), test)
    NearLimit(test=True, interval=False)
    """
    distance = abs(performance.balanced_accuracy.lower - performance.chance)
    return NearLimit(
        test=test.is_near,
        interval=bool(distance <= _NEAR_CHANCE),
    )


def verdicts(
    performances: Mapping[Key, Performance],
    headers: Headers,
    *,
    fits: Mapping[Key, tuple[int, int]],
    stability: pd.DataFrame,
    label_tests: pd.DataFrame,
    further: Mapping[Key, Sequence[Reason]],
) -> dict[str, pd.DataFrame]:
    """Return the study's tables ``verdicts`` and ``reasons``; see `verdict`.

    ``fits`` are the numbers of folds that could not be fitted, and of all folds, of every
    classifier of the study; a classifier with a failed fold is not supported, because its results
    are those of some folds. ``stability`` and ``label_tests`` are the study's tables;
    ``further`` are reasons of other evidence, see `reasons_of_data` and `cohort_reasons`.

    A classifier that selects features has rows in ``stability``; without halves of its own its
    stability was not tested. All classifiers of a data set have its label test.
    """
    of_all_classes = stability[stability["class"] == ""].set_index(KEY)
    selections = of_all_classes.to_dict("index")
    tests = _tests(label_tests)
    verdict_rows = []
    reason_rows = []
    for key, (n_failed, n_folds) in fits.items():
        dataset = key[0]
        header = headers[dataset]
        test = tests.get(dataset, LabelTest())
        near = NearLimit(test=False, interval=False)
        if n_failed or key not in performances:
            failure = Reason(code="not fitted", count=n_failed, total=n_folds)
            result = Verdict(level=failure.level, reasons=[failure], p_value=np.nan)
        else:
            performance = performances[key]
            reasons = list(further.get(key, ()))
            if key in selections:
                reasons += _of_selection(selections[key], header.n_features)
            result = verdict(performance, test, reasons, classes=header.classes)
            if "units" not in result.codes:
                near = near_limit(performance, test)
        row = {
            **key_fields(key),
            "level": result.level,
            "p_value": result.p_value,
            "near_test": near.test,
            "near_interval": near.interval,
            "selects": key in selections,
        }
        verdict_rows.append(row)
        reason_rows += [key_fields(key) | reason.columns() for reason in result.reasons]
    return {
        "verdicts": pd.DataFrame(verdict_rows, columns=STUDY_TABLES["verdicts"].fixed),
        "reasons": pd.DataFrame(reason_rows, columns=STUDY_TABLES["reasons"].fixed),
    }


def _tests(label_tests: pd.DataFrame) -> dict[str, LabelTest]:
    """Return the label tests by data set; its classifiers have the same."""
    tests: dict[str, LabelTest] = {}
    for row in label_tests.drop_duplicates("dataset").to_dict("records"):
        tests[row["dataset"]] = LabelTest(
            row["p_value"],
            row["at_least"],
            row["permutations"],
            p_lower=row["p_lower"],
            p_upper=row["p_upper"],
        )
    return tests


def _of_selection(selection: Mapping[str, float], n_features: int) -> list[Reason]:
    """Return the reasons of a row of the table ``stability``: of its replicated features."""
    halves = None
    if pd.notna(selection["replicated"]):
        halves = Estimate(
            selection["replicated"], selection["replicated_lower"], selection["replicated_upper"]
        )
    return stability_reasons(halves, selection["short_size"], n_features)


def reasons_of_data(audit: pd.DataFrame, headers: Headers) -> dict[str, list[Reason]]:
    """Return the reasons that the audit of each data set has against all its results."""
    reasons: dict[str, list[Reason]] = {}
    for name, header in headers.items():
        rows = audit[audit["dataset"] == name]
        reasons[name] = copy_reasons(rows, len(header.samples))
        reasons[name] += repeat_reasons(rows, len(header.samples))
        reasons[name] += missing_reasons(rows)
        reasons[name] += selection_reasons(rows)
        reasons[name] += unit_reasons(rows)
        reasons[name] += one_class_reasons(rows)
        if header.scale != COUNTS:
            reasons[name] += library_reasons(rows)
    return reasons


def copy_reasons(audit: pd.DataFrame, n_samples: int) -> list[Reason]:
    """Return the reason that copies of samples are against the results of a data set, if any.

    ``audit`` has the rows of the data set. A tenth of the samples that are exact copies, or half
    that are near ones, are many; fewer exact copies, or a tenth of near ones, are some. Likely
    replicates are ignored.
    """
    shares = {}
    counts = {}
    for code in ("equal samples", "nearly equal samples"):
        pairs = audit.loc[audit["code"] == code, ["subject", "other"]]
        counts[code] = len(set(pairs.to_numpy().ravel()))
        shares[code] = counts[code] / n_samples
    exact = shares["equal samples"]
    near = shares["nearly equal samples"]
    code = ""
    if exact >= MANY_EXACT_COPIES or near >= MANY_NEAR_COPIES:
        code = "many copies"
    elif exact > 0 or near >= SOME_NEAR_COPIES:
        code = "some copies"
    return [Reason(code=code, count=max(counts.values()), total=n_samples)] if code else []


def repeat_reasons(audit: pd.DataFrame, n_samples: int) -> list[Reason]:
    """Return the reason that samples of the same patients, without a group, are, if any.

    ``audit`` has the rows of the data set. If they are half of the samples, the result cannot be
    judged before their groups are named.
    """
    rows = audit[audit["code"].isin(_REPEATS)]
    return [
        Reason(
            code=_REPEATS[row["code"]],
            count=round(row["value"] * n_samples),
            total=n_samples,
        )
        for row in rows.to_dict("records")
    ]


def missing_reasons(audit: pd.DataFrame) -> list[Reason]:
    """Return the reason that missing values, or those at a limit, go with the class, if any.

    ``audit`` has the rows of the data set. A difference of few such values is no reason.
    """
    rows = audit[audit["code"].isin(_MISSING)]
    return [
        Reason(
            code=_MISSING[row["code"]],
            label=row["subject"],
            other=row["other"],
            estimate=row["value"],
            p=row["p"],
        )
        for row in rows.to_dict("records")
    ]


def selection_reasons(audit: pd.DataFrame) -> list[Reason]:
    """Return the reasons that steps with the labels, before cross-validation, have against results.

    ``audit`` has the rows of the data set. The subject is the column whose effect was removed.
    It is empty if features were chosen, with their share as the estimate, or classes were
    normalised.
    """
    rows = audit[audit["code"].isin(_SELECTION)]
    return [
        Reason(
            code="selection",
            subject=row["subject"] if row["code"] == "corrected with class" else "",
            estimate=row["value"],
            p=row["p"],
        )
        for row in rows.to_dict("records")
    ]


def unit_reasons(audit: pd.DataFrame) -> list[Reason]:
    """Return the reason that samples, or patients, are too few for any result, if they are."""
    rows = audit[audit["code"] == "too few units"]
    return [
        Reason(
            code="units",
            subject=row["subject"],
            count=row["value"],
            p=row["p"],
            limit=ONE_SIDED_LEVEL,
        )
        for row in rows.to_dict("records")
    ]


def one_class_reasons(audit: pd.DataFrame) -> list[Reason]:
    """Return the reasons that columns of batches which only one class has are against results."""
    rows = audit[audit["code"] == "technical in one class"]
    return [
        Reason(code="column not separated", subject=join_columns([row["subject"]]), count=0)
        for row in rows.to_dict("records")
    ]


def library_reasons(audit: pd.DataFrame) -> list[Reason]:
    """Return a reason if the libraries of two classes have very different sizes.

    ``audit`` has the rows of a data set of raw counts: the class can then be recognised by the
    number of reads. Counts that are normalised in each fold (``transform: tmm``) are not concerned:
    `docs/methods/counts.md` has the level of their test.
    """
    rows = audit[audit["code"] == "libraries very unequal"]
    return [
        Reason(code="library size", label=row["subject"], other=row["other"], estimate=row["value"])
        for row in rows.to_dict("records")
    ]


def column_reasons(pairs: pd.DataFrame, headers: Headers) -> dict[Key, list[Reason]]:
    """Return the reasons that columns of the samples have against results.

    ``pairs`` is the study's table ``concordance_pairs``: a column, or columns together, and a pair
    of classes. The subject of a reason has the form of `join_columns`. With two classes the reason
    does not name them. Of several classes a result can be judged in part if a column leaves some
    pairs.
    """
    reasons: dict[Key, list[Reason]] = {}
    rows = pairs[pairs["limits"].astype(bool) & pairs["status"].isin(INSEPARABLE)]
    n_inseparable = rows.groupby([*KEY, "column"])["status"].transform("size")
    for row, n_pairs in zip(rows.to_dict("records"), n_inseparable.tolist(), strict=True):
        n_classes = len(headers[row["dataset"]].classes)
        several = n_classes > 2
        is_whole = n_pairs == n_classes * (n_classes - 1) // 2
        codes = _COLUMN_CODES if is_whole or not several else _PAIR_CODES
        reason = Reason(
            code=codes[row["status"]],
            subject=row["column"] if row["together"] else join_columns([row["column"]]),
            label=row["class"] if several else "",
            other=row["other"] if several else "",
            estimate=row["auc_within"],
            lower=row["lower"],
            upper=row["upper"],
            p=row["p"],
            count=row["pairs"],
            limit=0.5,
        )
        reasons.setdefault((row["dataset"], row["folds"], row["classifier"]), []).append(reason)
    return reasons


def class_pair_reasons(pairs: pd.DataFrame) -> dict[Key, list[Reason]]:
    """Return the reasons that pairs of classes which are not distinguished have against results.

    ``pairs`` is the study's table ``class_pairs``. With two classes their pair is the result
    itself, which other conditions judge. The least separated pair is first.
    """
    reasons: dict[Key, list[Reason]] = {}
    n_pairs = pairs.groupby(KEY)["class"].transform("size")
    alike = pairs[(n_pairs > 1) & ~pairs["separated"].astype(bool)]
    for row in alike.to_dict("records"):
        reason = Reason(
            code="classes not distinguished",
            label=row["class"],
            other=row["other"],
            estimate=row["auc"],
            lower=row["lower"],
            upper=row["upper"],
            limit=0.5,
            count=row["samples"],
            total=row["other_samples"],
        )
        reasons.setdefault((row["dataset"], row["folds"], row["classifier"]), []).append(reason)
    return reasons


def cohort_reasons(tests: pd.DataFrame) -> dict[tuple[str, str], list[Reason]]:
    """Return the reasons that second cohorts have against a classifier, by data set and classifier.

    ``tests`` have a row for each test of a model in a second cohort, with the columns of
    ``validation/verdicts``. A cohort in which the classifier held in one of several tests, which
    differ in how values are matched and harmonised, is no reason.
    """
    reasons: dict[tuple[str, str], list[Reason]] = {}
    for (dataset, classifier, cohort), rows in tests.groupby(
        ["train", "model", "test"], sort=False
    ):
        if rows["verdict"].isin(_HELD).any():
            continue
        against = [verdict for verdict in _COHORT_CODES if (rows["verdict"] == verdict).any()]
        if not against:
            continue
        row = rows[rows["verdict"] == against[0]].iloc[0]
        reason = Reason(
            code=_COHORT_CODES[against[0]],
            subject=str(cohort),
            estimate=row["value"],
            lower=row["lower"],
            upper=row["upper"],
            limit=row["chance"],
            p=row["p_value"],
            count=row["right"],
            total=row["n"],
        )
        reasons.setdefault((str(dataset), str(classifier)), []).append(reason)
    return reasons
