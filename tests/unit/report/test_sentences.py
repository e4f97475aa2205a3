"""Sentences on verdicts: each follows from the tables, and every page has the same numbers."""

import re

import numpy as np
import pytest
import report_study
from report_blocks import blocks, column, drawn, table_with
from report_study import CLASSES, changed, finding_row, judged, study_of_tables, write_study

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.methods import resolved
from xnbflow.models.final import final_model
from xnbflow.report import sentences
from xnbflow.report.next_steps import next_steps
from xnbflow.report.page import blocks as kinds
from xnbflow.report.page.blocks import Cards, Table
from xnbflow.report.page.page import write_page
from xnbflow.report.sections import (
    accuracy,
    answer,
    explanation,
    methods,
    samples,
)
from xnbflow.running.cli.commands import model_summary, summary_text
from xnbflow.tables.contract import SERIES

NUMBER = re.compile(r"(?<![\d.])\d[\d,]*\.?\d*%?")


@pytest.mark.slow
@pytest.mark.parametrize("p_value", [0.025, 0.0251])
def test_no_page_supports_what_permuted_labels_reach(tmp_path, p_value):
    """Where intervals lie above chance only p of the label test differs."""
    expected = "Label test: p ="
    p_values = {("alpha", "xnb"): p_value}
    results = write_study(tmp_path, p_values=p_values)
    refused = 0
    for row in results.tables["verdicts"].to_dict("records"):
        # every classifier has the label test of its data set
        p = p_value if row["dataset"] == "alpha" else np.nan
        assert np.array_equal(row["p_value"], p, equal_nan=True)
        where = {name: row[name] for name in ("dataset", "folds", "classifier")}
        balanced = results.rows("estimates", **where, metric="balanced_accuracy").iloc[0]
        above = balanced["lower"] > balanced["reference"]
        assert (row["level"] == "not supported") == (p > 0.025 or not above)
        kinds = [row["kind"] for row in sentences.limiting_findings(results, where)]
        assert ("label test" in kinds) == (p > 0.025)
        refused += above and p > 0.025
    assert refused == 2 * (p_value > 0.025)  # the interval of the third contains chance
    (cards,) = blocks(answer.section(results), Cards)
    card = next(card for card in cards.cards if card.title == "alpha")
    assert f"{expected} {p_value:g}." in card.details["Tests"]  # .0251 is not .025
    assert (
        (
            "the label test does not exclude chance: 45 of 1,000 orders of the labels were as good"
            in card.verdict
        )
        == (card.level == "poor")
        == (p_value > 0.025)
    )
    write_page(
        tmp_path / "p.html",
        "t",
        lead="l",
        sections=[answer.section(results), methods.section(results)],
        second=["methods"],
    )
    page = (tmp_path / "p.html").read_text()
    details = (tmp_path / "details.html").read_text()
    verdicts = re.findall(r'<p class="(?:verdict|headline)">(.*?)</p>', page, re.DOTALL)
    assert len(verdicts) == 3
    for text in verdicts:
        (anchor,) = re.findall(r'class="rule" href="details.html#([\w-]+)"', text)
        assert details.count(f'id="{anchor}"') == 1


def test_a_second_cohort_in_which_it_did_not_hold_weakens_the_first_screen(tmp_path):
    results = write_study(tmp_path, datasets=("alpha",), classifiers=("nb", "xnb"))
    place = {"dataset": "alpha", "folds": "3-fold", "classifier": "xnb"}
    results = judged(results, "xnb")
    assert sentences.level_of(results, place) == "well supported"
    missed = [finding_row("class not recognised: class", label=label) for label in CLASSES["alpha"]]
    not_held = finding_row("cohort: not held", subject="two")
    results = judged(results, "xnb", *missed, "repeats: copies", not_held)
    assert "samples of alpha are copies of others, known" in sentences.headline_sentence(results)
    assert sentences.level_of(results, place) == "partly supported"
    sentence = sentences.verdict_sentence(results, place)
    assert sentence.startswith("Partly supported: XNB")
    named = ", ".join(f"“{label}”" for label in CLASSES["alpha"])
    assert f"{named} are not recognised" in sentence
    assert "known from training, and it did not hold in the second cohort two." in sentence
    assert next_steps(results, place)[-1] == "find out why it did not hold in the second cohort two"


