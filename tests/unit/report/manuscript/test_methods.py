"""Methods for every option of a study: a sentence is there if it was computed, and only then.

Each option changes the tables or the configuration of one small study. Its sentence is in the
Methods of the changed study, and in those of no other.
"""

from dataclasses import replace

import pandas as pd
import pytest
from report_study import changed, completed, with_rows, write_study

from xnbflow.core.study import Cohorts, Design, Validation
from xnbflow.inference.halves import _SHORT_LIST, _SIMILAR
from xnbflow.inference.intervals import BELOW, CROSS_VALIDATED, TUNED_INFLATION
from xnbflow.report.manuscript.paragraphs import methods_in_words
from xnbflow.tables import contract
from xnbflow.tables.storage import write_parquet

KEY = {"dataset": "alpha", "folds": "3-fold", "classifier": "xnb"}
TEST = {"dataset": "alpha", "classifier": "xnb", "permutations": 1000, "p_value": 0.01}
TEST |= {"adjusted_for": ""}
PAIR = Validation(model="xnb", train="alpha", test="GSE7904", match="symbol", harmonise="rank")


@pytest.fixture
def results(tmp_path):
    return write_study(tmp_path, classifiers=("nb", "xnb"))


def plain(results):
    """Return the study without the results of any option."""
    names = ("class_pairs", "calibration", "label_tests")
    results = changed(results, "estimates", priors_decide=False)
    return with_rows(results, **{name: [] for name in (*names, "random_genes", "comparison")})


def with_study(results, **changes):
    return replace(results, study=replace(results.study, **changes))


def tuned(results):
    entries = dict(results.configuration["classifiers"]) | {"xnb": {"method": "csnb_cv"}}
    return replace(results, configuration=results.configuration | {"classifiers": entries})


def with_halves(results):
    return changed(
        results,
        "stability",
        "`class` == '' and classifier == 'xnb'",
        halves=0.5,
        halves_lower=0.4,
        halves_upper=0.6,
    )


def of_cohorts(results):
    """Return the study with two series that are compared and combined."""
    path = contract.GROUPS["cohorts"].path.of(study="small", table="meta_genes")
    table = completed(
        pd.DataFrame({"class": ["a"]}), contract.GROUPS["cohorts"].tables["meta_genes"]
    )
    write_parquet(table, results.root / path, contract.GROUPS["cohorts"].tables["meta_genes"])
    return with_study(results, cohorts=Cohorts(("alpha", "GSE7904"), "xnb", "symbol"))


def validated(results):
    for table in ("cohort_tests", "signatures"):
        path = results.folder / f"cohorts/{table}.parquet"
        empty = completed(pd.DataFrame(), contract.GROUPS["cohorts"].tables[table])
        write_parquet(empty, path, contract.GROUPS["cohorts"].tables[table])
    return with_study(results, validate=(PAIR,))


#: By option: how it changes the study, and the phrases that only its Methods have.
OPTIONS = {
    "a classifier that tunes itself": (
        tuned,
        [f"({TUNED_INFLATION:g} for XNB, which chooses parameters by an inner cross-validation)"],
    ),
    "groups": (
        lambda results: changed(results, "datasets", "dataset == 'alpha'", groups=12.0),
        [
            "In alpha the number of samples is divided by the design effect of the groups",
            "In alpha no group of samples was on both sides of a fold.",
            "with their correlation over groups",
        ],
    ),
    "several classes": (
        lambda results: with_rows(
            results, class_pairs=[KEY | {"class": "a", "other": other} for other in "bc"]
        ),
        ["Each pair of classes was compared by the area under the ROC curve"],
    ),
    "priors that decide": (
        lambda results: changed(results, "estimates", "metric == 'recall'", priors_decide=True),
        ["Recalls with equal priors were computed from the predicted probabilities"],
    ),
    "a label test": (
        lambda results: with_rows(results, label_tests=[TEST]),
        [
            "Label test: the labels of each data set were permuted, and three statistics",
            "the distances of the values from the median of each feature [@brown1974]",
            "(1000 orders)",
        ],
    ),
    "halves": (
        with_halves,
        [
            "Their stability is the share of the first ten features of each class in one half",
            "that differ between the class and the others in the other half",
            "corrected for the share of all features of that direction that do. The halves share",
            "the verdict is lower if the mean over the divisions is below .5",
            "all selected features between halves, by the index of @nogueira2018, and that of the",
            "correlate by .7 or more within the classes replace each other [@sechidis2020]",
        ],
    ),
    "biology": (
        lambda results: with_study(results, designs={"alpha": Design(biology=("age", "sex"))}),
        ["In alpha the study declares age, sex as biology, which limits no verdict."],
    ),
    "several series": (
        of_cohorts,
        [
            "XNB was trained on alpha, GSE7904, each by itself and tested on each other one",
            "on all series but one and tested on that one; features were matched by symbol, and",
            "combined by a random-effects model [@dersimonian1986]",
        ],
    ),
    "a second cohort": (
        validated,
        [
            "XNB was fitted on all samples of alpha and tested on GSE7904; features were matched",
        ],
    ),
}


def test_an_adjusted_label_test_names_its_columns(results):
    adjusted = with_rows(plain(results), label_tests=[TEST | {"adjusted_for": "plate"}])
    text = methods_in_words(adjusted)
    assert "Where a design adjusts for plate, values were the residuals of a linear model" in text
    unadjusted = methods_in_words(with_rows(plain(results), label_tests=[TEST]))
    assert "adjusts for" not in unadjusted


@pytest.mark.parametrize("option", OPTIONS)
def test_a_sentence_is_there_with_its_option_alone(results, option):
    change, phrases = OPTIONS[option]
    text = methods_in_words(replace(change(plain(results))))
    for phrase in phrases:
        assert phrase in text
    for other, (_, phrases_of_other) in OPTIONS.items():
        if other == option:
            continue
        for phrase in phrases_of_other:
            assert phrase not in text


def test_the_numbers_of_intervals_are_those_of_the_code(results):
    text = methods_in_words(plain(results))
    assert f"for upper limits the number of samples is divided by {CROSS_VALIDATED:g}," in text
    assert f"and for lower limits by {BELOW:g};" in text
    assert "No label test was run." in text


def test_balanced_accuracy_of_equal_classes_is_described_as_the_accuracy(results):
    text = methods_in_words(plain(results))
    assert "that of the accuracy where classes have equal" in text


def test_the_lists_of_the_methods_are_those_of_the_code():
    assert (_SHORT_LIST, _SIMILAR) == (10, 0.7)  # the words of the option "halves"
