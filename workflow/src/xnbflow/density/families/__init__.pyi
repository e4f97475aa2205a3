# The package's names for type checkers: at run time each is imported when it is asked for.
from typing import Final

from xnbflow.density.families.base import Distribution as Distribution
from xnbflow.density.families.categorical import Categorical as Categorical
from xnbflow.density.families.gaussian import Gaussian as Gaussian
from xnbflow.density.families.gaussian_blocks import GaussianBlocks as GaussianBlocks
from xnbflow.density.families.kernel import Kernel as Kernel
from xnbflow.density.families.multivariate_gaussian import (
    MultivariateGaussian as MultivariateGaussian,
)
from xnbflow.density.families.von_mises import VonMises as VonMises
from xnbflow.density.families.von_mises_fisher import VonMisesFisher as VonMisesFisher

FAMILIES: Final[dict[str, str]]
