"""Simulated series: their truth is what the values show, and a seed fixes them."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.sources.dataset_entry import DatasetEntry, Shape
from xnbflow.sources.simulate import _simulate_truth, load, simulate_series, write_truth


def test_regulated_genes_shift_their_class_by_their_effect():
    series, truth = simulate_series("sim", 400, 3000, 3, seed=7)
    assert series.values.shape == (3000, 400)
    strong = truth[truth["effect"].abs() > 2]
    assert set(strong["class"]) == {"class_0", "class_1", "class_2"}
    assert len(strong) > 60
    ratios = []
    for row, gene in strong.iterrows():
        in_class = series.labels == gene["class"]
        values = series.values[row]
        sd = values[~in_class].std()  # purity makes the class itself vary more
        shift = values[in_class].mean() - values[~in_class].mean()
        ratios.append(shift / sd / gene["effect"])
    assert np.median(ratios) == pytest.approx(1, abs=0.05)
    assert np.quantile(ratios, 0.1) > 0.7


def test_the_truth_of_an_entry_is_that_of_its_series(tmp_path):
    dataset = DatasetEntry(
        "sim", "simulate", shape=Shape(samples=12, features=70, classes=2), options={"seed": 3}
    )
    series = load(dataset)
    write_truth(dataset, tmp_path / "truth.parquet")
    truth = pd.read_parquet(tmp_path / "truth.parquet")
    assert list(truth["feature"]) == list(series.features)
    pd.testing.assert_frame_equal(truth, _simulate_truth(70, 2, 3)[truth.columns])


def test_modules_have_forty_genes_of_which_three_quarters_are_regulated():
    truth = _simulate_truth(n_features=40_010, n_classes=2, seed=1)
    assert truth["block"].value_counts().sort_index().tolist() == [40] * 1000 + [10]
    modules = truth.groupby("block")["class"]
    assert (modules.nunique() <= 1).all()
    # 1,001 modules, each regulated with probability .75: four standard deviations are .055
    assert modules.count().gt(0).mean() == pytest.approx(0.75, abs=0.055)


@pytest.mark.parametrize(("n_classes", "sizes"), [(2, [20, 10]), (3, [13, 10, 7])])
def test_the_first_class_has_twice_the_samples_of_the_last(n_classes, sizes):
    series, _ = simulate_series("sim", 30, 40, n_classes, seed=1)
    labels = series.labels.tolist()
    assert [labels.count(f"class_{code}") for code in range(n_classes)] == sizes


#: The first two samples and features of 12 samples, 70 features and 2 classes with the seed 3, as
#: the version before cohorts and batches computed them.
VALUES = [[13.406345278447583, 10.921996311420248], [6.783315767694766, 4.517334606769432]]


def simulated(n_samples, scale=None, **options):
    shape = Shape(samples=n_samples, features=400, classes=2)
    return DatasetEntry("sim", "simulate", shape=shape, scale=scale, options={"seed": 3} | options)


def test_cohorts_of_one_seed_measure_the_same_genes():
    first = load(simulated(300, cohort=1))
    second = load(simulated(200, cohort=2))
    assert first.features.tolist() == second.features.tolist()
    levels = [np.median(series.values, axis=1) for series in (first, second)]
    # levels are uniform on [4, 12] (standard deviation 2.3); cohorts shift them by up to one
    assert np.corrcoef(levels)[0, 1] > 0.98
    contrasts = []
    for series in (first, second):
        in_class = series.labels == "class_0"
        means = series.values[:, in_class].mean(axis=1) - series.values[:, ~in_class].mean(axis=1)
        contrasts.append(means)
    assert np.corrcoef(contrasts)[0, 1] > 0.9
    assert not np.allclose(first.values[:, :20], second.values[:, :20], atol=0.1)


def test_cohorts_differ_by_a_quarter_of_a_standard_deviation_within_classes():
    first = load(simulated(4000, cohort=1))
    second = load(simulated(4001, cohort=2))
    _, truth = simulate_series("sim", 20, 400, 2, seed=3)
    unregulated = truth["effect"].to_numpy() == 0
    shifts = second.values.mean(axis=1) - first.values.mean(axis=1)
    standardised = (shifts / first.values.std(axis=1))[unregulated]
    # The difference of two cohorts has twice the variance of one: .25 * sqrt(2) = .354.
    assert len(standardised) > 80
    assert standardised.std() == pytest.approx(0.354, rel=0.2)


def test_a_batch_shifts_all_genes_and_is_associated_with_the_classes():
    series = load(simulated(3000, batches=2))
    batches = series.sample_metadata["batch"]
    counts = pd.crosstab(series.labels, batches)
    # twice as many samples of a class are in the batch of its number: 2,000 and 1,000 samples
    assert counts.to_numpy().ravel() == pytest.approx([1333, 667, 333, 667], abs=1)
    in_class = series.labels == "class_1"
    second = (batches == "batch_1").to_numpy()
    shifts = series.values[:, in_class & second].mean(axis=1)
    shifts = shifts - series.values[:, in_class & ~second].mean(axis=1)
    standardised = shifts / series.values[:, in_class & second].std(axis=1)
    assert standardised.std() == pytest.approx(0.75, rel=0.15)


def test_without_options_the_values_are_those_of_earlier_versions():
    """The documents' accuracies of `simulated` were measured on them."""
    series, _ = simulate_series("sim", 12, 70, 2, seed=3)
    assert series.sample_metadata is None
    assert series.scale == ""
    assert series.values[:2, :2] == pytest.approx(np.array(VALUES), abs=1e-9)


def test_the_scale_of_a_row_is_that_of_its_series():
    assert load(simulated(12, scale="log2")).scale == "log2"
