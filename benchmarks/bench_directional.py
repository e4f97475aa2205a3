"""Directional naive Bayes: seconds of a selection, of fitting angles and of a cross-validation."""

import numpy as np
from rows import row
from timing import alternate, median_seconds

from xnbflow.naive_bayes import SelectiveNB, VonMisesNB
from xnbflow.papers.directional.von_mises import VonMises

#: Auslan's shape: 60 angles and 60 real numbers, 95 signs, 27 samples of each.
N_ANGLES = 60
N_CLASSES = 95
N_PER_CLASS = 27
#: Covertype's shape.
N_PATCHES = 100_000
N_LINEAR = 8
N_BINARY = 44
N_COVERS = 7


def rows() -> list[dict]:
    """Measure, and return the rows of the table of benchmarks."""
    return [select(), fit_angles(), cover_folds()]


def select() -> dict:
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(N_CLASSES), N_PER_CLASS)
    shape = (len(codes), N_ANGLES)
    centres = rng.uniform(-3, 3, (N_CLASSES, N_ANGLES))[codes] * (np.arange(N_ANGLES) % 3 == 0)
    X = np.hstack([centres + rng.vonmises(0, 2, shape), centres + rng.normal(size=shape)])
    classifier = SelectiveNB(VonMisesNB(angular=list(range(N_ANGLES))))
    seconds = median_seconds(lambda: classifier.fit(X, codes), 3)
    work = "SelectiveNB, 120 features x 95 classes x 2,565 samples"
    return row(work, "10 s", seconds, 10, note="paper: 160 s")


def fit_angles() -> dict:
    rng = np.random.default_rng(0)
    angles = rng.uniform(-np.pi, np.pi, (100_000, 100))
    codes = rng.integers(0, 2, 100)
    seconds, trigonometry = alternate(
        lambda: VonMises().fit(angles, codes, 2), lambda: np.cos(angles) + np.sin(angles)
    )
    note = f"np.cos + np.sin take {trigonometry:.2f} s"
    return row("von Mises fit, 100,000 features x 100 samples", "1 s", seconds, 1, note=note)


def cover_folds() -> dict:
    """Time a tenth of the 100 folds and multiply."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, N_COVERS, N_PATCHES)
    X = np.asfortranarray(
        np.hstack(
            [
                rng.vonmises(0, 1, (N_PATCHES, 2)),
                rng.normal(size=(N_PATCHES, N_LINEAR)),
                rng.integers(0, 2, (N_PATCHES, N_BINARY)),
            ]
        )
    )
    fold = np.arange(N_PATCHES) % 10
    categorical = list(range(2 + N_LINEAR, X.shape[1]))
    classifier = VonMisesNB(angular=[0, 1], categorical=categorical)

    def run() -> None:
        for test in range(10):
            classifier.fit(X[fold != test], codes[fold != test]).predict(X[fold == test])

    seconds = 10 * median_seconds(run, 3)
    return row("vMNB, 100 folds of Covertype's shape", "60 s", seconds, 60)
