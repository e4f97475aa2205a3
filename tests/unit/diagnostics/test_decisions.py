"""Rules and boundaries of the audit and of single features, each at the value where it decides."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control
from toys import dataset

from xnbflow.diagnostics import column_associations
from xnbflow.diagnostics.association import (
    Association,
    _complete_separation_p,
    category_association,
)
from xnbflow.diagnostics.block_correlation import block_correlation
from xnbflow.diagnostics.columns import column_values
from xnbflow.diagnostics.dependence import conditional_dependence
from xnbflow.diagnostics.false_discovery import benjamini_hochberg, holm
from xnbflow.diagnostics.gene_values import gene_values
from xnbflow.diagnostics.genes import gene_table
from xnbflow.diagnostics.heatmap import shown_samples
from xnbflow.diagnostics.moderation import fit_variance_prior
from xnbflow.diagnostics.normality import shapiro_wilk, shapiro_wilk_within
from xnbflow.diagnostics.repeated_samples import similar_samples
from xnbflow.diagnostics.sample_components import principal_components
from xnbflow.diagnostics.sample_levels import library_sizes
from xnbflow.diagnostics.sex_check import _sex_findings, sexes
from xnbflow.diagnostics.shared_samples import PatientMatch, shared_samples

NAN = np.nan


def test_missing_p_values_are_not_tests_of_the_false_discovery_rate():
    p = np.array([0.01, NAN, 0.04, NAN])
    np.testing.assert_allclose(benjamini_hochberg(p), [0.02, NAN, 0.04, NAN])
    complete = np.array([0.01, 0.2, 0.04, 0.03])
    np.testing.assert_allclose(benjamini_hochberg(complete), false_discovery_control(complete))


def test_missing_p_values_are_not_tests_of_holm():
    np.testing.assert_allclose(holm(np.array([0.02, NAN, 0.01])), [0.02, NAN, 0.02])
    assert holm(np.array([0.6, 0.7])).tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("p", "complete", "kind"),
    [
        (0.05, False, "associated"),
        (0.051, False, ""),
        (0.051, True, "separates classes"),
        (0.05, True, "separates classes"),
    ],
)
def test_a_column_is_a_finding_from_its_p_or_by_complete_separation(monkeypatch, p, complete, kind):
    """The only tested column: Holm's correction leaves its p as it is."""
    code = "separates classes" if complete else "categories differ"
    result = Association(strength=0.5, p=p, code=code)
    monkeypatch.setattr(column_associations, "association", lambda *_: result)
    values = np.random.default_rng(0).normal(size=(20, 8))
    cells = pd.DataFrame({"site": list("pqpqpqpp")})
    series = dataset(values, ["a"] * 4 + ["b"] * 4, sample_metadata=cells)
    _, findings = column_associations.associations(series)
    assert [finding.kind for finding in findings] == ([kind] if kind else [])


@pytest.mark.parametrize(("p", "n_findings"), [(0.025, 2), (0.026, 0)])
def test_columns_are_findings_by_their_p_after_holm(monkeypatch, p, n_findings):
    """Of two columns with one p the adjusted one is twice it."""
    result = Association(strength=0.5, p=p, code="categories differ")
    monkeypatch.setattr(column_associations, "association", lambda *_: result)
    values = np.random.default_rng(0).normal(size=(20, 8))
    cells = pd.DataFrame({"site": list("pqpqpqpp"), "plate": list("ppqqppqq")})
    series = dataset(values, ["a"] * 4 + ["b"] * 4, sample_metadata=cells)
    assert len(column_associations.associations(series)[1]) == n_findings


def test_complete_separation_has_the_share_of_labels_that_are_unions_of_categories():
    # Two of five categories of one sample: 10 unions among 10 choices of 2 of 5.
    assert _complete_separation_p(np.array([[1, 1, 0, 0, 0], [0, 0, 1, 1, 1]])) == 1.0
    # Categories of 3 and 3: 2 unions of 3 samples among 20 choices of 3 of 6.
    assert _complete_separation_p(np.array([[3, 0], [0, 3]])) == 2 / 20


