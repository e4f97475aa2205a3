"""Columns of the phenotype that are associated with the class, and the effect of adjustment.

Findings depend on the data set alone, not on the design of a study. Every column is tested in the
same way, by its values: categories, numbers, and dates as days. Names decide nothing. A column
whose values are the class in other words is not a confounder.
"""

import re
import warnings
from math import comb
from typing import NamedTuple

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted, listed
from xnbflow.core.significance import FDR_LEVEL, TEST_LEVEL
from xnbflow.core.study import Design
from xnbflow.core.terms import sheet_term
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.adjustment import with_known_covariates
from xnbflow.diagnostics.audit_row import AuditRow, audit_row
from xnbflow.diagnostics.false_discovery import holm
from xnbflow.diagnostics.genes import class_comparisons
from xnbflow.sources.formats.cell_texts import is_missing
from xnbflow.sources.series.plausibility import is_event_status, is_event_time

#: Largest adjusted p of a severe association.
SEVERE = 0.02
#: Most samples for a permuted chi-squared test; its asymptotic form suffices for more.
_MOST_PERMUTED = 300
#: Least mean number of samples of the levels of a column of categories.
_MEAN_SIZE = 2
#: Words of one meaning, in the singular, by the first of them.
_MEANINGS = {
    "normal": re.compile("normal|healthy|control|unaffected"),
    "tumour": re.compile("tumou?r|cancer|[a-z]*carcinoma|neoplasm|malignant"),
}
#: Longest text that is an abbreviation.
_LONGEST_ABBREVIATION = 6
#: Least share of the words of a value that are those of its label, for it to be the class.
_LEAST_SHARED = 1 / 3
#: A date in numbers: two of at most two digits, their separator, and a year.
_NUMERIC_DATE = re.compile(r"^(\d{1,2})([./-])(\d{1,2})[./-](\d{4}|\d{2})(?:[ T][\d:.]+)?$")
#: Other dates: the year first, or a month as a word.
_OTHER_DATE = re.compile(
    r"^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b|"
    r"^\d{1,2}[ -](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ -]\d{2,4}$",
    re.IGNORECASE,
)
#: Years of two digits below this number are of the present century.
_CENTURY = 70
#: Most distinct whole numbers that are treated as categories.
_FEW = 12
#: What differs between the classes in a column, by the code of the finding.
_DIFFERENCES = {
    "ranks differ": "has different ranks in the classes",
    "categories differ": "is distributed differently in the classes",
    "separates classes": "separates classes completely",
}
_FOLLOW_UP = (
    "the time to an event, or whether it was seen: an outcome, which needs a survival model, and "
    "no column to adjust for"
)


class Association(NamedTuple):
    """The association of a column with the class.

    Attributes
    ----------
    strength : float
        Cramer's V, or the share of the variance of the ranks.
    p : float
    code : str
        What differs, a code of `_DIFFERENCES`.
    levels : str
        The values of each class in words, if each category has one class; else empty.
    """

    strength: float
    p: float
    code: str
    levels: str = ""

    @property
    def complete(self) -> bool:
        """Whether each category has one class."""
        return self.code == "separates classes"


def confounders(series: DataSet) -> list[AuditRow]:
    """Test the class against every column of the phenotype; the strongest association first.

    Two categories and two classes are tested by Fisher's exact test, more by the chi-squared test
    (permuted if expected counts are small; exact if each category has one class), numbers and dates
    by the test of Kruskal and Wallis. The p-values are adjusted by Holm over the columns. ``value``
    is Cramer's V, or the share of the variance of the ranks. A column is severe if it separates
    classes completely and the adjusted p is at most .02. If the adjusted p is above .05, a complete
    separation is a warning. Findings about classifiers can make further columns severe
    (`xnbflow.studies.concordances`). Columns without variation, identifiers, and columns whose
    values are the class in other words are not tested. If samples have groups, the tests are of
    *units*: the samples of a group in one class are one unit for each category, or one unit with
    the mean of their numbers.

    For columns that are associated with the class, ``genes`` and ``genes_adjusted`` are the numbers
    of linear features at a false discovery rate below .05, without and with the column in the
    model, and no other column, both in the samples with a value in the column. The second number is
    missing if the column cannot be adjusted for.
    """
    labels = pd.Series(series.labels)
    phenotype = {} if series.sample_metadata is None else series.sample_metadata
    tested: dict[str, Association] = {}
    not_tested: list[AuditRow] = []
    for column, all_cells in phenotype.items():
        name = str(column)
        present = has_value(all_cells)
        cells = all_cells[present].str.strip()
        groups = None if series.groups is None else series.groups[present]
        if is_follow_up(name, cells):
            finding = f"“{name}” is follow-up by its name"
            not_tested.append(audit_row("follow-up", name, "notice", finding, detail=_FOLLOW_UP))
        if is_class_in_other_words(labels[present], cells):
            values = _by_class(labels[present], cells)
            finding = f"“{name}” is the class in other words, so it is not a confounder"
            not_tested.append(
                audit_row("class in other words", name, "notice", finding, detail=values)
            )
        elif result := association(labels[present], cells, groups):
            tested[name] = result
    # Columns that cannot be confounders are not counted among the tests that Holm adjusts for.
    adjusted = holm(np.array([result.p for result in tested.values()]))
    rows = []
    for (name, result), p_holm in zip(tested.items(), adjusted.tolist(), strict=True):
        severity = association_severity(result, p_holm)
        code = result.code
        finding = f"“{name}” {_DIFFERENCES[code]}"
        detail = result.levels
        if severity == "none":
            code = "no difference"
            finding = f"no difference of “{name}” between the classes was found"
            detail = ""
        row = audit_row(
            code, name, severity, finding, detail=detail, value=result.strength, p=result.p
        )
        row["p_holm"] = p_holm
        if severity != "none":
            row.update(_genes(series, name))
        rows.append(row)
    order = {"severe": 0, "warning": 1, "notice": 2, "none": 3}
    return sorted(rows, key=lambda row: (order[row["severity"]], row["p"])) + not_tested


