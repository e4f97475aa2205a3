"""
The floor of the bandwidths
===========================

Many pixels of scikit-learn's digits are constant within a class. Without a floor the kernel
density of such a pixel is a spike, and one other value outweighs all other pixels.
"""

import matplotlib.pyplot as plt
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_score

from xnbflow.naive_bayes import XNB, ClassSpecificNB

X, y = load_digits(return_X_y=True)
floors = [0.0, 0.1, 0.2, 0.3, 0.5, 0.8]

fig, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
for model in (ClassSpecificNB(contamination=0.0), XNB()):
    models = [clone(model).set_params(min_bandwidth=floor) for floor in floors]
    accuracy = [cross_val_score(each, X, y, cv=5).mean() for each in models]
    ax.plot(floors, accuracy, marker="o", label=type(model).__name__)
ax.set_xlabel("floor (min_bandwidth)")
ax.set_ylabel("accuracy, 5 folds")
ax.legend()
plt.show()
