"""
Adjusting for repeated features
===============================

A simulated feature is in the table twice. Naive Bayes counts its effect twice; ``GeneralizedNB``
adds an adjustment to each copy, so that both together have the effect of one.
"""

import matplotlib.pyplot as plt
import numpy as np

from xnbflow.naive_bayes import GeneralizedNB

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 1000)
x = rng.normal(y, 1.0)
model = GeneralizedNB().fit(np.column_stack([x, x + rng.normal(0, 0.01, 1000)]), y)
naive = model.naive_effects_[0]

fig, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
ax.plot(model.values_[0], naive, label="naive effect of one copy")
ax.plot(model.values_[0], naive + model.marginal_bias_[0], label="after the adjustment")
ax.set_xlabel("value")
ax.set_ylabel("log odds")
ax.legend()
plt.show()
