"""A model of one cohort in another."""

from dataclasses import replace
from functools import cache

import numpy as np
from model_files import two_classes
from toys import dataset

from xnbflow.models import cross_validate
from xnbflow.models import validation as second_cohort
from xnbflow.naive_bayes import ClassSpecificNB

CSNB = {"method": "csnb", "params": {"n_features": 2}}


TRAIN = replace(two_classes(40), name="one")


TEST = replace(two_classes(32, seed=1), name="two")


@cache
def validated(harmonise="none"):
    """The tables of the signature in the second cohort."""
    return second_cohort.validate(TRAIN, TEST, CSNB, harmonise=harmonise)


def test_accuracy_is_that_of_a_fit_on_one_and_a_test_on_the_other():
    tables = validated()
    nb = ClassSpecificNB(n_features=2).fit(TRAIN.frame(), TRAIN.labels)
    expected = (nb.predict(TEST.frame()) == TEST.labels).mean()
    row = tables["accuracy"].set_index("cohort").loc["test"]
    assert row["value"] == expected
    assert row["majority"] == 0.5
    assert row["lower"] < expected <= row["upper"]
    assert tables["confusion"]["count"].sum() == TEST.n_samples
    assert (tables["predictions"]["true"] == TEST.labels).all()


def test_a_signature_that_holds_one_that_does_not_and_exchanged_labels(rng):
    tables = validated()
    assert tables["verdicts"]["verdict"].item() == "held"
    noise = replace(TEST, values=rng.normal(8, 1, TEST.values.shape))
    told = second_cohort.validate(TRAIN, noise, CSNB)["verdicts"].iloc[0]
    assert told["verdict"] in {"did not hold", "cannot tell"}
    swapped = np.where(TEST.labels == "tumour", "normal", "tumour")
    other = second_cohort.validate(TRAIN, replace(TEST, labels=swapped), CSNB)
    assert other["verdicts"]["verdict"].item() == "labels look exchanged"
    assert other["verdicts"]["reason"].item() == "normal as tumour, tumour as normal"
    assert tables["predictions"]["predicted"].equals(other["predictions"]["predicted"])


def test_groups_are_kept_together_in_the_cross_validation_beside_it():
    """Each sample twice, in groups: a classifier that learns by heart must not gain."""
    values = np.repeat(np.random.default_rng(1).normal(size=(30, 20)), 2, axis=1)
    labels = np.repeat(np.array(["a", "b"])[np.arange(20) % 2], 2)
    alone, grouped = (dataset(values, labels, groups=g) for g in (None, np.arange(40) // 2))
    by_heart = {"method": "sklearn.neighbors.KNeighborsClassifier", "params": {"n_neighbors": 1}}
    assert cross_validate(alone, by_heart, 5).figures()["accuracy"]["value"] > 0.9
    assert cross_validate(grouped, by_heart, 5).figures()["accuracy"]["value"] < 0.8
