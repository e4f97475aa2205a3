"""Entries of separation scores for blocks of features (Pavlenko and von Rosen 2004)."""

from xnbflow.core.entries import (
    Analysis,
    Method,
    list_of,
    number,
    read_parameters,
    whole,
)

_PARAMETERS = read_parameters(__file__)

_PAIRS = list_of({**list_of(number(least=0), 2), "maxItems": 2})

BLOCK_NB = Method(
    name="block_nb",
    estimator="xnbflow.papers.separation.block_nb.BlockNB",
    title="naive Bayes over blocks of features, kept or weighted by their separation score",
    source="@pavlenko2004, Eqs. 9 to 11, 15 to 18 and 22, Theorem 1",
    parameters=_PARAMETERS["block_nb"],
    states=("xnbflow.papers.separation.gaussian_blocks.GaussianBlocks",),
)

CORRELATION_BLOCKS = Method(
    name="correlation_blocks",
    estimator="xnbflow.papers.separation.correlation_blocks.CorrelationBlocks",
    title="blocks of the features whose residuals correlate most",
    source="xnbflow, for the blocks that @pavlenko2004 assume as given",
    parameters=_PARAMETERS["correlation_blocks"],
    kind="transformer",
)

ANALYSIS = Analysis(
    name="separation",
    compute="xnbflow.papers.separation.compute",
    section="xnbflow.papers.separation.section",
    simulates=True,
    parameters={
        "blocks": whole(1),
        "size": whole(1),
        "samples": list_of(whole(2), 1),
        "uniform": list_of(number(above=0)),
        "noncentral": _PAIRS,
        "useless": list_of(number(least=0, most=1)),
        "useful": _PAIRS,
        "repeats": whole(1),
        "figure_sets": whole(1),
        "fits": whole(0),
        "sizes": list_of(whole(1)),
    },
)
