"""Print a sum of densities, by a kernel of one module that calls kernels of another."""

import numpy as np

from xnbflow.density.families.kernel import log_kernel_density

points = np.arange(3.0)[:, np.newaxis]
log_densities = np.empty((3, 1))
log_kernel_density(points.T, np.ones(1), kernel="gaussian", points=points, out=log_densities)
print(log_densities.sum())
