"""
Normal and kernel densities
===========================

One simulated feature has two modes within a class. Gaussian naive Bayes describes it by one
normal density, flexible naive Bayes by a kernel density.
"""

import matplotlib.pyplot as plt
import numpy as np

from xnbflow.density.families import Gaussian, Kernel

rng = np.random.default_rng(0)
values = np.concatenate([rng.normal(4, 0.5, 60), rng.normal(8, 1.0, 40)])
grid = np.linspace(1, 12, 300)

fig, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
ax.hist(values, bins=25, density=True, color="0.85")
for label, family in {"kernel (FlexibleNB)": Kernel(), "normal (GaussianNB)": Gaussian()}.items():
    fitted = family.fit(values[None, :], np.zeros(100, dtype=np.intp), 1)
    ax.plot(grid, np.exp(fitted.log_density(grid[None, :]).ravel()), label=label)
ax.set_xlabel("value")
ax.set_ylabel("density")
ax.legend()
plt.show()
