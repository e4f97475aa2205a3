"""Directional naive Bayes: what its study computes beyond the common tables, and its section."""

from xnbflow.data.entries import Analysis, whole

ANALYSIS = Analysis(
    "directional",
    "xnbflow.studies.directional.compute",
    "xnbflow.studies.directional.contract",
    "xnbflow.studies.directional.section",
    {"bins": whole(1), "max_features": whole(0), "repeats": whole(1)},
    comparison="xnbflow.studies.directional.compute_comparison",
    needs=("summary", "pairwise_within"),
    printed=tuple(f"directional_table{number}" for number in (1, 3, 4, 5)),
)
