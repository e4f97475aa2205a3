# The package's names for type checkers: at run time each is imported when it is asked for.
from typing import Final

from xnbflow.distributions.base import Distribution as Distribution
from xnbflow.distributions.categorical import Categorical as Categorical
from xnbflow.distributions.gaussian import Gaussian as Gaussian
from xnbflow.distributions.gaussian_blocks import GaussianBlocks as GaussianBlocks
from xnbflow.distributions.kernel import Kernel as Kernel
from xnbflow.distributions.multivariate_gaussian import MultivariateGaussian as MultivariateGaussian
from xnbflow.distributions.von_mises import VonMises as VonMises
from xnbflow.distributions.von_mises_fisher import VonMisesFisher as VonMisesFisher

FAMILIES: Final[dict[str, str]]
