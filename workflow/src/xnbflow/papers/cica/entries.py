"""Entries of conditionally independent component analysis (Akaho 2001)."""

from xnbflow.core.entries import Analysis, Method, choice, either, list_of, nothing, number, whole

_SAMPLES = list_of(whole(2))

TRANSFORMER = Method(
    "cica",
    "xnbflow.papers.cica.transformer.CICA",
    "linear components that are independent given the class",
    "@akaho2001, Eq. 7, sections 4 and 5",
    {
        "n_components": either(whole(1), nothing()),
        "basis": whole(4, 1000),
        "width": either(choice("cv", "paper"), number(least=1e-6, most=1e6)),
        "n_restarts": whole(0, 10_000),
        "max_iter": whole(0),
        "tol": number(least=0),
        "random_state": either(whole(0), nothing()),
    },
    kind="transformer",
    related=("xnbflow.papers.cica.regression.KernelNBRegressor",),
)

ANALYSIS = Analysis(
    "cica",
    "xnbflow.papers.cica.compute",
    "xnbflow.papers.cica.section",
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
        "real_splits": whole(2),
        "real_repeats": whole(0),
    },
)
