"""The section on accuracy: tables, confusion matrices, curves."""

import numpy as np
import pandas as pd
import pytest
from report_blocks import blocks, column, drawn
from report_study import CLASSIFIERS, study_of_tables, write_study

from xnbflow.report.page.blocks import Table
from xnbflow.report.sections import (
    accuracy,
)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_study(tmp_path_factory.mktemp("study"))


def test_the_number_of_data_sets_where_it_is_the_most_accurate_is_that_of_the_marks(results):
    table = blocks(accuracy.section(results), Table)[0]
    marks = pd.Series([name for _, name in table.best]).value_counts()
    wins = results.tables["averages"].set_index("classifier")["wins"]
    wins = wins[wins > 0].rename(results.labels).to_dict()
    assert wins == marks.to_dict()
    cells = table.frame.set_index("dataset")
    for row, name in table.best:
        accuracies = cells.iloc[row].drop("baseline").map(lambda cell: float(cell.split(" ")[0]))
        assert accuracies[name] == accuracies.max()


def test_accuracy_is_mean_spread_and_the_best_marked_beside_the_largest_class(results):
    section = accuracy.section(results)
    levels = ("largest class", pytest.approx([1 / 3, 1 / 2]))
    assert drawn(section, "accuracy")["levels"] == levels
    table = blocks(section, Table)[0]
    predictions = results.training("alpha", "3-fold", "xnb", "predictions")
    right = predictions.assign(right=predictions["true"] == predictions["predicted"])
    folds = right.groupby(["repeat", "fold"])["right"].mean()
    pooled = results.rows("estimates", dataset="alpha", metric="accuracy")
    pooled = pooled.set_index("classifier")["estimate"]
    cell = column(table, "alpha", "XNB")
    spread = folds.groupby("repeat").mean().std()
    assert cell == f"{pooled['xnb']:.3f} ± {folds.std():.3f} ({spread:.3f})"
    best = CLASSIFIERS[pooled.idxmax()]
    assert (0, best) in table.best


PLACE = {"dataset": "d", "folds": "f"}
CLASSIFIER = PLACE | {"classifier": "xnb"}


def test_a_confusion_matrix_has_shares_of_the_true_class():
    """Of ten samples of a eight are right, and four of six that are predicted as b are of b."""
    counts = pd.DataFrame(
        {"true": ["a", "a", "b"], "predicted": ["a", "b", "b"], "count": [8, 2, 4]}
    )
    figure = accuracy.confusion_figure("name", "NB", counts, ["a", "b"])
    np.testing.assert_allclose(figure.arguments["values"], [[0.8, 0.2], [0.0, 1.0]])
    assert figure.arguments["texts"] == [["8", "2"], ["", "4"]]
    assert figure.alt == "Confusion matrix, NB: right are 80% of a, 100% of b."


def study_of_many_classes(tmp_path, n_classes):
    """A study whose class c00 is taken for c01 in three of five tests, c01 for c02 in one."""
    labels = [f"c{number:02}" for number in range(n_classes)]
    cells = {(label, label): 5 for label in labels}
    cells |= {("c00", "c00"): 2, ("c00", "c01"): 3, ("c01", "c01"): 4, ("c01", "c02"): 1}
    counts = [
        CLASSIFIER | {"true": true, "predicted": predicted, "count": count, "share": count / 5}
        for (true, predicted), count in cells.items()
    ]
    sizes = [{"dataset": "d", "class": label, "samples": 5} for label in labels]
    return study_of_tables(
        tmp_path, {"confusion": counts, "class_sizes": sizes, "headline": [{"classifier": "xnb"}]}
    )


def test_a_matrix_of_many_classes_is_a_table_of_the_most_frequent_mistakes(tmp_path):
    few, many = accuracy.MOST_DRAWN_CLASSES, accuracy.MOST_DRAWN_CLASSES + 1
    gallery, *_ = accuracy._prediction_blocks(
        study_of_many_classes(tmp_path / "few", few), "d", "f"
    )[1:]
    assert [figure.name for figure in gallery.figures] == ["confusion-d-f-xnb"]
    assert "In a confusion matrix a row is a true class" in gallery.caption
    _, table, *rest = accuracy._prediction_blocks(
        study_of_many_classes(tmp_path / "many", many), "d", "f"
    )
    assert table.frame[["true", "predicted", "count", "share"]].to_numpy().tolist() == [
        ["c00", "c01", 3, 0.6],
        ["c01", "c02", 1, 0.2],
    ]
    assert [block.title for block in rest] == ["Recall of each class"]


