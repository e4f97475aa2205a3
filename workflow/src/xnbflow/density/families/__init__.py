"""Families of class-conditional densities, one file each, all a `Distribution`."""

from xnbflow.density.families.distribution import Distribution
from xnbflow.density.families.gaussian import Gaussian
from xnbflow.density.families.kernel import Kernel
from xnbflow.density.families.multivariate_gaussian import MultivariateGaussian
from xnbflow.papers.directional.categorical import Categorical
from xnbflow.papers.directional.von_mises import VonMises
from xnbflow.papers.directional.von_mises_fisher import VonMisesFisher
from xnbflow.papers.separation.gaussian_blocks import GaussianBlocks

#: The families by their short names, for configuration files.
FAMILIES: dict[str, type[Distribution]] = {
    "categorical": Categorical,
    "gaussian": Gaussian,
    "kernel": Kernel,
    "multivariate_gaussian": MultivariateGaussian,
    "von_mises": VonMises,
    "von_mises_fisher": VonMisesFisher,
}

__all__ = [
    "FAMILIES",
    "Categorical",
    "Distribution",
    "Gaussian",
    "GaussianBlocks",
    "Kernel",
    "MultivariateGaussian",
    "VonMises",
    "VonMisesFisher",
]
