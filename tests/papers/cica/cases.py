"""Cases of this paper for the tests of all estimators, see `paper_cases`."""

import numpy as np
from model_files import two_classes
from refused_samples import NOISE, THREE

from xnbflow import naive_bayes as nb
from xnbflow import preprocessing

REFUSED = [
    (nb.KernelNBRegressor(), NOISE, np.full(12, 2.0), "y is constant"),
    (preprocessing.CICA(), NOISE, np.full(12, 3.0), "y is constant"),
    (preprocessing.CICA(), NOISE, np.arange(12), "12 different labels"),
    (preprocessing.CICA(), np.ones((12, 2)), NOISE[:, 0], "all inputs are constant"),
    (preprocessing.CICA(), np.column_stack([NOISE, np.ones(12)]), NOISE[:, 0], "4"),
    (preprocessing.CICA(n_components=5), NOISE, NOISE[:, 0], "n_components is 5"),
    (preprocessing.CICA(n_components=3), NOISE, THREE, "n_components is 3"),
    (preprocessing.CICA(), np.tile(NOISE, 2), NOISE[:, 0], "4 dimensions"),
]

NUMBERS = two_classes().values.T
REGRESSOR = nb.KernelNBRegressor().fit(NUMBERS, NUMBERS[:, 0])
CALLS = {
    "1.5": lambda: REGRESSOR.predict_quantiles(NUMBERS, [1.5]),
}
