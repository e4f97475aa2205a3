"""The scale of values at the limits where it is decided."""

import numpy as np
import pytest

from xnbflow.sources.proposal.scale import sentence_of
from xnbflow.sources.series.scale_recognition import of_other_scale, recognise_scale
from xnbflow.sources.series.value_numbers import measure_values

SAMPLES = np.array(["s0", "s1", "s2", "s3"])


def test_quantiles_of_the_numbers_from_0_to_1000():
    numbers = measure_values(np.arange(1001.0)[:, None])
    quantiles = (numbers.lowest, numbers.median, numbers.quantile_99, numbers.largest)
    assert quantiles == (0, 500, 990, 1000)
    assert numbers.share_of_whole == 1
    with_gaps = measure_values(np.array([[np.nan, 2.0], [3.5, np.nan]]))
    assert (with_gaps.lowest, with_gaps.largest, with_gaps.share_of_whole) == (2, 3.5, 0.5)


def test_without_any_value_numbers_are_missing_and_the_scale_is_unknown():
    values = np.full((30, 2), np.nan)
    assert np.isnan(measure_values(values).median)
    recognised = recognise_scale(values, are_genes=True)
    assert (recognised.kind, recognised.settings()) == ("logarithms", {})


@pytest.mark.parametrize(
    ("total", "common_sum"), [(1, 1), (100.9, 100), (101.1, 0), (1e6, 1e6), (50, 0)]
)
def test_samples_sum_to_a_whole_to_one_hundredth(total, common_sum):
    parts = np.random.default_rng(0).dirichlet(np.ones(30), 4).T
    values = total * parts
    assert measure_values(values).common_sum == common_sum
    values[:, 0] *= 1.1  # one sample is enough
    assert measure_values(values).common_sum == 0
    assert measure_values(total * parts - total).common_sum == 0


@pytest.mark.parametrize(
    ("low", "quartile", "high", "largest", "not_logged"),
    [
        (2, 5, 100, 100, True),  # a range of more than 50, and a positive quartile
        (60, 70, 100, 100, False),
        (60, 70, 100.1, 101, True),  # GEO2R: the 99 % quantile exceeds 100
        (1, 5, 40, 51, False),  # a range of 50
        (1, 5, 40, 51.1, True),
        (-5, 0, 40, 60, False),  # most values of centred logarithms are around 0
    ],
)
def test_the_rule_of_geo2r(low, quartile, high, largest, not_logged):
    values = np.full(1001, 0.5 * (quartile + high))
    values[1:300] = quartile
    values[-20:] = high
    values[0], values[-1] = low, largest
    numbers = measure_values(values[:, None])
    assert (numbers.lowest, numbers.quantile_99, numbers.largest) == (low, high, largest)
    assert numbers.exceed_logarithms == not_logged


def features_up_to(largest, n_samples=8):
    """Return 30 features of logarithms whose largest value is that number."""
    values = np.full((30, n_samples), largest - 1.0)
    values[:, 0] = largest
    return values


@pytest.mark.parametrize(
    ("largest", "value", "is_other"),
    [
        (10, 34.9, False),  # 25 above the upper quartile of the largest values
        (10, 35.1, True),
        (20, 59.9, False),  # three times that quartile
        (20, 60.1, True),
    ],
)
def test_another_scale_is_three_times_and_25_above_the_others(largest, value, is_other):
    values = features_up_to(largest)
    values[4] = value
    assert of_other_scale(values)[4] == is_other


@pytest.mark.parametrize(
    ("n_samples", "n_above", "is_other"),
    [(8, 1, False), (8, 2, True), (40, 3, False), (40, 4, True)],
)
def test_another_scale_is_that_of_a_tenth_of_the_samples_and_of_two(n_samples, n_above, is_other):
    values = features_up_to(10, n_samples)
    values[4, :n_above] = 60
    assert of_other_scale(values)[4] == is_other


@pytest.mark.parametrize(("n_features", "is_other"), [(20, True), (19, False)])
def test_twenty_features_have_a_scale(n_features, is_other):
    values = features_up_to(10)[:n_features]
    values[4] = 60
    assert of_other_scale(values)[4] == is_other


@pytest.mark.parametrize(("share", "is_other"), [(0.1, False), (0.12, True)])
def test_counts_may_have_a_tenth_of_fractions(share, is_other):
    """Among counts of at most 20 a gene of 50,000 reads is a gene; among logarithms it is not."""
    values = np.tile(np.arange(1.0, 21.0), (50, 1))
    values.ravel()[: round(share * values.size)] += 0.5
    values[-1] = 50_000
    assert of_other_scale(values)[-1] == is_other


