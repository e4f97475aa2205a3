"""Whether few samples of a second cohort recalibrate a model: a simulation of shifted cohorts.

    PYTHONPATH=workflow/src python benchmarks/recalibration.py [studies]

A model is fitted to 60 samples of two classes with 500 genes, 25 of which differ by one standard
deviation. In the second cohort every gene has an offset, with a standard deviation of 0, 1/2 or 1,
and markers keep all or half of their difference. Some samples of the second cohort recalibrate the
model, or a new model is fitted to them; 400 others are predicted. The table has means over studies
of balanced accuracy and log loss, with the standard error of the gain of the recalibrated model.
"""

import sys
import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd

from xnbflow.evaluation.metrics import fold_metrics
from xnbflow.models.recalibration import fit_recalibration, recalibrated
from xnbflow.naive_bayes import ClassSpecificNBCV

GENES = 500
MARKERS = 25
TRAINING = 60
TESTED = 400
#: Standard deviation of the offsets, and the share of their difference that markers retain.
SCENARIOS = [(offset, share) for offset in (0.0, 0.5, 1.0) for share in (1.0, 0.5)]
#: Samples that recalibrate.
SIZES = (6, 12, 24, 48)
#: Settings, and words of the command, of a run that shows that it computes something.
SMALL = {"SIZES": (6,), "SCENARIOS": [(0.5, 1.0)]}
SMALL_WORDS = ("1",)


def cohort(
    rng: np.random.Generator, n: int, effect: np.ndarray, offset: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return samples (n, genes) of two equal classes, shuffled, and their classes."""
    codes = rng.permutation(np.arange(n) % 2)
    return rng.normal(size=(n, GENES)) + np.outer(codes, effect) + offset, codes


def study(seed: int, shift: float, share: float) -> Iterator[dict[str, float]]:
    """Yield figures of one simulated pair of cohorts, for each number of samples."""
    rng = np.random.default_rng([seed, int(10 * shift), int(10 * share)])
    effect = np.zeros(GENES)
    effect[:MARKERS] = rng.choice([-1.0, 1.0], MARKERS)
    model = ClassSpecificNBCV().fit(*cohort(rng, TRAINING, effect, np.zeros(GENES)))
    offset = rng.normal(0.0, shift, GENES)
    new, codes = cohort(rng, TESTED, share * effect, offset)
    log_posterior = model.predict_log_proba(new)
    for n in SIZES:
        new_values, new_codes = cohort(rng, n, share * effect, offset)
        recalibrations = {
            "recalibration": fit_recalibration(model.predict_log_proba(new_values), new_codes)
        }
        answers = {
            "as it is": log_posterior,
            "recalibrated": recalibrated(recalibrations, log_posterior),
            "new model": ClassSpecificNBCV(cv=min(5, n // 2))
            .fit(new_values, new_codes)
            .predict_log_proba(new),
        }
        for name, logs in answers.items():
            figures = fold_metrics(codes, logs.argmax(axis=1), logs, np.arange(2))
            row = {"offset": shift, "kept": share, "n": n, "model": name, "study": seed}
            yield row | {key: figures[key] for key in ("balanced_accuracy", "log_loss")}


def main(words: list[str]) -> None:
    """Print the table; the first word is the number of pairs of cohorts of a row."""
    studies = int(words[0]) if words else 20
    warnings.simplefilter("ignore")
    records = []
    for shift, share in SCENARIOS:
        for seed in range(studies):
            records.extend(study(seed, shift, share))
    rows = pd.DataFrame(records)
    keys = ["offset", "kept", "n"]
    means = rows.groupby([*keys, "model"])[["balanced_accuracy", "log_loss"]].mean().unstack()
    wide = rows.pivot(index=[*keys, "study"], columns="model", values="balanced_accuracy")
    gain = (wide["recalibrated"] - wide["as it is"]).groupby(keys)
    means["gain"] = gain.mean()
    means["se"] = gain.sem()
    print(means.round(3).to_string())


if __name__ == "__main__":
    main(sys.argv[1:])