def test_a_classifier_that_was_chosen_of_two_has_corrected_intervals_and_p(tmp_path):
    p_values = {("alpha", "nb"): 0.02}
    results = write_study(tmp_path, ("nb", "forest"), ("alpha",), p_values)
    chosen = results.tables["headline"].iloc[0]
    assert (chosen["classifier"], chosen["candidates"]) == ("nb", 2)
    rows = results.rows("estimates", classifier="nb")
    assert not rows.duplicated(["dataset", "folds", "classifier", "metric", "class"]).any()
    assert set(rows["candidates"]) == {2}
    assert rows["level"].tolist() == pytest.approx([0.975] * len(rows))  # 1 - .05 / 2
    assert "chosen after looking, as the most accurate of 2" in sentences.headline_sentence(results)
    (cards,) = blocks(answer.section(results), Cards)
    (card,) = cards.cards
    assert (
        "p = 0.02. Naive Bayes was chosen after looking, out of 2; intervals are corrected"
        in (card.details["Tests"])
    )
    recall = rows[rows["metric"] == "recall"]
    assert [line.lower for line in card.lines] == recall["lower"].tolist()
    # neither selects features: the more accurate one is shown, without any
    wins = results.tables["averages"].set_index("classifier")["wins"]
    assert wins["nb"] == wins.max()
    assert explanation.section(results) is None
    assert not blocks(samples.section(results), kinds.Evidence)
    assert not any(line.items for line in card.lines)


def agree(text, *values):
    """Whether a text has these numbers in this order, each to the digits that it shows."""
    numbers = NUMBER.findall(text)
    if len(numbers) < len(values):
        return False
    for number, value in zip(numbers, values, strict=False):
        digits = number.rstrip("%").replace(",", "")
        expected = 100 * value if number.endswith("%") else value
        half_of_last_digit = 0.5 * 10.0 ** -len(digits.partition(".")[2])
        if abs(float(digits) - expected) > half_of_last_digit * 1.001:
            return False
    return True


def test_the_numbers_of_a_quantity_agree_on_the_page_and_in_show(tmp_path):
    p_values = {("GSE7904", "xnb"): 0.02}
    results = write_study(tmp_path, ("nb", "xnb"), ("GSE7904",), p_values)
    place = {"dataset": "GSE7904", "folds": "3-fold", "classifier": "xnb"}
    (cards,) = blocks(answer.section(results), Cards)
    (card,) = cards.cards
    section = accuracy.section(results)
    actual = results.rows("estimates", **place).set_index("metric")
    limits = ["estimate", "lower", "upper"]
    # accuracy, balanced accuracy and AUC, each with its interval
    overall = actual.loc["accuracy", limits].tolist()
    balanced = actual.loc["balanced_accuracy", limits].tolist()
    auc = actual.loc["roc_auc", limits].tolist()
    assert all(low < value < high for value, low, high in (overall, balanced, auc))
    text_of = sentences.headline_sentence(results).replace("95%", "").partition
    assert agree(text_of("accuracy of")[2], *overall, actual.loc["accuracy", "reference"])
    assert agree(card.facts["Accuracy"], *overall)
    assert agree(card.verdict.partition("and an accuracy of")[2], overall[0])
    assert agree(column(blocks(section, Table)[0], "GSE7904", "XNB"), overall[0])
    (group,) = [g for g in drawn(section, "accuracy")["groups"] if g.label == "XNB"]
    assert [group.values, group.lower, group.upper] == [[text_line] for text_line in overall]
    assert agree(card.facts["Balanced accuracy"], *balanced)
    sentence = card.verdict.partition("balanced accuracy of")[2].replace("95%", "", 1)
    assert agree(sentence, *balanced)
    others = table_with(section, "roc_auc", "balanced_accuracy").frame
    others = others.set_index("classifier").loc["XNB"]
    assert others["balanced_accuracy"] == pytest.approx(balanced[0])
    assert agree(card.facts["AUC"], *auc)
    assert others["roc_auc"] == pytest.approx(auc[0])
    ((label, curve),) = drawn(section, "roc-GSE7904-3-fold")["curves"].items()
    assert agree(label.partition("AUC")[2], *auc)
    assert np.trapezoid(*reversed(curve)) == pytest.approx(auc[0], abs=0.005)
    # the number of features, and p of the label test
    used = results.rows("summary", **place, metric="features_per_class")["mean"].iloc[0]
    assert agree(card.facts["Features per class"], used)
    assert agree(sentences.headline_sentence(results).partition("it uses")[2], used)
    assert others["features_per_class"] == used
    assert agree(card.details["Tests"].partition("p =")[2], 0.02)
    tests = table_with(section, "p_value").frame
    assert tests["p_value"].tolist() == [0.02]
    # the output of `xnbflow show`
    series = DataSet.read(results.root / SERIES.of(dataset="GSE7904"))
    trained = [results.training(*place.values(), name) for name in ("predictions", "selected")]
    model = model_summary(final_model(series, resolved(report_study.ENTRIES["xnb"]), *trained, {}))
    measures = {"accuracy": overall}
    for line in card.lines:
        measures[f"recall of {line.name}"] = [line.share, line.lower, line.upper]
    output = summary_text(model, tmp_path)
    for name, values in measures.items():
        (row,) = re.findall(rf"^  {name} .*", output, re.MULTILINE)
        assert agree(re.sub(r"\([^;)]*;| 95% interval", "", row.partition(name)[2]), *values)


