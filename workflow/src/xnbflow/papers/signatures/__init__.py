"""Signatures: accuracy against the number of genes, for the classifiers that have such a curve.

| module | content |
|---|---|
| `compute` | the points of the curves, and the sizes that inner cross-validation chooses |
| `section` | the study's section of the report |
"""

PAM = "shrunken centroids (PAM)"
LASSO = "l1-logistic regression"
