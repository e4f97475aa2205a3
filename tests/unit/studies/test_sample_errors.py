"""Suspect samples: more than half of the tests, and a positive mean margin."""

import numpy as np
import pandas as pd
import pytest
from prediction_tables import labelled, recalled

from xnbflow.studies.sample_errors import samples, suspects

KEY = ("d", "f", "nb")


def is_suspect(predicted, probability_of_b, *, recognised=True):
    """Return whether a sample of the class a is suspect, after a test for each prediction."""
    table = pd.DataFrame(
        {
            "sample": "s",
            "true": "a",
            "predicted": list(predicted),
            "log_posterior.a": np.log1p(-np.array(probability_of_b)),
            "log_posterior.b": np.log(probability_of_b),
        }
    )
    estimates = pd.DataFrame(
        [{"dataset": "d", "folds": "f", "classifier": "nb", "metric": "recall", "class": "a"}]
    ).assign(above=recognised)
    (row,) = samples({KEY: table}, estimates).to_dict("records")
    return row["suspect"]


@pytest.mark.parametrize(
    ("predicted", "probability_of_b", "suspect"),
    [
        ("bba", [0.9, 0.9, 0.1], True),
        ("ba", [0.9, 0.1], False),  # half of the tests
        ("bb", [0.5, 0.5], False),  # both classes are equally probable: the margin is 0
        ("bb", [0.51, 0.51], True),
    ],
)
def test_a_sample_is_suspect_by_most_tests_and_a_margin(predicted, probability_of_b, suspect):
    assert is_suspect(predicted, probability_of_b) == suspect
    assert not is_suspect(predicted, probability_of_b, recognised=False)


def test_only_a_sample_of_a_class_that_is_recognised_may_be_mislabelled():
    true = np.repeat(["a", "b"], [30, 20])
    predicted = np.array([*"a" * 29, "b", *"a" * 13, *"b" * 7])
    predictions = labelled(true, predicted)
    table = samples(predictions, recalled(predictions)).set_index("sample")
    assert table.index[table["suspect"]].tolist() == ["s29"]
    assert table.loc["s30", "wrong"] == 1  # b is recognised in seven of twenty


NO_FINDINGS = pd.DataFrame(columns=["dataset", "kind", "subject", "estimate"])


def doubts(**by_classifier):
    """Return rows of the table samples: predicted class, margin and recognition of each sample."""
    rows = []
    for name, samples_of in by_classifier.items():
        for sample, (true, predicted, margin, recognised) in samples_of.items():
            row = {"dataset": "d", "classifier": name, "sample": sample, "true": true}
            row |= {"predicted": predicted, "margin": margin, "recognised": recognised}
            wrong = true != predicted and margin > 0 and recognised
            rows.append(row | {"suspect": wrong, "probability": 0.9})
    return pd.DataFrame(rows)


def test_a_classifier_that_does_not_recognise_the_class_has_no_veto():
    strong = {"s": ("a", "b", 0.8, True)}
    weak = {"s": ("a", "a", -0.2, False)}
    table = doubts(nb=strong, forest=strong, ridge=weak)
    assert suspects(table, NO_FINDINGS)["sample"].tolist() == ["s"]
    veto = doubts(nb=strong, forest=strong, ridge={"s": ("a", "a", -0.2, True)})
    assert suspects(veto, NO_FINDINGS).empty
    # one classifier is not enough
    assert suspects(doubts(nb=strong, ridge=weak), NO_FINDINGS).empty


def test_no_label_is_doubted_where_a_column_cannot_be_separated_from_the_class():
    strong = {"s": ("a", "b", 0.8, True)}
    table = doubts(nb=strong, forest=strong)
    assert suspects(table, NO_FINDINGS, {("d", "f", "nb")}).empty
    assert len(suspects(table, NO_FINDINGS, {("other", "f", "nb")})) == 1


@pytest.mark.parametrize(
    ("scores", "partners"), [((2.0, -2.0), ["t", "s"]), ((2.0, 2.0), []), ((2.0, None), [])]
)
def test_two_samples_with_the_class_and_the_sex_of_each_other_are_exchanged(scores, partners):
    both = {"s": ("a", "b", 0.3, True), "t": ("b", "a", 0.2, True), "u": ("a", "a", -0.9, True)}
    rows = []
    for sample, score in zip("st", scores, strict=True):
        if score is not None:
            row = {"dataset": "d", "kind": "sex differs", "subject": sample}
            rows.append(row | {"estimate": score})
    actual = suspects(doubts(nb=both, forest=both), pd.DataFrame(rows))
    # their margins are below the limit, so that each is named only because of the other
    assert actual["exchanged_with"].tolist() == partners


