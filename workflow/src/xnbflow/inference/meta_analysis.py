"""Genes over several series: the effect in each, their random-effects mean, where they hold."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.stats import binom, norm, rankdata

from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.false_discovery import benjamini_hochberg
from xnbflow.diagnostics.genes import LOG2, class_comparisons
from xnbflow.inference.hartung_knapp import hartung_knapp

#: Two-sided level of the test of a gene in one series.
_LEVEL = 0.05


def meta_genes(cohorts: Sequence[DataSet], symbols: Mapping[str, str]) -> pd.DataFrame:
    """Compare each class with the rest in every series, gene by gene, and combine the series.

    The ``cohorts`` have the same features and no sample in common; each is compared by itself, see
    `class_comparisons`. Effects are log2 fold changes if all series are logarithms, otherwise
    standardised: differences in moderated standard deviations, corrected for bias (G. Marot and
    others, Bioinformatics 25 (2009), 2692-2699). The result is the table ``meta_genes`` of
    `COHORT_TABLES`: a row per class and feature, by class and rank. A gene *holds* in a series if
    it differs there in the direction of the mean, p at most .05. ``chance`` bounds the probability
    that a gene without differences holds in at least this many series: twice the binomial
    probability of one-sided tests.
    """
    classes = np.unique(np.concatenate([each.classes for each in cohorts]))
    logarithms = all(each.scale in LOG2 for each in cohorts)
    found = [_effects(each, logarithms=logarithms) for each in cohorts]
    parts = []
    for label in classes:
        own = {}
        for key in ("effect", "variance", "lower", "upper", "p"):
            own[key] = np.full((len(cohorts), cohorts[0].n_features), np.nan)
            for place, (each, compared) in enumerate(zip(cohorts, found, strict=True)):
                if label in each.classes:
                    own[key][place] = compared[key][np.searchsorted(each.classes, label)]
        parts.append(_of_class(cohorts, own).assign(**{"class": label}))
    table = pd.concat(parts, ignore_index=True)
    table["unit"] = "log2 fold change" if logarithms else "standard deviations"
    table["symbol"] = [symbols.get(feature, "") for feature in table["feature"]]
    return table


def _effects(series: DataSet, *, logarithms: bool) -> dict[str, np.ndarray]:
    """Return effects of a series, their variances, 95% intervals and p, (n_classes, n_features).

    The standardised effect of two classes is Hedges' g if variances are not moderated (L. V.
    Hedges, Journal of Educational Statistics 6 (1981), 107-128).
    """
    found = class_comparisons(series.values, series)
    if logarithms:
        factor = LOG2[series.scale]
        names = {"effect": "difference", "lower": "lower", "upper": "upper"}
        effects = {name: factor * found[own] for name, own in names.items()}
        return effects | {"variance": (factor * found["standard_error"]) ** 2, "p": found["p"]}
    spread = np.sqrt(found["posterior_variance"])
    effect = (1 - 3 / (4 * found["df"] - 1)) * found["difference"] / spread
    variance = (found["standard_error"] / spread) ** 2 + effect**2 / (2 * found["df"])
    half = norm.isf(0.025) * np.sqrt(variance)
    limits = {"lower": effect - half, "upper": effect + half}
    return {"effect": effect, "variance": variance, **limits, "p": found["p"]}


def _of_class(cohorts: Sequence[DataSet], own: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Return the rows of one class by rank, without its name."""
    effects = own["effect"]
    summary = hartung_knapp(effects, own["variance"], ad_hoc=True)
    k, _ = summary.pop("series"), summary.pop("standard_error")
    summary["p"] = summary.pop("normal_p")
    alike = np.sign(effects) == np.sign(summary["effect"])
    holds = (alike & (own["p"] <= _LEVEL)).sum(axis=0)
    summary |= {"fdr": benjamini_hochberg(summary["p"])}
    summary |= {"same_direction": alike.sum(axis=0), "holds": holds}
    summary |= {"chance": np.minimum(1.0, 2 * binom.sf(holds - 1, k, _LEVEL / 2))}
    table = pd.DataFrame(summary, dtype=float)
    table[k < 2] = np.nan
    table["feature"], table["series"] = cohorts[0].features, k
    ranks = rankdata(-np.abs(effects), "min", axis=1, nan_policy="omit")
    shown = {key: own[key] for key in ("effect", "lower", "upper", "p")}
    for key, values in {**shown, "rank": ranks}.items():
        table[[f"{key}.{each.name}" for each in cohorts]] = values.T
    weakest = np.nan_to_num(np.abs(effects)).min(axis=0)  # used where there is no p
    order = np.lexsort((-weakest, table["p"]))
    table = table.iloc[order].reset_index(drop=True)
    return table.assign(rank=np.arange(1, len(table) + 1))
