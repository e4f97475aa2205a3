"""Calibration, sure predictions and coverage of classifiers with probabilities."""

import numpy as np
import pandas as pd
import pytest
from prediction_tables import HEADER, fits_of, predictions_of

from xnbflow.inference.intervals import BELOW, CROSS_VALIDATED, proportion_interval
from xnbflow.studies import probability_tables


def test_the_calibration_of_all_classifiers_is_one_table():
    """One without probabilities and one that failed stand between two that give them."""
    table = predictions_of([0.9, 0.6, 1.0, 0.3])
    predicted_x = table["predicted"] == "x"
    probability = np.where(predicted_x, 0.995, 0.02)
    posterior = {"log_posterior.x": np.log(probability), "log_posterior.y": np.log(1 - probability)}
    tables = {"first": table.assign(**posterior), "failed": table.iloc[:0], "silent": table}
    tables["last"] = tables["first"]
    predictions = {("d", "f", name): rows_of_one for name, rows_of_one in tables.items()}
    actual = probability_tables.calibration(predictions, {"d": HEADER}, {})
    assert actual["classifier"].tolist() == ["first"] * 10 + ["last"] * 10
    assert actual.index.tolist() == list(range(20))
    last = actual.set_index("bin").iloc[:10].loc[9]  # all have a probability of .98 or more
    right = int((table["predicted"] == table["true"]).sum())
    assert last[["count", "observed"]].tolist() == [len(table), right / len(table)]
    n = 2 * CROSS_VALIDATED  # of two repeats
    limits = proportion_interval(right / n, len(table) / n)
    assert last[["observed_lower", "observed_upper"]].tolist() == pytest.approx(limits)


def test_coverage_counts_each_sample_once_and_sets_by_their_sizes():
    table = predictions_of([1.0] * 4)
    table["set_size"] = np.resize([1.0, 1.0, 2.0, 3.0], len(table))
    table["covered"] = np.resize([1.0, 0.0, 1.0, 1.0], len(table))
    silent = predictions_of([1.0] * 4)
    tables = {("d", "f", "sets"): table, ("d", "f", "none"): silent}
    actual = probability_tables.sets(tables, {"d": HEADER}, {})
    assert actual["classifier"].tolist() == ["sets", "sets"]
    for row in actual.to_dict("records"):
        class_rows = table[table["true"] == row["class"]]
        assert row["samples"] == class_rows["sample"].nunique()
        assert row["coverage"] == pytest.approx(class_rows["covered"].mean())
        single = (class_rows["set_size"] == 1).mean()
        assert [row["single"], row["several"]] == [single, 1 - single]
        assert row["single_right"] == class_rows.query("set_size == 1")["covered"].mean()
        n = row["samples"] / BELOW
        lower, _ = proportion_interval(row["coverage"] * n, n)
        n = row["samples"] / CROSS_VALIDATED
        _, upper = proportion_interval(row["coverage"] * n, n)
        upper = 1.0 if (1 - row["coverage"]) * n <= 1 else upper  # at most one effective error
        assert [row["lower"], row["upper"]] == pytest.approx([lower, upper])


def test_shares_of_the_confusion_are_of_the_true_class():
    table = pd.DataFrame({"true": list("aaab"), "predicted": list("aabb")})
    rows = probability_tables.confusion({("d", "f", "nb"): table})
    shares = rows.set_index(["true", "predicted"])["share"].to_dict()
    assert shares == pytest.approx({("a", "a"): 2 / 3, ("a", "b"): 1 / 3, ("b", "b"): 1.0})


def test_a_classifier_with_a_failed_fold_has_no_roc_curve():
    table = predictions_of([0.9, 0.6, 1.0, 0.3])
    probability = np.where(table["predicted"] == "x", 0.9, 0.2)
    table = table.assign(
        **{"log_posterior.x": np.log(probability), "log_posterior.y": np.log(1 - probability)}
    )
    key = ("d", "f", "nb")
    assert len(probability_tables.roc({key: table}, {key: fits_of()}, {"d": HEADER}))
    failed = {key: fits_of(failed=[(1, 1)])}
    assert probability_tables.roc({key: table}, failed, {"d": HEADER}).empty


def test_sets_aim_at_90_percent_and_their_intervals_count_the_inflation():
    table = predictions_of([1.0] * 4)
    table["set_size"] = 1.0
    table["covered"] = np.resize([1.0, 0.0], len(table))
    key = ("d", "f", "sets")
    widths = []
    for inflation in (1.0, 4.0):
        rows = probability_tables.sets({key: table}, {"d": HEADER}, {key: inflation})
        assert rows["level"].tolist() == pytest.approx([0.9, 0.9])
        widths.append((rows["upper"] - rows["lower"]).iloc[0])
    assert widths[1] > 1.4 * widths[0]