def test_the_first_mistakes_are_the_most_frequent(monkeypatch):
    monkeypatch.setattr(accuracy, "MOST_MISTAKES", 2)
    counts = pd.DataFrame(
        {"true": list("aabcc"), "predicted": list("abcab"), "count": [9, 1, 4, 2, 0]}
    )
    mistakes = accuracy.frequent_mistakes(counts)
    assert mistakes.to_numpy().tolist() == [["b", "c", 4], ["c", "a", 2]]


def test_of_many_classes_the_roc_curves_with_the_smallest_areas_are_drawn(tmp_path, monkeypatch):
    monkeypatch.setattr(accuracy, "_MOST_ROC_CURVES", 2)
    areas = {"a": 0.9, "b": 0.6, "c": 0.8}
    row = CLASSIFIER | {"metric": "roc_auc", "lower": 0.5, "upper": 1.0, "folds_failed": 0}
    estimates = [row | {"class": label, "estimate": area} for label, area in areas.items()]
    point = CLASSIFIER | {"false_positive_rate": 0.0, "true_positive_rate": 0.0}
    rates = [point | {"class": label} for label in areas]
    study = study_of_tables(tmp_path, {"estimates": estimates, "roc": rates})
    (figure,) = accuracy._roc_figures(study, CLASSIFIER)
    assert [label[:1] for label in figure.arguments["curves"]] == ["b", "c"]
    assert figure.caption.endswith(
        "Of 3 classes the 2 with the smallest areas are drawn; the table has all."
    )
    monkeypatch.setattr(accuracy, "_MOST_ROC_CURVES", 3)
    (figure,) = accuracy._roc_figures(study, CLASSIFIER)
    assert [label[:1] for label in figure.arguments["curves"]] == ["a", "b", "c"]
    assert "smallest" not in figure.caption


def test_calibration_has_the_limits_of_the_observed_frequencies():
    bins = pd.DataFrame({"mean_predicted": [0.2], "observed": [0.3], "count": [25]})
    bins = bins.assign(observed_lower=0.1, observed_upper=0.5, lower=0.0, upper=0.25)
    arguments = accuracy.calibration_figure("name", {"NB": bins}, "").arguments
    assert [column[0].item() for column in list(arguments.values())[1:]] == [0.2, 0.3, 25, 0.1, 0.5]


def accuracies(**fields):
    """Rows of estimates: accuracies of xnb, in every fold, and of nb, of which a fold failed."""
    row = PLACE | {"metric": "accuracy", "lower": 0.5, "upper": 0.9, "reference": 0.6} | fields
    return [
        row | {"classifier": "xnb", "estimate": 0.8, "folds_failed": 0},
        row | {"classifier": "nb", "estimate": 0.95, "folds_failed": 1},
    ]


def summaries(metric, **fields):
    """Rows of the table summary beside `accuracies`."""
    row = PLACE | {"metric": metric, "mean": 0.7, "sd": 0.1, "sd_repeats": np.nan} | fields
    return [
        row | {"classifier": "xnb", "folds_failed": 0},
        row | {"classifier": "nb", "folds_failed": 1},
    ]


def test_a_classifier_with_a_failed_fold_has_no_accuracy(tmp_path):
    """Its other folds are not comparable: a cell would mark it as the best."""
    tables = {"estimates": accuracies(), "summary": summaries("accuracy")}
    study = study_of_tables(tmp_path, tables | {"headline": [{"classifier": "xnb"}]})
    table = accuracy._accuracy_table(study)
    assert table.frame.to_dict("records") == [
        {"dataset": "d", "baseline": 0.6, "XNB": "0.800 ± 0.100"}
    ]
    assert table.best == {(0, "XNB")}
    (group,) = accuracy._accuracy_figure(study).arguments["groups"]
    assert (group.label, group.values, group.lower, group.upper) == ("XNB", [0.8], [0.5], [0.9])


