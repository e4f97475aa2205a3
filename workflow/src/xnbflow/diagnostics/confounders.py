"""Columns of the phenotype that are associated with the class, and the effect of adjustment.

The columns are tested one by one. A column that names the class is not a confounder.
"""

import re
from dataclasses import replace
from math import comb
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.counts import counted, listed
from xnbflow.core.errors import InputError
from xnbflow.core.terms import column_of_term
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.false_discovery import holm
from xnbflow.diagnostics.genes import class_comparisons
from xnbflow.sources.cell_texts import is_missing
from xnbflow.sources.plausibility import (
    is_batch,
    is_event_status,
    is_event_time,
    is_technical,
)
from xnbflow.sources.sample_columns import with_known_covariates

#: Largest adjusted p of an association with the class, and of a severe one.
LEVEL, SEVERE = 0.05, 0.02
#: Most samples for a permuted chi-squared test; its asymptotic form suffices for more.
_MOST_PERMUTED = 300
#: Most distinct whole numbers that are treated as categories.
_FEW = 12
#: Words in the names of columns whose values are classes, and words of a value that names a class.
_DIAGNOSES = (
    "arm class condition diagnosis disease dose exposure genotype histology label phenotype "
    "stimulation subtype treatment"
)
_FOLLOW_UP = (
    "“{name}” is follow-up (the time to an event, or whether it was seen): an outcome, neither a "
    "confounder nor a column to adjust for; it needs a survival model"
)
_MOST_WORDS = 4

Row = dict[str, Any]


def confounders(series: DataSet) -> list[Row]:
    """Test the class against every column of the phenotype; the strongest association first.

    Fisher's exact test of two categories and two classes, the chi-squared test of more (permuted
    where it is not exact enough; exact where each category has one class), Kruskal and Wallis's of
    numbers and dates; p is adjusted by Holm over the columns. ``value`` is Cramer's V, or the share
    of the variance of the ranks. A column is severe where it separates classes completely and the
    adjusted p is at most .02. If that is above .05, a complete separation is a warning for batches
    and a notice for other columns. Later findings about classifiers can make others severe
    (`xnbflow.studies.concordances`). Columns without variation, identifiers, and columns that name
    the class are not tested. Where samples have groups, the tests are of *units*: a group's samples
    of one class count once for each category, and by the mean of their numbers.

    For columns that are associated with the class and for those of batches, ``genes`` and
    ``genes_adjusted`` are the linear features at a false discovery rate below .05, without and with
    the column in the model, both in the samples with a value of it; the latter is missing where the
    column cannot be adjusted for.
    """
    labels, found, same = pd.Series(series.labels), [], []
    known = {} if series.sample_metadata is None else series.sample_metadata
    batches = {str(name) for name in known if is_batch(str(name), list(known[name]))}
    for name, cells in known.items():
        present = ~cells.map(is_missing)
        own, texts = labels[present], cells[present].str.strip()
        groups = None if series.groups is None else series.groups[present]
        if is_follow_up(str(name), texts):
            same.append(audit_row("follow-up", str(name), "notice", _FOLLOW_UP.format(name=name)))
        elif is_class_in_other_words(own, texts):
            text = f"“{name}” names the class ({_by_class(own, texts)}), so it is not a confounder"
            same.append(audit_row("class in other words", str(name), "notice", text))
        elif tested := association(own, texts, groups):
            found.append(audit_row("confounder", str(name), "none", tested[2], *tested[:2]))
    adjusted = holm(np.array([row["p"] for row in found]))
    for row, p in zip(found, adjusted.tolist(), strict=True):
        row["p_holm"], text = p, row["finding"]
        complete = text.startswith("separates")
        if p <= LEVEL or complete:
            certain = p <= LEVEL or row["subject"] in batches
            row["severity"] = "warning" if certain else "notice"
            row["severity"] = "severe" if complete and p <= SEVERE else row["severity"]
            row["finding"] = f"“{row['subject']}” {text}"
        else:
            row["finding"] = f"no difference of “{row['subject']}” between the classes was found"
        if row["severity"] != "none" or row["subject"] in batches:
            row.update(_genes(series, row["subject"], row["finding"]))
    order = {"severe": 0, "warning": 1, "notice": 2, "none": 3}
    return sorted(found, key=lambda row: (order[row["severity"]], row["p"])) + same


def audit_row(
    check: str, subject: str, severity: str, finding: str, value: float = np.nan, p: float = np.nan
) -> Row:
    """Return a row of the table ``audit``."""
    numbers = {"value": value, "p": p, "p_holm": np.nan, "genes": np.nan, "genes_adjusted": np.nan}
    return {"check": check, "subject": subject, "finding": finding, "severity": severity, **numbers}


