"""Directional naive Bayes: what its study computes beyond the common tables, and its section."""

from xnbflow.entries import Analysis, whole

ANALYSIS = Analysis(
    "directional",
    "xnbflow.analyses.directional.compute",
    "xnbflow.analyses.directional.contract",
    "xnbflow.analyses.directional.section",
    {"bins": whole(1), "max_features": whole(0), "repeats": whole(1)},
    comparison="xnbflow.analyses.directional.compute_comparison",
    needs=("summary", "pairwise_within"),
    printed=tuple(f"directional_table{number}" for number in (1, 3, 4, 5)),
)
