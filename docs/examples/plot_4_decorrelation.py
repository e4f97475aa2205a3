"""
Evidence beyond the correlated genes
====================================

All genes of a simulated series share a factor within the classes, as a batch, the share of one
cell type or the quality of the RNA makes. The log odds of new samples follow it, until half of the
evidence is that of each gene beyond its correlated genes.
"""

import matplotlib.pyplot as plt
import numpy as np

from xnbflow.naive_bayes import ClassSpecificNBCV

rng = np.random.default_rng(0)
y = np.arange(460) % 2
factor = rng.normal(size=460)
X = rng.normal(size=(460, 1000)) + np.outer(factor, rng.normal(0.5, 0.5, 1000))
X[:, :30] += np.outer(y, rng.normal(0.0, 0.6, 30))
training, new = np.arange(60), np.arange(60, 460)

fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.2), sharey=True, layout="constrained")
for ax, strength in zip(axes, (0.0, 0.2), strict=True):
    model = ClassSpecificNBCV(decorrelation=strength).fit(X[training], y[training])
    log_posterior = model.predict_log_proba(X[new])
    log_odds = log_posterior[:, 1] - log_posterior[:, 0]
    for label in (0, 1):
        of_class = y[new] == label
        ax.scatter(factor[new][of_class], log_odds[of_class], s=6, label=f"class {label}")
    ax.axhline(0.0, color="0.5", linewidth=1)
    ax.set_xlabel("factor")
    accuracy = model.score(X[new], y[new])
    ax.set_title(f"decorrelation {strength:g}, accuracy {accuracy:.2f}", fontsize="medium")
axes[0].set_ylabel("log odds of class 1 (nats)")
axes[0].legend()
plt.show()
