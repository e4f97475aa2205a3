"""Entries of the study of signatures: accuracy against the number of genes."""

from xnbflow.core.entries import Analysis, list_of, number, whole

ANALYSIS = Analysis(
    name="signatures",
    compute="xnbflow.papers.signatures.compute",
    section="xnbflow.papers.signatures.section",
    parameters={
        "splits": whole(2),
        "repeats": whole(1),
        "sizes": list_of(whole(1), 1),
        "thresholds": list_of(number(above=0, below=1), 1),
        "shrinkage": list_of(number(above=0), 1),
        "C": list_of(number(above=0), 1),
    },
)
