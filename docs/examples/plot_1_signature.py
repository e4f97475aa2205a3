"""
A signature, and the evidence for one sample
============================================

``ClassSpecificNBCV`` predicts with a weighted sum over genes and reports a short core set. Here 5
of 300 simulated genes differ between tumour and normal samples.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from xnbflow.naive_bayes import ClassSpecificNBCV

rng = np.random.default_rng(0)
y = np.repeat(["normal", "tumour"], 20)
X = pd.DataFrame(rng.normal(8, 1, (40, 300)), columns=[f"gene{number}" for number in range(300)])
X.loc[y == "tumour", "gene0":"gene4"] += 2

model = ClassSpecificNBCV().fit(X, y)
print("core set:", model.core_features_["tumour"])
print("features with a weight:", len(model.selected_features_["tumour"]))

# %%
# ``explain`` returns the evidence of each gene for each class, as a log-likelihood ratio in
# natural logarithms. These are the ten genes with the most evidence about one tumour sample.

evidence = model.explain(X[y == "tumour"].iloc[:1]).query("`class` == 'tumour'")
largest = evidence["evidence"].abs().nlargest(10).index
largest = evidence.loc[largest].iloc[::-1]

fig, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
ax.barh(largest["feature"], largest["evidence"])
ax.axvline(0, color="grey", linewidth=0.8)
ax.set_xlabel("evidence for tumour (log-likelihood ratio)")
plt.show()
