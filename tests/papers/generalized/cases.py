"""Cases of this paper for the tests of all estimators, see `paper_cases`."""

import numpy as np
from refused_samples import CODES, NOISE, THREE

from xnbflow import naive_bayes as nb
from xnbflow import preprocessing

REFUSED = [
    (nb.GeneralizedNB(), NOISE, THREE, "3 classes"),
    (nb.GeneralizedNB(), NOISE, np.zeros(12), "one class"),
    (nb.GeneralizedNB(categorical=[4]), NOISE, CODES, "column 4"),
    (preprocessing.StepwiseNaiveEffects(), NOISE, THREE, "two"),
]

CALLS = {
    "does not split its log-like": lambda: nb.GeneralizedNB().fit(NOISE, CODES).explain(NOISE),
}
