"""Verdicts on the results of a study, by intervals and a permutation test.

A result counts as a signal if the permutation test of the labels has p <= .025 *and* the interval
of the balanced accuracy lies above that of chance. Everything else can only weaken it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from xnbflow.data.dataset import COUNTS
from xnbflow.evaluation.keyed_tables import KEY, Headers, Key, key_fields
from xnbflow.inference.estimates import Performance
from xnbflow.inference.intervals import LEVEL, Estimate
from xnbflow.tables.contract import STUDY_TABLES

#: Agreement of lists from other samples below which a selection is poor (Nogueira et al. 2018).
POOR_STABILITY = 0.4
#: Kinds of columns that may explain a result (`xnbflow.inference.concordance`).
INSEPARABLE = ("cannot be separated", "cannot be examined")
#: Least pairs of samples of different classes for the examination of a column.
FEWEST_PAIRS = 10
#: Between the names of columns that are examined together.
CROSS = " × "

#: A p is near its level if it is within this factor of it.
_NEAR_FACTOR = 2.0
#: A lower limit of the balanced accuracy is near chance if it is within this distance of it.
_NEAR_CHANCE = 0.02

Level = Literal["well supported", "partly supported", "not supported"]


@dataclass(frozen=True)
class Verdict:
    """A verdict, and the conditions that fail.

    These are "chance interval", "permutation test", "copies", "majority class", "classes", "batch",
    "library size", "stability" and "stability unknown". ``p_value`` is of the permutation test.
    """

    level: Level
    reasons: list[str]
    p_value: float


def verdict(
    performance: Performance,
    p_value: float = np.nan,
    stability: Estimate | None = None,
    *,
    copies: str | None = None,
    batch: bool = False,
    library_size: bool = False,
) -> Verdict:
    """Return the verdict on a classifier: whether it recognises its classes.

    ``p_value`` is of the permutation test, missing where none was run. ``stability`` is the
    agreement of lists from independent samples, None where nothing is selected; ``copies`` is of
    the function `copies`; ``batch`` and ``library_size`` are whether a batch, or the reads of the
    classes, may explain the result. For the rule see `docs/methods/verdicts.md`.
    """
    is_tested = not np.isnan(p_value)  # without a label test the interval alone decides
    lower = performance.balanced_accuracy.lower if is_tested else performance.strict_lower
    necessary = {
        "chance interval": lower > performance.chance,
        "permutation test": not p_value > LEVEL,  # also without a test
        "copies": copies != "severe",
    }
    failed = [reason for reason, is_met in necessary.items() if not is_met]
    if failed:
        return Verdict("not supported", failed, p_value)
    further = {
        "majority class": performance.accuracy.lower > performance.majority,
        "classes": all(row.recognised for row in performance.classes),
        "copies": copies != "warning",
        "batch": not batch,
        "library size": not library_size,
    }
    weak = [reason for reason, is_met in further.items() if not is_met]
    if stability is not None and stability.lower < POOR_STABILITY:
        weak.append("stability" if stability.upper < POOR_STABILITY else "stability unknown")
    return Verdict("partly supported" if weak else "well supported", weak, p_value)


def near_limit(performance: Performance, p_value: float) -> list[str]:
    """Return the conditions that another draw of folds or permutations may decide otherwise.

    These are the "permutation test" with p between half and twice its level, and the "chance
    interval" with a lower limit within .02 of chance.

    Examples
    --------
    >>> from xnbflow.inference.estimates import performance
    >>> codes = np.repeat([0, 1], 20)
    >>> near_limit(performance(codes, np.eye(2)[codes]), 0.03)
    ['permutation test']
    """
    conditions = []
    if LEVEL / _NEAR_FACTOR <= p_value <= LEVEL * _NEAR_FACTOR:
        conditions.append("permutation test")
    if abs(performance.balanced_accuracy.lower - performance.chance) <= _NEAR_CHANCE:
        conditions.append("chance interval")
    return conditions


def verdicts(
    performances: Mapping[Key, Performance],
    stability: pd.DataFrame,
    permutation_tests: pd.DataFrame,
    copied: Mapping[str, str],
    inseparable: Collection[Key] = (),
    unequal: Collection[str] = (),
) -> pd.DataFrame:
    """Return the verdicts on all results; see `verdict`.

    ``stability`` and ``permutation_tests`` are the study's tables; ``copied`` is of `copies`;
    ``inseparable`` are results that a batch may explain, ``unequal`` the data sets of
    `unequal_libraries`. The p of a classifier's own test is multiplied by the number of candidates
    that it was chosen from; the label test of the data set does not use the classifier, so that no
    choice changes its p.
    """
    halves = stability[stability["class"] == ""].dropna(subset="halves").set_index(KEY)
    agreement = {}
    for key, row in halves.to_dict("index").items():
        agreement[key] = Estimate(row["halves"], row["halves_lower"], row["halves_upper"])
    tests = permutation_tests.set_index(["dataset", "classifier"])[["p_value", "permuted"]]
    tests = tests.to_dict("index")
    rows = []
    for key, performance in performances.items():
        dataset, _, classifier = key
        test = tests.get((dataset, classifier), {"p_value": np.nan, "permuted": ""})
        n_candidates = 1 if test["permuted"] else performance.candidates
        p_value = float(np.minimum(1.0, test["p_value"] * n_candidates))
        result = verdict(
            performance,
            p_value,
            agreement.get(key),
            copies=copied.get(dataset),
            batch=key in inseparable,
            library_size=dataset in unequal,
        )
        rows.append(
            {
                **key_fields(key),
                "level": result.level,
                "reasons": "; ".join(result.reasons),
                "p_value": result.p_value,
                "permuted": test["permuted"],
                "near": "; ".join(near_limit(performance, p_value)),
            }
        )
    return pd.DataFrame(rows, columns=STUDY_TABLES["verdicts"].fixed)


def copies(audit: pd.DataFrame, headers: Headers) -> dict[str, str]:
    """Return by data set "severe" if 10% of the samples are exact or 50% near duplicates.

    The value is "warning" with fewer exact, or 10% near, duplicates. Notices on replicates are
    ignored.
    """
    severities: dict[str, str] = {}
    rows = audit[(audit["check"] == "repeated sample") & (audit["severity"] != "notice")]
    for (name, severity), pairs in rows.groupby(["dataset", "severity"])["subject"]:
        n = pairs.str.split(" [~=] ", regex=True).explode().nunique()
        share = n / len(headers[name].samples)
        if share >= (0.1 if severity == "severe" else 0.5):
            severities[name] = "severe"
        elif severity == "severe" or share >= 0.1:
            severities.setdefault(name, "warning")
    return severities


def unequal_libraries(audit: pd.DataFrame, headers: Headers) -> set[str]:
    """Return the data sets of raw counts with a warning that libraries of classes are unequal.

    The class can then be recognised by the number of reads. Counts that are normalised in each fold
    (``transform=tmm``) are not concerned: `docs/methods/counts.md` has the level of their test.
    """
    rows = audit[(audit["check"] == "library size") & (audit["severity"] == "warning")]
    return {name for name in rows["dataset"] if headers[name].scale != COUNTS}
