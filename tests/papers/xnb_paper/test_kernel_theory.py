"""What section 4.1 of the XNB paper states of kernels and bandwidths, for ours."""

import numpy as np
import pytest
from scipy.stats import norm

from xnbflow.density.families.kernel import Kernel
from xnbflow.density.kernels import KERNELS, apply_kernel, kernel_code


@pytest.mark.parametrize("kernel", [*KERNELS, 4, 7])
def test_every_kernel_is_a_density_of_order_2(kernel):
    """Eq. 4: the integral of u K(u) is 0, and that of u² K(u) is not."""
    u = np.linspace(-40, 40, 800_001)
    density = u.copy()
    apply_kernel(kernel_code(kernel), density)
    assert (density >= 0).all()
    moments = [np.trapezoid(u**order * density, u) for order in (0, 1, 2)]
    assert moments[:2] == pytest.approx([1.0, 0.0], abs=1e-4)
    assert moments[2] > 0.03


def mise(h, n):
    """Eq. 7 for a standard normal density and kernel (Fryer, Biometrika 63, 1976, 371-374)."""
    smoothed = (1 - 1 / n) / np.sqrt(1 + h**2) - np.sqrt(8) / np.sqrt(2 + h**2)
    return (1 / (n * h) + smoothed + 1) / (2 * np.sqrt(np.pi))


@pytest.mark.parametrize("n", [20, 100, 1000])
@pytest.mark.parametrize(("rule", "excess"), [("scott", 0.03), ("silverman", 0.16)])
def test_rules_of_thumb_have_nearly_the_least_mean_integrated_squared_error(n, rule, excess):
    """Of normal samples, for which Scott's 1.06 is asymptotically the best; Silverman's is .9."""
    samples = norm.ppf((np.arange(n) + 0.5) / n)
    features = np.stack([samples / samples.std(ddof=1)])
    h = Kernel(bandwidth=rule).fit(features, np.zeros(n, dtype=int), 1).bandwidths_[0][0]
    least = mise(np.linspace(0.05, 2, 4000), n).min()
    assert least <= mise(h, n) < (1 + excess) * least
