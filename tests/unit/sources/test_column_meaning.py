"""The meaning of columns: technical, patients, follow-up; features of another scale."""

import numpy as np
import pandas as pd
import pytest
from lab_files import counts

from xnbflow.sources.series.column_meaning import (
    Meaning,
    _are_places_of_body,
    is_follow_up,
    is_technical,
    meaning_of,
    suggested_batch,
    suggested_group,
)
from xnbflow.sources.series.scale_recognition import of_other_scale
from xnbflow.sources.series.table_values import repeated_samples

RNG = np.random.default_rng(0)
GENES = RNG.normal(8, 1, (200, 24)).round(2)
AGES = RNG.integers(30, 80, 24).astype(float)


BATCHES = ["series", "study", "cohort", "dataset", "center", "run", "lane", "chip", "plate"]


@pytest.mark.parametrize("name", [*BATCHES, "hospital", "ScanDate"])
def test_words_of_a_batch(name):
    assert is_technical(name)


@pytest.mark.parametrize("name", ["study group", "primary site", "slice", "date of birth"])
def test_words_that_mean_something_else_beside_others(name):
    assert not is_technical(name)


def test_a_site_is_a_batch_unless_its_values_are_places_of_the_body():
    hospitals = pd.DataFrame({"site": ["Ulm", "Bonn"] * 4})
    organs = pd.DataFrame({"site": ["colon", "liver"] * 4, "run": ["1", "2"] * 4})
    assert suggested_batch(hospitals) == "site"
    assert suggested_batch(organs) == "run"
    assert _are_places_of_body(["left lung", "A", "liver"])
    assert not _are_places_of_body(["left lung", "A"])  # half


TIMES = ["days_to_death", "time_to_event", "months until relapse", "OS_months", "PFS.time", "OS"]
TIMES += ["days_to_last_followup", "overall survival", "DFS days"]


@pytest.mark.parametrize("name", TIMES)
def test_times_to_an_event(name):
    assert meaning_of(name) & Meaning.FOLLOW_UP == Meaning.EVENT_TIME


@pytest.mark.parametrize("name", ["vital_status", "OS.event", "OS_STATUS", "censored", "death"])
def test_status_of_an_event(name):
    assert meaning_of(name) & Meaning.FOLLOW_UP == Meaning.EVENT_STATUS


@pytest.mark.parametrize("name", ["time point", "time", "status", "OSM", "age", "response"])
def test_other_columns_are_no_follow_up(name):
    assert not is_follow_up(name, ["tumour", "normal"])


def test_values_of_life_are_a_status_under_any_name():
    assert is_follow_up("status", ["Alive", "NA", "dead"])
    assert not is_follow_up("status", ["alive", "relapse"])
    assert not is_follow_up("status", ["NA"])


@pytest.mark.parametrize(("n_ages", "expected"), [(1, 1), (10, 10), (11, 0)])
def test_no_more_than_ten_features_have_another_scale(n_ages, expected):
    ages = RNG.uniform(50, 80, (n_ages, 24)) + 0.5
    assert of_other_scale(np.vstack([GENES, ages])).sum() == expected


def test_counts_are_compared_by_their_logarithms():
    wide = counts(largest=6.0).T.astype(float)
    assert not of_other_scale(wide).any()
    assert not of_other_scale(wide).any()


def test_a_few_dominating_genes_among_counts_are_genes():
    dominating = RNG.integers(50_000, 90_000, (5, 24))
    values = np.vstack([counts(largest=2.5).T, dominating]).astype(float)
    assert not of_other_scale(values).any()
    assert of_other_scale(np.vstack([GENES, dominating])).sum() == 5  # among logarithms


TECHNICAL = (
    "array batch batches beadchip center centre chip cohort dataset facility flowcell hospital hyb "
    "hybridisation hybridization institute institution instrument kit lab laboratory lane lot "
    "machine operator plate processing run scan scanner sentrix sequencer series slide technician"
)


@pytest.mark.parametrize("word", TECHNICAL.split())
def test_every_technical_word_is_one_beside_other_words(word):
    assert is_technical(f"sample_{word}")


@pytest.mark.parametrize("word", ["alive", "dead", "deceased", "living", "died", "censored"])
def test_every_word_of_life_is_a_status_but_not_beside_others(word):
    assert is_follow_up("state", [word, word.upper(), ""])
    assert not is_follow_up("state", [word, "relapsed"])


@pytest.mark.parametrize(
    "name",
    [
        "patient",
        "subject",
        "individual",
        "donor",
        "participant",
        "person",
        "case",
        "pair",
        "animal",
        "mouse",
        "mice",
        "rat",
        "family",
        "twins",
        "patient_id",
        "donor-no",
        "subject.code",
    ],
)
def test_names_of_patients_animals_and_pairs(name):
    assert Meaning.PATIENT in meaning_of(name)
    assert Meaning.PATIENT not in meaning_of(f"{name}like")


def patients(*sizes):
    """Return a column of patients with two samples each, and labels, by class."""
    cells, labels = [], []
    for label, size in zip("abc", sizes, strict=False):
        for number in range(size):
            cells += [f"{label}{number}"] * 2
            labels += [label] * 2
    return pd.DataFrame({"patient": cells}), labels


@pytest.mark.parametrize(
    ("sizes", "group"), [((3, 3), "patient"), ((3, 2), None), ((4,), None), ((5,), "patient")]
)
def test_a_group_has_five_patients_and_three_of_each_class(sizes, group):
    table, labels = patients(*sizes)
    assert suggested_group(table, labels) == group


def test_five_patients_suffice_where_three_of_them_have_each_class():
    table = pd.DataFrame({"patient": [*"abcde", *"abc"]})
    assert suggested_group(table, [*"ttttt", *"nnn"]) == "patient"
    four = pd.DataFrame({"patient": [*"abcd", *"abc"]})
    assert suggested_group(four, [*"tttt", *"nnn"]) is None


def test_every_sample_has_a_patient_and_some_patient_several_samples():
    table, labels = patients(3, 3)
    table.loc[0, "patient"] = "NA"
    assert suggested_group(table, labels) is None
    assert suggested_group(pd.DataFrame({"patient": [*"abcdef"]}), [*"tttnnn"]) is None


@pytest.mark.parametrize(
    ("cells", "is_proposed"),
    [
        (["1", "1", "2", "2"], True),  # as many levels as half of the samples
        (["1", "2", "3", "1", "2"], False),
        (["1", "1", "2", "", "2"], True),  # of the four samples with a value
        (["1", "1", "1", "1"], False),
    ],
)
def test_a_batch_has_several_levels_of_two_samples_in_the_mean(cells, is_proposed):
    assert (suggested_batch(pd.DataFrame({"plate": cells})) == "plate") == is_proposed


@pytest.mark.parametrize(("n_features", "expected"), [(20, [19]), (19, [])])
def test_a_lone_feature_is_found_among_twenty(n_features, expected):
    values = np.vstack([GENES[: n_features - 1], AGES])
    assert np.flatnonzero(of_other_scale(values)).tolist() == expected


def test_equal_samples_of_whole_numbers_are_no_repeated_ones():
    values = np.random.default_rng(0).normal(size=(30, 4))
    values[:, 3] = values[:, 1]
    assert repeated_samples(values) == [[1, 3]]
    assert repeated_samples(values.round()) == []
    assert repeated_samples(values[:20]) == [[1, 3]]
    assert repeated_samples(values[:19]) == []
