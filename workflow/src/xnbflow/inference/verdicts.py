"""Verdicts on the results of a study, by intervals and the label test.

A result counts as a signal if the label test has p <= .025 *and* the interval
of the balanced accuracy lies above that of chance. Everything else can only weaken it. Each
function on one kind of evidence returns the findings of this evidence; a verdict is the lowest
level that one of them, or one of the data set, allows (`xnbflow.core.findings`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.findings import Finding, VerdictLevel, lowest, place_in_order
from xnbflow.core.joined_columns import join_columns
from xnbflow.core.significance import ONE_SIDED_LEVEL
from xnbflow.evaluation.keyed_tables import KEY, Headers, Key, key_fields
from xnbflow.inference.estimates import Performance
from xnbflow.inference.intervals import Estimate
from xnbflow.tables.contract import GROUPS

#: Share of the first features that must differ in other samples, corrected for chance: half.
LEAST_REPLICATED = 0.5
#: Statuses of a column that may explain a result (`xnbflow.studies.recognition`).
INSEPARABLE = ("cannot be separated", "cannot be examined")
#: Kinds of the findings by these statuses, where no pair of classes is separated from a column.
_COLUMN_KINDS = {
    "cannot be separated": "not separated",
    "cannot be examined": "not examined",
}
#: The same where some pairs of several classes are separated from it.
_PAIR_KINDS = {
    "cannot be separated": "pair not separated",
    "cannot be examined": "pair not examined",
}
#: Least pairs of samples of different classes for the examination of a column.
FEWEST_PAIRS = 10
#: Share of the features of a list from which disjoint halves cannot show a choice.
_MOST_FEATURES = 0.5

#: A lower limit of the balanced accuracy is near chance if it is within this distance of it.
_NEAR_CHANCE = 0.02

#: Verdicts in second cohorts that weaken a result, which are kinds of findings. Of several tests in
#: one cohort, which differ in how values are matched, the first of these counts.
_WEAKENING = ("held in ranking", "not held")


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
    """The verdict on a classifier.

    Attributes
    ----------
    level : str
        The lowest level that a finding allows.
    findings : list of Finding
    p_value : float
        P of the label test; missing without one.
    near_test, near_interval : bool
        Whether another draw of folds or permutations may decide otherwise: p, or the lower limit of
        the balanced accuracy, is near its limit.
    """

    level: VerdictLevel
    findings: list[Finding]
    p_value: float
    near_test: bool = False
    near_interval: bool = False


def verdict(
    performance: Performance,
    test: LabelTest | None = None,
    further: Sequence[Finding] = (),
    *,
    classes: Sequence[str] | np.ndarray | None = None,
    suffice: bool = True,
) -> Verdict:
    """Return the verdict on a classifier: whether it recognises its classes.

    ``test`` is the label test, None if none was run, and ``further`` are the findings of
    other evidence, for example those of `stability_findings` and of the data set. ``classes`` are
    the labels of the codes in ``performance``. If the samples do not ``suffice`` for any result
    (`xnbflow.inference.units`), a result that is not above chance is no evidence against the
    classes. For the rule see `docs/methods/verdicts.md`.
    """
    test = test or LabelTest()
    balanced = performance.balanced_accuracy
    if np.isnan(test.p_value):  # without a test the interval alone decides
        balanced = balanced._replace(lower=performance.strict_lower)
    findings = [
        *_findings_of_test(test),
        *_findings_of_performance(performance, balanced, classes),
    ]
    if not suffice:
        findings = [finding for finding in findings if finding.allows != "not supported"]
    findings += further
    findings.sort(key=lambda finding: place_in_order(finding.code, finding.kind))
    return Verdict(
        level=lowest(finding.allows for finding in findings),
        findings=findings,
        p_value=test.p_value,
        near_test=suffice and test.is_near,
        near_interval=suffice and _is_near_chance(performance),
    )


def _is_near_chance(performance: Performance) -> bool:
    """Return whether the lower limit of the balanced accuracy is within .02 of chance.

    Examples
    --------
    >>> from xnbflow.inference.estimates import performance
    >>> codes = np.repeat([0, 1], 20)
    >>> perfect = performance(codes, np.eye(2)[codes])
    >>> round(perfect.balanced_accuracy.lower, 2), _is_near_chance(perfect)
    (0.9, False)
    """
    distance = abs(performance.balanced_accuracy.lower - performance.chance)
    return bool(distance <= _NEAR_CHANCE)


def _findings_of_test(test: LabelTest) -> Iterator[Finding]:
    """Yield the finding of a label test that does not exclude chance."""
    if test.p_value > ONE_SIDED_LEVEL:  # never without a test
        yield Finding(
            code="chance",
            kind="label test",
            numbers={
                "p": test.p_value,
                "limit": ONE_SIDED_LEVEL,
                "count": test.at_least,
                "total": test.permutations,
            },
        )


def _findings_of_performance(
    performance: Performance, balanced: Estimate, classes: Sequence[str] | np.ndarray | None
) -> Iterator[Finding]:
    """Yield the findings of the ``balanced`` accuracy, the accuracy, and each class."""
    if not balanced.lower > performance.chance:
        yield Finding(
            code="chance",
            kind="interval",
            numbers={"limit": performance.chance, **_numbers(balanced)},
        )
    accuracy = performance.accuracy
    if not accuracy.lower > performance.majority:
        yield Finding(
            code="chance",
            kind="majority class",
            numbers={"limit": performance.majority, **_numbers(accuracy)},
        )
    for row in performance.classes:
        if row.is_recognised:
            continue
        yield Finding(
            code="class not recognised",
            kind="class",
            label=str(row.code if classes is None else classes[row.code]),
            other="" if classes is None or row.mistaken_for < 0 else str(classes[row.mistaken_for]),
            numbers={"total": row.n_samples, **_numbers(row.recall)},
        )


def _numbers(estimate: Estimate) -> dict[str, Any]:
    """Return the fields of a finding that an estimate fills."""
    return {"estimate": estimate.value, "lower": estimate.lower, "upper": estimate.upper}


def stability_findings(
    halves: Estimate | None, mean_size: float = np.nan, n_features: float = np.nan
) -> list[Finding]:
    """Return the finding on the stability of a selection, if there is one.

    ``halves`` is the share of the first features that differ in other samples, too, corrected for
    chance (`xnbflow.inference.replication`); None where a classifier that selects features was not
    fitted to halves. ``mean_size`` is the mean number of features of a short list, of
    ``n_features``: where most features are listed, all have the same chance.
    """
    if halves is None:
        return [Finding(code="unstable", kind="not tested")]
    if not halves.value < LEAST_REPLICATED:
        return []
    numbers = _numbers(halves) | {"limit": LEAST_REPLICATED}
    if mean_size > _MOST_FEATURES * n_features:
        numbers |= {"count": mean_size, "total": n_features}
        return [Finding(code="unstable", kind="most features", numbers=numbers)]
    return [Finding(code="unstable", kind="not replicated", numbers=numbers)]


def verdicts(
    performances: Mapping[Key, Performance],
    headers: Headers,
    *,
    fits: Mapping[Key, tuple[int, int]],
    stability: pd.DataFrame,
    label_tests: pd.DataFrame,
    data_findings: pd.DataFrame,
    further: Mapping[Key, Sequence[Finding]],
) -> dict[str, pd.DataFrame]:
    """Return the study's tables ``verdicts`` and ``findings``; see `verdict`.

    ``fits`` are the numbers of folds that could not be fitted, and of all folds, of every
    classifier of the study; a classifier with a failed fold is not supported, because its results
    are those of some folds. ``stability`` and ``label_tests`` are the study's tables.
    ``data_findings`` are the findings on its data sets, with the column ``dataset``; they limit
    every classifier of a data set, and are the last rows of ``findings``, with an empty
    classifier. ``further`` are findings on a classifier by other evidence, as `cohort_findings`.

    A classifier that selects features has rows in ``stability``; without halves of its own its
    stability was not tested. All classifiers of a data set have its label test.
    """
    selections = stability[stability["class"] == ""].set_index(KEY).to_dict("index")
    tests = _label_tests_by_dataset(label_tests)
    levels_of_data = data_findings.groupby("dataset")["allows"].agg(lowest).to_dict()
    verdict_rows = []
    finding_rows = []
    for key, (n_failed, n_folds) in fits.items():
        dataset = key[0]
        of_data = data_findings[data_findings["dataset"] == dataset]
        if n_failed or key not in performances:
            result = _verdict_on_failure(n_failed, n_folds)
        else:
            header = headers[dataset]
            findings = list(further.get(key, ()))
            if key in selections:
                findings += _selection_findings(selections[key], header.n_features)
            findings += _unmeasured_value_findings(of_data, performances[key])
            result = verdict(
                performances[key],
                tests.get(dataset),
                findings,
                classes=header.classes,
                suffice=not (of_data["code"] == "units").any(),
            )
        row = {
            **key_fields(key),
            "level": lowest([result.level, levels_of_data.get(dataset, "")]),
            "p_value": result.p_value,
            "near_test": result.near_test,
            "near_interval": result.near_interval,
            "selects": key in selections,
        }
        verdict_rows.append(row)
        finding_rows += [finding.columns() | key_fields(key) for finding in result.findings]

    # Findings on data sets have no classifier, and are the last rows.
    finding_rows += data_findings.assign(folds="", classifier="").to_dict("records")
    tables = GROUPS["study"].tables
    return {
        "verdicts": pd.DataFrame(verdict_rows, columns=tables["verdicts"].fixed),
        "findings": pd.DataFrame(finding_rows, columns=tables["findings"].fixed),
    }


def _verdict_on_failure(n_failed: int, n_folds: int) -> Verdict:
    """Return the verdict on a classifier of which some folds, or all, could not be fitted."""
    failure = Finding(code="not fitted", numbers={"count": n_failed, "total": n_folds})
    return Verdict(level=lowest([failure.allows]), findings=[failure], p_value=np.nan)


def _unmeasured_value_findings(
    of_data: pd.DataFrame, performance: Performance
) -> Iterator[Finding]:
    """Yield the findings that values which were not measured explain a result.

    They do if a classifier of these values is as good. ``of_data`` are the findings on the data
    set.
    """
    for row in of_data[of_data["kind"] == "predict class"].to_dict("records"):
        if not row["estimate"] < performance.balanced_accuracy.value:
            yield Finding(
                code="values",
                kind="explain result",
                dataset=row["dataset"],
                label=row["class"],
                other=row["other"],
                numbers={"estimate": row["estimate"], "p": row["p"]},
            )


def _label_tests_by_dataset(label_tests: pd.DataFrame) -> dict[str, LabelTest]:
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


def _selection_findings(selection: Mapping[str, float], n_features: int) -> list[Finding]:
    """Return the findings of a row of the table ``stability``: of its replicated features."""
    halves = None
    if pd.notna(selection["replicated"]):
        halves = Estimate(
            selection["replicated"], selection["replicated_lower"], selection["replicated_upper"]
        )
    return stability_findings(halves, selection["short_size"], n_features)


def column_findings(recognition: pd.DataFrame, headers: Headers) -> dict[Key, list[Finding]]:
    """Return the findings on columns of the samples that may explain results.

    ``recognition`` is the study's table, of which the rows of pairs of classes are judged: a
    column, or columns together, and a pair. The subject of a finding has the form of
    `join_columns`. With two classes the finding does not name them. Of several classes a result can
    be judged in part if a column leaves some pairs.
    """
    findings: dict[Key, list[Finding]] = {}
    pairs = recognition[recognition["class"] != ""]
    rows = pairs[pairs["limits"].astype(bool) & pairs["status"].isin(INSEPARABLE)]
    n_inseparable = rows.groupby([*KEY, "column"])["status"].transform("size")
    for row, n_pairs in zip(rows.to_dict("records"), n_inseparable.tolist(), strict=True):
        n_classes = len(headers[row["dataset"]].classes)
        several = n_classes > 2
        are_all_pairs = n_pairs == n_classes * (n_classes - 1) // 2
        kinds = _PAIR_KINDS if several and not are_all_pairs else _COLUMN_KINDS
        finding = Finding(
            code="column",
            kind=kinds[row["status"]],
            dataset=row["dataset"],
            subject=row["column"] if row["together"] else join_columns([row["column"]]),
            label=row["class"] if several else "",
            other=row["other"] if several else "",
            numbers={
                "estimate": row["auc_within"],
                "p": row["p"],
                "count": row["pairs"],
                "limit": 0.5,
            },
        )
        findings.setdefault(_key_of(row), []).append(finding)
    return findings


def _key_of(row: Mapping[str, Any]) -> Key:
    """Return the data set, scheme of folds and classifier of a row."""
    return row["dataset"], row["folds"], row["classifier"]


def class_pair_findings(pairs: pd.DataFrame) -> dict[Key, list[Finding]]:
    """Return the findings on pairs of classes that are not distinguished.

    ``pairs`` is the study's table ``class_pairs``. With two classes their pair is the result
    itself, which other conditions judge. The least separated pair is first. Pairs of classes that
    are too small to be judged have one notice together.
    """
    findings: dict[Key, list[Finding]] = {}
    n_pairs = pairs.groupby(KEY)["class"].transform("size")
    several = pairs[n_pairs > 1]
    is_judged = several["judged"].astype(bool)
    is_separated = several["separated"].astype(bool)
    for row in several[is_judged & ~is_separated].to_dict("records"):
        finding = Finding(
            code="class not recognised",
            kind="pair",
            dataset=row["dataset"],
            label=row["class"],
            other=row["other"],
            numbers={
                "estimate": row["auc"],
                "lower": row["lower"],
                "upper": row["upper"],
                "limit": 0.5,
                "count": row["samples"],
                "total": row["other_samples"],
            },
        )
        findings.setdefault(_key_of(row), []).append(finding)
    for key, rows in several.groupby(KEY):
        small = rows[~rows["judged"].astype(bool)]
        if len(small):
            finding = Finding(
                code="class not recognised",
                kind="small classes",
                dataset=key[0],
                severity="notice",
                detail=_sizes_in_words(small),
                numbers={"count": len(small), "total": len(rows)},
            )
            findings.setdefault(key, []).append(finding)
    return findings


def _sizes_in_words(pairs: pd.DataFrame) -> str:
    """Return the sizes of the smaller classes of pairs, such as "6" or "3 to 8"."""
    smaller = pairs[["samples", "other_samples"]].min(axis=1)
    least = int(smaller.min())
    most = int(smaller.max())
    return f"{least}" if least == most else f"{least} to {most}"


def cohort_findings(tests: pd.DataFrame) -> dict[tuple[str, str], list[Finding]]:
    """Return the findings on second cohorts of a classifier, by data set and classifier.

    ``tests`` have a row for each test of a model in a second cohort, with the columns of
    ``cohort_tests``. A cohort in which the classifier held in one of several tests, which
    differ in how values are matched and harmonised, is no finding.
    """
    findings: dict[tuple[str, str], list[Finding]] = {}
    for (dataset, classifier, cohort), rows in tests.groupby(
        ["train", "model", "test"], sort=False
    ):
        if (rows["verdict"] == "held").any():
            continue
        against = [kind for kind in _WEAKENING if (rows["verdict"] == kind).any()]
        if not against:
            continue
        row = rows[rows["verdict"] == against[0]].iloc[0]
        finding = Finding(
            code="cohort",
            kind=against[0],
            dataset=str(dataset),
            subject=str(cohort),
            numbers={
                "estimate": row["value"],
                "lower": row["lower"],
                "upper": row["upper"],
                "limit": row["chance"],
                "p": row["p_value"],
                "count": row["right"],
                "total": row["n"],
            },
        )
        findings.setdefault((str(dataset), str(classifier)), []).append(finding)
    return findings
