"""Two series of two classes, and models of the first, for tests of models.

`SERIES` has 60 samples of eight features (see `model_files.two_classes`), `NEW` 20 others as a
table; `CSNB`, `NB` and `XNB` are fitted to `SERIES`; `HOLES` lacks a tenth of its values.
"""

from dataclasses import replace

import numpy as np
from model_files import two_classes
from scipy.special import logsumexp

from xnbflow.models import fit_model

SERIES = two_classes(60)
NEW = two_classes(20, seed=1).frame()
CSNB = fit_model(SERIES, {"method": "csnb", "params": {"n_features": 3}})
NB = fit_model(SERIES, {"method": "gaussian_nb"})
XNB = fit_model(SERIES, {"method": "xnb"})

#: The series with a tenth of the values missing.
HOLES = replace(
    SERIES,
    name="holes",
    values=np.where(
        np.random.default_rng(5).random(SERIES.values.shape) < 0.1, np.nan, SERIES.values
    ),
    missing=True,
)


def adds_up(explanation, model):
    """Whether an explanation's scores are the log posteriors, but for a constant."""
    scores = explanation.scores()[model.classes]
    row = explanation.prediction.table.iloc[0]
    expected = [row[f"probability.{label}"] for label in model.classes]
    return np.allclose(np.exp(scores - logsumexp(scores)), expected, atol=1e-8)
