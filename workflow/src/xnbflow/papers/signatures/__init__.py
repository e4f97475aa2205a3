"""Signatures: accuracy against the number of genes, for the classifiers that have such a curve."""

CSNB = "ClassSpecificNB"
XNB_PUBLISHED = "XNB"
PAM = "shrunken centroids (PAM)"
LASSO = "l1-logistic regression"
