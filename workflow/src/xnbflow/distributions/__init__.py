"""Families of class-conditional densities, one file each: fit per class, log density per term."""

import importlib

_HOME = {
    "Categorical": "categorical",
    "Distribution": "family",
    "Gaussian": "linear",
    "Kernel": "linear",
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
    "Kernel",
    "MultivariateGaussian",
    "VonMises",
    "VonMisesFisher",
]


def __getattr__(name: str) -> object:
    """Import a family when it is first asked for: nobody waits for those they do not use."""
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return __all__
