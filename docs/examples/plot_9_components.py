"""
Regression on independent components
====================================

Two simulated sources depend on a target and are observed as mixtures. ``CICA`` estimates a linear
map after which they are independent given the target; naive Bayes regression then has a smaller
error.
"""

import matplotlib.pyplot as plt
import numpy as np

from xnbflow.naive_bayes import KernelNBRegressor
from xnbflow.preprocessing import CICA

rng = np.random.default_rng(0)
y = rng.uniform(-3, 3, 300)
sources = np.column_stack([y, y**2]) + rng.uniform(-1, 1, (300, 2))
X = sources @ np.array([[1, 0.5], [0.5, 1]])
cica = CICA(random_state=0).fit(X[:200], y[:200])

fig, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
for label, Z, marker in (("inputs", X, "o"), ("components", cica.transform(X), "s")):
    model = KernelNBRegressor(width="paper").fit(Z[:200], y[:200])
    predicted = model.predict(Z[200:])
    error = np.mean((predicted - y[200:]) ** 2)
    ax.plot(
        y[200:], predicted, marker, markersize=4, label=f"{label}: mean square error {error:.2f}"
    )
ax.axline((0, 0), slope=1, color="grey", linewidth=0.8)
ax.set_xlabel("true y")
ax.set_ylabel("predicted y")
ax.legend()
plt.show()
