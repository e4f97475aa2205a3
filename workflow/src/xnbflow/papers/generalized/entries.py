"""Entries of generalized naive Bayes (Larsen 2005)."""

from xnbflow.core.entries import (
    Analysis,
    Method,
    any_of,
    choice,
    list_of,
    mapping,
    nothing,
    number,
    read_parameters,
    text,
    whole,
)

_PARAMETERS = read_parameters(__file__)

_SOURCE = "@larsen2005"

GENERALIZED_NB = Method(
    name="generalized_nb",
    estimator="xnbflow.papers.generalized.generalized_nb.GeneralizedNB",
    title="naive effects, adjusted for marginal bias",
    source=_SOURCE,
    parameters=_PARAMETERS["generalized_nb"],
    rules={
        "start": {
            "logistic": "the adjustments start from a logistic regression on naive effects, "
            "pulled towards naive Bayes: xnbflow's own, because backfitting diverges on copies",
            "naive": "as published: backfitting from naive Bayes, which may diverge where "
            "features repeat one another",
        },
        "inner": {
            "once": "each pass smooths every feature once",
            "converged": "as published: each pass smooths a feature until its adjustment converges",
        },
        "stop": {
            "adjustments": "backfitting ends when the adjustments stop changing",
            "likelihood": "as published: backfitting also ends when the likelihood stops rising",
        },
    },
)

STEPWISE_NAIVE_EFFECTS = Method(
    name="stepwise_naive_effects",
    estimator="xnbflow.papers.generalized.stepwise_naive_effects.StepwiseNaiveEffects",
    title="selection of features by stepwise logistic regression on naive effects",
    source=_SOURCE,
    parameters=_PARAMETERS["stepwise_naive_effects"],
    kind="transformer",
)

ANALYSIS = Analysis(
    name="effects",
    compute="xnbflow.papers.generalized.compute",
    section="xnbflow.papers.generalized.section",
    parameters={
        "features": mapping(any_of(list_of(text(), 1), choice("stepwise"), nothing())),
        "generalized": mapping(),
        "stepwise": mapping(),
        "tune": mapping(list_of({}, 1)),
        "random_splits": whole(0),
        "losses": {**list_of(number(above=0), 2), "maxItems": 2},
    },
    methods={"generalized": "generalized_nb", "stepwise": "stepwise_naive_effects"},
    grids={"tune": "generalized_nb"},
)
