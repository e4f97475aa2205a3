"""Columns of the phenotype that are associated with the class, and the effect of adjustment.

Findings depend on the data set alone, not on the design of a study. The columns are tested one by
one. A column that names the class is not a confounder.
"""

import re
from math import comb
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted, listed
from xnbflow.core.study import Design
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.adjustment import with_known_covariates
from xnbflow.diagnostics.false_discovery import holm
from xnbflow.diagnostics.genes import class_comparisons
from xnbflow.sources.cell_texts import is_missing
from xnbflow.sources.plausibility import (
    is_batch,
    is_event_status,
    is_event_time,
    is_technical,
)

#: Largest adjusted p of an association with the class.
LEVEL = 0.05
#: Largest adjusted p of a severe association.
SEVERE = 0.02
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

#: A row of the table ``audit``.
Row = dict[str, Any]


class Association(NamedTuple):
    """The association of a column with the class.

    Attributes
    ----------
    strength : float
        Cramer's V, or the share of the variance of the ranks.
    p : float
    description : str
        What differs, without the name of the column: "has different ranks in the classes".
    complete : bool
        Whether each category has one class.
    """

    strength: float
    p: float
    description: str
    complete: bool = False


def confounders(series: DataSet) -> list[Row]:
    """Test the class against every column of the phenotype; the strongest association first.

    Two categories and two classes are tested by Fisher's exact test, more by the chi-squared test
    (permuted if expected counts are small; exact if each category has one class), numbers and dates
    by the test of Kruskal and Wallis. The p-values are adjusted by Holm over the columns. ``value``
    is Cramer's V, or the share of the variance of the ranks. A column is severe if it separates
    classes completely and the adjusted p is at most .02. If the adjusted p is above .05, a complete
    separation is a warning for batches and a notice for other columns. Findings about classifiers
    can make further columns severe (`xnbflow.studies.concordances`). Columns without variation,
    identifiers, and columns that name the class are not tested. If samples have groups, the tests
    are of *units*: the samples of a group in one class are one unit for each category, or one unit
    with the mean of their numbers.

    For columns that are associated with the class and for batches, ``genes`` and ``genes_adjusted``
    are the numbers of linear features at a false discovery rate below .05, without and with the
    column in the model, and no other column, both in the samples with a value in the column. The
    second number is missing if the column cannot be adjusted for.
    """
    labels = pd.Series(series.labels)
    phenotype = {} if series.sample_metadata is None else series.sample_metadata
    tested: dict[str, Association] = {}
    not_tested: list[Row] = []
    for column, all_cells in phenotype.items():
        name = str(column)
        present = ~all_cells.map(is_missing)
        cells = all_cells[present].str.strip()
        groups = None if series.groups is None else series.groups[present]
        if is_follow_up(name, cells):
            text = _FOLLOW_UP.format(name=name)
            not_tested.append(audit_row("follow-up", name, "notice", text))
        elif is_class_in_other_words(labels[present], cells):
            values = _by_class(labels[present], cells)
            text = f"“{name}” names the class ({values}), so it is not a confounder"
            not_tested.append(audit_row("class in other words", name, "notice", text))
        elif result := association(labels[present], cells, groups):
            tested[name] = result
    # Columns that cannot be confounders are not counted among the tests that Holm adjusts for.
    adjusted = holm(np.array([result.p for result in tested.values()]))
    rows = []
    for (name, result), p_holm in zip(tested.items(), adjusted.tolist(), strict=True):
        batch = is_batch(name, list(phenotype[name]))
        severity = _severity(result, p_holm, batch=batch)
        finding = f"“{name}” {result.description}"
        if severity == "none":
            finding = f"no difference of “{name}” between the classes was found"
        row = audit_row("confounder", name, severity, finding, value=result.strength, p=result.p)
        row["p_holm"] = p_holm
        if severity != "none" or batch:
            row.update(_genes(series, name, finding))
        rows.append(row)
    order = {"severe": 0, "warning": 1, "notice": 2, "none": 3}
    return sorted(rows, key=lambda row: (order[row["severity"]], row["p"])) + not_tested


def _severity(result: Association, p_holm: float, *, batch: bool) -> str:
    """Return the severity of an association, as `confounders` documents it."""
    if result.complete and p_holm <= SEVERE:
        return "severe"
    if p_holm <= LEVEL or (result.complete and batch):
        return "warning"
    return "notice" if result.complete else "none"