def test_a_headline_of_several_data_sets_counts_those_above_the_largest_class(tmp_path):
    results = changed(write_study(tmp_path), "estimates", "dataset == 'alpha'", estimate=0.9)
    text = sentences.headline_sentence(results)
    where = {"metric": "accuracy", "dataset": "GSE7904", "classifier": "xnb"}
    least = results.rows("estimates", **where)["estimate"].iloc[0]
    above = results.tables["headline"]["above"].iloc[0]
    assert text.startswith(f"XNB has an accuracy of {least:.1%} (GSE7904) to 90.0% (alpha)")
    assert f"above the majority-class rate on {above} of 2 data sets" in text
    wins = results.tables["averages"].set_index("classifier")["wins"]
    assert f"the most accurate on {wins['xnb']}, Naive Bayes on 2." in text


PLACE = {"dataset": "d", "folds": "f", "classifier": "xnb"}


def accuracy_of(dataset, classifier, estimate, **fields):
    row = {"dataset": dataset, "folds": "f", "classifier": classifier, "estimate": estimate}
    row |= {"metric": "accuracy", "lower": 0.5, "upper": 0.95, "reference": 0.6, "folds_failed": 0}
    return row | fields


def study_of_verdict(tmp_path, tables, reasons=(), candidates=1, **fields):
    """Return a study of one data set with an accuracy, a balanced accuracy and a verdict."""
    verdict = PLACE | {"level": "partly supported", "selects": True} | fields
    estimates = [accuracy_of("d", "xnb", 0.8, candidates=candidates)]
    estimates.append(estimates[0] | {"metric": "balanced_accuracy", "estimate": 0.75})
    rows = [PLACE | (finding_row(one) if isinstance(one, str) else one) for one in reasons]
    contents = {"estimates": estimates, "verdicts": [verdict], "findings": rows}
    return study_of_tables(tmp_path, contents | tables)


def test_a_headline_of_several_data_sets_names_the_least_and_the_greatest(tmp_path):
    rows = [accuracy_of("d", "xnb", 0.7), accuracy_of("e", "xnb", 0.9)]
    rows += [accuracy_of("d", "nb", 0.6), accuracy_of("e", "nb", 0.95)]
    wins = [{"classifier": "xnb", "wins": 1}, {"classifier": "nb", "wins": 1}]
    tables = {"headline": [{"classifier": "xnb", "above": 1, "candidates": 2}]}
    tables |= {"estimates": rows, "averages": wins}
    study = study_of_tables(tmp_path, tables, datasets=("d", "e"))
    sentence = sentences.headline_sentence(study)
    assert sentence.startswith("XNB has an accuracy of 70.0% (d) to 90.0% (e)")
    assert "on 1 of 2 data sets (p at most 0.025, corrected by Holm)" in sentence
    assert "it was chosen after looking, as the most accurate of 2" in sentence
    assert sentence.endswith("of 2 classifiers it is the most accurate on 1, NB on 1.")