def association_severity(result: Association, p_holm: float) -> str:
    """Return the severity of an association, as `confounders` documents it."""
    if result.complete and p_holm <= SEVERE:
        return "severe"
    return "warning" if p_holm <= TEST_LEVEL or result.complete else "none"


def _genes(series: DataSet, name: str) -> AuditRow:
    """Return the numbers of features that differ without and with a column, and a remedy."""
    cells = pd.DataFrame(series.sample_metadata)[name].str.strip()
    present = has_value(cells)
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
        remedy = "no comparison of features can be adjusted for it"
        return {"genes": _count_different(series, Design()), "remedy": remedy}
    term = sheet_term(term)
    text = f"to adjust comparisons of features for it, a study has `adjust: [{term}]` in its design"
    if not present.all():
        n = counted(int((~present).sum()), "sample", "has", "have")
        text += f" ({n} no value and would be left out)"
    return {
        "genes": genes,
        "genes_adjusted": genes_adjusted,
        "remedy": text,
    }


def _count_different(series: DataSet, design: Design) -> float:
    """Return the number of linear features that differ between a class and the others, or NaN."""
    values = series.values[series.kinds == "linear"]
    fdr = class_comparisons(values, series, design)["fdr"]
    tested = ~np.isnan(fdr)
    return float((fdr < FDR_LEVEL).any(axis=0).sum()) if tested.any() else np.nan


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
        return category_association(labels, values)
    if groups is not None:
        values = values.groupby([units["group"], labels]).mean()
        labels = values.index.get_level_values("label").to_series(values.index)
    if min(values.nunique(), labels.nunique()) < 2:
        return None
    return _number_association(labels, values)


def has_value(cells: pd.Series) -> pd.Series:
    """Return whether each cell of a column has a value.

    The word "none" is a value if the other values are categories: the drug that a patient has.

    Examples
    --------
    >>> has_value(pd.Series(["statin", "none", "NA"])).tolist()
    [True, True, False]
    >>> has_value(pd.Series(["3.5", "none", "NA"])).tolist()
    [True, False, False]
    """
    present = ~cells.map(is_missing)
    others = cells[present].str.strip()
    if len(others) and as_numbers(others) is None and as_dates(others) is None:
        present |= cells.str.strip().str.lower() == "none"
    return present


def usable(labels: pd.Series, cells: pd.Series) -> pd.Series | None:
    """Return cells as numbers or text; None for identifiers, constants and the class itself.

    The class is a column with its labels or with other words for them. A column of text is an
    identifier if its levels have less than two samples in the mean, except if it has as many levels
    as there are classes. Dates are categories, one for each day; with less than two samples a day
    they are numbers, in days.
    """
    n_levels = cells.nunique()
    n_classes = labels.nunique()
    if n_levels < 2 or n_classes < 2 or (cells.str.lower() == labels.str.lower()).all():
        return None
    if is_class_in_other_words(labels, cells):
        return None
    days = as_dates(cells)
    if days is not None:
        dates = days.to_numpy(dtype="datetime64[D]")
        texts = pd.Series(np.datetime_as_string(dates), days.index)
        n_levels = texts.nunique()
        if n_levels < 2:
            return None
        is_category = n_levels <= len(cells) / _MEAN_SIZE or n_levels == n_classes
        return texts if is_category else pd.Series(dates.astype(float), days.index)
    numbers = as_numbers(cells)
    # 12 samples may have up to six levels. A few whole numbers, such as 1 and 2, are codes of them.
    is_category = n_levels <= len(cells) / _MEAN_SIZE or n_levels == n_classes
    if numbers is not None:
        are_codes = numbers.nunique() <= _FEW and bool((numbers == numbers.round()).all())
        if not (is_category and are_codes):
            return numbers
    return cells if is_category else None


