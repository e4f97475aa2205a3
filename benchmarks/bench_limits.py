"""Lower limits of cross-validations, by their inflation, in studies without information.

`python -m benchmarks limits` cross-validates `csnb` (five folds) in simulated studies whose labels
carry no information, and counts how often the lower limit of the balanced accuracy is above one
over the number of classes, the true value: 2.5 % is nominal. One row for each design, for the
inflation in use (`xnbflow.inference.intervals.BELOW`); the note has other inflations.
`XNBFLOW_LIMIT_STUDIES` sets the number of studies (600).
"""

import os
from dataclasses import replace

import numpy as np
from rows import row
from simulated_studies import Design, study

from xnbflow.inference.intervals import BELOW, balanced_interval

STUDIES = int(os.environ.get("XNBFLOW_LIMIT_STUDIES", "600"))
SPLITS = 5
#: Seeds that no other benchmark uses.
FIRST_SEED = 1000
INFLATIONS = (1.0, 1.25, BELOW, 2.0, 2.5)
PLAIN = Design(n=40, genes=500)
DESIGNS = {
    "10 and 10 samples": replace(PLAIN, n=20),
    "20 and 20 samples": PLAIN,
    "30 and 30 samples": replace(PLAIN, n=60),
    "6 and 6 samples": replace(PLAIN, n=12),
    "16 and 4 samples": replace(PLAIN, n=20, shares=(0.8, 0.2)),
    "32 and 8 samples": replace(PLAIN, shares=(0.8, 0.2)),
    "20 patients x 3": replace(PLAIN, n=20, per_patient=3),
    "10 pairs": replace(PLAIN, n=10, paired=True),
    "four classes of 15": replace(PLAIN, n=60, shares=(0.25,) * 4),
}

#: Settings of a run that shows that the benchmark computes something.
SMALL = {"STUDIES": 2, "DESIGNS": {"6 and 6 samples": replace(PLAIN, n=12)}}


def rows() -> list[dict]:
    """Return a row for each design; the ratio is the nominal share over the measured one."""
    return [limits_of(title, design) for title, design in DESIGNS.items()]


def limits_of(title: str, design: Design) -> dict:
    """Return the row of a design."""
    above = np.zeros((STUDIES, len(INFLATIONS)))
    for seed in range(STUDIES):
        result = study(design, "csnb", FIRST_SEED + seed, SPLITS, new=0)
        right = (result.probabilities.argmax(axis=1) == result.codes).astype(float)
        groups = result.groups if design.samples_of_patient > 1 else None
        for i, inflation in enumerate(INFLATIONS):
            interval = balanced_interval(
                right, result.codes, groups, inflation=max(inflation, 2.0), below=inflation
            )
            above[seed, i] = interval.lower > 1 / len(design.shares)
    shares = dict(zip(INFLATIONS, above.mean(axis=0).tolist(), strict=True))
    others = ", ".join(f"n / {inflation:g}: {share:.3f}" for inflation, share in shares.items())
    return row(
        f"lower limit above the truth, {title}",
        "0.025",
        ratio=0.025 / max(shares[BELOW], 1 / STUDIES),
        target=0.75,
        note=f"{others} ({STUDIES} studies)",
    )
