"""Runs the authors' program, xnb 0.5.1, in a Python where it is installed.

Called as ``python xnb_program.py < request.json > answer.json``. The request has ``X`` (rows are
samples), ``columns``, ``y``, the rows ``train`` and ``test``, and ``runs``, a list of options of
``xnb.XNB``. For each run the answer has ``selected``, the features of each class, sorted,
``labels`` of the test samples, and ``undefined``, the numbers of test samples whose probabilities
are not numbers.
"""

import json
import sys
import warnings

import numpy as np
import pandas as pd
from xnb import XNB


def run(X, y, train, test, options):
    """Fit and predict with one set of options."""
    model = XNB(**options).fit(
        X.iloc[train].reset_index(drop=True), y[train].reset_index(drop=True)
    )
    probabilities = model.predict_proba(X.iloc[test])
    selected = {str(label): sorted(names) for label, names in model.feature_selection_dict.items()}
    return {
        "selected": selected,
        "labels": [str(label) for label in model.predict(X.iloc[test])],
        "undefined": np.flatnonzero(np.isnan(probabilities).any(axis=1)).tolist(),
    }


def main():
    """Answer a request."""
    warnings.simplefilter("ignore")
    request = json.load(sys.stdin)
    X, y = pd.DataFrame(request["X"], columns=request["columns"]), pd.Series(request["y"])
    runs = [run(X, y, request["train"], request["test"], options) for options in request["runs"]]
    json.dump(runs, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
