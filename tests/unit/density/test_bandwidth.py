"""Bandwidths follow the published rule, and have a floor."""

import numpy as np
import published_xnb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xnbflow.density.bandwidth import BANDWIDTHS, bandwidths_of
from xnbflow.density.tiles import class_offsets, sorted_classes


def tile_of(features, codes):
    order, offsets = class_offsets(codes, codes.max() + 1)
    return sorted_classes(features, order, offsets), offsets


@settings(deadline=None, max_examples=80)
@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.integers(1, 40),
    decimals=st.sampled_from([0, 1, 8]),
    scale=st.sampled_from([1e-3, 1.0, 1e5]),
)
def test_rules_of_thumb_follow_the_published_one(seed, size, decimals, scale):
    values = np.round(np.random.default_rng(seed).normal(size=size), decimals) * scale
    tile = np.sort(values)[:, None]
    published = published_xnb.bandwidth(values)
    for rule, factor in (("silverman", 0.9), ("scott", 1.059)):
        actual = bandwidths_of(tile, np.array([0, size]), rule)[0, 0]
        assert actual == pytest.approx(published * factor / 0.9, rel=1e-12)


@pytest.mark.parametrize("rule", BANDWIDTHS)
def test_no_bandwidth_is_below_the_floor(rng, rule):
    codes = np.repeat([0, 1, 2], [30, 20, 1])
    features = np.vstack([rng.normal(size=51), np.where(codes == 0, 3.0, rng.normal(size=51))])
    features[0, codes == 1] *= 1e-3
    tile, offsets = tile_of(features, codes)
    in_order = np.ascontiguousarray(features.T)  # the samples are class after class
    published = bandwidths_of(tile, offsets, rule, in_order=in_order)
    actual = bandwidths_of(tile, offsets, rule, min_bandwidth=0.3, in_order=in_order)
    floors = 0.3 * features.std(axis=1, ddof=1) * np.bincount(codes)[:, None] ** -0.2
    np.testing.assert_allclose(actual, np.maximum(published, floors), rtol=1e-12)
    assert (published < floors).any()
    assert (published > floors).any()
    unlimited = bandwidths_of(tile, offsets, rule, min_bandwidth=0.0, in_order=in_order)
    np.testing.assert_array_equal(unlimited, published)


def test_a_class_of_equal_values_has_the_spread_of_the_published_program():
    tile = np.array([[2.0, 1e-100], [2.0, 2e-100], [2.0, 4e-100]])
    actual = bandwidths_of(tile, np.array([0, 3]), "silverman")[0]
    spread = np.std([1.0, 2.0, 4.0], ddof=1) * 1e-100  # small, but not 0
    expected = 0.9 * 3**-0.2 * np.array([1e-7, min(spread, 2.25e-100 / 1.349)])
    np.testing.assert_allclose(actual, expected)


def test_the_normal_reference_is_that_of_the_paper_s_text():
    """Section 4.1: 1.059 s n^(-1/5); 9 is an outlier that quartiles would leave out."""
    values = np.array([1.0, 2.0, 3.0, 4.0, 9.0])
    actual = bandwidths_of(values[:, None], np.array([0, 5]), "normal_reference")[0, 0]
    assert actual == pytest.approx(1.059 * np.std(values, ddof=1) * 5**-0.2)
    assert actual > bandwidths_of(values[:, None], np.array([0, 5]), "scott")[0, 0]
