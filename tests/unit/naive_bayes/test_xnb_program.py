"""`XNB` selects and predicts as the authors' program does, with every option of it.

``xnb_program.json`` has the answers of xnb 0.5.1 (KDEpy 1.1.12) for a simulated series and for
scikit-learn's wine data. To compute them anew, where ``XNBFLOW_PEER_PYTHON`` names a Python with
the program (``make bench`` installs one)::

    python tests/unit/naive_bayes/test_xnb_program.py
"""

import itertools
import json
import os
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from xnbflow.naive_bayes import XNB

ANSWERS = Path(__file__).with_name("xnb_program.json")
PROGRAM = Path(__file__).parents[2] / "xnb_program.py"
PEER = os.environ.get("XNBFLOW_PEER_PYTHON", "")

BANDWIDTHS = {
    "hsilverman": "silverman",
    "hscott": "scott",
    "hsj": "sheather_jones",
    "best_estimator": "cross_validation",
}
KERNELS = {
    "gaussian": "gaussian",
    "cosine": "cosine",
    "epanechnikov": "epanechnikov",
    "tophat": "uniform",
    "exponential": "exponential",
    "linear": "triangular",
}
COMBINATIONS = list(itertools.product(BANDWIDTHS, KERNELS))
SERIES = ("simulated", "wine")
#: Real series, and how many of their features are compared.
MICROARRAYS = {"SRBCT_Khan2001": 60, "Colorectal_Alon1999": 60, "Leukemia_Golub1999": 60}

pytestmark = pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning")


def series(name):
    """A data frame, its labels, and its rows for training and testing."""
    rng = np.random.default_rng(54)
    if name == "wine":
        X, y = load_wine(return_X_y=True)
    else:
        y = rng.permutation(np.repeat(["a", "b", "c"], [11, 19, 30]))
        X = rng.normal(size=(60, 24)).round(3)
        X[y == "a", :4] += 2.5
        X[y == "b", 2:7] -= 1.5
        X[y == "c", 9] = X[y == "c", 9].round()
        X[y == "b", 10] = 0.5  # a constant class
        X[:, 11] = np.exp(X[:, 11])
    columns = [f"g{i:05d}" for i in range(X.shape[1])]
    rows = rng.permutation(len(y))
    test = np.sort(rows[: len(y) // 4])
    train = np.sort(rows[len(y) // 4 :])
    return pd.DataFrame(X, columns=columns), np.array(y).astype(str), train, test


def run_program(X, y, train, test, runs):
    """Return the answers of the authors' program."""
    request = {
        "X": X.to_numpy(float).tolist(),
        "columns": list(X.columns),
        "y": y.tolist(),
        "train": train.tolist(),
        "test": test.tolist(),
        "runs": runs,
    }
    done = subprocess.run(
        [PEER, str(PROGRAM)], input=json.dumps(request), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def options(combination):
    """The options of the program."""
    return dict(zip(("bw_function", "kernel"), combination, strict=True))


def assert_equal_to_program(answer, X, y, train, test, combination):
    """Compare a selection, and the labels of samples that the program gives a probability."""
    bandwidth, kernel = combination
    model = XNB(min_distance="mean", bandwidth=BANDWIDTHS[bandwidth], kernel=KERNELS[kernel]).fit(
        X.iloc[train], y[train]
    )
    selected = {label: sorted(names) for label, names in model.selected_features_.items() if names}
    assert selected == answer["selected"]
    defined = np.setdiff1d(np.arange(len(test)), answer["undefined"])
    labels = model.predict(X.iloc[test])
    np.testing.assert_array_equal(labels[defined], np.array(answer["labels"])[defined])
    # Where all densities are 0 the program predicts the first class.
    first = {np.array(answer["labels"])[sample] for sample in answer["undefined"]}
    assert first <= {min(selected)}
    return labels


@pytest.fixture(scope="module")
def answers():
    return json.loads(ANSWERS.read_text())


@pytest.mark.parametrize("combination", COMBINATIONS, ids="-".join)
@pytest.mark.parametrize("name", SERIES)
def test_every_option_selects_and_predicts_as_the_authors_program(name, combination, answers):
    answer = answers[name]["-".join(combination)]
    assert_equal_to_program(answer, *series(name), combination)


def test_kernels_of_unbounded_support_predict_all_samples_alike(answers):
    for name, (bandwidth, kernel) in itertools.product(SERIES, COMBINATIONS):
        undefined = answers[name][f"{bandwidth}-{kernel}"]["undefined"]
        if kernel in ("gaussian", "exponential"):
            assert not undefined
    assert answers["simulated"]["hsilverman-epanechnikov"]["undefined"]


@pytest.mark.slow
@pytest.mark.skipif(not PEER, reason="XNBFLOW_PEER_PYTHON names no Python with xnb 0.5.1")
@pytest.mark.parametrize("name", MICROARRAYS)
def test_microarrays_select_and_predict_as_the_program(shared_data, name):
    frame = pd.read_csv(shared_data / "microarray" / f"{name}.csv.gz")
    X, y = frame.iloc[:, 2 : 2 + MICROARRAYS[name]], frame["type"].to_numpy(str)
    rows = np.random.default_rng(0).permutation(len(y))
    test, train = np.sort(rows[: len(y) // 4]), np.sort(rows[len(y) // 4 :])
    chosen = [(bandwidth, "gaussian") for bandwidth in BANDWIDTHS]
    chosen += [("hsilverman", kernel) for kernel in KERNELS] + [("hsj", "exponential")]
    runs = [options(combination) for combination in chosen]
    for combination, answer in zip(chosen, run_program(X, y, train, test, runs), strict=True):
        assert_equal_to_program(answer, X, y, train, test, combination)


def main():
    """Write the answers of the program."""
    answers = {}
    for name in SERIES:
        runs = [options(combination) for combination in COMBINATIONS]
        actual = run_program(*series(name), runs)
        answers[name] = dict(zip(map("-".join, COMBINATIONS), actual, strict=True))
    lines = []
    for name in SERIES:
        rows = [f"  {json.dumps(key)}: {json.dumps(answers[name][key])}" for key in answers[name]]
        lines.append(f" {json.dumps(name)}: {{\n" + ",\n".join(rows) + "\n }")
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
