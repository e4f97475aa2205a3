"""Families of class-conditional densities, one file each, all a `Distribution`."""

from xnbflow.density.families.base import Distribution
from xnbflow.density.families.categorical import Categorical
from xnbflow.density.families.gaussian import Gaussian
from xnbflow.density.families.gaussian_blocks import GaussianBlocks
from xnbflow.density.families.kernel import Kernel
from xnbflow.density.families.multivariate_gaussian import MultivariateGaussian
from xnbflow.density.families.von_mises import VonMises
from xnbflow.density.families.von_mises_fisher import VonMisesFisher

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
