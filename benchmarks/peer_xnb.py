"""Time one fit of the authors' XNB; run by a Python that has PyPI xnb 0.5.1.

    python peer_xnb.py data.npz

prints the seconds as JSON. The file holds ``features`` (n_features, n_samples) and ``labels``.
"""

import json
import sys
import time

import numpy as np
from pandas import DataFrame, Series
from xnb import XNB

data = np.load(sys.argv[1])
names = [f"f{i}" for i in range(len(data["features"]))]
frame = DataFrame(data["features"].T, columns=names)
labels = Series(data["labels"])
start = time.perf_counter()
XNB().fit(frame, labels)
print(json.dumps(time.perf_counter() - start))