def _genes(series: DataSet, name: str, finding: str) -> Row:
    """Return the numbers of features that differ without and with a column, and a remedy."""
    cells = pd.DataFrame(series.sample_metadata)[name].str.strip()
    known = ~cells.map(is_missing)
    values = usable(pd.Series(series.labels)[known], cells[known])
    is_category = values is not None and not pd.api.types.is_numeric_dtype(values)
    is_code = is_category and pd.to_numeric(cells[known], errors="coerce").notna().all()
    others = tuple(term for term in series.adjust if column_of_term(term) != name)
    term = f"factor({name})" if is_code else name
    try:
        compared = with_known_covariates(replace(series, adjust=(*others, term)))
        found = {
            "genes": _at_level(replace(compared, adjust=others)),
            "genes_adjusted": _at_level(compared),
        }
    except InputError:
        finding = f"{finding}; no comparison of features can be adjusted for it"
        return {"genes": _at_level(replace(series, adjust=others)), "finding": finding}
    line = ",".join(re.sub(r"batch \((.*?)\)", r"\1", each) for each in (*others, term))
    if len(others) < len(series.adjust):
        text = "comparisons of features are adjusted for it"
    else:
        text = (
            f"to adjust comparisons of features for it, write adjust={line} in the sheet's options"
        )
        if not known.all():
            n = counted(int((~known).sum()), "sample", "has", "have")
            text += f" ({n} no value and would be left out)"
    return found | {"finding": f"{finding}; {text}"}


def _at_level(series: DataSet) -> float:
    """Return the number of linear features that differ between a class and the others, or NaN."""
    values = series.values[series.kinds == "linear"]
    fdr = class_comparisons(values, series)["fdr"]
    tested = ~np.isnan(fdr)
    return float((fdr < LEVEL).any(axis=0).sum()) if tested.any() else np.nan


def association(
    labels: pd.Series, cells: pd.Series, groups: np.ndarray | None
) -> tuple[float, float, str] | None:
    """Return the strength, the p-value and a description; None if no test is possible."""
    units = pd.DataFrame({"label": labels, "cell": cells, "group": groups})
    if groups is not None:
        units = units.drop_duplicates()
    values = usable(units["label"], units["cell"].rename(cells.name))
    if values is None:
        return None
    labels = units["label"][values.index]
    if not pd.api.types.is_numeric_dtype(values):
        return _of_categories(labels, values)
    if groups is not None:
        values = values.groupby([units["group"], labels]).mean()
        labels = values.index.get_level_values("label").to_series(values.index)
    varies = min(values.nunique(), labels.nunique()) > 1
    return _of_numbers(labels, values) if varies else None


def usable(labels: pd.Series, cells: pd.Series) -> pd.Series | None:
    """Return known cells as numbers or text; None for identifiers, constants and outcomes.

    Outcomes are the class, in its own or other words, and follow-up.
    """
    n, levels, n_classes = len(cells), cells.nunique(), labels.nunique()
    if levels < 2 or n_classes < 2 or (cells.str.lower() == labels.str.lower()).all():
        return None
    if is_class_in_other_words(labels, cells) or is_follow_up(str(cells.name), cells):
        return None
    numbers = as_numbers(cells)
    is_category = levels <= n / (2 if is_technical(str(cells.name)) else 3) or levels == n_classes
    if numbers is not None and not (is_category and _are_codes(numbers)):
        return numbers
    return cells if is_category else None


def column_levels(labels: pd.Series, cells: pd.Series) -> pd.Series | None:
    """Return the level of each known cell, numbers in thirds; None where `usable` is None."""
    values = usable(labels, cells)
    if values is None or not pd.api.types.is_numeric_dtype(values):
        return values
    return pd.qcut(values, 3, labels=False, duplicates="drop")


def is_follow_up(name: str, cells: pd.Series) -> bool:
    """Return whether a column is the time to an event or whether it was seen: an outcome.

    Examples
    --------
    >>> cells = pd.Series(["40", "90"])
    >>> is_follow_up("days_to_death", cells), is_follow_up("age", cells)
    (True, False)
    """
    return is_event_time(name) or is_event_status(name, list(map(str, cells)))


