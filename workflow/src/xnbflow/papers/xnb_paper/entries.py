"""Entries of the XNB paper (Aguilar-Ruiz, Romero and Cicconardi 2024).

They are the rerun of its tables, and a study of its questions for future work.
"""

from xnbflow.core.entries import Analysis, any_of, choice, list_of, nothing, number, whole

ANALYSIS = Analysis(
    name="xnb_paper",
    compute="xnbflow.papers.xnb_paper.compute",
    section="xnbflow.papers.xnb_paper.section",
    parameters={"figure_repeats": whole(1)},
    comparison="xnbflow.papers.xnb_paper.compute",
    needs=("repeats", "diagnostics"),
    parts=("nb", "xnb"),
)

DISTANCES = Analysis(
    name="distances",
    compute="xnbflow.papers.xnb_paper.compute_distances",
    section="xnbflow.papers.xnb_paper.section_distances",
    parameters={
        "distances": list_of(
            choice("jeffreys", "jensen_shannon", "kullback_leibler", "wasserstein")
        ),
        "bandwidths": list_of(choice("scott", "sheather_jones", "cross_validation", "adaptive")),
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
