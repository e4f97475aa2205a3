"""Families of class-conditional densities, one file each, all a `Distribution`."""

from xnbflow.density.families.distribution import Distribution
from xnbflow.density.families.gaussian import Gaussian
from xnbflow.density.families.kernel import Kernel
from xnbflow.density.families.multivariate_gaussian import MultivariateGaussian

__all__ = ["Distribution", "Gaussian", "Kernel", "MultivariateGaussian"]