@pytest.mark.parametrize(
    ("n_distinct", "largest", "are_counts"),
    [(11, 100, True), (10, 100, False), (11, 99, False)],
)
def test_counts_have_eleven_distinct_values_up_to_100_at_least(n_distinct, largest, are_counts):
    values = np.zeros((40, 4))
    values[:n_distinct, 0] = np.arange(n_distinct)
    values[n_distinct - 1, 0] = largest
    assert (recognise_scale(values, are_genes=True).kind == "counts") == are_counts
    assert recognise_scale(values - 1, are_genes=True).kind != "counts"
    assert recognise_scale(values + 0.5, are_genes=True).kind != "counts"


@pytest.mark.parametrize(
    ("median", "largest", "n_features", "kind"),
    [
        (2.4, 3.4, 100, "logged twice"),
        (2.39, 3.4, 100, "logarithms"),
        (3.41, 4.0, 100, "logarithms"),
        (2.8, 3.29, 100, "logarithms"),
        (2.8, 4.35, 100, "logged twice"),
        (2.8, 4.36, 100, "logarithms"),
        (2.8, 3.5, 99, "logarithms"),
    ],
)
def test_logarithms_of_logarithms(median, largest, n_features, kind):
    values = np.full((n_features, 4), median)
    values[0] = 1.0
    values[1] = largest
    assert recognise_scale(values).kind == kind


@pytest.mark.parametrize(("n_cells", "kind"), [(3, "mixed"), (2, "not logged")])
def test_a_code_of_missing_values_among_intensities_is_in_three_cells(n_cells, kind):
    values = np.tile(np.linspace(400, 1400, 40), (4, 1)).T.copy()
    values.ravel()[:n_cells] = -9999.0
    recognised = recognise_scale(values, samples=SAMPLES)
    assert recognised.kind == kind
    assert ("-9999 is in 3 cells" in recognised.reason) == (kind == "mixed")


def test_zeros_far_below_logarithms_are_no_values(rng):
    """Logarithms of intensities of proteins with 0 for what was not found, and of counts + 1."""
    intensities = rng.normal(25, 3, (200, 8))
    intensities[rng.random((200, 8)) < 0.2] = 0.0
    recognised = recognise_scale(intensities)
    assert recognised.kind == "mixed"
    assert "0 is in" in recognised.reason
    assert recognise_scale(np.log2(1 + rng.poisson(3, (200, 8)))).kind == "logarithms"


@pytest.mark.parametrize("outlier", [-999.0, 850.0])
def test_one_cell_does_not_make_intensities_of_logarithms(outlier):
    """Their logarithms would be taken again: a floor of 100 would make all values equal."""
    values = np.tile(np.linspace(4, 14, 40), (4, 1)).T.copy()
    values[7, 2] = outlier
    recognised = recognise_scale(values, samples=SAMPLES)
    assert (recognised.kind, recognised.settings()) == ("mixed", {})
    assert f"{outlier:g} is in 1 cell" in recognised.reason


def test_one_cell_does_not_make_reads_of_logarithms_with_zeros(rng):
    """Logarithms of 1 and a relative unit begin at 0, as reads do."""
    values = np.log2(1 + rng.gamma(0.3, 100, (200, 8)))
    values[:3] = 0
    values[7, 2] = 1e6
    recognised = recognise_scale(values)
    assert recognised.kind == "mixed"
    assert "1e+06 is in 1 cell" in recognised.reason
    values[8, :2] = [1e5, 2e5]
    assert recognise_scale(values).kind != "mixed"


@pytest.mark.parametrize(("code", "kind"), [(-51.0, "mixed"), (-49.0, "not logged")])
def test_a_negative_code_among_intensities_is_below_50(code, kind):
    values = np.tile(np.linspace(0.5, 1000, 40), (4, 1)).T.copy()
    values[:3, 0] = code
    assert recognise_scale(values).kind == kind


@pytest.mark.parametrize(("scale", "kind"), [(2.9, "not logged"), (3.1, "mixed")])
def test_samples_that_are_not_logged_are_three_times_above_the_others(scale, kind):
    values = np.tile(np.linspace(40.0, 80.0, 100), (4, 1)).T.copy()
    values[:, 2:] *= scale
    recognised = recognise_scale(values, samples=SAMPLES)
    assert recognised.kind == kind
    assert ("2 are not logged (s2, s3), 2 look logged (s0, s1)" in recognised.reason) == (
        kind == "mixed"
    )


def test_one_sample_that_is_not_logged_is_written_in_the_singular():
    values = np.tile(np.linspace(40.0, 80.0, 100), (2, 1)).T.copy()
    values[:, 1] *= 3.1
    reason = recognise_scale(values, samples=SAMPLES[:2]).reason
    assert "1 is not logged (s1), 1 looks logged (s0)" in reason


@pytest.mark.parametrize(("threshold", "kind"), [(4.0, "estimated counts"), (40.0, "not logged")])
def test_intensities_that_became_0_below_a_threshold_are_no_reads(rng, threshold, kind):
    """Reads of genes have all numbers from 0, and such intensities have none up to a threshold."""
    values = 2 ** rng.normal(6, 2, (500, 8)).round(3)
    values[values < threshold] = 0
    recognised = recognise_scale(values)
    assert recognised.kind == kind
    if kind == "not logged":
        assert recognised.settings() == {"transform": {"log2": {"floor": 20}}}


