"""Cases of this study for the tests of all estimators, see `paper_cases`."""

from dataclasses import replace

import numpy as np
from unit.test_models_file import two_classes

from xnbflow.papers.signatures import compute

SERIES = two_classes()
HOLES = replace(SERIES, values=np.where(SERIES.values > 9, np.nan, SERIES.values), missing=True)
CALLS = {"'signatures' takes no missing": lambda: compute.analyse({"toy": HOLES}, {}, 1)}
