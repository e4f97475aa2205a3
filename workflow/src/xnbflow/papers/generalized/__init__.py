"""Naive effects of generalized naive Bayes: their study and its section."""

NAIVE = "naive Bayes"
GENERALIZED = "generalized naive Bayes"
TUNED = "generalized naive Bayes, tuned"
PUBLISHED = "generalized naive Bayes, as published"
LINEAR = "logistic regression"
#: In the order in which they are shown; not every study has all.
MODELS = (NAIVE, PUBLISHED, GENERALIZED, TUNED, LINEAR)

#: A data set and a set of features.
PAPERS_EXAMPLE = ("spambase", "paper")
