"""Entries of conditionally independent component analysis (Akaho 2001)."""

from xnbflow.core.entries import Analysis, Method, list_of, read_parameters, whole

_PARAMETERS = read_parameters(__file__)

_SAMPLES = list_of(whole(2))

TRANSFORMER = Method(
    name="cica",
    estimator="xnbflow.papers.cica.transformer.CICA",
    title="linear components that are independent given the class",
    source="@akaho2001, Eq. 7, sections 4 and 5",
    parameters=_PARAMETERS["cica"],
    kind="transformer",
    related=("xnbflow.papers.cica.regression.KernelNBRegressor",),
)

ANALYSIS = Analysis(
    name="cica",
    compute="xnbflow.papers.cica.compute",
    section="xnbflow.papers.cica.section",
    simulates=True,
    parameters={
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
