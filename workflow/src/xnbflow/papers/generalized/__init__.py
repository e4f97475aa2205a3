"""Generalized naive Bayes (Larsen 2005): classifier, selection, study and section.

| module | content |
|---|---|
| `naive_effect` | the log ratio of two densities of a feature, over nearest neighbours |
| `generalized_nb` | `GeneralizedNB`: naive effects with adjustments by backfitting |
| `stepwise`, `stepwise_naive_effects` | selection by logistic regression on naive effects |
| `scorecard` | a fitted model as a table that scores without this library |
| `compute` | the tables of the study: fit, costs, random splits, curves |
| `section`, `drawings` | the study's section of the report |

The names below are those of the study's models in tables and figures.
"""

NAIVE = "naive Bayes"
GENERALIZED = "generalized naive Bayes"
TUNED = "generalized naive Bayes, tuned"
#: Without atoms and pseudo-observations, the paper's first step.
NAIVE_PUBLISHED = "naive Bayes, as published"
PUBLISHED = "generalized naive Bayes, as published"
LINEAR = "logistic regression"
#: In the order in which they are shown; not every study has all.
MODELS = (NAIVE, NAIVE_PUBLISHED, PUBLISHED, GENERALIZED, TUNED, LINEAR)

#: A data set and a set of features.
PAPERS_EXAMPLE = ("spambase", "paper")
