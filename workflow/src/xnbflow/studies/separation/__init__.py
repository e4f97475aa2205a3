"""Separation scores of blocks of features: simulations, fits on microarrays, and their section."""

from xnbflow.data.entries import Analysis, list_of, number, whole

_PAIRS = list_of({**list_of(number(least=0), 2), "maxItems": 2})

ANALYSIS = Analysis(
    "separation",
    "xnbflow.studies.separation.compute",
    "xnbflow.studies.separation.contract",
    "xnbflow.studies.separation.section",
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
