"""Genes over several series: the effect in each, their random-effects mean, where they hold."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.stats import binom, chi2, norm, rankdata, t

from xnbflow.data.contract import COHORT_TABLES
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.false_discovery import benjamini_hochberg
from xnbflow.diagnostics.genes import class_comparisons

__all__ = ["HOLDS_LEVEL", "meta_genes", "random_effects"]

#: Two-sided level of Welch's test of a gene in one series.
HOLDS_LEVEL = 0.05


def random_effects(effects: np.ndarray, variances: np.ndarray) -> dict[str, np.ndarray]:
    """Return the random-effects mean of effects in several series, for many features at once.

    Parameters
    ----------
    effects, variances : ndarray of shape (n_series, n_features)
        Of each series; missing where a feature has none there.

    Returns
    -------
    dict of str to ndarray of shape (n_features,)
        ``effect`` (the mean), ``tau2`` (variance between series), ``i2`` (share of the variance of
        effects that is due to it), ``heterogeneity_p`` (Cochran's Q) and ``p`` (of the mean,
        normal, two-sided) after DerSimonian and Laird; ``lower`` and ``upper``, the 95 % interval
        of Hartung and Knapp, not narrower than that of DerSimonian and Laird. All are missing with
        fewer than two series, the interval with fewer than three: two series do not show how much
        series vary. ``series`` is the number of effects.

    References
    ----------
    R. DerSimonian and N. Laird, "Meta-analysis in clinical trials", Controlled Clinical Trials 7
    (1986), 177-188. G. Knapp and J. Hartung, "Improved tests for a random effects meta-regression
    with a single covariate", Statistics in Medicine 22 (2003), 2693-2710. J. P. T. Higgins and
    S. G. Thompson, "Quantifying heterogeneity in a meta-analysis", Statistics in Medicine 21
    (2002), 1539-1558.

    Examples
    --------
    >>> found = random_effects(np.array([[0.1], [0.5], [0.9]]), np.full((3, 1), 0.04))
    >>> [round(float(found[key][0]), 2) for key in ("effect", "tau2", "i2", "lower", "upper")]
    [0.5, 0.12, 0.75, -0.49, 1.49]
    """
    known = ~np.isnan(effects)
    k = known.sum(axis=0)
    several = np.where(k > 1, k, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.where(known, 1 / variances, 0.0)
        filled = np.where(known, effects, 0.0)
        total = weights.sum(axis=0)
        fixed = (weights * filled).sum(axis=0) / total
        q = (weights * (filled - fixed) ** 2).sum(axis=0)
        scale = total - (weights**2).sum(axis=0) / total
        tau2 = np.maximum(0.0, (q - (several - 1)) / scale)
        weights = np.where(known, 1 / (variances + tau2), 0.0)
        total = weights.sum(axis=0)
        mean = (weights * filled).sum(axis=0) / total
        error = 1 / np.sqrt(total)
        spread = np.sqrt((weights * (filled - mean) ** 2).sum(axis=0) / (several - 1))
        half = np.maximum(norm.isf(0.025), t.isf(0.025, several - 1) * spread) * error
        half = np.where(k > 2, half, np.nan)
        p = 2 * norm.sf(np.abs(mean) / error)
        i2 = np.where(q > 0, np.maximum(0.0, (q - (several - 1)) / q), 0.0 * several)
    return {
        "effect": mean,
        "lower": mean - half,
        "upper": mean + half,
        "p": p,
        "tau2": tau2,
        "i2": i2,
        "heterogeneity_p": chi2.sf(q, several - 1),
        "series": k,
    }


def meta_genes(
    cohorts: Sequence[DataSet], symbols: dict[str, str] | None = None, *, independent: bool = True
) -> pd.DataFrame:
    """Compare each class with the rest in every series, gene by gene, and put the series together.

    Parameters
    ----------
    cohorts : sequence of DataSet
        With the same features; each is compared on its own scale, see `class_comparisons`.
    symbols : dict of str to str, optional
        Gene symbols of features.
    independent : bool
        Whether the series share no samples; else nothing is said of all of them together.

    Returns
    -------
    DataFrame
        The table ``meta_genes`` of `COHORT_TABLES` of `xnbflow.data.contract`: a row per class and
        feature, by class and rank. A gene *holds* in a series if it differs there in the direction
        of the mean, Welch's p at most `HOLDS_LEVEL`. ``chance`` is how often a gene without
        differences holds in so many series or more: at most twice the binomial probability of so
        many one-sided tests at half the level.
    """
    classes = np.unique(np.concatenate([each.classes for each in cohorts]))
    found = [class_comparisons(each.values, each) for each in cohorts]
    shape, parts = (len(cohorts), cohorts[0].n_features), []
    for label in classes:
        own = {key: np.full(shape, np.nan) for key in ("effect", "variance", "p")}
        for place, (each, compared) in enumerate(zip(cohorts, found, strict=True)):
            for key in own if label in each.classes else ():
                own[key][place] = compared[key][np.searchsorted(each.classes, label)]
        parts.append(_of_class(cohorts, label, own, symbols or {}, independent=independent))
    return pd.concat(parts, ignore_index=True)


def _of_class(
    cohorts: Sequence[DataSet],
    label: str,
    own: dict[str, np.ndarray],
    symbols: dict[str, str],
    *,
    independent: bool,
) -> pd.DataFrame:
    features = cohorts[0].features
    summary = random_effects(own["effect"], own["variance"])
    k = summary.pop("series")
    alike = np.sign(own["effect"]) == np.sign(summary["effect"])
    holds = (alike & (own["p"] <= HOLDS_LEVEL)).sum(axis=0)
    chance = np.minimum(1.0, 2 * binom.sf(holds - 1, k, HOLDS_LEVEL / 2))
    together = {**summary, "fdr": benjamini_hochberg(summary["p"])}
    together |= {"same_direction": alike.sum(axis=0), "holds": holds, "chance": chance}
    unknown = (k < 2) | (not independent)
    table = pd.DataFrame({"class": label, "feature": features})
    table["symbol"] = [symbols.get(feature, "") for feature in features]
    for key in COHORT_TABLES["meta_genes"].fixed[4:-1]:
        table[key] = np.where(unknown, np.nan, together[key])
    table["series"] = k
    half = norm.isf(0.025) * np.sqrt(own["variance"])
    shown = {"effect": own["effect"], "lower": own["effect"] - half, "upper": own["effect"] + half}
    for key, values in {**shown, "p": own["p"]}.items():
        for each, row in zip(cohorts, values, strict=True):
            table[f"{key}.{each.name}"] = row
    for each, row in zip(cohorts, own["effect"], strict=True):
        ranks = rankdata(-np.abs(row), "min", nan_policy="omit")
        table[f"rank.{each.name}"] = ranks
    size = -table.filter(regex="^effect").abs().max(axis=1)
    order = np.lexsort((size, table["p"].fillna(2.0)))
    table = table.iloc[order].reset_index(drop=True)
    table.insert(1, "rank", np.arange(1, len(table) + 1))
    return table