def test_a_label_is_doubted_by_the_margins_of_all_classifiers():
    """Of five samples of a all predict b in the last three; of one the mean margin is above .7."""
    true = np.repeat(["a", "b"], [30, 20])
    claims = {  # of b, by classifier: a is right; c is not sure; both are, one of them little
        "nb": [0.4, 0.9, 0.9, 0.7, 0.99],
        "forest": [0.9, 0.4, 0.6, 0.98, 0.72],
    }
    tables = {}
    for name, claimed in claims.items():
        p = np.r_[np.full(25, 0.1), claimed, np.full(20, 0.9)]
        ((key, table),) = labelled(true, np.where(p > 0.5, "b", "a"), repeats=3).items()
        repeated = np.tile(p, 3) if len(table) == 3 * len(p) else p
        table["log_posterior.a"], table["log_posterior.b"] = np.log(1 - repeated), np.log(repeated)
        tables[(*key[:2], name)] = table
    recalls = pd.concat([recalled({key: table}) for key, table in tables.items()])
    rows = samples(tables, recalls)
    actual = rows[rows["suspect"]].groupby("classifier")["sample"].agg(list).to_dict()
    assert actual == {"nb": ["s26", "s27", "s28", "s29"], "forest": ["s25", "s27", "s28", "s29"]}
    doubted = suspects(rows, NO_FINDINGS).set_index("sample")
    assert doubted["margin"].to_dict() == pytest.approx({"s29": 0.71})
    assert doubted["probability"].to_dict() == pytest.approx({"s29": 0.72})


def test_a_sample_s_mistakes_are_counted_by_class_without_its_own():
    predicted = ["AML"] * 7 + ["B-ALL"] * 3 + ["T-ALL"] * 4 + ["AML"] * 3 + ["B-ALL"] * 3
    table = pd.DataFrame({"sample": np.repeat(["s1", "s2"], 10), "predicted": predicted})
    table["true"] = np.repeat(["MDS", "T-ALL"], 10)
    predictions = {("d", "f", "nb"): table}
    rows = samples(predictions, recalled(predictions)).set_index("sample")
    assert rows.loc["s1", "mistakes"] == "AML 7, B-ALL 3"
    # most often right, and yet more often wrong than right
    actual = rows.loc["s2", ["predicted", "mistakes", "wrong"]].tolist()
    assert actual == ["T-ALL", "AML 3, B-ALL 3", 6]


def test_a_label_is_suspect_if_another_class_is_predicted_in_more_than_half_of_its_tests():
    true = np.repeat(["a", "b"], 20)
    ((key, table),) = labelled(true, true, repeats=2).items()
    table.loc[0, "predicted"] = "b"  # one of two tests of the first sample
    predictions = {key: table}
    rows = samples(predictions, recalled(predictions)).set_index("sample")
    assert rows.loc["s0", ["predicted", "wrong", "tested"]].tolist() == ["b", 1, 2]
    assert not rows["suspect"].any()
    table.loc[40, "predicted"] = "b"
    rows = samples(predictions, recalled(predictions))
    assert rows.loc[rows["suspect"], "sample"].tolist() == ["s0"]
    assert suspects(rows, NO_FINDINGS).empty  # a single classifier


def test_a_single_classifier_suspects_no_sample_in_the_table_of_suspects():
    """All of several classifiers must suspect the same class."""
    row = {
        "dataset": "d", "sample": "s", "true": "a", "predicted": "b", "margin": 5.0,
        "probability": 0.9, "suspect": True, "classifier": "nb",
        "recognised": True,
    }  # fmt: skip
    assert suspects(pd.DataFrame([row]), NO_FINDINGS).empty
    both = suspects(pd.DataFrame([row, row | {"classifier": "xnb"}]), NO_FINDINGS)
    assert both["sample"].tolist() == ["s"]
    one_of_two = pd.DataFrame([row, row | {"classifier": "xnb", "suspect": False}])
    assert suspects(one_of_two, NO_FINDINGS).empty
