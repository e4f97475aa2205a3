"""Naive effects of generalized naive Bayes: what its study computes, and its section."""

from xnbflow.core.entries import Analysis, choice, either, list_of, mapping, nothing, number, text

NAIVE = "naive Bayes"
GENERALIZED = "generalized naive Bayes"
TUNED = "generalized naive Bayes, tuned"
LINEAR = "logistic regression"
#: In the order in which they are shown; not every study has all.
MODELS = (NAIVE, GENERALIZED, TUNED, LINEAR)

#: A data set and a set of features.
PAPERS_EXAMPLE = ("spambase", "paper")

ANALYSIS = Analysis(
    "effects",
    "xnbflow.papers.generalized.compute",
    "xnbflow.papers.generalized.section",
    {
        "features": mapping(either(list_of(text(), 1), choice("stepwise"), nothing())),
        "generalized": mapping(),
        "stepwise": mapping(),
        "tune": mapping(list_of({}, 1)),
        "losses": {**list_of(number(above=0), 2), "maxItems": 2},
    },
    methods={"generalized": "generalized_nb", "stepwise": "stepwise_naive_effects"},
    grids={"tune": "generalized_nb"},
)
