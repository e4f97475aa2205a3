"""Concordance within levels: brute force, exchange of units, verdicts and the audit's severity."""

import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from toys import dataset

from xnbflow.diagnostics.series_audit import audit
from xnbflow.inference.concordance import StratifiedPairs, concordance
from xnbflow.inference.estimates import performance
from xnbflow.inference.verdicts import verdict
from xnbflow.report import sentences
from xnbflow.report.sentences import within_levels
from xnbflow.studies.concordances import concordances, graded_audit, inseparable


def brute_force(scores, codes, levels, weights):
    """Every pair of samples of two classes and one level, one by one."""
    areas, total = [], 0.0
    for one, other in itertools.combinations(range(scores.shape[1]), 2):
        difference, wins, pairs = scores[:, one] - scores[:, other], 0.0, 0.0
        for i, j in itertools.product(np.flatnonzero(codes == one), np.flatnonzero(codes == other)):
            if levels[i] == levels[j]:
                weight = weights[i] * weights[j]
                wins += weight * (
                    (difference[i] > difference[j]) + (difference[i] == difference[j]) / 2
                )
                pairs += weight
        if pairs:
            areas.append(wins / pairs)
            total += pairs
    return np.mean(areas), total


@pytest.mark.parametrize("n_classes", [2, 4])
def test_areas_are_those_of_all_pairs_one_by_one(rng, n_classes):
    for _ in range(5):
        scores = rng.integers(0, 4, (30, n_classes)).astype(float)  # many ties
        codes, levels = rng.integers(0, n_classes, 30), rng.integers(0, 3, 30)
        codes[:n_classes] = range(n_classes)
        for weights in (np.ones(30), rng.integers(0, 3, 30).astype(float)):
            (area,), (pairs,) = StratifiedPairs(scores, levels).areas(codes[None], weights[None])
            assert (area, pairs) == pytest.approx(brute_force(scores, codes, levels, weights))


def test_a_batch_is_seen_through_and_a_class_is_not(rng):
    batch = np.repeat([0, 1], 30)
    codes = np.where(rng.random(60) < 0.15, 1 - batch, batch)
    noise = rng.normal(size=60)
    of_batch = concordance(np.stack([-4.0 * batch, noise], axis=1), codes, batch)
    assert of_batch.overall > 0.75
    assert of_batch.p > 0.05
    assert of_batch.lower < 0.5 < of_batch.upper
    of_class = concordance(np.stack([-2.0 * codes, noise], axis=1), codes, batch)
    assert of_class.p <= 0.05
    assert of_class.lower > 0.5
    alone = concordance(np.stack([-2.0 * codes, noise], axis=1), codes, codes)
    assert (alone.pairs, np.isnan(alone.within)) == (0, True)


@pytest.mark.parametrize("nested", [True, False])
def test_patients_are_exchanged_as_units(nested):
    """Five samples of a patient score alike: as samples, half of such null studies are rejected."""
    rng, rejected, alone = np.random.default_rng(5), 0, 0
    n_studies, patients = 60, np.repeat(np.arange(12), 5)
    for _ in range(n_studies):
        of_patient = rng.permutation(np.repeat([0, 1], 6)) if nested else np.zeros(12, dtype=int)
        codes = of_patient[patients] if nested else np.tile([0, 0, 0, 1, 1], 12)
        score = (rng.normal(size=12) + 0 * of_patient)[patients] + 0.1 * rng.normal(size=60)
        scores = np.stack([score, 0 * score], axis=1)
        levels = patients % 2
        rejected += concordance(scores, codes, levels, patients).p <= 0.05
        alone += nested and concordance(scores, codes, levels).p <= 0.05
    assert rejected <= binom.ppf(0.999, n_studies, 0.05)
    assert not nested or alone > binom.ppf(0.999, n_studies, 0.05)


