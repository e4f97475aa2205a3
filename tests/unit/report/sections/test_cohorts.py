"""The section on several series: sentences, matrix and forest plot, from rows of its tables."""

import numpy as np
import pytest
from report_study import study_of_tables

from xnbflow.core.study import Cohorts
from xnbflow.report.sections import cohorts

SERIES = ("one", "two", "three")


def study_of_series(tmp_path, tables, series=SERIES):
    """Return a study that compares some series, with these tables."""
    return study_of_tables(
        tmp_path,
        {f"cohorts.{name}": rows for name, rows in tables.items()},
        {"datasets": {name: {"source": "geo"} for name in series}},
        datasets=series,
        cohorts=Cohorts(series, "xnb"),
    )


def gene(feature, holds, p, fdr, **fields):
    row = {"class": "b", "feature": feature, "symbol": "", "holds": holds, "p": p, "fdr": fdr}
    return row | {"rank": 1, "unit": "log2 fold change", "chance": 0.01 * holds} | fields


def test_genes_hold_in_every_series_and_differ_by_their_fdr(tmp_path):
    genes = [gene("g1", 3, 1e-9, 1e-6), gene("g2", 2, 0.04, 0.2), gene("g3", 3, 0.01, 0.06)]
    (_, words) = cohorts.cohorts_in_words(
        study_of_series(tmp_path, {"meta_genes": genes, "cohort_tests": MATRIX})
    )
    assert "2 differ in the same direction in all 3 series (by chance at most 1)" in words.text
    assert "1 has a mean effect over such series at an FDR below .05" in words.text


def test_two_series_are_both_series(tmp_path):
    tables = {"meta_genes": [gene("g1", 2, 1e-9, 1e-6)]}
    words = cohorts._genes_in_words(study_of_series(tmp_path, tables, SERIES[:2]))
    assert words.startswith("Of 1 gene 1 differs in the same direction in both series (by chance ")


def test_two_series_are_too_few_for_the_mean_effect_unless_a_gene_has_it(tmp_path):
    for fdr, end in ((0.2, "mean effect over such series."), (0.04, "below .05.")):
        study = study_of_series(tmp_path, {"meta_genes": [gene("g1", 2, 0.06, fdr)]}, SERIES[:2])
        assert cohorts._genes_in_words(study).endswith(end)


@pytest.mark.parametrize(("classes", "at_most"), [("ab", 4), ("abc", 12)])
def test_the_genes_expected_by_chance_are_those_of_all_classes_but_a_mirrored_one(
    tmp_path, classes, at_most
):
    rows = [
        gene(f"g{i}", 3, 0.01, 0.06, **{"class": label, "chance": 0.02})
        for label in classes
        for i in range(200)
    ]
    words = cohorts._genes_in_words(study_of_series(tmp_path, {"meta_genes": rows}))
    assert f"(by chance at most {at_most})" in words


def test_one_gene_differs_and_two_differ(tmp_path):
    genes = [gene("g1", 3, 1e-9, 1e-6), gene("g2", 1, 1e-9, 1e-6)]
    words = cohorts._genes_in_words(study_of_series(tmp_path, {"meta_genes": genes}))
    assert words.startswith("Of 2 genes 1 differs in the same direction in all 3 series")
    assert words.endswith("2 have a mean effect over such series at an FDR below .05.")


def test_genes_that_could_not_be_compared_are_no_number(tmp_path):
    genes = [gene("g1", 0, np.nan, np.nan)]
    words = cohorts._genes_in_words(study_of_series(tmp_path, {"meta_genes": genes}))
    assert words == "Genes could not be compared over all series: see the warnings."


def cell(train, test, value, strategy="one series", verdict="held"):
    row = {"train": train, "test": test, "value": value, "strategy": strategy, "model": "xnb"}
    return row | {"verdict": verdict, "reason": ""}


MATRIX = [
    cell("one", "two", 0.7),
    cell("two", "one", 0.8),
    cell("one", "one", 0.95),
    cell("two + three", "one", 0.9, "merged"),
    cell("one + three", "two", 0.6, "merged", "not held"),
    cell("two, three", "one", 0.85, "averaged"),
]


def test_models_of_all_others_are_counted_by_their_verdicts(tmp_path):
    words = cohorts._models_in_words(study_of_series(tmp_path, {"cohort_tests": MATRIX}))
    assert words.startswith("Of 3 series, each left out in turn and tested")
    others = "one model of all others held in 1, did not hold in 1 (balanced accuracy 60% to 90%)"
    assert others in words
    assert "average of their models held in 1 (balanced accuracy 85% to 85%)" in words


def test_of_two_series_the_other_one_is_the_model(tmp_path):
    rows = [cell("one", "two", 0.7), cell("two", "one", np.nan, verdict="cannot be judged")]
    words = cohorts._models_in_words(
        study_of_series(tmp_path, {"cohort_tests": rows}, ("one", "two"))
    )
    assert words.startswith("Of 2 series, each left out in turn and tested: the model of the other")
    assert words.endswith("one held in 1, could not be judged in 1 (balanced accuracy 70% to 70%).")


def test_the_matrix_has_models_in_rows_and_frames_the_series_itself(tmp_path):
    study = study_of_series(tmp_path, {"cohort_tests": MATRIX})
    arguments = cohorts._cohort_matrix_figure(
        study, study.tables_of("cohorts")["cohort_tests"]
    ).arguments
    assert arguments["rows"] == ["one", "two", "merged", "averaged"]
    assert arguments["columns"] == list(SERIES)
    assert arguments["values"][0, 1] == 0.7  # trained on one, tested on two
    assert arguments["values"][1, 0] == 0.8
    assert arguments["outlined"] == [(0, 0), (1, 1), (2, 2)]
    assert arguments["texts"][2] == ["90%", "60%", ""]


LIMITS = {"effect": 1.0, "lower": 0.5, "upper": 1.5}
LIMITS |= {f"{key}.{name}": value for key, value in LIMITS.items() for name in SERIES}
LIMITS |= {f"rank.{name}": 1 for name in SERIES}


def test_a_forest_plot_has_the_first_genes_with_their_intervals(tmp_path):
    genes = [gene(f"g{i}", 3, 0.01, 0.02, rank=i + 1, **LIMITS) for i in range(20)]
    control = [gene("g0", 3, 0.01, 0.02, **LIMITS) | {"class": "a"}]
    study = study_of_series(tmp_path, {"meta_genes": [*control, *genes]})
    figure, table = cohorts._gene_blocks(study)
    assert figure.arguments["rows"] == [f"g{i}" for i in range(12)]
    assert [group.label for group in figure.arguments["groups"]] == [*SERIES, "random-effects mean"]
    for group in figure.arguments["groups"]:
        assert (group.values[0], group.lower[0], group.upper[0]) == (1.0, 0.5, 1.5)
    assert len(table.blocks[0].frame) == 20


@pytest.mark.parametrize(("n_genes", "n_rows"), [(100, 100), (101, 100)])
def test_the_table_has_the_first_hundred_genes(tmp_path, n_genes, n_rows):
    genes = [gene(f"g{i}", 3, 0.01, 0.02, rank=i + 1, **LIMITS) for i in range(n_genes)]
    study = study_of_series(tmp_path, {"meta_genes": genes})
    *_, group = cohorts._gene_blocks(study)
    assert len(group.blocks[0].frame) == n_rows
