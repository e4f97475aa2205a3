"""Names of the models that the study of effects compares, and of the paper's example."""

__all__ = ["GENERALIZED", "LINEAR", "MODELS", "NAIVE", "PAPERS_EXAMPLE", "TUNED"]

NAIVE = "naive Bayes"
GENERALIZED = "generalized naive Bayes"
TUNED = "generalized naive Bayes, tuned"
LINEAR = "logistic regression"
#: In the order in which they are shown; not every study has all.
MODELS = (NAIVE, GENERALIZED, TUNED, LINEAR)

#: A data set and a set of features.
PAPERS_EXAMPLE = ("spambase", "paper")
