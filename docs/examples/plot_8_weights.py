"""
Weights instead of a threshold
==============================

Half of 400 simulated blocks of features are useless. Eq. 22 of Pavlenko and von Rosen keeps or
drops a block by its separation score; the optimal weights of Eq. 17 grow with the score.
"""

import matplotlib.pyplot as plt
import numpy as np

from xnbflow.papers.separation.separation_scores import printed_cut, select_blocks

rng = np.random.default_rng(0)
strength = np.repeat([0.0, 12.0], 200)
scores = np.sort(rng.noncentral_chisquare(2, strength))
degrees = np.full(400, 2)
weights = select_blocks(scores, degrees, 200, "weights").weights
cut = 2 * printed_cut(scores, degrees)

fig, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
ax.plot(scores, weights, label="optimal weight, Eq. 17")
ax.plot(scores, scores >= cut, label="threshold, Eq. 22")
ax.set_xlabel("score u")
ax.set_ylabel("weight")
ax.legend()
plt.show()