def test_small_categories_that_separate_classes_by_chance_are_not_complete():
    labels = pd.Series(list("aabbb"))
    result = category_association(labels, pd.Series(list("vwxyz")))
    assert (result.p, result.complete) == (1.0, False)
    # Categories of 2, 1, 2 and 1: 4 unions of 3 samples among 20 choices of 3 of 6.
    result = category_association(pd.Series(list("aaabbb")), pd.Series(list("ppqrrs")))
    assert (result.p, result.complete) == (4 / 20, False)


@pytest.mark.parametrize("name", ["colour", "batch"])
@pytest.mark.parametrize(("n_levels", "is_usable"), [(6, True), (7, False)])
def test_categories_have_two_samples_in_the_mean_whatever_their_column_is_called(
    name, n_levels, is_usable
):
    labels = pd.Series(["a", "b"] * 6)
    cells = pd.Series([f"level {chr(97 + i % n_levels)}" for i in range(12)], name=name)
    assert (column_values(labels, cells) is not None) == is_usable


def alike(r, n_features=400):
    """Return 12 samples, of which the first and last correlate by about r after centring."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n_features, 12))
    values[:, -1] = r * values[:, 0] + np.sqrt(1 - r**2) * values[:, -1]
    return values


def test_samples_are_alike_from_a_correlation_of_seven_tenths_in_a_hundred_features():
    assert similar_samples(alike(0.78))[0].tolist() == [[0, 11]]
    assert not len(similar_samples(alike(0.68))[0])
    assert not len(similar_samples(alike(0.95, n_features=99))[0])


def test_samples_of_two_cohorts_are_copies_from_85_hundredths():
    rng = np.random.default_rng(1)
    first = rng.normal(size=(500, 10))
    names = (np.array([f"a{i}" for i in range(10)]), np.array([f"b{i}" for i in range(10)]))
    for r, n_copies in ((0.95, 1), (0.82, 0)):
        second = rng.normal(size=(500, 10))
        second[:, 3] = r * first[:, 2] + np.sqrt(1 - r**2) * second[:, 3]
        shared = shared_samples(first, second, names)
        assert len(shared) == n_copies
        assert shared["by"].tolist() == ["likeness"] * n_copies


@pytest.mark.parametrize(
    ("mutual", "possible", "p", "same"),
    [(6, 10, 0.001, True), (6, 10, 0.0011, False), (5, 10, 0.001, False)],
)
def test_most_pairs_are_mutual_if_patients_are_the_same(mutual, possible, p, same):
    assert PatientMatch(mutual, possible, p).same_patients == same


@pytest.mark.parametrize(
    ("ratio", "severities"),
    [(1.4, []), (1.6, ["notice"]), (2.9, ["notice"]), (3.1, ["warning"])],
)
def test_library_sizes_are_a_notice_from_half_more_and_a_warning_from_threefold(ratio, severities):
    """Counts that are normalised in each fold have a notice at most."""
    sizes = np.r_[np.full(10, 1000.0), np.full(10, 1000.0 * ratio)] + np.arange(20) / 10
    shares = np.geomspace(0.01, 1000, 200)
    counts = np.outer(shares, sizes).round()
    series = dataset(counts, ["a"] * 10 + ["b"] * 10)
    assert [finding.severity for finding in library_sizes(series)] == severities
    normalised = library_sizes(replace(series, scale="counts"))
    assert [finding.severity for finding in normalised] == ["notice"] * len(severities)


def outlying(factor):
    """Return the outliers among samples of two classes whose first component is a factor."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 1)) * factor + 0.03 * rng.normal(size=(300, len(factor)))
    labels = np.repeat(["a", "b"], len(factor) // 2)
    return principal_components(dataset(values, labels))[0]["outlying"].tolist()


def test_an_outlier_is_six_robust_standard_deviations_from_its_class():
    """Factors are -1 and 1, one of them d. The median deviation is 1, that of the sample d - 1."""
    factor = np.tile([-1.0, 1.0], 20)
    factor[0] = 9.0  # 8 / 1.4826 = 5.4
    assert not any(outlying(factor))
    factor[0] = 11.0  # 10 / 1.4826 = 6.7
    assert np.flatnonzero(outlying(factor)).tolist() == [0]
    assert not any(outlying(factor[:8]))  # fewer than ten samples have no robust deviation


@pytest.mark.parametrize(("n_far", "n_named"), [(2, 2), (3, 3), (4, 4), (5, 0), (7, 0)])
def test_more_than_a_fifth_of_a_class_is_a_group_and_no_set_of_outliers(n_far, n_named):
    factor = np.tile([-1.0, 1.0], 20)
    factor[:n_far] = 40.0  # of 20 samples of the class a
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 1)) * factor + 0.03 * rng.normal(size=(300, len(factor)))
    table, findings = principal_components(dataset(values, np.repeat(["a", "b"], 20)))
    assert table["outlying"].sum() == n_named
    assert sum(finding.kind == "outlier" for finding in findings) == n_named
    groups = [finding for finding in findings if finding.kind == "group apart"]
    assert [(one.subject, one.numbers["count"], one.numbers["total"]) for one in groups] == (
        [] if n_named else [("a", n_far, 20)]
    )


