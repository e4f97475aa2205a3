"""
Choosing one number of features
===============================

With ``rule="one_standard_error"`` the classifier takes the smallest number of features whose
inner log loss is within one standard error of the best. The data are scikit-learn's breast cancer
(30 features).
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from xnbflow.naive_bayes import ClassSpecificNBCV

model = ClassSpecificNBCV(rule="one_standard_error").fit(*load_breast_cancer(return_X_y=True))
path = model.path_
sizes, loss, error = path["n_features_per_pair"], path["log_loss"], path["log_loss_se"]

fig, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
ax.fill_between(sizes, loss - error, loss + error, alpha=0.2)
ax.plot(sizes, loss, label="log loss and its standard error")
ax.axvline(model.n_features_, color="C1", linestyle="--", label=f"chosen: {model.n_features_}")
ax.set_xlabel("features per pair of classes")
ax.set_ylabel("inner log loss (nats)")
ax.legend()
plt.show()
