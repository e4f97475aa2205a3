"""Separation scores of blocks of features: simulations, fits on microarrays, and their section."""

from xnbflow.core.entries import Analysis, list_of, number, whole

#: Of distributions or sample sizes: all of them together.
ALL = "all"

ALL_BLOCKS = "all blocks"
EQ22 = "Eq. 22 as printed"
BIAS_REMOVED = "Eq. 22, bias removed"
BEST_THRESHOLD = "best threshold, estimated H"
ESTIMATED_WEIGHTS = "weights, estimated H"
KNOWN_WEIGHTS = "weights, known H"
TRUE_SCORES = "threshold at the true scores"
#: Methods that select and can be had, and those that need the truth and cannot.
REAL = (EQ22, BIAS_REMOVED, BEST_THRESHOLD, ESTIMATED_WEIGHTS)
BY_TRUTH = (KNOWN_WEIGHTS, TRUE_SCORES)

_PAIRS = list_of({**list_of(number(least=0), 2), "maxItems": 2})

ANALYSIS = Analysis(
    "separation",
    "xnbflow.papers.separation.compute",
    "xnbflow.papers.separation.section",
    {
        "blocks": whole(1),
        "size": whole(1),
        "samples": list_of(whole(2), 1),
        "uniform": list_of(number(above=0)),
        "noncentral": _PAIRS,
        "useless": list_of(number(least=0, most=1)),
        "useful": _PAIRS,
        "repeats": whole(1),
        "fits": whole(0),
        "sizes": list_of(whole(1)),
    },
)
