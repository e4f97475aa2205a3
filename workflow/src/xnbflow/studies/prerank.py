"""Gene sets whose genes lie at one end of the ranking by moderated t (GSEA, preranked).

Scores are shown without p-values: these permute genes and take them for independent, so that sets
of correlated genes are significant without any effect. `xnbflow.studies.gene_set_tests` decides.

A. Subramanian and others, Proceedings of the National Academy of Sciences 102 (2005), 15545-15550,
by the optional package gseapy (Z. Fang, X. Liu, G. Peltz, Bioinformatics 39 (2023), btac757).
"""

import logging
import warnings
from collections.abc import Mapping

import pandas as pd

from xnbflow.core.seeds import derive_seed
from xnbflow.studies.enrichment import SIZES, gene_names
from xnbflow.tables.contract import STUDY_TABLES

#: Permutations of the genes for the p of each set.
_PERMUTATIONS = 1000


def prerank(
    genes: Mapping[str, pd.DataFrame], sets: Mapping[str, set[str]], threads: int = 1
) -> pd.DataFrame:
    """Score gene sets by the place of their genes, ranked by moderated t.

    ``genes`` is the table ``genes`` of each data set. With two classes only the first is scored,
    because the second is its mirror. If a gene has several probes, the one with the greatest mean
    is used, a choice without labels. Scores of sets of 5 to 500 ranked genes are
    divided by the mean of 1,000 permutations of the genes. The result, the study's table
    ``prerank``, does not depend on ``threads``; it has no rows without gseapy.
    """
    schema = STUDY_TABLES["prerank"]
    parts = []
    for dataset, table in genes.items():
        classes = sorted(table["class"].unique())
        for label in classes[:1] if len(classes) == 2 else classes:
            ranking = _ranking(table[table["class"] == label])
            scores = _scores(ranking, sets, derive_seed(len(ranking), "prerank"), threads)
            parts.append(scores.assign(**{"dataset": dataset, "class": label}))
    parts = [part for part in parts if len(part)]
    whole = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=schema.fixed)
    return whole[schema.fixed]


def _ranking(genes: pd.DataFrame) -> pd.Series:
    """Return the t of each gene by its name, the largest first."""
    names = gene_names(genes)
    rows = genes.loc[names.index, ["mean", "t"]].assign(name=names).dropna(subset=["t"])
    rows = rows.sort_values(["mean", "name"], ascending=[False, True]).drop_duplicates("name")
    return rows.set_index("name")["t"].sort_values(ascending=False, kind="stable")


def _scores(
    ranking: pd.Series, sets: Mapping[str, set[str]], seed: int, threads: int
) -> pd.DataFrame:
    """Return the scores of the sets by their size; empty without gseapy."""
    ranked = set(ranking.index)
    sizes = {name: len(members & ranked) for name, members in sets.items()}
    tested = {name: sorted(sets[name]) for name, n in sizes.items() if SIZES[0] <= n <= SIZES[1]}
    if not tested:
        return pd.DataFrame()
    try:
        import gseapy  # noqa: PLC0415  an optional dependency
    except ModuleNotFoundError:
        return pd.DataFrame()
    logging.getLogger("gseapy").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of gseapy, about pandas
        scores = gseapy.prerank(
            rnk=ranking, gene_sets=tested, outdir=None, min_size=SIZES[0], max_size=SIZES[1],
            permutation_num=_PERMUTATIONS, threads=threads, seed=seed, no_plot=True,
        ).res2d  # fmt: skip
    numbers = scores[["ES", "NES"]].astype(float)
    result = pd.DataFrame(
        {
            "gene_set": scores["Term"].astype(str),
            "set_size": [sizes[name] for name in scores["Term"]],
            "direction": ["higher" if score > 0 else "lower" for score in numbers["ES"]],
            "es": numbers["ES"],
            "nes": numbers["NES"],
            "leading_genes": scores["Lead_genes"].str.replace(";", " "),
        }
    )
    order = result["nes"].abs().sort_values(ascending=False, kind="stable").index
    return result.loc[order].assign(rank=range(1, len(result) + 1))
