"""Samples to predict on the scale of a model's training data, or on another one."""

import numpy as np
import pytest
from toys import refused

from xnbflow.models.scale_of_samples import ValuesOfSamples, needed_transform
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.series.scale_recognition import recognise_scale
from xnbflow.sources.series.scales import RecognisedScale

RNG = np.random.default_rng(0)
N_FEATURES = 600
NAMES = [f"gene {i}" for i in range(N_FEATURES)]
#: Means of the features, 4 to 12, and logarithms of four samples.
MEANS = RNG.uniform(4, 12, (N_FEATURES, 1))
LOGGED = MEANS + RNG.normal(0, 0.5, (N_FEATURES, 4))
#: Training quartiles of logarithms and of intensities.
LOGARITHMS = MEANS + np.array([[-0.4, 0.0, 0.4]])
INTENSITIES = 2**LOGARITHMS
#: Counts of which most are small: their 99 % quantile is below 100.
SPARSE = RNG.negative_binomial(1, 0.06, (N_FEATURES, 4)).astype(float)
SPARSE[0] = 300.0


def transform_of(values, quartiles=LOGARITHMS, transform="log2", features=NAMES, location="x.csv"):
    """Return the transform that values (n_features, n_samples) still need."""
    return needed_transform(
        DatasetEntry("new", "table", location),
        ValuesOfSamples(values=values, features=features, samples=list("abcd")[: values.shape[1]]),
        training=DatasetEntry("training", "table", transform=transform) if transform else None,
        quartiles=ValuesOfSamples(values=quartiles, features=NAMES),
    )


@pytest.mark.parametrize("n_features", [3, 50, N_FEATURES])
@pytest.mark.parametrize("n_samples", [1, 4])
def test_the_scale_of_one_sample_and_of_a_panel_is_that_of_a_whole_table(n_features, n_samples):
    panel = {"features": NAMES[:n_features]}
    logged = LOGGED[:n_features, :n_samples]
    # the first three genes reach intensities above 100
    assert transform_of(logged, **panel) == ""
    assert transform_of(2**logged, **panel) == "log2"
    assert transform_of(2**logged, INTENSITIES, transform=None, **panel) == ""
    with refused("x.csv has logarithms, but the model was fitted to values", key="transform"):
        transform_of(logged, INTENSITIES, transform=None, **panel)
    with refused("x.csv has values that are not logged, but the model was", key="transform"):
        transform_of(2**logged, transform=None, **panel)


def test_features_that_the_model_lacks_are_not_compared():
    """A clinical number among logarithms has no influence, nor have genes of another array."""
    values = np.vstack([LOGGED, np.full((2, 4), 5000.5)])
    assert transform_of(values, features=[*NAMES, "platelets", "days"]) == ""
    assert transform_of(2**LOGGED, features=[f"other {i}" for i in range(N_FEATURES)]) == ""


@pytest.mark.parametrize("quartiles", [LOGARITHMS, INTENSITIES])
def test_samples_on_two_scales_are_refused_with_the_names_of_the_others(quartiles):
    values = np.hstack([LOGGED[:, :2], 2 ** LOGGED[:, 2:]])
    others = r"\(c, d\)" if quartiles is LOGARITHMS else r"\(a, b\)"
    with refused(f"2 of 4 samples have .* {others}, but the others and the training"):
        transform_of(values, quartiles)


def test_values_of_another_laboratory_are_no_other_scale():
    """A factor of two between laboratories is a note on the predictions."""
    assert transform_of(LOGGED + 1) == ""
    assert transform_of(2 ** (LOGGED + 1), INTENSITIES, transform=None) == ""


def test_small_counts_get_the_transform_of_logarithms():
    assert recognise_scale(SPARSE).kind is RecognisedScale.COUNTS
    assert transform_of(SPARSE, np.log2(1 + SPARSE[:, :3]), "log2p1") == "log2p1"


def test_a_shallow_sample_of_counts_has_no_logarithms():
    deep = np.floor(SPARSE[:, :3] * 1000)
    assert transform_of(SPARSE, deep, "tmm") == ""


@pytest.mark.parametrize(("location", "unit"), [("x.csv", "TPM"), ("x_cpm.csv", "CPM")])
def test_values_relative_to_the_library_are_refused_by_a_model_of_counts(location, unit):
    relative = 1e6 * SPARSE / SPARSE.sum(axis=0) + 0.01
    with refused(f"{location} has {unit}, but the model was fitted to counts of reads"):
        transform_of(relative, SPARSE[:, :3], "tmm", location=location)
    assert transform_of(SPARSE, SPARSE[:, :3], "tmm") == ""


def test_methylation_is_on_the_scale_of_methylation():
    shares = RNG.beta(0.5, 0.5, (N_FEATURES, 4))
    assert recognise_scale(shares).kind is RecognisedScale.FRACTIONS
    assert transform_of(shares, np.sort(shares[:, :3], axis=1), transform=None) == ""
