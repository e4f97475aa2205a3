"""Families of class-conditional densities, one file each, all a `Distribution`."""

from xnbflow.data.lazy import lazy_names

_HOME = {
    "Categorical": "categorical",
    "Distribution": "base",
    "Gaussian": "gaussian",
    "GaussianBlocks": "gaussian_blocks",
    "Kernel": "kernel",
    "MultivariateGaussian": "multivariate_gaussian",
    "VonMises": "von_mises",
    "VonMisesFisher": "von_mises_fisher",
}

#: Short names of the families, for configuration files.
FAMILIES = {
    "categorical": "Categorical",
    "gaussian": "Gaussian",
    "kernel": "Kernel",
    "multivariate_gaussian": "MultivariateGaussian",
    "von_mises": "VonMises",
    "von_mises_fisher": "VonMisesFisher",
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

__getattr__, __dir__ = lazy_names(__name__, _HOME)
