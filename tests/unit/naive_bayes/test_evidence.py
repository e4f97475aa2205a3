"""Densities of the classes against one reference."""

import numpy as np
import pytest
from scipy.stats import norm

from xnbflow.naive_bayes.evidence import fit_class_densities


def test_densities_borrow_the_spread_within_all_classes(rng):
    values, codes = rng.normal(size=(1, 12)), np.array([0] * 9 + [1] * 3)
    options = {"bandwidth": "silverman", "min_bandwidth": 0.3, "kernel": "gaussian"}
    densities = fit_class_densities(values, codes, 2, **options, borrowed=6.0)
    z = (values[0] - values[0].mean()) / values[0].std(ddof=1)
    pooled = (8 * z[:9].var(ddof=1) + 2 * z[9:].var(ddof=1)) / 10
    kernel_estimate = norm.pdf(z[0], z[9:], densities.kernel.bandwidths_[1][0]).mean()
    normal_density = norm.pdf(z[0], z[9:].mean(), np.sqrt(pooled * (1 + 1 / 3)))
    actual = densities.log_density(values[:, :1])[1, 0, 0]
    assert actual == pytest.approx(np.log(kernel_estimate * 3 / 9 + normal_density * 6 / 9))
