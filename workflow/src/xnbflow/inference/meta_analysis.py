"""Genes over several series: the effect in each, their random-effects mean, where they hold."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import scipy  # scipy.stats, half a second, is imported where it is used

from xnbflow.core.significance import TEST_LEVEL
from xnbflow.core.study import Design
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.false_discovery import benjamini_hochberg
from xnbflow.diagnostics.genes import LOG2, class_comparisons
from xnbflow.inference.hartung_knapp import hartung_knapp


def meta_genes(
    cohorts: Sequence[DataSet],
    symbols: Mapping[str, str],
    designs: Mapping[str, Design] | None = None,
) -> pd.DataFrame:
    """Compare each class with the rest in every series, gene by gene, and combine the series.

    The ``cohorts`` have the same features and no sample in common; each is compared by itself, by
    its design (``designs``, by the name of the series), see `class_comparisons`. Effects are log2
    fold changes if all series are logarithms, otherwise standardised: differences in moderated
    standard deviations, corrected for bias (G. Marot and
    others, Bioinformatics 25 (2009), 2692-2699). The result is the table ``meta_genes`` of
    the group ``cohorts``: a row per class and feature, by class and rank. A gene *holds* in a
    series if it differs there in the direction of the mean, p at most .05. ``chance`` bounds the
    probability that a gene without differences holds in at least this many series: twice the
    binomial probability of one-sided tests.
    """
    classes = np.unique(np.concatenate([series.classes for series in cohorts]))
    logarithms = all(series.scale in LOG2 for series in cohorts)
    compared = []
    for series in cohorts:
        design = (designs or {}).get(series.name, Design())
        compared.append(_effects_of_series(series, design, logarithms=logarithms))
    parts = []
    for label in classes:
        unknown = np.full((len(cohorts), cohorts[0].n_features), np.nan)
        names = ("effect", "variance", "lower", "upper", "p")
        class_effects = {name: unknown.copy() for name in names}
        for position, series in enumerate(cohorts):
            if label in series.classes:
                row = np.searchsorted(series.classes, label)
                for key, values in class_effects.items():
                    values[position] = compared[position][key][row]
        parts.append(_of_class(cohorts, class_effects).assign(**{"class": label}))
    table = pd.concat(parts, ignore_index=True)
    table["unit"] = "log2 fold change" if logarithms else "standard deviations"
    table["symbol"] = [symbols.get(feature, "") for feature in table["feature"]]
    return table


def _effects_of_series(
    series: DataSet, design: Design, *, logarithms: bool
) -> dict[str, np.ndarray]:
    """Return effects of a series, their variances, 95% intervals and p, (n_classes, n_features).

    The standardised effect of two classes is Hedges' g if variances are not moderated (L. V.
    Hedges, Journal of Educational Statistics 6 (1981), 107-128).
    """
    comparisons = class_comparisons(series.values, series, design)
    if logarithms:
        factor = LOG2[series.scale]
        return {
            "effect": factor * comparisons["difference"],
            "lower": factor * comparisons["lower"],
            "upper": factor * comparisons["upper"],
            "variance": (factor * comparisons["standard_error"]) ** 2,
            "p": comparisons["p"],
        }
    degrees = comparisons["df"]
    spread = np.sqrt(comparisons["posterior_variance"])
    effect = (1 - 3 / (4 * degrees - 1)) * comparisons["difference"] / spread
    variance = (comparisons["standard_error"] / spread) ** 2 + effect**2 / (2 * degrees)
    half = scipy.stats.norm.isf(0.025) * np.sqrt(variance)
    return {
        "effect": effect,
        "variance": variance,
        "lower": effect - half,
        "upper": effect + half,
        "p": comparisons["p"],
    }


def _of_class(cohorts: Sequence[DataSet], compared: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Return the rows of one class by rank, without its name.

    ``compared`` has the effects of the series, their variances, intervals and p, each (n_series,
    n_features). The p by which genes are ranked is that of the interval of the mean: a gene at p
    below .05 has an interval without 0.
    """
    effects = compared["effect"]
    summary = hartung_knapp(effects, compared["variance"], ad_hoc=True, jackknife=True)
    n_series = summary.pop("series")
    del summary["standard_error"]
    summary["fdr"] = benjamini_hochberg(summary["p"])
    same_direction = np.sign(effects) == np.sign(summary["effect"])
    summary["same_direction"] = same_direction.sum(axis=0)
    holds = (same_direction & (compared["p"] <= TEST_LEVEL)).sum(axis=0)
    summary["holds"] = holds
    summary["chance"] = np.minimum(
        1.0, 2 * scipy.stats.binom.sf(holds - 1, n_series, TEST_LEVEL / 2)
    )
    table = pd.DataFrame(summary, dtype=float)
    table[n_series < 2] = np.nan
    table["feature"] = cohorts[0].features
    table["series"] = n_series
    shown = {key: compared[key] for key in ("effect", "lower", "upper", "p")}
    shown["rank"] = scipy.stats.rankdata(-np.abs(effects), "min", axis=1, nan_policy="omit")
    for key, values in shown.items():
        table[[f"{key}.{series.name}" for series in cohorts]] = values.T
    weakest = np.nan_to_num(np.abs(effects)).min(axis=0)  # used where there is no p
    order = np.lexsort((-weakest, table["p"]))
    table = table.iloc[order].reset_index(drop=True)
    return table.assign(rank=np.arange(1, len(table) + 1))
