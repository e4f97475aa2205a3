"""Verdicts, estimates and lists do not depend on orders, names and units."""

import numpy as np
import pandas as pd
import pytest
from toys import dataset

from xnbflow.diagnostics.series_audit import audit
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.methods import resolved
from xnbflow.inference.class_pairs import class_pairs
from xnbflow.inference.estimates import areas, pooled_performance
from xnbflow.inference.halves import half_stability, halves_table, pairs_of
from xnbflow.inference.label_test import label_test
from xnbflow.inference.missingness import missing_values, values_at_limit
from xnbflow.inference.verdicts import class_pair_findings, verdicts
from xnbflow.models.trained import cross_validate, fit_model
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.finding_table import finding_table

KEY = ("d", "f", "c")
CSNB_CV = resolved({"method": "csnb_cv"})
CLASSES = {"a": "z tumour", "b": "normal", "c": "m other"}


def study(rng, kind):
    """Return a data set of two or three classes, with patients of one or of several classes."""
    n_samples = 36
    labels = rng.permutation(np.repeat(["a", "b", "c"] if kind == "three" else ["a", "b"], 12))
    labels = np.concatenate([labels, rng.permutation(labels)])[:n_samples]
    values = rng.normal(8.0, 1.0, (60, n_samples))
    values[:6, labels == "a"] += 1.2
    groups = None
    if kind == "patients":
        groups = np.char.add("p", (np.arange(n_samples) // 2).astype(str))
    return dataset(values, labels, groups=groups)


def rearranged(series, rng, unit):
    """Return the study with other orders and names, and its values in another unit."""
    rows = rng.permutation(series.n_samples)
    features = rng.permutation(series.n_features)
    groups = series.groups
    if groups is not None:
        names = np.unique(groups)
        other = dict(zip(names, rng.permutation(names), strict=True))
        groups = np.array([f"patient {other[name]}" for name in groups])[rows]
    other = dataset(
        unit * series.values[features][:, rows],
        np.array([CLASSES[label] for label in series.labels])[rows],
        groups=groups,
    )
    return other, rows, features


def verdict_of(series, validation, tested, class_names):
    """Return the level of a classifier, and the numbers of its findings by kind and class.

    ``tested`` is the label test of the data set.
    """
    predictions = {KEY: validation.predictions}
    headers = {"d": series}
    of_values = finding_table([*missing_values(series), *values_at_limit(series)])
    data_findings = pd.concat([audit(series)["findings"], of_values]).assign(dataset="d")
    pairs = class_pairs(predictions, headers, {KEY: 2.5})
    judged = verdicts(
        {KEY: pooled_performance(validation.predictions, series, 2.5)},
        headers,
        fits={KEY: (0, 5)},
        stability=pd.DataFrame(columns=GROUPS["study"].tables["stability"].fixed),
        label_tests=tested.assign(dataset="d", classifier="c"),
        data_findings=data_findings,
        further=class_pair_findings(pairs),
    )
    numbers = ["estimate", "lower", "upper", "p", "limit", "count", "total"]
    limiting = judged["findings"][judged["findings"]["allows"] != ""]
    findings = []
    for row in limiting.to_dict("records"):
        labels = [class_names.get(row[name], row[name]) for name in ("class", "other")]
        if row["kind"] == "pair":  # a pair has no order
            labels.sort()
        findings.append(((row["code"], row["kind"], *labels), [row[name] for name in numbers]))
    return judged["verdicts"]["level"].tolist(), dict(sorted(findings))


# a power of two is equal but for the unit; one thousand has rounding errors, as other units have
@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "unit"), [("two", 4.0), ("three", 4.0), ("patients", 4.0), ("two", 1000.0)]
)
def test_orders_names_and_units_change_no_result(rng, kind, unit):
    series = study(rng, kind)
    other, rows, features = rearranged(series, rng, unit)
    feature_names = dict(zip(other.features, series.features[features], strict=True))

    label_tests = [label_test(data, n_permutations=199, n_draws=3) for data in (series, other)]
    pd.testing.assert_frame_equal(*label_tests)

    folds = [draw_folds(data, 5, 2) for data in (series, other)]
    sample_names = dict(zip(other.samples, series.samples[rows], strict=True))
    folds[1]["sample"] = folds[1]["sample"].map(sample_names)
    columns = ["repeat", "fold", "sample"]
    folds = [table.sort_values(columns)[columns].to_numpy().tolist() for table in folds]
    assert folds[0] == folds[1]

    validations = [cross_validate(data, CSNB_CV, 5) for data in (series, other)]
    first, second = (
        pooled_performance(validation.predictions, data, 2.5)
        for validation, data in zip(validations, (series, other), strict=True)
    )
    assert first.accuracy == pytest.approx(second.accuracy)
    assert first.balanced_accuracy == pytest.approx(second.balanced_accuracy)
    recalls = {CLASSES[str(series.classes[row.code])]: row.recall for row in first.classes}
    for row in second.classes:
        assert recalls[str(other.classes[row.code])] == pytest.approx(row.recall)
    if kind == "three":
        curves = [areas(v.predictions, v.series, 2.5) for v in validations]
        for label, area in curves[0].items():
            assert area == pytest.approx(curves[1][CLASSES[label]])

    level, reasons = verdict_of(series, validations[0], label_tests[0], CLASSES)
    other_level, other_reasons = verdict_of(other, validations[1], label_tests[1], {})
    assert level == other_level
    assert list(reasons) == list(other_reasons)
    for key, numbers in reasons.items():
        assert numbers == pytest.approx(other_reasons[key], nan_ok=True)

    halves = [halves_table(data, CSNB_CV, 2) for data in (series, other)]
    agreement = [half_stability(pairs_of(table), 60) for table in halves]
    assert agreement[0] == pytest.approx(agreement[1], nan_ok=True)
    lists = [
        halves[0].assign(**{"class": halves[0]["class"].map(CLASSES)}),
        halves[1].assign(feature=halves[1]["feature"].map(feature_names)),
    ]
    keys = ["repeat", "fold", "class", "feature"]
    lists = [table.sort_values(keys)[keys].to_numpy().tolist() for table in lists]
    assert lists[0] == lists[1]

    selected = [fit_model(data, CSNB_CV).estimator.selected_features_ for data in (series, other)]
    for label, names in selected[0].items():
        assert list(names) == [feature_names[name] for name in selected[1][CLASSES[label]]]
