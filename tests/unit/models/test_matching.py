"""Features of several cohorts, matched by gene."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from several_series import SERIES

from xnbflow.core.errors import InputError
from xnbflow.models.matching import common_features


def test_platforms_meet_by_gene_and_the_probe_is_chosen_without_labels():
    """Of each gene the probe with the greatest mean, and the same one where a series has it."""
    parts, chosen = [], []
    for platform, one_series in zip((0, 0, 1), SERIES, strict=True):  # two series of one platform
        genes = pd.DataFrame({"entrez_id": [str(100 + (j // 2)) for j in range(60)]})
        names = [f"p{platform}_{j}" for j in range(60)]
        means = one_series.values.reshape(30, 2, -1).mean(axis=2)
        chosen.append(means.argmax(axis=1) if len(chosen) != 1 else chosen[0])
        parts.append(replace(one_series, features=names, feature_metadata=genes))
    actual = common_features(parts, "entrez_id")
    assert (chosen[0] != parts[1].values.reshape(30, 2, -1).mean(axis=2).argmax(axis=1)).any()
    for before, after, best in zip(parts, actual, chosen, strict=True):
        assert after.features.tolist() == [str(100 + i) for i in range(30)]
        np.testing.assert_array_equal(after.values, before.values[2 * np.arange(30) + best])
    with pytest.raises(InputError, match="features have none"):
        common_features(parts, "symbol")