def test_no_other_classifier_that_is_never_first_is_named(tmp_path):
    wins = [{"classifier": "xnb", "wins": 2}, {"classifier": "nb", "wins": 0}]
    study = study_of_tables(tmp_path, {"averages": wins})
    assert sentences._wins_clause(study, "xnb") == "of 2 classifiers it is the most accurate on 2"


@pytest.mark.parametrize("kind", ["patients", "copies", "many copies"])
def test_a_headline_names_the_data_sets_with_copies(tmp_path, kind):
    tables = {"headline": [{"classifier": "xnb", "candidates": 1}]}
    text = sentences.headline_sentence(study_of_verdict(tmp_path, tables, [f"repeats: {kind}"]))
    assert ("samples of d are copies of others" in text) == (kind != "patients")


@pytest.mark.parametrize(
    ("means", "words"), [([200.0, 200.0], "200"), ([66.67, 1234.5], "66.7 to 1,234")]
)
def test_a_headline_has_the_number_of_features(tmp_path, means, words):
    rows = [
        {"dataset": name, "folds": "f", "classifier": "xnb", "mean": mean, "folds_failed": 0}
        for name, mean in zip("de", means, strict=True)
    ]
    rows = [row | {"metric": "features_per_class"} for row in rows]
    study = study_of_tables(tmp_path, {"summary": rows})
    assert sentences._features_clause(study, "xnb") == f"it uses {words} features per class"


@pytest.mark.parametrize(
    ("p_value", "candidates", "expected"),
    [
        pytest.param(0.0250004, 1, "Label test: p = 0.0250004.", id="p of the label test"),
        pytest.param(
            np.nan,
            1,
            "No label test was run: the verdict rests on intervals alone.",
            id="no test",
        ),
        pytest.param(
            0.01,
            2,
            "p = 0.01. XNB was chosen after looking, out of 2; intervals are corrected.",
            id="several candidates",
        ),
    ],
)
def test_the_tests_of_a_verdict(tmp_path, p_value, candidates, expected):
    study = study_of_verdict(tmp_path, {}, candidates=candidates, p_value=p_value)
    assert expected in sentences.tests_sentence(study, PLACE)


@pytest.mark.parametrize("near", [{}, {"near_test": True}, {"near_interval": True}])
def test_a_verdict_near_its_limit_is_marked(tmp_path, near):
    study = study_of_verdict(tmp_path, {}, **near)
    assert ("near its limit" in sentences.tests_sentence(study, PLACE)) == bool(near)


@pytest.mark.parametrize("selects", [True, False])
def test_a_classifier_that_selects_no_features_has_no_stability(tmp_path, selects):
    text = sentences.tests_sentence(study_of_verdict(tmp_path, {}, selects=selects), PLACE)
    assert ("It selects no features, so that it has no stability." in text) == (not selects)


def test_a_verdict_gives_all_reasons_after_its_numbers(tmp_path):
    refused = finding_row("chance: label test", count=45, total=1000)
    reasons = [refused, "chance: majority class"]  # only the first decides the level
    study = study_of_verdict(tmp_path, {}, reasons, level="not supported")
    sentence = sentences.verdict_sentence(study, PLACE)
    assert sentence.startswith("Not supported: XNB has a balanced accuracy of 75.0%")
    assert "(95% interval 50.0% to 95.0%; chance 60.0%)" in sentence
    assert "an accuracy of 80.0%, the majority-class baseline 60.0%" in sentence
    assert sentence.endswith("45 of 1,000 orders of the labels were as good.")


def test_a_classifier_with_a_failed_fold_has_no_numbers(tmp_path):
    failed = finding_row("not fitted", count=1, total=3)
    accuracy = accuracy_of("d", "xnb", 0.8, candidates=1) | {"folds_failed": 1}
    tables = {"estimates": [accuracy]}
    study = study_of_verdict(tmp_path, tables, [failed], level="not supported")
    assert (
        sentences.verdict_sentence(study, PLACE)
        == "Not supported: XNB has no result, because it could not be fitted in 1 of 3 folds."
    )
    assert sentences.tests_sentence(study, PLACE) == ""
