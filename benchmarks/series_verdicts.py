"""Verdicts on the development series, by the present rule and by the one before.

`python -m benchmarks.series_verdicts [name ...]` reads the series of `accuracy_series` (all probes,
no columns of the samples), judges `csnb_cv` in five folds with ten pairs of halves, and appends a
row for each series to results/benchmarks/series_verdicts.tsv: the level and its reasons, the level
by the rule before, and what differs. The rule before had the lower limit at n / 2.5, the test of
means alone, and the stability of all selected features; it had no pairs of classes, no repeats and
no missing values.
"""

import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from benchmarks.accuracy_series import development_series
from benchmarks.conclusions import Judged, judge, series_of

from xnbflow.core.significance import ONE_SIDED_LEVEL
from xnbflow.inference.verdict_reasons import lowest

RESULTS = Path(__file__).parents[1] / "results" / "benchmarks" / "series_verdicts.tsv"
PAIRS = 10
#: Limit of the agreement of all selected features, in the rule before.
POOR_STABILITY = 0.4


def reasons_before(judged: Judged) -> list[tuple[str, str]]:
    """Return the levels and reasons of the rule before, on the same predictions and halves."""
    performance = judged.performance
    reasons = []
    means = judged.test["means_p"]
    if np.isnan(means) or means > ONE_SIDED_LEVEL:
        reasons.append(("not supported", "label test"))
    if not performance.strict_lower > performance.chance:
        reasons.append(("not supported", "chance interval"))
    if not performance.accuracy.lower > performance.majority:
        reasons.append(("partly supported", "majority class"))
    if not all(row.is_recognised for row in performance.classes):
        reasons.append(("partly supported", "class not recognised"))
    kept = {"many copies": "not supported", "some copies": "partly supported"}
    reasons += [(kept[code], code) for code in judged.codes if code in kept]
    if judged.stability is not None and not judged.stability["halves_lower"] >= POOR_STABILITY:
        is_unstable = judged.stability["halves_upper"] < POOR_STABILITY
        reasons.append(("partly supported", "unstable" if is_unstable else "stability unclear"))
    return reasons


def stability_of(judged: Judged) -> dict[str, str]:
    """Return the three measures of stability with their intervals, as texts."""
    texts = {}
    measures = {"all features": "halves", "short list": "short", "replicated": "replicated"}
    for title, name in measures.items():
        value = "short_list" if name == "short" else name
        numbers = [np.nan] * 3
        if judged.stability is not None:
            numbers = list(judged.stability[[value, f"{name}_lower", f"{name}_upper"]])
        texts[title] = "{:.2f} [{:.2f}, {:.2f}]".format(*numbers)
    return texts


def main(names: list[str]) -> None:
    """Judge series and append their rows to the file."""
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    for name, read in development_series().items():
        if names and name not in names:
            continue
        start = time.process_time()
        values, labels = read()
        codes = np.unique(labels, return_inverse=True)[1]
        judged = judge(series_of(np.ascontiguousarray(values.T), codes), "csnb_cv", n_pairs=PAIRS)
        before = reasons_before(judged)
        balanced = judged.performance.balanced_accuracy
        row = {
            "series": name,
            "samples": len(codes),
            "before": lowest(level for level, _ in before),  # type: ignore[arg-type]
            "reasons before": ", ".join(code for _, code in before),
            "now": judged.level,
            "reasons": ", ".join(dict.fromkeys(judged.codes)),
            "balanced accuracy": round(balanced.value, 3),
            "lower limit": round(balanced.lower, 3),
            "p": judged.p,
            **stability_of(judged),
            "seconds": time.process_time() - start,
        }
        frame = pd.DataFrame([row])
        frame.to_csv(RESULTS, sep="\t", mode="a", header=not RESULTS.exists(), index=False)
        print(frame.to_string(index=False, header=False), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
