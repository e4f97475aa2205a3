"""Entries of the XNB paper (Aguilar-Ruiz, Romero and Cicconardi 2024).

They are the rerun of its tables, and a study of its questions for future work.
"""

from xnbflow.core.entries import (
    Analysis,
    Method,
    any_of,
    choice,
    list_of,
    nothing,
    number,
    read_parameters,
    whole,
)

XNB_FEATURES = Method(
    name="xnb_features",
    estimator="xnbflow.papers.xnb_paper.xnb_features.XNBFeatures",
    title="the union of the features that XNB selects for the classes",
    source="the script of the authors of the XNB paper (FS+NB)",
    parameters=read_parameters(__file__)["xnb_features"],
    kind="transformer",
    states=("xnbflow.naive_bayes.xnb.XNB",),
)

ANALYSIS = Analysis(
    name="xnb_paper",
    compute="xnbflow.papers.xnb_paper.compute",
    section="xnbflow.papers.xnb_paper.section",
    parameters={"figure_repeats": whole(1)},
    comparison="xnbflow.papers.xnb_paper.compute",
    needs=("repeats", "datasets"),
    parts=("nb", "xnb", "fs_nb"),
)

DISTANCES_ANALYSIS = Analysis(
    name="distances",
    compute="xnbflow.papers.xnb_paper.compute_distances",
    section="xnbflow.papers.xnb_paper.section_distances",
    parameters={
        "distances": list_of(
            choice("jeffreys", "jensen_shannon", "kullback_leibler", "wasserstein")
        ),
        "bandwidths": list_of(
            choice("scott", "normal_reference", "sheather_jones", "cross_validation", "adaptive")
        ),
        "kernels": list_of(
            any_of(
                choice(
                    "uniform",
                    "epanechnikov",
                    "biweight",
                    "triweight",
                    "cosine",
                    "triangular",
                    "exponential",
                ),
                whole(0, 10_000),
            )
        ),
        "sizes": list_of(whole(1)),
        "threshold": number(above=0, below=1),
        "min_distance": any_of(choice("mean"), number(least=0, below=1)),
        "features": any_of(whole(1), nothing()),
        "splits": whole(2),
        "repeats": whole(1),
    },
)
