"""Tiles are sorted within classes."""

import numpy as np
import pytest

from xnbflow.density.tiles import class_offsets, sorted_classes


def tile_of(features, codes):
    order, offsets = class_offsets(codes, codes.max() + 1)
    return sorted_classes(features, order, offsets), offsets


@pytest.mark.parametrize("sizes", [(1, 2, 31), (0, 33, 64), (160, 5), (161, 5), (3,)])
def test_tiles_are_sorted_within_classes(rng, sizes):
    codes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    features = rng.normal(size=(75, len(codes))).round(1)
    tile, offsets = tile_of(features, codes)
    for c, rows in enumerate(np.split(tile, offsets[1:-1])):
        np.testing.assert_array_equal(rows, np.sort(features[:, codes == c], axis=1).T)
