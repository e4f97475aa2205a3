"""A row of the audit: the closed list of what is found, and the fields of a row."""

from typing import Any

import numpy as np

from xnbflow.sources.series.scales import RecognisedScale

#: A row of the table ``audit``.
AuditRow = dict[str, Any]

#: The check that a finding belongs to, by its code.
CHECKS = {
    "no difference": "confounder",
    "ranks differ": "confounder",
    "categories differ": "confounder",
    "separates classes": "confounder",
    "follow-up": "follow-up",
    "class in other words": "class in other words",
    "no global shift": "global shift",
    "global shift": "global shift",
    "library": "library size",
    "libraries unequal": "library size",
    "libraries very unequal": "library size",
    "sex agrees": "sex",
    "sex differs": "sex",
    "sex not shown": "sex",
    "equal samples": "repeated sample",
    "nearly equal samples": "repeated sample",
    "similar samples": "repeated sample",
    **{scale.value: "scale" for scale in RecognisedScale},
    "component": "overview",
    "component follows column": "component",
    "outlier": "outlier",
    "group apart": "outlier",
    "likely repeats": "likely repeats",
    "many likely repeats": "likely repeats",
    "share missing": "missing values",
    "shares missing differ": "missing values",
    "few missing differ": "missing values",
    "shares at limit differ": "detection limit",
    "few at limit differ": "detection limit",
    "corrected with class": "selection",
    "chosen with labels": "selection",
    "few without difference": "selection",
    "normalised by class": "selection",
    "too few units": "units",
    "values predict class": "values",
    "recorded in one class": "recorded in one class",
    "technical in one class": "recorded in one class",
    "sample in two series": "shared sample",
    "phenotype alone": "phenotype only",
    "phenotype predicts class": "phenotype only",
}


def audit_row(
    code: str,
    subject: str,
    severity: str,
    finding: str,
    *,
    detail: str = "",
    remedy: str = "",
    other: str = "",
    value: float = np.nan,
    p: float = np.nan,
) -> AuditRow:
    """Return a row of the table ``audit``.

    ``code`` is one of `CHECKS`. ``subject`` is what it concerns, ``other`` the second sample or
    class of a pair. ``finding`` is a clause without its ``detail``, which explains or enumerates,
    and without its ``remedy``, which is what to do; no program reads these three.
    """
    return {
        "check": CHECKS[code],
        "code": code,
        "subject": subject,
        "other": other,
        "value": value,
        "p": p,
        "p_holm": np.nan,
        "genes": np.nan,
        "genes_adjusted": np.nan,
        "finding": finding,
        "detail": detail,
        "remedy": remedy,
        "severity": severity,
    }
