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
    name="von_mises_nb",
    estimator="xnbflow.papers.directional.von_mises_nb.VonMisesNB",
    title="von Mises naive Bayes: angles as angles",
    source=f"{_SOURCE}, section 3.2, Theorems 1 and 2",
    parameters=_PARAMETERS["von_mises_nb"],
)

VON_MISES_FISHER_NB = Method(
    name="von_mises_fisher_nb",
    estimator="xnbflow.papers.directional.von_mises_nb.VonMisesFisherNB",
    title="von Mises-Fisher naive Bayes: directions in space",
    source=f"{_SOURCE}, section 3.3, Theorem 3",
    parameters=_PARAMETERS["von_mises_fisher_nb"],
)

HYBRID_NB = Method(
    name="hybrid_nb",
    estimator="xnbflow.papers.directional.hybrid_nb.HybridNB",
    title="hybrid naive Bayes: a family of densities for each block of features",
    source=f"{_SOURCE}, Eq. 9, sections 3.4 and 3.5",
    parameters=_PARAMETERS["hybrid_nb"],
    states=(
        "xnbflow.papers.directional.categorical.Categorical",
        "xnbflow.papers.directional.von_mises.VonMises",
        "xnbflow.papers.directional.von_mises_fisher.VonMisesFisher",
    ),
)

SELECTIVE_NB = Method(
    name="selective_nb",
    estimator="xnbflow.papers.directional.selective_nb.SelectiveNB",
    title="naive Bayes on the features that carry most information on the class",
    source=f"{_SOURCE}, section 3.6",
    parameters=_PARAMETERS["selective_nb"],
    tunes_itself=True,
)

DISCRETIZED_NB = Method(
    name="discretized_nb",
    estimator="xnbflow.papers.directional.discretized_nb.DiscretizedNB",
    title="naive Bayes on intervals (MDLP)",
    source="@fayyad1993",
    parameters=_PARAMETERS["discretized_nb"],
    states=("xnbflow.papers.directional.discretized_nb._Discretized",),
)

ANALYSIS = Analysis(
    name="directional",
    compute="xnbflow.papers.directional.compute",
    section="xnbflow.papers.directional.section",
    simulates=True,
    parameters={"bins": whole(1), "max_features": whole(0), "repeats": whole(1)},
    comparison="xnbflow.papers.directional.compute_comparison",
    needs=("summary", "comparison"),
    parts=("vMNB", "SelvMNB", "GNB", "SelGNB", "dNB"),
)

ANGULAR = Source(
    name="angular",
    module="xnbflow.papers.directional.angular",
    keys=SAMPLE,
    unserved={"protein-.*": "protein_dihedrals.tsv", "pigeons|swallows": "{location}.csv"},
)

AUSLAN = Source(
    name="auslan",
    module="xnbflow.papers.directional.auslan",
    keys={"file": SAMPLE["file"]},
    served=True,
)
