"""
Labels that depend on the units
===============================

``XNB`` compares sums of log densities over different features, so its labels change when all
features are measured in another unit. ``ClassSpecificNB`` compares density ratios, which have no
unit. The data are scikit-learn's wines; a common factor carries no information about the classes.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score

from xnbflow.naive_bayes import XNB, ClassSpecificNB

X, y = load_wine(return_X_y=True)
factors = np.logspace(-3, 3, 13)

fig, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
for model in (XNB(), ClassSpecificNB()):
    accuracy = [cross_val_score(model, X * factor, y, cv=10).mean() for factor in factors]
    ax.semilogx(factors, accuracy, marker="o", label=type(model).__name__)
ax.set_xlabel("factor of all features")
ax.set_ylabel("accuracy, 10 folds")
ax.legend()
plt.show()
