"""Conditionally independent components: what the study of them computes, and its section."""

from xnbflow.data.entries import Analysis, list_of, whole

_SAMPLES = list_of(whole(2))

ANALYSIS = Analysis(
    "cica",
    "xnbflow.studies.cica.compute",
    "xnbflow.studies.cica.contract",
    "xnbflow.studies.cica.section",
    {
        "seeds": whole(1),
        "samples": _SAMPLES,
        "recovery_samples": _SAMPLES,
        "nuisance_samples": _SAMPLES,
        "correlated_samples": _SAMPLES,
        "test_samples": whole(1),
        "steps": whole(1),
        "splits": whole(2),
        "repeats": whole(1),
    },
)
