"""Entries of the study of signatures: accuracy against the number of genes."""

from xnbflow.core.entries import Analysis, Method, list_of, number, whole

TOP_SCORING_PAIRS = Method(
    "top_scoring_pairs",
    "xnbflow.papers.signatures.top_scoring_pairs.TopScoringPairs",
    "k-TSP: pairs of features that vote by which is the larger; two classes",
    "@tan2005",
    {
        "n_pairs": whole(1),
        "n_candidates": whole(2),
    },
)

ANALYSIS = Analysis(
    "signatures",
    "xnbflow.papers.signatures.compute",
    "xnbflow.papers.signatures.section",
    {
        "splits": whole(2),
        "repeats": whole(1),
        "sizes": list_of(whole(1), 1),
        "thresholds": list_of(number(above=0, below=1), 1),
        "shrinkage": list_of(number(above=0), 1),
        "C": list_of(number(above=0), 1),
    },
)
