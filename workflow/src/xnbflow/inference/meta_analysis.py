"""Genes over several series: the effect in each, their random-effects mean, where they hold."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.stats import binom, chi2, norm, rankdata, t

from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.false_discovery import benjamini_hochberg
from xnbflow.diagnostics.genes import class_comparisons

__all__ = ["meta_genes", "random_effects"]

#: Two-sided level of Welch's test of a gene in one series.
_LEVEL = 0.05


def random_effects(effects: np.ndarray, variances: np.ndarray) -> dict[str, np.ndarray]:
    """Return the random-effects mean of effects in several series, for many features at once.

    ``effects`` and ``variances`` have shape (n_series, n_features), missing where a feature has
    none. The result has ``effect`` (the mean), ``tau2`` (variance between series), ``i2`` (share of
    the variance of effects that is due to it), ``heterogeneity_p`` (Cochran's Q) and ``p`` (of the
    mean, normal, two-sided) after DerSimonian and Laird; ``lower`` and ``upper``, the 95 % interval
    of Hartung and Knapp, not narrower than that of DerSimonian and Laird. All are missing with
    fewer than two series, the interval with fewer than three: two series do not show how much
    series vary. ``series`` is the number of effects.

    R. DerSimonian and N. Laird, "Meta-analysis in clinical trials", Controlled Clinical Trials 7
    (1986), 177-188. G. Knapp and J. Hartung, "Improved tests for a random effects meta-regression
    with a single covariate", Statistics in Medicine 22 (2003), 2693-2710. J. P. T. Higgins and
    S. G. Thompson, "Quantifying heterogeneity in a meta-analysis", Statistics in Medicine 21
    (2002), 1539-1558.
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


def meta_genes(cohorts: Sequence[DataSet], symbols: Mapping[str, str]) -> pd.DataFrame:
    """Compare each class with the rest in every series, gene by gene, and put the series together.

    The ``cohorts`` have the same features and no sample in common; each is compared on its own
    scale, see `class_comparisons`. The result is the table ``meta_genes`` of `COHORT_TABLES`: a row
    per class and feature, by class and rank. A gene *holds* in a series if it differs there in the
    direction of the mean, Welch's p at most .05. ``chance`` is how often a gene without differences
    holds in so many series or more: at most twice the binomial probability of one-sided tests.
    """
    classes = np.unique(np.concatenate([each.classes for each in cohorts]))
    found = [class_comparisons(each.values, each) for each in cohorts]
    parts = []
    for label in classes:
        own = {}
        for key in ("effect", "variance", "p"):
            own[key] = np.full((len(cohorts), cohorts[0].n_features), np.nan)
            for place, (each, compared) in enumerate(zip(cohorts, found, strict=True)):
                if label in each.classes:
                    own[key][place] = compared[key][np.searchsorted(each.classes, label)]
        parts.append(_of_class(cohorts, own).assign(**{"class": label}))
    table = pd.concat(parts, ignore_index=True)
    table["symbol"] = [symbols.get(feature, "") for feature in table["feature"]]
    return table


def _of_class(cohorts: Sequence[DataSet], own: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Return the rows of one class by rank, without its name."""
    effects, half = own["effect"], norm.isf(0.025) * np.sqrt(own["variance"])
    summary = random_effects(effects, own["variance"])
    k = summary.pop("series")
    alike = np.sign(effects) == np.sign(summary["effect"])
    holds = (alike & (own["p"] <= _LEVEL)).sum(axis=0)
    summary |= {"fdr": benjamini_hochberg(summary["p"])}
    summary |= {"same_direction": alike.sum(axis=0), "holds": holds}
    summary |= {"chance": np.minimum(1.0, 2 * binom.sf(holds - 1, k, _LEVEL / 2))}
    table = pd.DataFrame(summary, dtype=float)
    table[k < 2] = np.nan
    table["feature"], table["series"] = cohorts[0].features, k
    ranks = rankdata(-np.abs(effects), "min", axis=1, nan_policy="omit")
    shown = {"effect": effects, "lower": effects - half, "upper": effects + half, "p": own["p"]}
    for key, values in {**shown, "rank": ranks}.items():
        table[[f"{key}.{each.name}" for each in cohorts]] = values.T
    weakest = np.nan_to_num(np.abs(effects)).min(axis=0)  # decides where there is no p
    order = np.lexsort((-weakest, table["p"]))
    table = table.iloc[order].reset_index(drop=True)
    return table.assign(rank=np.arange(1, len(table) + 1))
