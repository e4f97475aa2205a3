"""
Angles as angles
================

200 simulated angles lie around north, on both sides of 0 degrees. The normal density has its mean
on the opposite side of the circle; the von Mises density does not.
"""

import matplotlib.pyplot as plt
import numpy as np

from xnbflow.density.families import Gaussian
from xnbflow.papers.directional.von_mises import VonMises

angles = np.degrees(np.random.default_rng(0).vonmises(0.0, 4.0, 200) % (2 * np.pi))
grid = np.linspace(0, 360, 361)

fig, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
ax.hist(angles, bins=36, density=True, color="0.85")
for label, family in {"von Mises": VonMises(period=360), "normal": Gaussian()}.items():
    fitted = family.fit(angles[None, :], np.zeros(200, dtype=np.intp), 1)
    ax.plot(grid, np.exp(fitted.log_density(grid[None, :]).ravel()), label=label)
ax.set_xlabel("degrees")
ax.set_ylabel("density")
ax.legend()
plt.show()