def test_patients_with_different_numbers_of_samples_exchange_their_labels():
    patients = np.repeat(np.arange(16), np.arange(16) % 4 + 1)
    codes = (np.arange(16) // 2 % 2)[patients]
    found = concordance(
        np.stack([-1.0 * codes, 0.0 * codes], axis=1), codes, patients % 2, patients
    )
    assert found.within == 1
    assert found.p < 0.01


SIDES = np.repeat(["normal", "tumour"], 20)
PLATE = np.where(np.arange(40) % 10 == 0, SIDES[::-1], SIDES)  # agrees in 36 of 40


def table_of(made, score, flip=1.0):
    """Predictions of two repeats by a score of the second class."""
    log = {"log_posterior.normal": -flip * score, "log_posterior.tumour": flip * score}
    predicted = np.where(score > 0, *made.classes[::-1])
    columns = {"sample": made.samples, "true": made.labels, "predicted": predicted, **log}
    return pd.concat([pd.DataFrame(columns).assign(repeat=i, fold=0) for i in range(2)])


def studied(score, **columns):
    made = dataset(np.ones((1, len(score))), SIDES, sample_metadata=pd.DataFrame(columns))
    checked = audit(made)["audit"].assign(dataset=made.name)
    headers, key = {made.name: made}, (made.name, "f", "nb")
    found, _ = concordances({key: table_of(made, score)}, headers, checked)
    graded = graded_audit(checked, found, "nb", "NB", headers)
    graded = graded[graded["check"] == "confounder"].set_index("subject")
    return found.set_index("column"), graded, key in inseparable(found)


def test_a_batch_lowers_the_verdict_only_if_the_class_is_not_recognised_within_it(rng):
    noise = rng.normal(size=40)
    of_batch = np.where(PLATE == "tumour", 2.0, -2.0)
    rows, graded, capped = studied(of_batch + noise, plate=PLATE)
    assert capped
    assert rows.loc["plate", "status"] == "cannot be separated"
    assert rows.loc["plate", "auc_column"] == pytest.approx(0.9)
    assert graded.loc["plate", "severity"] == "severe"
    assert "not detectably better than chance" in graded.loc["plate", "finding"]
    of_class = np.where(SIDES == "tumour", 2.0, -2.0)
    age = np.arange(20).repeat(2).reshape(20, 2).T.ravel() + 8.25 * (SIDES == "tumour")
    rows, graded, capped = studied(of_class + noise, plate=PLATE, age=age)
    assert not capped
    assert set(rows["status"]) == {"recognised"}
    assert rows["handling"].to_dict() == {"plate": True, "age": False}
    assert set(graded["severity"]) == {"warning"}
    rows, graded, capped = studied(of_class, plate=SIDES + " p")
    assert (capped, rows.loc["plate", "pairs"]) == (True, 0)
    assert rows.loc["plate", "status"] == "cannot be separated"
    rows, _, capped = studied(noise, plate=["x", "y"] * 20)
    assert (capped, rows.loc["plate", "status"]) == (False, "not associated")


def test_a_column_with_few_pairs_cannot_be_examined_and_other_columns_lower_no_verdict(rng):
    nearly = np.where(np.arange(40) == 0, "tumour p", SIDES + " p")
    noise = rng.normal(size=40)
    rows, _, capped = studied(noise, plate=np.append(nearly[:39], "normal p"), ward=PLATE)
    assert rows["status"].to_dict() == {
        "plate": "cannot be separated",
        "ward": "cannot be separated",
    }
    assert capped
    few = [*(f"{i}" for i in range(7) for _ in range(5)), *"77777"]
    few[19], few[20] = "4", "3"
    rows, _, capped = studied(noise, plate=few, ward=PLATE)
    assert rows.loc["plate", "status"] == "cannot be examined"
    _, graded, capped = studied(np.where(PLATE == "tumour", 1.0, -1.0) + noise, ward=PLATE)
    assert (capped, graded.loc["ward", "severity"]) == (False, "severe")


COLUMN = {"column": "plate", "handling": True, "auc_column": 0.9, "auc_within": 0.52}
COLUMN |= {"lower": 0.38, "upper": 0.66, "p": 0.4, "pairs": 72, "status": "cannot be separated"}
COLUMN |= {"inseparable": ""}
OTHER = COLUMN | {"column": "age", "handling": False, "auc_column": 0.95}
DIFFERENCE = (
    "the difference between adenoma and tumor, and between adenoma and polyp cannot be separated"
)
WITHIN = "; within its levels NB has an AUC of 0.52 over all classes"
GOOD = {"status": "recognised", "auc_within": 0.83, "lower": 0.7, "upper": 0.93, "p": 0.001}


@pytest.mark.parametrize(
    ("rows", "sentence", "reason"),
    [
        (
            [COLUMN, OTHER],
            "; within its levels NB does not (AUC 0.52, 0.38 to 0.66; p = 0.4).",
            "the class cannot be separated from “plate”",
        ),
        (
            [COLUMN | GOOD],
            "; within its levels NB does, too (AUC 0.83, 0.70 to 0.93; p = 0.001).",
            "",
        ),
        (
            [COLUMN | {"pairs": 0}, OTHER | GOOD],
            ", and no samples of different classes share a value of it.",
            "the class cannot be separated from “plate”",
        ),
        (
            [COLUMN | {"inseparable": "adenoma and tumor; adenoma and polyp"}, OTHER | GOOD],
            f"{WITHIN}, but {DIFFERENCE} from it.",
            f"{DIFFERENCE} from “plate”",
        ),
    ],
)
def test_a_card_has_one_sentence_of_the_column_that_explains_most(rows, sentence, reason):
    table = pd.DataFrame(rows).assign(dataset="d", folds="f", classifier="nb")

    def found(name, **where):
        assert name == "concordance"
        return table.loc[(table[list(where)] == pd.Series(where)).all(axis=1)]

    results = SimpleNamespace(rows=found, labels={"nb": "NB"})
    place = {"dataset": "d", "folds": "f", "classifier": "nb"}
    alone = "“plate” alone predicts the class with an AUC of 0.90"
    assert within_levels(results, place) == f"{alone}{sentence}"
    assert sentences._inseparable(results, place) == reason


def test_columns_together_are_named_together():
    row = COLUMN | {"column": "plate × site", "status": "cannot be examined", "pairs": 12}
    table = pd.DataFrame([row]).assign(dataset="d", folds="f", classifier="nb")
    results = SimpleNamespace(rows=lambda *_, **__: table, labels={"nb": "NB"})
    place = {"dataset": "d", "folds": "f", "classifier": "nb"}
    assert within_levels(results, place) == (
        "“plate” and “site” together predict the class with an AUC of 0.90; the combinations of "
        "all of them leave too few pairs of samples of different classes for an examination."
    )
    assert sentences._inseparable(results, place) == (
        "the class cannot be examined within “plate” and “site” together"
    )


def test_a_batch_makes_a_result_partly_supported_at_most():
    codes = np.repeat([0, 1], 20)
    found = performance(codes, np.eye(2)[codes])
    assert verdict(found, 0.001).level == "well supported"
    capped = verdict(found, 0.001, batch=True)
    assert (capped.level, capped.reasons) == ("partly supported", ["batch"])