def share_of_variance(scores: np.ndarray, cells: pd.Series) -> tuple[float, float] | None:
    """Return the share of the variance of the ranks of scores that a column explains, and its p.

    Categories are tested by the test of Kruskal and Wallis (epsilon squared), numbers by Spearman's
    rank correlation (its square). The result is None for constants and identifiers. ``cells`` are
    those with a value, ``scores`` (n_cells,) those of the same samples.
    """
    from scipy.stats import spearmanr  # noqa: PLC0415  half a second; few series have a phenotype

    any_class = pd.Series(np.arange(len(cells)).astype(str), index=cells.index)
    values = usable(any_class, cells)
    if values is None or values.nunique() < 2:
        return None
    of_values = pd.Series(scores, index=cells.index)[values.index]
    if of_values.nunique() < 2:
        return None
    if pd.api.types.is_numeric_dtype(values):
        correlation = spearmanr(values, of_values)
        return float(correlation.statistic**2), float(correlation.pvalue)
    tested = _number_association(values, of_values)
    return tested.strength, tested.p


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
    """Return whether a column is the class in other words, by its values.

    Each value occurs in one class only and is like its class: it has a word of the label (or one of
    the same meaning, such as healthy and normal), and no word of another class; or it abbreviates
    the label, or the label abbreviates it. At least a third of the words of a value are those of
    its label: a long description with the name of the tissue describes how samples were taken. The
    name of the column decides nothing, and neither does a complete separation: statin and untreated
    are not the words of a disease.

    Examples
    --------
    >>> labels = pd.Series(["normal", "renal cell carcinoma"] * 3)
    >>> is_class_in_other_words(labels, pd.Series(["normal kidney", "RCC"] * 3))
    True
    >>> is_class_in_other_words(labels, pd.Series(["untreated", "statin"] * 3))
    False
    >>> taken = ["normal biopsies frozen at once", "carcinoma archived days after surgery"]
    >>> is_class_in_other_words(labels, pd.Series(taken * 3))
    False
    """
    n_classes = labels.nunique()
    n_levels = cells.nunique()
    most = max(n_classes, len(cells) / 3)
    if n_classes < 2 or not n_classes <= n_levels <= most:
        return False
    pairs = pd.DataFrame({"label": labels, "level": cells}).drop_duplicates()
    if len(pairs) > n_levels:  # a value occurs in several classes
        return False
    names = pairs["label"].unique().tolist()
    common = set.intersection(*map(_words, names))
    words_of = {name: _words(name) - common for name in names}
    for label, level in pairs.itertuples(index=False):
        others = set.union(*(words_of[name] for name in names if name != label))
        words = _words(level)
        shared = words_of[label] & words
        is_alike = len(shared) >= max(1, _LEAST_SHARED * len(words))
        is_alike = is_alike and not (others - words_of[label]) & words
        if not (is_alike or _abbreviates(level, label) or _abbreviates(label, level)):
            return False
    return True


def _words(text: str) -> set[str]:
    """Return the words of a text in one spelling, without plural endings.

    Words of the same meaning become one: those for normal samples, and those for tumours.

    Examples
    --------
    >>> sorted(_words("Healthy controls, adenocarcinomas of 2 colons"))
    ['colon', 'normal', 'tumour']
    """
    words = {word.removesuffix("s") for word in re.findall(r"[^\W\d_]{3,}", text.lower())}
    canonical = set()
    for word in words:
        meaning = next((name for name, stem in _MEANINGS.items() if stem.fullmatch(word)), word)
        canonical.add(meaning)
    return canonical