def test_two_samples_of_a_small_class_are_outliers():
    """Two of eight are a quarter, but not three samples."""
    factor = np.tile([-1.0, 1.0], 8)
    factor[:2] = 40.0
    assert np.flatnonzero(outlying(factor)).tolist() == [0, 1]


def test_sexes_that_the_genes_do_not_separate_are_one_warning(rng):
    labels = ["a", "b"] * 10
    phenotype = pd.DataFrame({"sex": ["m", "f"] * 10})
    values = rng.normal(size=(4, 20))
    genes = {"feature_metadata": pd.DataFrame({"symbol": ["XIST", "RPS4Y1", "KDM5D", "DDX3Y"]})}
    series = dataset(values, labels, sample_metadata=phenotype, **genes)
    assert [finding.subject for finding in sexes(series)] == ["sex"]
    male = np.tile([1.0, 0.0], 10)
    separated = values / 10 + 5 * np.vstack([-male, male, male, male])
    assert sexes(dataset(separated, labels, sample_metadata=phenotype, **genes)) == []
    separated[:, [0, 1]] = separated[:, [1, 0]]
    findings = sexes(dataset(separated, labels, sample_metadata=phenotype, **genes))
    assert [finding.subject for finding in findings] == ["s0", "s1"]


@pytest.mark.parametrize(
    ("symbols", "is_known"),
    [
        (["XIST", "RPS4Y1", "KDM5D", "DDX3Y"], True),
        (["XIST", "RPS4Y1", "", ""], True),  # one gene of each sex is enough
        (["TSIX///XIST", "RPS4Y1", "", ""], True),  # a probe of two genes
        (["XIST", "", "", ""], False),
        (["", "RPS4Y1", "KDM5D", "DDX3Y"], False),
    ],
)
def test_the_sexes_are_known_by_xist_and_a_gene_of_the_y_chromosome(rng, symbols, is_known):
    phenotype = pd.DataFrame({"sex": ["m", "f"] * 10})
    genes = {"feature_metadata": pd.DataFrame({"symbol": symbols})}
    values = rng.normal(size=(4, 20))
    series = dataset(values, ["a", "b"] * 10, sample_metadata=phenotype, **genes)
    assert bool(sexes(series)) == is_known


