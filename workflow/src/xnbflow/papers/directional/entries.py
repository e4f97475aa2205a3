"""Entries of directional naive Bayes (Lopez-Cruz, Bielza and Larranaga 2015)."""

from xnbflow.core.entries import (
    Analysis,
    Method,
    Source,
    read_parameters,
    whole,
)
from xnbflow.papers.common.entries import SAMPLE

_PARAMETERS = read_parameters(__file__)

_SOURCE = "@lopezcruz2015"
VON_MISES_NB = Method(
    "von_mises_nb",
    "xnbflow.papers.directional.von_mises_nb.VonMisesNB",
    "von Mises naive Bayes: angles as angles",
    f"{_SOURCE}, section 3.2, Theorems 1 and 2",
    _PARAMETERS["von_mises_nb"],
)

VON_MISES_FISHER_NB = Method(
    "von_mises_fisher_nb",
    "xnbflow.papers.directional.von_mises_nb.VonMisesFisherNB",
    "von Mises-Fisher naive Bayes: directions in space",
    f"{_SOURCE}, section 3.3, Theorem 3",
    _PARAMETERS["von_mises_fisher_nb"],
)

HYBRID_NB = Method(
    "hybrid_nb",
    "xnbflow.papers.directional.hybrid_nb.HybridNB",
    "hybrid naive Bayes: a family of densities for each block of features",
    f"{_SOURCE}, Eq. 9, sections 3.4 and 3.5",
    _PARAMETERS["hybrid_nb"],
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
    _PARAMETERS["selective_nb"],
    tunes_itself=True,
)

DISCRETIZED_NB = Method(
    "discretized_nb",
    "xnbflow.papers.directional.discretized_nb.DiscretizedNB",
    "naive Bayes on intervals (MDLP)",
    "@fayyad1993",
    _PARAMETERS["discretized_nb"],
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