def audit_row(
    check: str,
    subject: str,
    severity: str,
    finding: str,
    *,
    value: float = np.nan,
    p: float = np.nan,
) -> Row:
    """Return a row of the table ``audit``."""
    numbers = {"value": value, "p": p, "p_holm": np.nan, "genes": np.nan, "genes_adjusted": np.nan}
    return {"check": check, "subject": subject, "finding": finding, "severity": severity, **numbers}


def _genes(series: DataSet, name: str, finding: str) -> Row:
    """Return the numbers of features that differ without and with a column, and a remedy."""
    cells = pd.DataFrame(series.sample_metadata)[name].str.strip()
    present = ~cells.map(is_missing)
    values = usable(pd.Series(series.labels)[present], cells[present])
    is_category = values is not None and not pd.api.types.is_numeric_dtype(values)
    is_code = is_category and pd.to_numeric(cells[present], errors="coerce").notna().all()
    term = f"factor({name})" if is_code else name
    adjustment = Design(adjust=(term,))
    try:
        complete = with_known_covariates(series, adjustment)
        genes = _count_different(complete, Design())
        genes_adjusted = _count_different(complete, adjustment)
    except InputError:
        finding = f"{finding}; no comparison of features can be adjusted for it"
        return {"genes": _count_different(series, Design()), "finding": finding}
    term = re.sub(r"batch \((.*?)\)", r"\1", term)
    text = f"to adjust comparisons of features for it, a study has `adjust: [{term}]` in its design"
    if not present.all():
        n = counted(int((~present).sum()), "sample", "has", "have")
        text += f" ({n} no value and would be left out)"
    return {
        "genes": genes,
        "genes_adjusted": genes_adjusted,
        "finding": f"{finding}; {text}",
    }


def _count_different(series: DataSet, design: Design) -> float:
    """Return the number of linear features that differ between a class and the others, or NaN."""
    values = series.values[series.kinds == "linear"]
    fdr = class_comparisons(values, series, design)["fdr"]
    tested = ~np.isnan(fdr)
    return float((fdr < LEVEL).any(axis=0).sum()) if tested.any() else np.nan


def association(
    labels: pd.Series, cells: pd.Series, groups: np.ndarray | None
) -> Association | None:
    """Return the association of a column with the class; None if no test is possible.

    ``labels`` and ``cells`` are those of the samples with a value, ``groups`` their groups or None.
    """
    units = pd.DataFrame({"label": labels, "cell": cells, "group": groups})
    if groups is not None:
        units = units.drop_duplicates()
    values = usable(units["label"], units["cell"].rename(cells.name))
    if values is None:
        return None
    labels = units["label"][values.index]
    if not pd.api.types.is_numeric_dtype(values):
        return _category_association(labels, values)
    if groups is not None:
        values = values.groupby([units["group"], labels]).mean()
        labels = values.index.get_level_values("label").to_series(values.index)
    if min(values.nunique(), labels.nunique()) < 2:
        return None
    return _number_association(labels, values)


def usable(labels: pd.Series, cells: pd.Series) -> pd.Series | None:
    """Return cells as numbers or text; None for identifiers, constants and outcomes.

    Outcomes are the class, in its own or other words, and follow-up. A column of text is an
    identifier if its levels have less than 3 samples in the mean, or 2 for batches, except if it
    has as many levels as there are classes.
    """
    n_levels = cells.nunique()
    n_classes = labels.nunique()
    if n_levels < 2 or n_classes < 2 or (cells.str.lower() == labels.str.lower()).all():
        return None
    if is_class_in_other_words(labels, cells) or is_follow_up(str(cells.name), cells):
        return None
    numbers = as_numbers(cells)
    mean_size = 2 if is_technical(str(cells.name)) else 3
    # 12 samples may have up to four levels, or six of a batch. Numbers that are codes, such as 1
    # and 2, are categories.
    is_category = n_levels <= len(cells) / mean_size or n_levels == n_classes
    if numbers is not None and not (is_category and _are_codes(numbers)):
        return numbers
    return cells if is_category else None