def _abbreviates(short_text: str, text: str) -> bool:
    """Return whether a text of letters abbreviates another: its initials, or letters of its word.

    The letters are in the order of the initials, or of the letters of the only word, with the same
    first letter.

    Examples
    --------
    >>> _abbreviates("RCC", "Renal Cell Carcinoma"), _abbreviates("ccRCC", "clear cell RCC")
    (True, False)
    >>> _abbreviates("WT", "wild type"), _abbreviates("ctrl", "control"), _abbreviates("N", "north")
    (True, True, True)
    >>> _abbreviates("Ulm", "tumour"), _abbreviates("2", "2 mg")
    (False, False)
    """
    letters = short_text.strip().lower()
    words = re.findall(r"[^\W\d_]+", text.lower())
    if not letters.isalpha() or len(letters) > _LONGEST_ABBREVIATION or not words:
        return False
    source = words[0] if len(words) == 1 else "".join(word[0] for word in words)
    if len(letters) >= len(source) + (len(words) > 1) or letters[0] != source[0]:
        return False
    place = 0
    for letter in letters:
        place = source.find(letter, place) + 1
        if not place:
            return False
    return True


def as_numbers(cells: pd.Series) -> pd.Series | None:
    """Return finite numbers; None where a cell is not a number."""
    numbers = pd.to_numeric(cells, errors="coerce")
    return numbers[np.isfinite(numbers)] if numbers.notna().all() else None


def as_dates(cells: pd.Series) -> pd.Series | None:
    """Return the days of a column of dates, datetime64; None where a cell is no date.

    All cells are read in one order: the day is first if any cell demands it, or if dots separate
    the numbers and no cell demands the month first. Times of the day are left out.

    Examples
    --------
    >>> as_dates(pd.Series(["02.11.2020", "14.12.2020"])).dt.strftime("%d %B").tolist()
    ['02 November', '14 December']
    >>> as_dates(pd.Series(["02/11/2020", "12/14/2020"])).dt.strftime("%d %B").tolist()
    ['11 February', '14 December']
    >>> as_dates(pd.Series(["2020-11-02 13:30", "3 Dec 2020"])).dt.strftime("%d %B").tolist()
    ['02 November', '03 December']
    >>> as_dates(pd.Series(["14.12.2020", "12.14.2020"])) is None  # no order suits both
    True
    """
    texts = cells.str.strip()
    numeric = texts.str.extract(_NUMERIC_DATE)
    is_numeric = numeric[0].notna()
    other = texts[~is_numeric]
    if not other.str.contains(_OTHER_DATE).all():
        return None
    days = pd.Series(pd.NaT, index=cells.index, dtype="datetime64[ns]")
    if len(other):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = pd.to_datetime(other, errors="coerce", format="mixed", utc=True)
        days[other.index] = parsed.dt.tz_localize(None)
    numeric = numeric[is_numeric]
    if len(numeric):
        first, second, year = (numeric[column].astype(int) for column in (0, 2, 3))
        day_first = bool((first > 12).any())
        month_first = bool((second > 12).any())
        if day_first and month_first:
            return None
        dotted = bool((numeric[1] == ".").all())
        is_day_first = day_first or (dotted and not month_first)
        day, month = (first, second) if is_day_first else (second, first)
        year = year.where(year >= 100, year + np.where(year < _CENTURY, 2000, 1900))
        parts = pd.DataFrame({"year": year, "month": month, "day": day})
        days[numeric.index] = pd.to_datetime(parts, errors="coerce")
    if days.isna().any():
        return None
    return days.dt.normalize().astype("datetime64[s]")


def _number_association(labels: pd.Series, numbers: pd.Series) -> Association:
    """Return the association of numbers; the strength is epsilon squared, ``(H - k + 1)/(n - k)``.

    With the H of Kruskal and Wallis, k classes and n samples it estimates the share of the variance
    of the ranks between the classes.
    """
    from scipy.stats import kruskal  # noqa: PLC0415  half a second; few series have a phenotype

    groups = [values.to_numpy() for _, values in numbers.groupby(labels)]
    h, p = kruskal(*groups)
    strength = max(0.0, (h - len(groups) + 1) / max(1, len(numbers) - len(groups)))
    return Association(strength, float(p), "ranks differ")


def category_association(labels: pd.Series, cells: pd.Series) -> Association:
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
        p = complete_separation_p(counts)
    elif counts.shape == (2, 2):
        p = float(fisher_exact(counts).pvalue)
    else:
        test = chi2_contingency(counts)
        p = float(test.pvalue)
        if test.expected_freq.min() < 5 and few:
            permuted = PermutationMethod(n_resamples=999, rng=np.random.default_rng(0))
            p = float(chi2_contingency(counts, correction=False, method=permuted).pvalue)
    # Many small categories separate classes by chance.
    if not complete or (p > TEST_LEVEL and n_classes != n_categories):
        return Association(strength, p, "categories differ")
    return Association(strength, p, "separates classes", levels=_by_class(labels, cells))


def complete_separation_p(counts: np.ndarray) -> float:
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