def is_class_in_other_words(labels: pd.Series, cells: pd.Series) -> bool:
    """Return whether a column names the classes: each of its values occurs in one class only.

    Its own name has a word for a diagnosis; or it has one value for each class, and for all classes
    but one at most the value has a word of the class's name, among four words at most.

    Examples
    --------
    >>> labels = pd.Series(["normal", "normal", "tumour"])
    >>> is_class_in_other_words(labels, pd.Series(["normal brain", "normal brain", "GBM"]))
    True
    >>> is_class_in_other_words(labels, pd.Series(["north", "north", "south"], name="hospital"))
    False
    """
    name, n_classes, n_levels = str(cells.name), labels.nunique(), cells.nunique()
    most = max(n_classes, len(cells) / 3)
    if n_classes < 2 or not n_classes <= n_levels <= most or is_technical(name):
        return False
    levels = pd.DataFrame({"label": labels, "level": cells}).drop_duplicates()
    if len(levels) > n_levels:  # a value of several classes
        return False
    common = set.intersection(*map(_words, levels["label"]))
    alike = [
        len(_words(level)) <= _MOST_WORDS and bool((_words(label) - common) & _words(level))
        for label, level in levels.itertuples(index=False)
    ]
    by_value = n_classes == n_levels and sum(alike) >= n_classes - 1
    return by_value or bool(_words(name) & _words(_DIAGNOSES))


def _words(text: str) -> set[str]:
    """Return the words of a text in one spelling, without plural endings."""
    words = re.findall(r"[^\W\d_]{3,}", text.lower().replace("tumor", "tumour"))
    return {word.removesuffix("s") for word in words}


def as_numbers(cells: pd.Series) -> pd.Series | None:
    """Return finite numbers, or dates as days; None where cells are neither."""
    numbers = pd.to_numeric(cells, errors="coerce")
    if numbers.notna().all():
        return numbers[np.isfinite(numbers)]
    if not cells.str.contains(r"\d{4}|\d[/.\-]\d", regex=True).all():
        return None
    dates = pd.to_datetime(cells, errors="coerce", format="mixed", utc=True)
    return dates.astype("int64") / 8.64e13 if dates.notna().all() else None


def _are_codes(numbers: pd.Series) -> bool:
    return bool(numbers.nunique() <= _FEW and (numbers == numbers.round()).all())


def _of_numbers(labels: pd.Series, numbers: pd.Series) -> tuple[float, float, str]:
    from scipy.stats import kruskal  # noqa: PLC0415  half a second; few series have a phenotype

    groups = [part.to_numpy() for _, part in numbers.groupby(labels)]
    h, p = kruskal(*groups)
    strength = max(0.0, (h - len(groups) + 1) / max(1, len(numbers) - len(groups)))
    return strength, float(p), "has different ranks in the classes"


def _of_categories(labels: pd.Series, cells: pd.Series) -> tuple[float, float, str]:
    from scipy.stats import (  # noqa: PLC0415  see above
        PermutationMethod,
        chi2_contingency,
        fisher_exact,
    )
    from scipy.stats.contingency import association as strength_of  # noqa: PLC0415

    table = pd.crosstab(labels, cells)
    counts = table.to_numpy()
    strength, few = float(strength_of(counts)), len(cells) <= _MOST_PERMUTED
    complete = strength > 1 - 1e-9 and (counts > 0).sum(axis=0).max() == 1
    if complete and few:
        p = _complete_p(counts)
    elif counts.shape == (2, 2):
        p = fisher_exact(counts).pvalue
    else:
        test = chi2_contingency(counts)
        p = test.pvalue
        if test.expected_freq.min() < 5 and few:
            permuted = PermutationMethod(n_resamples=999, rng=np.random.default_rng(0))
            p = chi2_contingency(counts, correction=False, method=permuted).pvalue
    if not complete or (p > LEVEL and counts.shape[0] != counts.shape[1]):
        return strength, float(p), "is distributed differently in the classes"
    text = (
        f"separates classes completely ({_by_class(labels, cells)}). Unless it is another name of "
        "the class, a classifier may recognise it instead of the class, and these samples cannot "
        "show which of the two"
    )
    return strength, float(p), text


def _complete_p(counts: np.ndarray) -> float:
    """Return an upper bound of the probability that with random labels each category has one class.

    It is exact for two classes: the share of the ways to choose the samples of a class that are
    unions of categories. ``counts`` (n_classes, n_categories) are numbers of samples.
    """
    n = int(counts.sum())
    ways = [1] + [0] * n  # to choose categories with so many samples
    for size in counts.sum(axis=0).tolist():
        for total in range(n, size - 1, -1):
            ways[total] += ways[total - size]
    return min(ways[size] / comb(n, size) for size in counts.sum(axis=1).tolist())


def _by_class(labels: pd.Series, cells: pd.Series) -> str:
    """Return the values of each class with their numbers of samples, in words."""
    held = cells.groupby(labels).value_counts(sort=True)
    return "; ".join(
        f"{label}: {listed([f'“{short(level)}” ({n})' for (_, level), n in own.items()], 3)}"
        for label, own in held.groupby(level=0)
    )


def short(text: str, length: int = 46) -> str:
    """Return a text, or its beginning and end."""
    return text if len(text) <= length else f"{text[: length - 13]}…{text[-12:]}"