def column_levels(labels: pd.Series, cells: pd.Series) -> pd.Series | None:
    """Return the level of each cell, numbers in thirds; None if `usable` is None."""
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

    In addition, the name of the column has a word for a diagnosis, or the column has one value for
    each class and these are similar to the classes. A value is similar if it has at most four words
    and one of them is in the name of its class; one of the values may differ.

    Examples
    --------
    >>> labels = pd.Series(["normal", "normal", "tumour"])
    >>> is_class_in_other_words(labels, pd.Series(["normal brain", "normal brain", "GBM"]))
    True
    >>> is_class_in_other_words(labels, pd.Series(["north", "north", "south"], name="hospital"))
    False
    """
    name = str(cells.name)
    n_classes = labels.nunique()
    n_levels = cells.nunique()
    most = max(n_classes, len(cells) / 3)
    if n_classes < 2 or not n_classes <= n_levels <= most or is_technical(name):
        return False
    pairs = pd.DataFrame({"label": labels, "level": cells}).drop_duplicates()
    if len(pairs) > n_levels:  # a value occurs in several classes
        return False
    if _words(name) & _words(_DIAGNOSES):
        return True
    common = set.intersection(*map(_words, pairs["label"]))
    n_similar = 0
    for label, level in pairs.itertuples(index=False):
        words = _words(level)
        n_similar += len(words) <= _MOST_WORDS and bool((_words(label) - common) & words)
    return n_classes == n_levels and n_similar >= n_classes - 1


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
    """Return whether numbers are probably codes of categories: few distinct whole numbers."""
    return bool(numbers.nunique() <= _FEW and (numbers == numbers.round()).all())


def _number_association(labels: pd.Series, numbers: pd.Series) -> Association:
    """Return the association of numbers; the strength is epsilon squared, ``(H - k + 1)/(n - k)``.

    With the H of Kruskal and Wallis, k classes and n samples it estimates the share of the variance
    of the ranks between the classes.
    """
    from scipy.stats import kruskal  # noqa: PLC0415  half a second; few series have a phenotype

    groups = [values.to_numpy() for _, values in numbers.groupby(labels)]
    h, p = kruskal(*groups)
    strength = max(0.0, (h - len(groups) + 1) / max(1, len(numbers) - len(groups)))
    return Association(strength, float(p), "has different ranks in the classes")


def _category_association(labels: pd.Series, cells: pd.Series) -> Association:
    """Return the association of categories; the strength is Cramer's V."""
    from scipy.stats import (  # noqa: PLC0415  see above
        PermutationMethod,
        chi2_contingency,
        fisher_exact,
    )
    from scipy.stats.contingency import association as cramers_v  # noqa: PLC0415

    counts = pd.crosstab(labels, cells).to_numpy()
    n_classes, n_categories = counts.shape
    strength = float(cramers_v(counts))
    few = len(cells) <= _MOST_PERMUTED
    complete = strength > 1 - 1e-9 and (counts > 0).sum(axis=0).max() == 1
    if complete and few:
        p = _complete_p(counts)
    elif counts.shape == (2, 2):
        p = float(fisher_exact(counts).pvalue)
    else:
        test = chi2_contingency(counts)
        p = float(test.pvalue)
        if test.expected_freq.min() < 5 and few:
            permuted = PermutationMethod(n_resamples=999, rng=np.random.default_rng(0))
            p = float(chi2_contingency(counts, correction=False, method=permuted).pvalue)
    # Many small categories separate classes by chance.
    if not complete or (p > LEVEL and n_classes != n_categories):
        return Association(strength, p, "is distributed differently in the classes")
    text = (
        f"separates classes completely ({_by_class(labels, cells)}). Unless it is another name of "
        "the class, a classifier may recognise it instead of the class, and these samples cannot "
        "show which of the two"
    )
    return Association(strength, p, text, complete=True)


def _complete_p(counts: np.ndarray) -> float:
    """Return an upper bound of the probability that with random labels each category has one class.

    The bound is exact for two classes: the number of unions of categories that have as many samples
    as a class, over the number of ways to choose the samples of this class. ``counts`` (n_classes,
    n_categories) are numbers of samples.
    """
    n = int(counts.sum())
    unions = [1] + [0] * n  # by their number of samples
    for size in counts.sum(axis=0).tolist():
        for total in range(n, size - 1, -1):
            unions[total] += unions[total - size]
    return min(unions[size] / comb(n, size) for size in counts.sum(axis=1).tolist())


def _by_class(labels: pd.Series, cells: pd.Series) -> str:
    """Return the values of each class with their numbers of samples, in words.

    For example ``normal: “north” (6); tumour: “south” (5), “west” (1)``.
    """
    counts = cells.groupby(labels).value_counts(sort=True)
    texts = []
    for label, counts_of_class in counts.groupby(level=0):
        levels = [f"“{short(level)}” ({n})" for (_, level), n in counts_of_class.items()]
        texts.append(f"{label}: {listed(levels, 3)}")
    return "; ".join(texts)


def short(text: str, length: int = 46) -> str:
    """Return a text, or its beginning and end."""
    return text if len(text) <= length else f"{text[: length - 13]}…{text[-12:]}"