#: Names of 25 genes.
PANEL = [f"{first}{second}A{second}1" for first in "BCDFG" for second in "LMNPR"]


def panel(rng, n_genes=25):
    """Return logarithms to base 2 of a panel, with the variation of each gene."""
    levels = np.linspace(4, 13, n_genes)[:, None]
    return levels + rng.uniform(0.3, 1, (n_genes, 1)) * rng.normal(size=(n_genes, 12))


@pytest.mark.parametrize(
    ("values_of", "settings"),
    [
        (lambda logs: logs, {"scale": "log2"}),
        (lambda logs: logs * np.log(2), {}),
        (lambda logs: 2**logs, {"transform": "log2"}),
        (lambda logs: np.floor(2**logs), {"transform": "log2p1"}),
        (lambda logs: np.log1p(np.floor(2**logs)), {"scale": "ln"}),
        (lambda logs: np.log10(np.floor(2 ** (logs - 2))).round(4), {"scale": "log10"}),
    ],
    ids=["log2", "natural", "intensities", "counts", "natural of counts", "log10 of counts"],
)
def test_a_panel_of_genes_has_a_scale_and_other_names_have_none(rng, values_of, settings):
    """But logarithms of counts are evidence by themselves."""
    values = values_of(panel(rng))
    assert recognise_scale(values, features=PANEL).settings() == settings
    others = [f"item {i}" for i in range(25)]
    expected = settings if settings.get("scale") in ("ln", "log10") else {}
    assert recognise_scale(values, features=others).settings() == expected
    assert recognise_scale(values[:19], features=PANEL[:19]).settings() == {}


def test_measurements_of_a_laboratory_are_no_panel(rng):
    """Their abbreviations look like symbols, but a sodium varies by 2 %, and others tenfold."""
    levels = np.geomspace(0.5, 3000, 25)[:, None]
    variation = np.tile([0.02, 0.1, 0.2, 1.0, 0.5], 5)[:, None]
    values = levels * np.exp(variation * rng.normal(size=(25, 12)))
    assert recognise_scale(values, features=PANEL).settings() == {}
    noise = np.exp(0.3 * rng.normal(size=(25, 12)))
    assert recognise_scale(levels * noise, features=PANEL).settings() == {"transform": "log2"}


def test_shares_of_a_whole_are_no_logarithms(rng):
    beta = rng.beta(0.5, 0.5, (600, 8))
    parts = rng.dirichlet(np.ones(600), 8).T
    for values in (beta, 100 * beta, parts, 100 * parts):
        recognised = recognise_scale(values, is_array=True, are_genes=True)
        assert (recognised.kind, recognised.settings()) == ("fractions", {})


@pytest.mark.parametrize(
    ("largest", "base"), [(6.4, ""), (6.6, "log2"), (11.0, "log2"), (16.0, "log2")]
)
def test_logarithms_of_arrays_have_base_2_unless_they_are_as_small_as_those_to_base_10(
    rng, largest, base
):
    values = rng.uniform(0, largest, (200, 6))
    values[0, 0] = largest
    assert recognise_scale(values, is_array=True, are_genes=True).base == base


@pytest.mark.parametrize(
    ("values_of", "setting"),
    [
        (lambda logs: 2**logs, "transform=log2."),
        (lambda logs: 2**logs - 30, "'transform={log2: {floor: "),
    ],
    ids=["intensities", "with negatives"],
)
def test_intensities_without_names_of_genes_are_not_passed_over(rng, values_of, setting):
    """Nothing is proposed for them, but a user who has measured them needs the key."""
    values = values_of(panel(rng))
    others = [f"item {i}" for i in range(25)]
    recognised = recognise_scale(values, features=others)
    assert recognised.settings() == {}
    assert f"if they are intensities or reads of genes, use --set {setting}" in (
        sentence_of(recognised)
    )
    assert sentence_of(recognise_scale(values[:19], features=others[:19])) == ""


def test_laboratory_values_are_not_taken_for_intensities(rng):
    """A sodium hardly varies, and a C-reactive protein a hundredfold."""
    values = 2 ** panel(rng)
    values[::2] **= 0.02
    recognised = recognise_scale(values, features=[f"item {i}" for i in range(25)])
    assert (recognised.kind, sentence_of(recognised)) == ("not logged", "")


def test_zeros_among_small_values_get_the_logarithm_of_1_and_the_value(rng):
    """A floor of 1 would make all values up to 1 equal."""
    values = 2 ** (0.6 * (panel(rng) - 4))
    values[rng.random(values.shape) < 0.1] = 0
    recognised = recognise_scale(values, features=PANEL)
    assert (recognised.kind, recognised.settings()) == ("not logged", {"transform": "log2p1"})
