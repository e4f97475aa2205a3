"""The verdict on one data set by the complete rule, as a run of the workflow makes it.

The audit, missing values, columns of the samples, pairs of classes, the label test, the intervals
of a classifier in five folds, and stability on request.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.significance import ONE_SIDED_LEVEL
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.series_audit import audit
from xnbflow.evaluation.folds import class_counts, draw_folds
from xnbflow.evaluation.keyed_tables import Key
from xnbflow.evaluation.methods import resolved
from xnbflow.evaluation.training import train
from xnbflow.inference.class_pairs import class_pairs
from xnbflow.inference.estimates import Performance, areas, pooled_performance
from xnbflow.inference.halves import agreement_table, halves_table
from xnbflow.inference.intervals import Estimate, inflation_of
from xnbflow.inference.label_test import label_test
from xnbflow.inference.missingness import missing_values, values_at_limit
from xnbflow.inference.selection import selection
from xnbflow.inference.units import units
from xnbflow.inference.verdicts import (
    class_pair_findings,
    column_findings,
    verdicts,
)
from xnbflow.studies import selected_features
from xnbflow.studies.recognition import recognition
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.finding_table import finding_table

__all__ = ["JudgedStudy", "LabelTestSize", "judge", "predict_new_samples"]

#: The data set, scheme of folds and classifier of all studies.
KEY: Key = ("d", "f", "c")
SPLITS = 5


@dataclass(frozen=True, kw_only=True)
class LabelTestSize:
    """How many permutations and draws of folds the label test has.

    A study has 4,999 and 20. Fewer cost power, and no size.
    """

    permutations: int = 499
    draws: int = 2


@dataclass(frozen=True, kw_only=True)
class JudgedStudy:
    """The level of a study, its reasons, and what they were computed from.

    Attributes
    ----------
    level : str
    findings : DataFrame
        The rows of the table ``findings`` of a study that limit the verdict.
    test : Series
        The row of the label test.
    performance : Performance
        Of the cross-validation.
    area : Estimate or None
        The cross-validated AUC of the second of two classes.
    stability : Series or None
        The row of all classes in the table ``stability``; None without halves.
    """

    level: str
    findings: pd.DataFrame
    test: pd.Series
    performance: Performance
    area: Estimate | None = None
    stability: pd.Series | None = None

    @property
    def codes(self) -> tuple[str, ...]:
        """The code and kind of each finding that limits the verdict."""
        names = zip(self.findings["code"], self.findings["kind"], strict=True)
        return tuple(": ".join(filter(None, name)) for name in names)

    @property
    def p(self) -> float:
        """P of the label test."""
        return float(self.test["p_value"])

    @property
    def rejected(self) -> bool:
        """Whether the label test rejects chance."""
        return self.p <= ONE_SIDED_LEVEL

    @property
    def above_chance(self) -> bool:
        """Whether the interval of the balanced accuracy is above chance."""
        return self.performance.balanced_accuracy.lower > self.performance.chance

    @property
    def supported(self) -> bool:
        """Whether a reader believes the result."""
        return self.level in ("well supported", "partly supported")


def judge(
    series: DataSet,
    method: str = "csnb",
    *,
    n_half_pairs: int = 0,
    test_size: LabelTestSize | None = None,
) -> JudgedStudy:
    """Return the verdict on a classifier of a series by the complete rule.

    Without pairs of halves stability does not limit the verdict.

    Examples
    --------
    >>> from benchmarks.simulated_studies import Design, draw_study
    >>> judge(draw_study(Design(effect=3.0), seed=0)).level
    'well supported'
    """
    test_size = test_size or LabelTestSize()
    entry = resolved({"method": method})
    inflation = inflation_of(entry)
    headers = {"d": series}
    n_splits = min(SPLITS, int(class_counts(series).max()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small classes
        tables = train(series, draw_folds(series, n_splits, 1), entry, explain=False)
        audited = audit(series)
        checks = (missing_values, values_at_limit, selection, units)
        further_findings = [finding for check in checks for finding in check(series)]
        test = label_test(series, n_permutations=test_size.permutations, n_draws=test_size.draws)
        stability = pd.DataFrame(columns=GROUPS["study"].tables["stability"].fixed)
        if n_half_pairs:
            stability = _stability(series, tables, entry, n_half_pairs)
    tables_of_findings = [audited["findings"], finding_table(further_findings)]
    data_findings = pd.concat(tables_of_findings, ignore_index=True)

    predictions = {KEY: tables["predictions"]}
    performance = pooled_performance(predictions[KEY], series, inflation)
    columns = recognition(predictions, headers, audited["associations"].assign(dataset="d"))
    pairs_of_classes = class_pairs(predictions, headers, {KEY: inflation})
    further = [
        *column_findings(columns, headers).get(KEY, ()),
        *class_pair_findings(pairs_of_classes).get(KEY, ()),
    ]
    judged = verdicts(
        {KEY: performance},
        headers,
        fits={KEY: (0, n_splits)},
        stability=stability,
        label_tests=test.assign(dataset="d", classifier="c"),
        data_findings=data_findings.assign(dataset="d"),
        further={KEY: further},
    )
    limiting = judged["findings"][judged["findings"]["allows"] != ""]
    area = None
    if len(series.classes) == 2:
        area = areas(predictions[KEY], series, inflation)[str(series.classes[1])]
    return JudgedStudy(
        level=judged["verdicts"]["level"].iloc[0],
        findings=limiting,
        test=test.iloc[0],
        performance=performance,
        area=area,
        stability=stability[stability["class"] == ""].iloc[0] if len(stability) else None,
    )


def _stability(
    series: DataSet, tables: dict[str, pd.DataFrame], entry: dict[str, Any], n_half_pairs: int
) -> pd.DataFrame:
    """Return the study's table ``stability`` of one classifier."""
    halves = halves_table(series, entry, n_half_pairs)
    return selected_features.stability(
        {KEY: tables["selected"]},
        {KEY: tables["fits"]},
        {"d": series},
        {("d", "c"): halves},
        agreement={("d", "c"): agreement_table(series, halves)},
    )


def predict_new_samples(
    series: DataSet, new_samples: DataSet, method: str
) -> tuple[DataSet, pd.DataFrame]:
    """Return both series as one, and the predictions of the new samples by a fit to the others.

    The new samples are the test samples of the only fold.
    """
    n_new = new_samples.n_samples
    new_names = np.array([f"new{i}" for i in range(n_new)])
    groups = None
    if series.groups is not None:
        groups = np.concatenate([series.groups, new_names])
    both = DataSet(
        name="d",
        values=np.concatenate([series.values, new_samples.values], axis=1),
        features=series.features,
        samples=np.concatenate([series.samples, new_names]),
        labels=np.concatenate([series.labels, new_samples.labels]),
        groups=groups,
    )
    folds = pd.DataFrame({"repeat": 0, "fold": 0, "sample": new_names})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tables = train(both, folds, resolved({"method": method}), explain=False)
    return both, tables["predictions"]
