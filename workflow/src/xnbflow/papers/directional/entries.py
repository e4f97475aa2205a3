"""Entries of directional naive Bayes (Lopez-Cruz, Bielza and Larranaga 2015)."""

from xnbflow.core.entries import (
    COLUMNS,
    PRIORS,
    Analysis,
    Method,
    Source,
    choice,
    either,
    estimator,
    list_of,
    nothing,
    number,
    text,
    whole,
)
from xnbflow.papers.common.entries import SAMPLE

_SOURCE = "@lopezcruz2015"
_FAMILY = choice(
    "categorical",
    "gaussian",
    "kernel",
    "multivariate_gaussian",
    "von_mises",
    "von_mises_fisher",
)
_BLOCK = {
    "$comment": "(name, distribution, columns)",
    "type": "array",
    "prefixItems": [text(), _FAMILY, COLUMNS],
    "minItems": 3,
    "maxItems": 3,
}

VON_MISES_NB = Method(
    "von_mises_nb",
    "xnbflow.papers.directional.von_mises_nb.VonMisesNB",
    "von Mises naive Bayes: angles as angles",
    f"{_SOURCE}, section 3.2, Theorems 1 and 2",
    {
        "angular": either(COLUMNS, nothing()),
        "categorical": COLUMNS,
        "period": number(above=0),
        "alpha": number(above=0),
        "var_smoothing": number(least=0),
    },
)

VON_MISES_FISHER_NB = Method(
    "von_mises_fisher_nb",
    "xnbflow.papers.directional.von_mises_nb.VonMisesFisherNB",
    "von Mises-Fisher naive Bayes: directions in space",
    f"{_SOURCE}, section 3.3, Theorem 3",
    {"normalize": {"type": "boolean"}},
)

HYBRID_NB = Method(
    "hybrid_nb",
    "xnbflow.papers.directional.hybrid_nb.HybridNB",
    "hybrid naive Bayes: a family of densities for each block of features",
    f"{_SOURCE}, Eq. 9, sections 3.4 and 3.5",
    {"groups": either(list_of(_BLOCK), nothing()), "priors": PRIORS},
    states=tuple(
        f"xnbflow.papers.directional.{name}"
        for name in (
            "categorical.Categorical",
            "von_mises.VonMises",
            "von_mises_fisher.VonMisesFisher",
        )
    ),
)

SELECTIVE_NB = Method(
    "selective_nb",
    "xnbflow.papers.directional.selective_nb.SelectiveNB",
    "naive Bayes on the features that carry most information on the class",
    f"{_SOURCE}, section 3.6",
    {
        "estimator": either(estimator(), nothing()),
        "n_max": either(whole(1), nothing()),
        "cv": either(whole(2), estimator(), nothing()),
    },
    tunes_itself=True,
)

DISCRETIZED_NB = Method(
    "discretized_nb",
    "xnbflow.papers.directional.discretized_nb.DiscretizedNB",
    "naive Bayes on intervals (MDLP)",
    "@fayyad1993",
    {"categorical": COLUMNS, "alpha": number(above=0)},
    states=("xnbflow.papers.directional.discretized_nb._Discretized",),
)

ANALYSIS = Analysis(
    "directional",
    "xnbflow.papers.directional.compute",
    "xnbflow.papers.directional.section",
    {"bins": whole(1), "max_features": whole(0), "repeats": whole(1)},
    comparison="xnbflow.papers.directional.compute_comparison",
    needs=("summary", "pairwise_within"),
    parts=("vMNB", "SelvMNB", "GNB", "SelGNB", "dNB"),
)

ANGULAR = Source("angular", "xnbflow.papers.directional.angular", SAMPLE)

AUSLAN = Source("auslan", "xnbflow.papers.directional.auslan", {"file": SAMPLE["file"]})