@pytest.mark.parametrize(("distance", "kinds"), [(5.9, ["sex not shown"]), (6.0, [])])
def test_sexes_are_separated_from_four_robust_standard_deviations(distance, kinds):
    """Deviations from the medians are 1, so that four deviations are 4 times 1.4826 = 5.93."""
    series = dataset(np.zeros((1, 20)), ["a", "b"] * 10)
    score = np.r_[np.tile([0.0, 2.0], 5) + distance, np.tile([0.0, 2.0], 5)]
    findings = _sex_findings(series, pd.Series(["m"] * 10 + ["f"] * 10, name="sex"), score)
    assert [finding.kind for finding in findings] == kinds


def test_each_class_has_its_share_of_the_samples_that_are_shown():
    labels = np.repeat(["a", "b"], [90, 10])
    positions = shown_samples(labels, 20)
    assert np.bincount(labels[positions] == "b").tolist() == [18, 2]
    assert positions[[0, -1]].tolist() == [0, 99]


@pytest.mark.parametrize(("n_batches", "drawn"), [(1, False), (2, True), (8, True), (9, False)])
def test_two_to_eight_batches_are_drawn(n_batches, drawn):
    batches = [f"p{i % n_batches}" for i in range(18)]
    phenotype = pd.DataFrame({"plate": batches})
    series = dataset(np.zeros((1, 18)), ["a", "b"] * 9, sample_metadata=phenotype)
    by_class = batches[::2] + batches[1::2]
    assert gene_values(series, ["g0"])["batch"].tolist() == (by_class if drawn else [""] * 18)


@pytest.mark.slow
def test_degrees_of_freedom_of_dependence(rng):
    X = rng.normal(size=(30, 3))
    y = np.repeat([0, 1, 2], 10)
    assert conditional_dependence(X, y).dof == 28
    assert conditional_dependence(X, y, dof="exact").dof == 26


def test_a_normal_test_needs_three_samples():
    X = np.array([[1.0], [2.0], [4.0], [1.0], [2.0]])
    with pytest.warns(UserWarning, match="fewer than 3 samples: b"):
        _, p = shapiro_wilk_within(X, list("aaabb"))
    assert np.isnan(p[:, 0]).tolist() == [False, True]
    # For 3 samples W is exact: (x3 - x1)² / 2 over the sum of squares.
    W, _ = shapiro_wilk(X[:3])
    assert W[0] == pytest.approx(9 / 2 / np.sum((X[:3] - 7 / 3) ** 2))


def test_a_variance_alone_is_its_own_prior():
    assert fit_variance_prior(np.array([4.0, NAN]), np.array([3.0, 0.0]))[0] == 0.0


def test_equal_evidence_is_ranked_by_the_area_and_ties_are_counted():
    """Constant features have no t; those that follow have the area 1/2."""
    values = np.array([[5.0] * 8, [1, 2, 3, 4, 5, 6, 7, 8.0], [5.0] * 8])
    genes = gene_table(dataset(values, list("aaaabbbb")))
    rows = genes[genes["class"] == "b"]
    assert rows["feature"].tolist() == ["g1", "g0", "g2"]
    assert rows["ties"].tolist() == [0, 1, 1]
    assert rows["auc"].tolist() == [1.0, 0.5, 0.5]


def test_correlations_of_repeated_samples_need_groups_with_several():
    values = np.random.default_rng(0).normal(size=(50, 6))
    with pytest.raises(ValueError, match="a correlation of repeated samples cannot be estimated"):
        block_correlation(values, np.ones((6, 1)), np.arange(6))


@pytest.mark.parametrize(("n", "is_exact"), [(300, True), (301, False)])
def test_the_p_of_complete_association_is_exact_up_to_three_hundred_samples(n, is_exact):
    """Two samples of b have a category each: 1 of the n (n - 1) / 2 pairs of samples does so."""
    labels = pd.Series(["a"] * (n - 2) + ["b", "b"])
    cells = pd.Series(["x"] * (n - 2) + ["y", "z"])
    p = category_association(labels, cells).p
    if is_exact:
        assert p == _complete_separation_p(pd.crosstab(labels, cells).to_numpy())
        assert p > 1e-6
    else:
        assert p < 1e-60
