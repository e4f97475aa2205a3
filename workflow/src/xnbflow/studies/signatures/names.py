"""What the methods of the analysis of signatures are called."""

__all__ = ["CSNB", "LASSO", "PAM", "XNB_PUBLISHED"]

CSNB = "ClassSpecificNB"
XNB_PUBLISHED = "XNB"
PAM = "shrunken centroids (PAM)"
LASSO = "l1-logistic regression"