def test_accuracies_that_are_shown_alike_are_both_the_best(tmp_path):
    """Cells have three decimals: .8004 is .800, and .801 is more."""
    nb = {"classifier": "nb", "folds_failed": 0}
    xnb = {"classifier": "xnb", "folds_failed": 0}
    for other, best in ((0.8004, {"NB", "XNB"}), (0.801, {"NB"})):
        rows = [accuracies()[0] | xnb, accuracies()[0] | nb | {"estimate": other}]
        spreads = [row | {"folds_failed": 0} for row in summaries("accuracy")]
        study = study_of_tables(tmp_path, {"estimates": rows, "summary": spreads})
        assert {name for _, name in accuracy._accuracy_table(study).best} == best


@pytest.mark.parametrize("sd_repeats", [np.nan, 0.02])
def test_the_caption_explains_brackets_where_folds_are_repeated(tmp_path, sd_repeats):
    rows = summaries("accuracy", sd_repeats=sd_repeats)
    tables = {"estimates": accuracies(), "summary": rows, "headline": [{"classifier": "xnb"}]}
    table = accuracy._accuracy_table(study_of_tables(tmp_path, tables))
    is_repeated = not np.isnan(sd_repeats)
    assert ("in brackets that of the repeats’ means" in table.caption) == is_repeated
    assert ("(0.020)" in table.frame["XNB"].iloc[0]) == is_repeated


@pytest.mark.parametrize(("size", "spec"), [(200.0, ",.0f"), (66.5, ",.1f")])
def test_other_metrics_are_means_of_complete_folds(tmp_path, size, spec):
    rows = [*summaries("mcc"), *summaries("features_per_class", mean=size)]
    (group,) = accuracy._other_metrics(study_of_tables(tmp_path, {"summary": rows}))
    table = group.blocks[0]
    assert table.frame.to_dict("records") == [
        {"dataset": "d", "classifier": "XNB", "mcc": 0.7, "features_per_class": size}
    ]
    assert table.columns["features_per_class"].format == spec  # not 200.0


def test_bins_of_few_samples_are_left_out(tmp_path):
    bins = [CLASSIFIER | {"bin": 0, "few": True}, CLASSIFIER | {"bin": 1, "few": False}]
    study = study_of_tables(tmp_path, {"calibration": bins})
    assert accuracy._bins_by_label(study, "d", "f", ["nb", "xnb"])["XNB"]["bin"].tolist() == [1]
    assert accuracy._bins_by_label(study, "d", "f", ["nb"]) == {}


def test_a_roc_curve_needs_every_fold(tmp_path):
    area = CLASSIFIER | {"metric": "roc_auc", "class": "b", "estimate": 0.9, "lower": 0.8}
    area |= {"upper": 0.95}
    rates = {"false_positive_rate": 0.25, "true_positive_rate": 0.75}
    for n_failed in (0, 1):
        tables = {"estimates": [area | {"folds_failed": n_failed}]}
        tables["roc"] = [CLASSIFIER | {"class": "b"} | rates]
        figures = accuracy._roc_figures(study_of_tables(tmp_path, tables), CLASSIFIER)
        assert len(figures) == 1 - n_failed
        for figure in figures:
            assert figure.arguments["curves"] == {"b: AUC 0.90 [0.80, 0.95]": ([0.25], [0.75])}


def test_a_p_beside_its_level_is_not_rounded_to_it(tmp_path):
    row = CLASSIFIER | {"p_value": 0.0250004, "adjusted_for": ""}
    for rows, spec in (
        ([row, row | {"dataset": "other", "p_value": 0.5}], ".6g"),
        ([row | {"p_value": 0.2}], ".3g"),
    ):
        study = study_of_tables(tmp_path, {"label_tests": rows})
        (table,) = accuracy._label_test_blocks(study)
        assert table.columns["p_value"].format == spec
